"""``worktree add``: a linked worktree whose worker is known from its first moment."""

from __future__ import annotations

import click

from coord.cli import acting, edge, show
from coord.work import worktrees


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
    options = {
        "-b": branch,
        "--detach": detach,
        "--no-checkout": no_checkout,
        "--actor": actor,
    }
    call = edge.call(None, "worktree add", options=options, tail=[path, *filter(None, [commit])])
    made = worktrees.add(
        call,
        path,
        commit,
        branch=branch,
        detach=detach,
        no_checkout=no_checkout,
        actor=actor,
    )
    acting.answer(made, as_json=as_json)
