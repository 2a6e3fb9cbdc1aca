"""``worktree add``: a linked worktree whose worker is known from its first moment."""

from __future__ import annotations

import os

import click

from coord.base import publish
from coord.base.errors import Environment
from coord.base.names import quote
from coord.cli import acting, show
from coord.identity import pin as pins
from coord.identity import whoami
from coord.repo import git
from coord.repo import worktree as places
from coord.work import enrolment
from coord.work import whoami as known


@click.group()
def worktree() -> None:
    """Add a worktree that is pinned from its first moment."""


@worktree.command()
@click.argument("path")
@click.argument("commit", required=False)
@click.option("-b", "branch", metavar="BRANCH", help="Create BRANCH for it.")
@click.option("--detach", is_flag=True, help="Detach HEAD there.")
@click.option("--no-checkout", is_flag=True, help="Leave the files out.")
@click.option("--actor", metavar="NAME", help="Who will work there; default: the branch's name.")
@show.json_option
def add(
    path: str,
    commit: str | None,
    *,
    branch: str | None,
    detach: bool,
    no_checkout: bool,
    actor: str | None,
    as_json: bool,
) -> None:
    """Add a worktree at PATH, on BRANCH or at COMMIT, and pin its worker."""
    options = [*(["-b", branch] if branch else []), *(["--detach"] if detach else [])]
    options += ["--no-checkout"] if no_checkout else []
    if actor is not None:
        typed = [quote(word) for word in (*options, path, *([commit] if commit else []))]
        again = " ".join(typed).replace("{", "{{").replace("}", "}}")
        whoami.require_actor(actor, f"git coord worktree add --actor {{}} {again}")
    made = _added(path, commit, options, actor)
    acting.answer(known.known(made, whoami.resolve(made, actor)), as_json=as_json)


def _added(path: str, commit: str | None, options: list[str], actor: str | None) -> places.Worktree:
    """Run ``git worktree add`` under one lock and return the new, pinned place."""
    cwd = os.getcwd()
    here = places.discover(cwd)
    env = git.elsewhere()
    if actor is not None:
        env[whoami.VARIABLE] = actor
    target = [path] if commit is None else [path, commit]
    # Not --no-track: git refuses that option where no new branch comes of the call.
    untracked = ("-c", "branch.autoSetupMerge=false")
    with publish.lock(os.path.join(here.common_dir, "coord", "worktree-add.lock")):
        code = git.with_hooks(
            *untracked, "worktree", "add", *options, "--", *target, cwd=cwd, env=env
        )
        if code:
            raise Environment(
                "git-failed",
                "git worktree add failed",
                where=path,
                why=f"exit status {code}; git's own words are above",
                run=f"git -C {quote(cwd)} worktree list",
            )
        made = places.discover(os.path.join(cwd, path))
        _pin(made, env.get(whoami.VARIABLE))
    return made


def _pin(made: places.Worktree, actor: str | None) -> None:
    """Pin what no hook has pinned: ``--no-checkout``, a detached HEAD, no install."""
    wanted = actor or pins.branch_handle(made.git_dir)
    pinned, _ = pins.ensure(made.git_dir, made.common_dir, wanted, whoami.authorship(made))
    enrolment.enrol_pinned(made, pinned)
