"""``ship`` and ``put-down``: what was shipped, and what was considered and rejected."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from coord.base.errors import Usage
from coord.base.names import quote
from coord.board import chosen, claims, keys, recipients, scopes
from coord.board.store import StoreError
from coord.cli import edge, show
from coord.cli import ledgerentry as desks
from coord.fleet.ledger import REASONS, Move, PutDown, document, stamped
from coord.fleet.ledgerfile import Ledger
from coord.fleet.text import put_down_lines
from coord.settings import config
from coord.work.call import bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.settings.config import Fleet


@click.command()
@click.argument("kind", metavar="KIND")
@click.argument("summary", metavar="SUMMARY")
@click.option("--scope", metavar="SCOPE", help="What it was claimed as.")
@click.option("--lane", metavar="LANE", help="The lane that was tended with it.")
@show.json_option
@click.pass_obj
def ship(
    asked: str | None,
    *,
    kind: str,
    summary: str,
    scope: str | None,
    lane: str | None,
    as_json: bool,
) -> None:
    """Record what you shipped: one line in the ledger of moves, to be committed with it."""
    said = {"--scope": scope, "--lane": lane}
    _bound({"SUMMARY": summary, **said})
    desk = desks.open_at(asked, "ship", [kind, summary], said)
    _require_kind(kind, desk.declared.kinds)
    if not summary.strip():
        raise _empty("SUMMARY", "ship")
    claimed = scopes.parse(scope, desk.top) if scope else ""
    lane = _lane(lane, claimed, desk.declared)
    entry = Move(kind=kind, lane=lane, scope=claimed, summary=summary, **stamped(desk.me))
    desks.require_merged(desk, desk.declared.moves)
    made = Ledger(desk.top, desk.declared.moves, Move).append(entry)
    if as_json:
        show.document({"move": document(entry), "path": desk.declared.moves})
    else:
        show.line(f"shipped {kind}: {summary}")
    _warn_of_lane(lane, desk.declared)
    desks.tell(desk, desk.declared.moves, made=made)
    for held in sorted({claimed, f"lane:{lane}" if lane else ""} - {""}):
        _warn_of_claim(desk, held)


@click.command(name="put-down")
@click.argument("name", required=False, metavar="[SCOPE]")
@click.option("--reason", type=click.Choice(REASONS), help="Why not.")
@click.option("--revisit", metavar="TEXT", help="When it is worth another look.")
@click.option("--note", metavar="TEXT", help="Anything else.")
@click.option("--list", "listing", is_flag=True, help="List what was put down instead.")
@click.option("--scope", metavar="SCOPE", help="With --list: of this scope only.")
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
        _list(name or scope, as_json=as_json)
        return
    if not name or not reason or scope:
        raise _usage("it needs SCOPE and --reason; --scope belongs to --list")
    _bound(said)
    desk = desks.open_at(asked, "put-down", [name], said)
    entry = PutDown(
        scope=scopes.parse(name, desk.top),
        reason=reason,
        revisit=revisit or "",
        note=note or "",
        **stamped(desk.me),
    )
    desks.require_merged(desk, desk.declared.put_down)
    made = Ledger(desk.top, desk.declared.put_down, PutDown).append(entry)
    if as_json:
        show.document({"put_down": document(entry), "path": desk.declared.put_down})
    else:
        show.line(f"put down {scopes.shown(entry.scope)}: {reason}")
    desks.tell(desk, desk.declared.put_down, made=made)
    _warn_of_claim(desk, entry.scope)


def _list(name: str | None, *, as_json: bool) -> None:
    here = edge.located()
    top = desks.worktree_of(here)
    wanted = scopes.parse(name, top) if name else None
    newest = Ledger(top, config.load(top).fleet.put_down, PutDown).newest(limit=None)
    found = [entry for entry in newest if wanted in {None, entry.scope}][::-1]
    if as_json:
        show.document({"put_downs": [document(entry) for entry in found]})
        return
    show.lines(put_down_lines(found, time.time()))
    if not found:
        show.note(
            f"{scopes.shown(wanted)} was never put down" if wanted else "nothing was put down"
        )


def _bound(texts: Mapping[str, str | None]) -> None:
    for option, text in texts.items():
        bounded(text, option)


def _require_kind(kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise Usage(
            "kind-unknown",
            "no such kind of move",
            where=kind or "(empty)",
            why=f"the kinds are {', '.join(kinds)}; [moves] kinds in {config.FILE} declares them",
            run="git coord ship --help",
        )


def _empty(what: str, verb: str) -> Usage:
    return Usage(
        "usage",
        f"{what} is empty",
        where=verb,
        why="the record would say nothing",
        run=f"git coord {verb} --help",
    )


def _usage(why: str) -> Usage:
    return Usage(
        "usage",
        "wrong usage",
        where="git coord put-down",
        why=why,
        run="git coord put-down --help",
    )


def _lane(said: str | None, claimed: str, declared: Fleet) -> str:
    """Return the lane that was tended, as it is declared; it may be named as it is claimed."""
    name = said or (claimed if scopes.kind_of(claimed) == "lane" else "")
    name = name.removeprefix("lane:")
    known = {keys.normal(lane.name): lane.name for lane in declared.lanes}
    return known.get(keys.normal(name), name)


def _warn_of_lane(lane: str, declared: Fleet) -> None:
    names = [known.name for known in declared.lanes]
    if not lane or lane in names:
        return
    near = recipients.nearest(names, lane)
    there = f"the lanes are {', '.join(names)}" if names else "there is none"
    show.note(
        f"{scopes.shown(lane)} is no lane of {config.FILE}: {there}"
        + (f"; did you mean {near[0]}?" if near else "")
    )


def _warn_of_claim(desk: desks.Desk, scope: str) -> None:
    """Say when what was dealt with is still claimed; a board that cannot be read says nothing."""
    try:
        state = claims.state(chosen.board_of(desk.here.common_dir), scope)
    except StoreError:
        return
    places = state.places_of(desk.me.instance or "")
    if places:
        known = scopes.shown(scope)
        what = f"{known} is" if state.holder in places else f"a place in the line for {known} is"
        show.note(f"{what} still yours; git coord release {quote(scope)} ends it")
