"""``whoami`` and ``pin``: who acts in this worktree, and how that is known."""

from __future__ import annotations

import click

from coord.cli import acting, edge, show
from coord.work import whoami as known


@click.command()
@show.json_option
@click.pass_obj
def whoami(asked: str | None, *, as_json: bool) -> None:
    """Show who acts here, how that is known, and the author git will write."""
    acting.answer(known.whoami(edge.call(asked, "whoami")), as_json=as_json)


@click.command()
@click.option(
    "--actor", "name", metavar="NAME", help="Name to pin; default: the branch's, plus 4 hex."
)
@click.option("--self", "as_self", is_flag=True, help="Pin yourself: the author stays as it is.")
@click.option("--replace", is_flag=True, help="Pin anew, with a fresh instance.")
@show.json_option
@click.pass_obj
def pin(
    asked: str | None, *, name: str | None, as_self: bool, replace: bool, as_json: bool
) -> None:
    """Pin an identity to this worktree, so that no peer can change who works here."""
    from coord.work import pin as pinning  # noqa: PLC0415  # not for whoami

    options = {"--actor": name, "--self": as_self, "--replace": replace}
    call = edge.call(asked, "pin", options=options)
    acting.answer(pinning.pin(call, name, as_self=as_self, replace=replace), as_json=as_json)
