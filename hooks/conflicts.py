"""No commit may bring a conflict into a log or a derived file, whoever left it there.

Git calls no driver for ``-s resolve``, an octopus or a stash that is popped after the merge, and a
hand may paste both sides. Refused is what is new against every parent; what a parent has is text.
"""

from __future__ import annotations

from coord.base.errors import Refused
from coord.base.names import operand
from coord.drivers import markers
from coord.hooks import lineage, staged
from coord.hooks.versions import Versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree


def judge(here: Worktree, args: Sequence[str]) -> None:
    """Refuse a commit that brings a conflict into a derived file.

    Args:
        here: the worktree.
        args: the arguments of prepare-commit-msg: message file, source, commit.

    Raises:
        Refused: naming path and line, and the command that makes the file anew.
    """
    versions = Versions(here, lineage.of(here, args), args[0])
    for path, blob in staged.changes(here, "derived").items():
        known = [versions.text(parent, path) for parent in versions.past.parents]
        new = versions.blob(blob) if blob else b""
        require_none("derived file", path, new, known + versions.replayed(path))


def require_none(kind: str, path: str, new: bytes, known: Sequence[bytes]) -> None:
    """Refuse a text with a conflict that none of the `known` texts has.

    Raises:
        Refused: naming path and line, and the way out.
    """
    if not markers.line(new):
        return
    line = markers.line(new, frozenset[bytes]().union(*map(markers.conflicts, known)))
    if not line:
        return
    word = operand(path)
    made = kind == "derived file"
    raise Refused(
        "conflict-markers",
        f"a {kind} is staged with a conflict in it",
        where=f"{path}:{line}",
        why="no parent has it so. If it only quotes one, say: "
        f"git coord resolve {word} --take worktree --reason 'it quotes a conflict'",
        run=f"git coord regenerate {word}" if made else f"${{EDITOR:-vi}} {word} && git add {word}",
    )
