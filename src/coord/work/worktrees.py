"""``worktree add``: a linked worktree whose worker is known from its first moment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import publish, sharing
from coord.base.errors import Environment
from coord.base.names import quote
from coord.identity import pin, whoami
from coord.repo import git, worktree
from coord.work import enrolment, where
from coord.work.whoami import known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree
    from coord.work.call import Call
    from coord.work.whoami import Known

_CHECKOUT = 600  # seconds; git writes a whole tree while a peer holds the lock


def add(
    call: Call,
    path: str,
    commit: str | None = None,
    *,
    branch: str | None = None,
    detach: bool = False,
    no_checkout: bool = False,
    actor: str | None = None,
) -> Known:
    """Add a worktree at `path`, and pin its worker; return who that is.

    Args:
        call: the call; its own actor has no say here.
        path: where, from the caller's folder.
        commit: what is checked out there, as ``git worktree add`` has it.
        branch: a branch that is created for it.
        detach: HEAD is detached there.
        no_checkout: the files are left out.
        actor: who will work there; by default the branch's name, or that of COORD_ACTOR.

    Raises:
        Usage: `actor` is no name of an actor.
        Environment: git could not add it; its words are on stderr.
    """
    options = [*(["-b", branch] if branch else []), *(["--detach"] if detach else [])]
    options += ["--no-checkout"] if no_checkout else []
    target = [path] if commit is None else [path, commit]
    if actor is not None:
        again = " ".join(map(quote, (*options, *target))).replace("{", "{{").replace("}", "}}")
        whoami.require_actor(actor, f"git coord worktree add --actor {{}} {again}")
    made = _added(call, options, target, actor)
    return known(made, whoami.resolve(made, actor, call.environ))


def _added(
    call: Call, options: Sequence[str], target: Sequence[str], actor: str | None
) -> Worktree:
    """Run ``git worktree add`` under one lock and return the new, pinned worktree."""
    here = where.located(call)
    where.require_own(call, here)
    env = git.elsewhere(call.environ)
    if actor is not None:
        env[whoami.VARIABLE] = actor
    # Not --no-track: git refuses that option where no new branch comes of the call.
    words = ("-c", "branch.autoSetupMerge=false", "worktree", "add", *options, "--", *target)
    path = os.path.join(here.common_dir, "coord", "worktree-add.lock")
    with publish.lock(path, sharing.of(here.common_dir), _CHECKOUT):
        code = git.with_hooks(*words, cwd=call.cwd, env=env)
        if code:
            raise _failed(call, target[0], code)
        made = worktree.discover(os.path.join(call.cwd, target[0]), call.environ)
        _pin(made, env.get(whoami.VARIABLE))
    return made


def _pin(made: Worktree, actor: str | None) -> None:
    """Pin what no hook has pinned: ``--no-checkout``, a detached HEAD, no install."""
    wanted = actor or pin.branch_handle(made.git_dir)
    pinned, _ = pin.ensure(made.git_dir, made.common_dir, wanted, whoami.authorship(made))
    enrolment.enrol_pinned(made, pinned)


def _failed(call: Call, path: str, code: int) -> Environment:
    return Environment(
        "git-failed",
        "git worktree add failed",
        where=path,
        why=f"exit status {code}; git's own words are on stderr",
        run=f"git -C {quote(call.cwd)} worktree list",
    )
