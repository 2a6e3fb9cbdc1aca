"""What the commit under way grows from: its parents, their base, and what others can reach."""

from __future__ import annotations

import os

from coord.base import peerfile
from coord.base.frozen import NamedTuple
from coord.repo import caller, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree

_PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/")
_WIDTHS = frozenset({40, 64})  # of names in hex
_HEAD = 1 << 16  # bytes of packed refs that are looked at
_OTHERS = ("--branches", "--tags", "--remotes")


class Lineage(NamedTuple):
    """Commits the staged tree is held against.

    Attributes:
        parents: HEAD, and MERGE_HEAD's commits in a merge.
        base: merge base of several parents, empty for one.
        replaced: the parents of the commit that is amended; empty when none is.
    """

    parents: list[str]
    base: str
    replaced: list[str]


def of(here: Worktree, args: Sequence[str]) -> Lineage:
    """Return the lineage of the commit that prepare-commit-msg was called for with `args`.

    What git cannot say of the rest makes more of the history shared, and less of it replaced.

    Raises:
        Environment: git cannot say what HEAD is.
    """
    head = git.look("rev-parse", "--verify", "--quiet", "HEAD", cwd=here.cwd, env=git.here())
    parents = [head.text, *here.merging()]
    base = _ask(here, "merge-base", *parents) if len(parents) > 1 else ""
    replaced = _ask(here, "rev-parse", "HEAD^@").split() if is_amending(args) else []
    return Lineage(parents, base, replaced)


def shared(here: Worktree, commit: str) -> list[str]:
    """Return the newest commits in `commit`'s history that another branch, tag or remote reaches.

    In a repository with no other ref that is `commit` itself: nothing tells history apart there.
    Not asked are the stash (its entries stand on one's own commits) and backup refs.
    """
    if is_alone(here):
        return [commit]
    branch = _branch(here)
    mine = f"--exclude={branch.removeprefix('refs/heads/')}"
    listed = _ask(here, "rev-list", "--boundary", commit, "--not", mine, *_OTHERS).split()
    return [line[1:] for line in listed if line.startswith("-")] if listed else [commit]


def is_alone(here: Worktree) -> bool:
    """Tell whether the repository has no other branch, no tag and no remote."""
    branch = _branch(here)
    if _has_another(here.common_dir, branch):
        return False
    refs = _ask(here, "for-each-ref", "--format=%(refname)", *_PREFIXES)
    return not set(refs.split("\n")) - {branch, ""}


def _has_another(common_dir: str, branch: str) -> bool:
    """Tell whether a ref beside `branch` is plain to see; where none is, git has to be asked.

    Before the first one that it prints, git reads every file that holds one.
    """
    for prefix in _PREFIXES:
        for folder, _, names in os.walk(os.path.join(common_dir, prefix)):
            for name in names:
                path = os.path.join(folder, name)
                if path != os.path.join(common_dir, branch) and _names_a_commit(path):
                    return True
    head = _read(os.path.join(common_dir, "packed-refs")).split(b"\n")[:-1]
    refs = (os.fsdecode(line.partition(b" ")[2]) for line in head)
    return any(ref != branch and ref.startswith(_PREFIXES) for ref in refs)


def _names_a_commit(path: str) -> bool:
    """Tell whether a loose ref names one itself: it is no lock, not symbolic, and not broken."""
    text = _read(path).removesuffix(b"\n")
    is_name = len(text) in _WIDTHS and not text.strip(b"0123456789abcdef") and any(text.strip(b"0"))
    return is_name and not path.endswith(".lock")


def _read(path: str) -> bytes:
    try:
        return peerfile.head(path, _HEAD)
    except OSError:
        return b""


def where_shared(here: Worktree) -> str:
    """Return why what :func:`shared` tells counts as shared, to go on a sentence with."""
    if is_alone(here):
        return "is committed, and with no other branch, tag or remote to tell, all of that counts"
    return "is on another branch, tag or remote"


def _branch(here: Worktree) -> str:
    return _ask(here, "symbolic-ref", "--quiet", "HEAD")


def reverted(message: bytes) -> tuple[str, str] | None:
    """Return the commit that a clean ``git revert`` undoes and what it is held against.

    Only its message tells: git writes REVERT_HEAD for conflicts alone.
    """
    commit = _hex_after(b"This reverts commit ", message)
    against = _hex_after(b"reversing\nchanges made to ", message) or f"{commit}^"
    return (commit, against) if commit else None


def _hex_after(words: bytes, text: bytes) -> str:
    rest = text.partition(words)[2][:64].decode("ascii", "replace")
    kept = len(rest) - len(rest.lstrip("0123456789abcdef"))
    return rest[:kept]


def is_amending(args: Sequence[str]) -> bool:
    """Tell whether ``git commit --amend`` called the hook.

    ``commit HEAD`` says so; with ``-m`` or ``-F`` the hook is told ``message`` alone, and only the
    command line of the git above us knows.
    """
    return list(args[1:3]) == ["commit", "HEAD"] or any(
        len(word) > len("--a") and "--amend".startswith(word)
        for process in caller.processes(os.getppid())
        if "commit" in process.words
        for word in process.words
    )


def _ask(here: Worktree, *args: str) -> str:
    return git.ask(*args, cwd=here.cwd, env=git.here()).text
