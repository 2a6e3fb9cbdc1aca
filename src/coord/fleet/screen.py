"""What a worker sees when it wakes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import inboxtext
from coord.board.text import board_lines
from coord.fleet.text import mirror_lines, put_down_lines
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.board.messages import Message
    from coord.board.roll import Member
    from coord.board.view import Row
    from coord.fleet.ledger import PutDown
    from coord.fleet.mirror import Mirror
    from coord.fleet.suggestion import Suggestion
    from coord.stores.unreached import Unreached


class Screen(NamedTuple):
    """The parts of a wake; what could not be had is empty, and says why in `unavailable`.

    Attributes:
        actor: who wakes.
        instance: likewise; None where the name is only inferred.
        now: the present, in seconds.
        members: the roll.
        rows: the board.
        messages: unread ones.
        mirror: what was shipped lately.
        put_downs: what was put down last, oldest first.
        suggestion: the one thing to look at.
        unavailable: part → why it is missing.
        unreached: since when the board's server cannot be reached; None where it can.
        dated: the board's clock says when messages were sent; else each sender's does.
    """

    actor: str
    instance: str | None
    now: float
    members: Sequence[Member]
    rows: Sequence[Row]
    messages: Sequence[Message]
    mirror: Mirror | None
    put_downs: Sequence[PutDown]
    suggestion: Suggestion | None
    unavailable: Mapping[str, str]
    unreached: Unreached | None
    dated: bool = True

    @property
    def contested(self) -> list[str]:
        """The scopes with more than one live claimant."""
        return [row.scope for row in self.rows if row.state == "contested"]


def lines(screen: Screen) -> Iterator[str]:
    """Yield the screen as a person reads it: its parts, set apart by blank lines."""
    parts = (_board(screen), _inbox(screen), _mirror(screen), _put_downs(screen))
    for part in (list(part) for part in parts):
        if part:
            yield from part
            yield ""
    yield from (f"{part}: unavailable: {why}" for part, why in screen.unavailable.items())
    yield from _suggestion(screen)


def _mirror(screen: Screen) -> Iterator[str]:
    if screen.mirror is not None:
        yield from mirror_lines(screen.mirror, screen.now)


def _put_downs(screen: Screen) -> Iterator[str]:
    if screen.put_downs:
        yield "put down lately"
        yield from put_down_lines(screen.put_downs, screen.now)


def _board(screen: Screen) -> Iterator[str]:
    if "claims" in screen.unavailable:
        return
    yield from board_lines(screen.members, screen.rows, screen.instance, screen.now)
    if screen.contested:
        yield ""
        yield f"contested: {', '.join(map(scopes.shown, screen.contested))}"


def _inbox(screen: Screen) -> Iterator[str]:
    if "messages" in screen.unavailable:
        return
    if not screen.messages:
        yield "inbox: empty"
        return
    summary, *rest = inboxtext.lines(screen.messages, screen.now if screen.dated else None)
    yield f"inbox: {summary}"
    yield from (f"  {line}" for line in rest if line)


def _suggestion(screen: Screen) -> Iterator[str]:
    found = screen.suggestion
    if found is None:
        yield "suggestion: none; nothing is overdue, and no kind of move is going cold"
        return
    name = scopes.shown(found.name)
    subject = f"the lane {name}" if found.kind == "lane" else f"a move of kind {name}"
    yield f"suggestion: {subject} ({found.reason})"
    if found.run:
        yield f"  run: {found.run}"
