"""A place in the line of a scope: whose it is, and what was said of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.board.line import Place


class BriefDocument(TypedDict):
    """Who has a place, and since when."""

    actor: str
    instance: str | None
    branch: str | None
    since: str


class WorkDocument(TypedDict):
    """Who has a place, and what was said of the work.

    Attributes:
        issue: the issue this is about.
        session: the session the claimant works in.
        intent: what it means to do.
        paths: pathspecs of the files it means to touch.
        agent: the program that works there.
        host: the machine on which it does.
        pid: its process there.
        clone: id of the clone it works in, null where that was not written down.
    """

    actor: str
    instance: str | None
    branch: str | None
    issue: int | str | None
    session: str | None
    intent: str | None
    paths: list[str]
    agent: str | None
    host: str | None
    pid: int | None
    clone: str | None


def brief(place: Place) -> BriefDocument:
    """Return who has a place."""
    return {
        "actor": place.actor,
        "instance": place.instance,
        "branch": place.branch,
        "since": place.since,
    }


def work(place: Place) -> WorkDocument:
    """Return who has a place, and what was said of the work."""
    return {
        "actor": place.actor,
        "instance": place.instance,
        "branch": place.branch,
        "issue": place.issue,
        "session": place.session,
        "intent": place.intent,
        "paths": list(place.paths),
        "agent": place.process.name if place.process else None,
        "host": place.process.host if place.process else None,
        "pid": place.process.pid if place.process else None,
        "clone": place.clone,
    }
