"""``reauthor``: unpublished commits get the identity their worktree is pinned to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Environment, Refused, Usage
from coord.identity import outgoing, pin, whoami
from coord.reauthor import reauthor as rewriting
from coord.repo import heads, reflog, worktree
from coord.work import where

if TYPE_CHECKING:
    from coord.reauthor.reauthor import Done, Plan
    from coord.reauthor.request import Request
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


class Reauthored(NamedTuple):
    """What a request comes to, and what was done of it.

    Attributes:
        plan: what it comes to.
        done: None where nothing was.
        typed: what a push has to call the branch, where one has to follow.
    """

    plan: Plan
    done: Done | None
    typed: str = ""


def reauthor(call: Call, request: Request, *, dry_run: bool = False) -> Reauthored:
    """Give commits the identity of the caller's worktree.

    Raises:
        Usage: no commit is named, or one that is none.
        Refused: who acts here is not pinned; or a commit is published, not on the branch, or a
            peer's; or something is half done.
        Environment: git cannot list the commits.
    """
    _require_sense(request)
    here = where.located(call)
    signature = _signature(call, here)
    plan = _planned(here, signature, request)
    done = None if dry_run or not plan.chain else rewriting.carry_out(here, plan)
    if done is None or not request.pushed:
        return Reauthored(plan, done)
    ref = done.moves[0].ref
    return Reauthored(plan, done, heads.spelled(here.cwd, ref).get(ref, ref))


def _require_sense(request: Request) -> None:
    """Insist on something to do.

    Raises:
        Usage: neither commits nor ``--outgoing``, or ``^REV`` without it.
    """
    excluded = any(commit.startswith("^") for commit in request.commits)
    if request.outgoing or (request.commits and not excluded):
        return
    raise Usage(
        "usage",
        "nothing to leave ^REV out of" if excluded else "no commit is named",
        where="git coord reauthor",
        why="name the commits, or take all that the push guard names",
        run="git coord reauthor --outgoing --dry-run",
    )


def _signature(call: Call, here: Worktree) -> tuple[str, str]:
    """Return name and e-mail that this worktree's commits are to bear.

    Raises:
        Refused: no pin, or another actor than the pinned one is asked for.
    """
    worktree.require_own(here, call.cwd, call.words, call.environ)
    where.lazily_pin(call, here)
    me = whoami.resolve(here, call.actor, call.environ)
    whoami.require_certain(me, here, call.words)
    pinned = whoami.read_pin(here)
    if pinned is None:
        raise Refused(
            "identity-inferred",
            f"reauthor as {me.actor} refused",
            where=here.cwd,
            why="only a pin says for good which identity this worktree's commits bear",
            run=pin.command(here.git_dir),
        )
    if outgoing.follows(here.common_dir, pinned):
        return pinned.name, pinned.email
    return whoami.own(here, "user.name"), whoami.own(here, "user.email")


def _planned(here: Worktree, signature: tuple[str, str], request: Request) -> Plan:
    try:
        return rewriting.plan(here, signature, request)
    except reflog.Doubt as doubt:
        raise Environment(
            "git-failed",
            "the commits could not be listed",
            where=here.cwd,
            why=str(doubt),
            run="git fsck --connectivity-only",
        ) from doubt
