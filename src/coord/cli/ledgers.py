"""``ship`` and ``put-down``: what was shipped, and what was considered and rejected."""

from __future__ import annotations

import time

import click

from coord.base.errors import Usage
from coord.cli import edge, show, words
from coord.documents import ledgers as documents
from coord.fleet.ledger import REASONS
from coord.stores import scopes
from coord.work import put_down as putting
from coord.work import ship as shipping


@click.command()
@click.argument("kind", required=False, metavar="KIND")
@click.argument("summary", required=False, metavar="SUMMARY")
@click.option(
    "--scope", shell_complete=words.scope, metavar="SCOPE", help="What it was claimed as."
)
@click.option("--lane", metavar="LANE", help="The lane that was tended with it.")
@show.json_option
@click.pass_obj
def ship(
    asked: str | None,
    *,
    kind: str | None,
    summary: str | None,
    scope: str | None,
    lane: str | None,
    as_json: bool,
) -> None:
    """Record what you shipped: one line in the ledger of moves, to be committed with it.

    KIND is one of those that .coord.toml declares, or new, improve, fix, combine, reach, infra,
    outreach.
    """
    words = [word for word in (kind, summary) if word is not None]
    call = edge.call(asked, "ship", words, {"--scope": scope, "--lane": lane})
    done = shipping.ship(call, kind, summary, scope=scope, lane=lane)
    if as_json:
        show.document(documents.shipped(done))
    else:
        show.line(f"shipped {done.move.kind}: {done.move.summary}")
    shipping.left(call, done)


@click.command(name="put-down")
@click.argument("name", required=False, shell_complete=words.scope, metavar="[SCOPE]")
@click.option("--reason", type=click.Choice(REASONS), help="Why not.")
@click.option("--revisit", metavar="TEXT", help="When it is worth another look.")
@click.option("--note", metavar="TEXT", help="Anything else.")
@click.option("--list", "listing", is_flag=True, help="List what was put down instead.")
@click.option(
    "--scope", shell_complete=words.scope, metavar="SCOPE", help="With --list: of this scope only."
)
@show.json_option
@click.pass_obj
def put_down(
    asked: str | None,
    *,
    name: str | None,
    reason: str | None,
    revisit: str | None,
    note: str | None,
    listing: bool,
    scope: str | None,
    as_json: bool,
) -> None:
    """Record that you considered SCOPE and left it, so that the next one knows why."""
    said = {"--reason": reason, "--revisit": revisit, "--note": note}
    if listing:
        if any(said.values()) or (name and scope):
            raise _usage("--list takes a scope and nothing else")
        call = edge.call(asked, "put-down", options={"--list": True, "--scope": name or scope})
        _list(putting.listed(call, name or scope), as_json=as_json)
        return
    if not name or not reason or scope:
        raise _usage("it needs SCOPE and --reason; --scope belongs to --list")
    call = edge.call(asked, "put-down", [name], said)
    done = putting.put_down(call, name, reason, revisit=revisit, note=note)
    if as_json:
        show.document(documents.left(done))
    else:
        show.line(f"put down {scopes.shown(done.entry.scope)}: {reason}")
    putting.left(call, done)


def _list(found: putting.Listing, *, as_json: bool) -> None:
    if as_json:
        show.document(documents.listing(found))
        return
    from coord.fleet.text import put_down_lines  # noqa: PLC0415  # brings the board's rows along

    show.lines(put_down_lines(found.entries, time.time()))
    if not found.entries:
        known = scopes.shown(found.scope) if found.scope else ""
        show.note(f"{known} was never put down" if known else "nothing was put down")


def _usage(why: str) -> Usage:
    return Usage(
        "usage",
        "wrong usage",
        where="git coord put-down",
        why=why,
        run="git coord put-down -h",
    )
