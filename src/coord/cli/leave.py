"""``sign-off``: the clean end of a session, refused where it could end somebody else's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord import git, identity, refusal, worktree
from coord.cli import show, who

if TYPE_CHECKING:
    from coord.worktree import Place


@click.command()
@show.json_option
@click.pass_obj
def sign_off(asked: str | None, *, as_json: bool) -> None:
    """End your session here: check that it is yours, and say what is left behind."""
    place = who.here()
    worktree.refuse_leaked(place, os.getcwd(), "sign-off", os.environ)
    me = identity.resolve(place, asked)
    identity.require_certain(me, place, "sign-off")
    who.warn_of_author(place)
    live = refusal.live(place, git.elsewhere())
    pending = sorted(
        {record.path for record, facts in live if not refusal.is_settled(record, facts)}
    )
    changed = _changed(place)
    if as_json:
        show.document(
            {"actor": me.actor, "instance": me.instance, "pending": pending, "changed": changed}
        )
        return
    show.line(f"{me.actor} signed off from {place.cwd}")
    for path in pending:
        show.line(f"still refused: {path}")
    if changed:
        show.line(f"not committed: {len(changed)} path{'s' if len(changed) > 1 else ''}")


def _changed(place: Place) -> list[str]:
    """Return the paths with uncommitted changes, untracked ones included."""
    if place.top is None:
        return []
    listing = git.tell("status", "--porcelain", "-z", "--no-renames", cwd=place.top)
    return [field[3:] for field in listing.fields]
