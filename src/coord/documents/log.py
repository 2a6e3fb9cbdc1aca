"""What ``log`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from coord.board import linejson
from coord.documents.offers import RecipientsDocument  # noqa: TC001  # schemas read the types
from coord.documents.places import BriefDocument

if TYPE_CHECKING:
    from coord.board.events import Event
    from coord.board.line import Place
    from coord.work.log import Log


class ProcessDocument(TypedDict):
    """A process, as nothing else on any machine is known.

    Attributes:
        boot: the boot of the machine.
        start: when the process began, as that machine counts it.
    """

    host: str
    boot: str
    pid: int
    start: str
    name: str


class PlaceDocument(BriefDocument):
    """A place in a line; what was not said of it is left out.

    Attributes:
        process: who works there.
        run: it lasts as long as a command of ``git coord run``.
        on_behalf: somebody else took it for the worker of the branch.
        tip: the branch's commit when it was claimed.
        renewed: when something was last said of it.
        command: the process that ``git coord run`` has started.
        clone: id of the clone its worker is in.
    """

    issue: NotRequired[int | str]
    session: NotRequired[str]
    intent: NotRequired[str]
    paths: NotRequired[list[str]]
    process: NotRequired[ProcessDocument]
    run: NotRequired[bool]
    on_behalf: NotRequired[bool]
    tip: NotRequired[str]
    renewed: NotRequired[str]
    command: NotRequired[ProcessDocument]
    clone: NotRequired[str]


class _HeadDocument(TypedDict):
    seq: int
    kind: str
    actor: str
    instance: str | None
    at: str


# A class cannot have the key "from".
_FromDocument = TypedDict("_FromDocument", {"from": BriefDocument}, total=False)


class _DetailsDocument(_FromDocument, total=False):
    to: BriefDocument | RecipientsDocument
    passed_over: list[BriefDocument]
    waits_on: BriefDocument
    reason: str
    shipped: str
    offer: str
    command: int
    tip: str | None


class EventDocument(_HeadDocument, _DetailsDocument):
    """An event; what it has besides depends on its kind.

    Attributes:
        from: who held it, or had the place, before.
        to: who holds it now; of an offer, to whom it is made.
        passed_over: those in the line who could not come back.
        waits_on: who holds it, where somebody begins to wait.
        reason: the words of who did it.
        shipped: what the holder shipped there since it took its place, a line a move.
        offer: the offer that was taken up.
        command: the process that ``git coord run`` has started.
        tip: the branch's commit when it was finished.
        generation: of the scope, from this event on.
        line: the line from then on, the holder first.
    """

    generation: int
    line: list[PlaceDocument]


class LogDocument(TypedDict):
    """What happened to a scope, oldest first."""

    scope: str
    events: list[EventDocument]


def document(found: Log) -> LogDocument:
    """Return what happened to a scope."""
    return {"scope": found.scope, "events": [_event(one) for one in found.events]}


def _event(event: Event) -> EventDocument:
    made = {
        "seq": event.seq,
        "kind": event.kind,
        "actor": event.actor,
        "instance": event.instance,
        "at": event.at,
        **event.details,
        "generation": event.state.generation,
        "line": [_place(one) for one in event.state.line],
    }
    return cast("EventDocument", made)  # what a record says besides is not checked when it is read


def _place(place: Place) -> PlaceDocument:
    # Which session made it is for that worker alone.
    return cast("PlaceDocument", linejson.place(place._replace(by=None)))
