"""What was done from outside to the branch that a worktree has checked out.

``git history`` (2.55) rewrites branches in other worktrees and ``git refs rename`` renames them;
neither runs a hook, or touches the HEAD of those worktrees. Its reflog, which git writes only where
it works, then ends elsewhere than HEAD is.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git, reflog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.repo.worktree import Sibling


class Moved(NamedTuple):
    """A branch that was moved under a worktree.

    Attributes:
        sibling: the worktree.
        old: the commit that it was at work on.
        by: who did it, as the branch's reflog says, such as ``Ada <a@x>``; maybe empty.
        how: what was done, such as ``reword``; maybe empty.
        renamed: the full new name of the branch; empty where it was rewritten.
    """

    sibling: Sibling
    old: str
    by: str = ""
    how: str = ""
    renamed: str = ""

    @property
    def what(self) -> str:
        """What happened, in one line."""
        branch = f"{self.sibling.branch} was"
        if self.renamed:
            return f"{branch} renamed to {self.renamed.removeprefix('refs/heads/')} from outside"
        by = f" by {self.by}, {self.how}," if self.by else ""
        return f"{branch} rewritten{by} from outside"


def moved(siblings: Iterable[Sibling], common_dir: str) -> Iterator[Moved]:
    """Yield what was moved under which worktree."""
    known = [one for one in siblings if one.counts and one.git_dir and one.branch and one.head]
    for sibling in known:
        old = _last(sibling, common_dir)
        if not old or old == sibling.head or not old.strip("0"):
            continue
        env = {**git.elsewhere(), "GIT_DIR": common_dir}
        found = (
            _rewritten(sibling, old, env)
            if sibling.head.strip("0")
            else _renamed(sibling, old, env, {f"refs/heads/{one.branch}" for one in known})
        )
        if found is not None:
            yield found


def _last(sibling: Sibling, common_dir: str) -> str:
    """Return where the reflog of a worktree's HEAD ends, empty where there is none."""
    try:
        log = reflog.read(sibling.git_dir, common_dir, common_dir, git.elsewhere())
    except (reflog.Doubt, OSError):
        return ""
    return log.last()


def _rewritten(sibling: Sibling, old: str, env: dict[str, str]) -> Moved | None:
    """Return the rewriting; None for what only grew, as by a library that writes no reflog."""
    cwd = env["GIT_DIR"]
    ask = ("merge-base", "--is-ancestor", old, sibling.head)
    if git.ask(*ask, cwd=cwd, env=env).code != 1:
        return None
    entries = _entries(f"refs/heads/{sibling.branch}", env)
    if old not in {name for name, _, _ in entries}:
        return None  # HEAD was pointed to another branch
    _, by, subject = entries[0]
    return Moved(sibling, old, by, subject.partition(":")[0])


def _renamed(sibling: Sibling, old: str, env: dict[str, str], taken: set[str]) -> Moved | None:
    """Return the renaming; None for a branch that is still to be born."""
    ask = ("for-each-ref", "--format=%(refname)", "--contains", old, "refs/heads")
    names = git.ask(*ask, cwd=env["GIT_DIR"], env=env).text.split()
    renamed = [name for name in names if name not in taken and _is_renamed(_entries(name, env))]
    return Moved(sibling, old, renamed=renamed[0]) if len(renamed) == 1 else None


def _is_renamed(entries: list[tuple[str, str, str]]) -> bool:
    """Tell whether a branch was renamed: git notes that without a word, and it moves nothing."""
    pairs = itertools.pairwise(entries)
    return any(not now[2] and now[0] == before[0] for now, before in pairs)


def _entries(ref: str, env: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return (commit, who, what) of a ref's reflog, the newest first."""
    ask = ("log", "--walk-reflogs", "--encoding=none", "--format=%H%x00%gn <%ge>%x00%gs", ref, "--")
    done = git.ask(*ask, cwd=env["GIT_DIR"], env=env)
    lines = [line.split("\0") for line in os.fsdecode(done.out).split("\n") if line]
    return [(line[0], line[1], line[2]) for line in lines if len(line) == 3]  # noqa: PLR2004
