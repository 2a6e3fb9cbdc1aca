"""Commits that a library made in a worktree and wrote into no reflog: told by place and name.

isomorphic-git and dulwich move the branch and leave HEAD's reflog as it was. It then has a gap: an
entry that does not begin where the one before it ended, or a HEAD that is further on.
What lies in a gap under the user's own name, and on no other branch, tag or remote, was made here
by something that did not see the pin. Anything less would blame a colleague.
"""

from __future__ import annotations

from coord.identity import outgoing
from coord.repo import git
from coord.repo.reflog import Made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.identity.outgoing import Commit
    from coord.repo.reflog import Log

_OTHERS = ("--branches", "--tags", "--remotes")


def assume(
    log: Log, dirs: tuple[str, str], cwd: str, env: Mapping[str, str], listing: Iterable[Commit]
) -> None:
    """Let the reflog of a worktree tell of what stands in its gaps, where that is sure.

    Args:
        log: the worktree's, which is added to.
        dirs: its private and common git dir.
        cwd: a folder to run git in.
        env: the environment of git.
        listing: commits that are to be judged, with those that they grew from.
    """
    env = {**env, "GIT_DIR": dirs[0]}
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=cwd, env=env).text
    gaps = log.gaps(head)
    if not gaps:
        return
    commits = list(listing)
    inside = _inside(commits, gaps)
    found = [one for one in commits if one.id in inside and log.made(one.id) is None]
    own = _own_email(dirs, cwd) if found else ""
    mine = [commit for commit in found if own and commit.committer[1] == own]
    times = _alone([commit.id for commit in mine], cwd, env) if mine else {}
    log.assume(
        {
            one.id: Made(one.committer, times[one.id], one.author == one.committer)
            for one in mine
            if one.id in times
        }
    )


def _inside(listing: Sequence[Commit], gaps: Iterable[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    for start, end in gaps:
        found |= outgoing.reachable(listing, [end]) - outgoing.reachable(listing, [start])
    return found


def _own_email(dirs: tuple[str, str], cwd: str) -> str:
    from coord.identity import whoami  # noqa: PLC0415  # only where a reflog has a gap
    from coord.repo.worktree import Worktree  # noqa: PLC0415

    return whoami.own(Worktree(*dirs, cwd), "user.email")


def _alone(ids: Sequence[str], cwd: str, env: Mapping[str, str]) -> dict[str, int]:
    """Return what no branch but this worktree's, no tag and no remote reaches, and its time."""
    branch = git.ask("symbolic-ref", "--quiet", "HEAD", cwd=cwd, env=env).text
    mine = [f"--exclude={branch.removeprefix('refs/heads/')}"] if branch else []
    ask = ("rev-list", "--no-commit-header", "--format=%H %ct", *ids, "--not", *mine, *_OTHERS)
    lines = git.ask(*ask, cwd=cwd, env=env).text.split("\n")
    return {name: int(time) for name, _, time in (line.partition(" ") for line in lines if line)}
