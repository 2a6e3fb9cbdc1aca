"""Once rules at commit: what is written once stays as history outside this branch knows it.

Judged is what differs from every parent, and only files that another branch, tag or remote can
reach: one's own new file may change until it is shared. The sh in front lets an
addition pass and skips every replay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import operand, quote
from coord.guard.normal import Forms
from coord.hooks import lineage, messagefile, staged
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.repo.worktree import Worktree

_BATCH = 500  # paths a child, as arguments


def judge(here: Worktree, args: Sequence[str]) -> None:
    """Refuse a commit that changes or deletes a write-once file of shared history.

    Args:
        here: the worktree.
        args: the arguments of prepare-commit-msg: message file, source, commit.

    Raises:
        Refused: naming the path, and the command that settles it with a reason.
    """
    changes = staged.changes(here, "once")
    if not changes:
        return
    history = _History(here, args, list(changes))
    for path, blob in changes.items():
        if history.is_lost(path, blob):
            raise _refused(path, blob, lineage.where_shared(here))


class _History:
    """The commits that write-once files are held against: what git converts is no change."""

    def __init__(self, here: Worktree, args: Sequence[str], paths: list[str]) -> None:
        self._here = here
        self._paths = paths
        self._trees: dict[str, dict[str, str]] = {}
        self._forms = Forms(here.cwd, git.here(), paths)
        self._past = lineage.of(here, args)
        self._reverted = lineage.reverted(messagefile.text(args[0]))
        self._shared = [
            tip for parent in self._past.parents for tip in lineage.shared(here, parent)
        ]

    def is_lost(self, path: str, blob: str) -> bool:
        """Tell whether staging `blob` (empty: none) loses what others know at `path`."""
        if self._is_taken(path, blob) or self._is_undone(path, blob):
            return False
        if self._past.replaced and not self._has_other(self._past.replaced, path, blob):
            return False  # an amend of the commit that wrote it
        return self._has_other(self._shared, path, blob)

    def _has_other(self, commits: Sequence[str], path: str, blob: str) -> bool:
        held = filter(None, self._at(commits, path))
        return not all(self._forms.same(path, known, blob) for known in held)

    def _is_taken(self, path: str, blob: str) -> bool:
        """Tell whether a parent has it so, and was judged when it was made.

        A parent that never had the file takes nothing away; one that deleted it since the base did.
        """
        parents = self._at(self._past.parents, path)
        if not any(self._forms.same(path, blob, known) for known in parents):
            return False
        return bool(blob or any(self._at([self._past.base], path)))

    def _is_undone(self, path: str, blob: str) -> bool:
        """Tell whether a revert puts back what was there before the commit it undoes."""
        return self._reverted is not None and self._at([self._reverted[1]], path) == [blob]

    def _at(self, commits: Sequence[str], path: str) -> list[str]:
        """Return the blob of `path` in each commit; empty where it has none."""
        return [self._tree(commit).get(path, "") for commit in commits if commit]

    def _tree(self, commit: str) -> dict[str, str]:
        """Return path → blob of the paths in a commit, all of them in one child or a few."""
        if commit not in self._trees:
            found = self._trees[commit] = {}
            for first in range(0, len(self._paths), _BATCH):
                paths = [f":(literal){path}" for path in self._paths[first : first + _BATCH]]
                found.update(self._listed(commit, paths))
        return self._trees[commit]

    def _listed(self, commit: str, paths: list[str]) -> Iterator[tuple[str, str]]:
        ask = ("ls-tree", "-z", "--full-tree", commit, "--", *paths)
        listing = git.ask(*ask, cwd=self._here.cwd, env=git.here())
        if listing.code:
            if git.look(
                "rev-parse", "--verify", "--quiet", commit, cwd=self._here.cwd, env=git.here()
            ).code:
                return  # what a message calls reverted may be no commit
            listing = git.tell(*ask, cwd=self._here.cwd, env=git.here())
        for entry in listing.fields:
            facts, _, path = entry.partition("\t")
            yield path, facts.split(" ")[2]


def _refused(path: str, blob: str, shared: str) -> Refused:
    done = "changed" if blob else "deleted"
    back = f"git restore --staged --worktree {quote(f':/{path}')}"
    return Refused(
        "once-changed",
        f"a write-once file would be {'changed' if blob else 'deleted or renamed'}",
        where=path,
        why=f"it {shared}, and is written once: what is new goes into a "
        f"file of its own ({back} brings it back)",
        run=f"git coord resolve {operand(path)} --take worktree --reason '{done} on purpose'",
    )
