"""``ship``: one line in the ledger of moves, to be committed with what it tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Usage
from coord.fleet.ledger import Move, stamped
from coord.fleet.ledgerfile import Ledger
from coord.settings import config
from coord.stores import keys, scopes
from coord.work import ledgerentry
from coord.work.call import bounded

if TYPE_CHECKING:
    from coord.settings.config import Fleet
    from coord.work.call import Call
    from coord.work.ledgerentry import Writer


class Shipped(NamedTuple):
    """A move that was recorded, who wrote it, and whether its ledger had to be made."""

    move: Move
    path: str
    writer: Writer
    made: bool


def ship(
    call: Call,
    kind: str | None,
    summary: str | None,
    *,
    scope: str | None = None,
    lane: str | None = None,
) -> Shipped:
    """Record what was shipped; the kinds are the repository's, so that a missing one is told here.

    Raises:
        Usage: no such kind of move, no summary, no scope, or a text is too long for a record.
        Refused: who acts here is only inferred; or a merge of the ledger is open, or it is none.
    """
    for name, text in {"SUMMARY": summary, "--scope": scope, "--lane": lane}.items():
        bounded(text, name, "ship")
    writer = ledgerentry.writer_of(call)
    kind = _known(kind, writer.declared.kinds)
    if summary is None or not summary.strip():
        raise _empty(kind, given=summary is not None)
    claimed = scopes.parse(scope, writer.top) if scope else ""
    tended = _lane(lane, claimed, writer.declared)
    move = Move(kind=kind, lane=tended, scope=claimed, summary=summary, **stamped(writer.me))
    path = writer.declared.moves
    ledgerentry.require_merged(call, writer, path)
    made = Ledger(writer.top, path, Move).append(move)
    return Shipped(move, path, writer, made)


def left(call: Call, done: Shipped) -> None:
    """Say what is left to do. It comes after the answer: what was recorded stands."""
    move, writer = done.move, done.writer
    _warn_of_lane(call, move.lane, writer.declared)
    ledgerentry.tell(call, writer, done.path, made=done.made)
    for held in sorted({move.scope, f"lane:{move.lane}" if move.lane else ""} - {""}):
        ledgerentry.warn_of_claim(call, writer, held)


def _known(kind: str | None, kinds: tuple[str, ...]) -> str:
    if kind is not None and kind in kinds:
        return kind
    raise Usage(
        "kind-unknown",
        "no kind of move was said" if kind is None else "no such kind of move",
        where="git coord ship" if kind is None else kind or "(empty)",
        why=f"the kinds are {', '.join(kinds)}; [moves] kinds in {config.FILE} declares them",
        run="git coord ship -h",
    )


def _empty(kind: str, *, given: bool) -> Usage:
    return Usage(
        "usage",
        "SUMMARY is empty" if given else "SUMMARY is missing",
        where=f"git coord ship {kind}",
        why="the record would say nothing",
        run="git coord ship -h",
    )


def _lane(said: str | None, claimed: str, declared: Fleet) -> str:
    """Return the lane that was tended, as it is declared; it may be named as it is claimed."""
    name = said or (claimed if scopes.kind_of(claimed) == "lane" else "")
    name = name.removeprefix("lane:")
    known = {keys.normal(lane.name): lane.name for lane in declared.lanes}
    return known.get(keys.normal(name), name)


def _warn_of_lane(call: Call, lane: str, declared: Fleet) -> None:
    names = [known.name for known in declared.lanes]
    if not lane or lane in names:
        return
    from coord.board import recipients  # noqa: PLC0415  # a lane misspelt, or declared nowhere

    near = recipients.nearest(names, lane)
    there = f"the lanes are {', '.join(names)}" if names else "there is none"
    call.note(
        f"{scopes.shown(lane)} is no lane of {config.FILE}: {there}"
        + (f"; did you mean {near[0]}?" if near else "")
    )
