"""What ``board`` answers, and its parts as other answers tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.places import BriefDocument, WorkDocument, brief, work
from coord.identity import pin

if TYPE_CHECKING:
    from coord.board.roll import Member
    from coord.board.view import Claimant, Row
    from coord.liveness.presence import Status
    from coord.stores.unreached import Unreached
    from coord.work.board import Board


class LivenessDocument(TypedDict):
    """What is known of a worker, by proof alone.

    Attributes:
        liveness: ``present``, ``silent``, ``left``, ``ended``, ``gone`` or ``unknown``; null where
            nobody is meant.
        why: what tells that; null where there is nothing to add.
        since: the last sign of life; null of who is present.
    """

    liveness: str | None
    why: str | None
    since: str | None


class MemberDocument(LivenessDocument):
    """One worker.

    Attributes:
        last_seen: when it last gave a sign of life.
        present: it has given one lately.
        dead: it is proved to have ended.
        gone: git has forgotten its worktree.
        branch: what git has checked out there.
        worktree: the folder it works in; null of another clone's.
        host: the machine that it was last seen on.
        clone: id of the clone it works in, null where that was not written down.
    """

    actor: str
    instance: str
    last_seen: str | None
    present: bool
    dead: bool
    gone: bool
    branch: str | None
    worktree: str | None
    host: str | None
    clone: str | None


class SinceDocument(TypedDict):
    """Since when a scope is held."""

    since: str


class HolderDocument(SinceDocument, WorkDocument):
    """Who holds a scope."""


class ClaimantDocument(BriefDocument):
    """Who has a place in a line.

    Attributes:
        place: its number among those that count, null for a dead one that waits.
        state: ``held``, ``waiting`` or ``dead``: ended or gone.
        run: what ``git coord run`` runs in this place, null for a claim.
        liveness: what is known of its worker.
        branch: what its branch is called now.
        was: what that was called when the place was taken, null where it is so still.
    """

    was: str | None
    place: int | None
    state: str
    run: str | None
    liveness: str | None


class RowDocument(LivenessDocument):
    """One scope.

    Attributes:
        scope: canonical scope.
        state: ``held``, ``contested`` or ``free``.
        stale: its holder is not present.
        dead: its holder is proved to have ended, or to be gone.
        gone: git has forgotten its holder's worktree.
        paused_why: why, in the holder's words.
        finished_at: when the holder finished its branch.
        generation: how often the scope has changed its holder: the fencing token.
        claimants: the line, the holder first.
        renamed: what the branch of a ``branch:`` scope is called now, null where it is so still.
    """

    renamed: str | None
    scope: str
    state: str
    stale: bool
    dead: bool
    gone: bool
    paused: bool
    paused_at: str | None
    paused_why: str | None
    finished_at: str | None
    generation: int
    holder: HolderDocument | None
    claimants: list[ClaimantDocument]


class AgeDocument(TypedDict):
    """How old an answer is, where the board's server could not be reached.

    Attributes:
        as_of: when what is told was true, in seconds since the epoch; null for now.
        unreached: why the server could not be reached, null where it could, or there is none.
    """

    as_of: float | None
    unreached: str | None


class BoardDocument(AgeDocument):
    """Every worker and every scope, in order."""

    actors: list[MemberDocument]
    claims: list[RowDocument]


def document(found: Board) -> BoardDocument:
    """Return every worker and every scope."""
    return {
        "actors": [member(one) for one in found.members],
        "claims": [row(one) for one in found.rows],
        **age(found.unreached),
    }


def age(one: Unreached | None) -> AgeDocument:
    """Return how old an answer is."""
    if one is None:
        return {"as_of": None, "unreached": None}
    return {"as_of": one.at, "unreached": one.error.why}


def member(one: Member) -> MemberDocument:
    """Return one worker."""
    status = one.status
    return {
        "actor": one.actor.actor,
        "instance": one.actor.instance,
        "last_seen": None if status.seen is None else pin.at(status.seen),
        "present": status.present,
        "dead": status.dead,
        "gone": status.gone,
        "branch": one.branch,
        "worktree": one.worktree,
        "host": one.host or None,
        "clone": one.actor.clone or None,
        **liveness(status),
    }


def liveness(status: Status | None) -> LivenessDocument:
    """Return what is known of a worker."""
    if status is None:
        return {"liveness": None, "why": None, "since": None}
    since = None if status.seen is None or status.present else pin.at(status.seen)
    return {"liveness": status.liveness, "why": status.why or None, "since": since}


def row(one: Row) -> RowDocument:
    """Return one scope."""
    first = one.claimants[0] if one.claimants else None
    return {
        "scope": one.scope,
        "state": one.state,
        "renamed": one.renamed,
        "stale": one.stale,
        "dead": one.dead,
        "gone": one.gone,
        "paused": one.paused_at is not None,
        "paused_at": one.paused_at,
        "paused_why": one.paused_why,
        "finished_at": one.finished_at,
        "generation": one.generation,
        "holder": None if first is None else _holder(first),
        "claimants": [_claimant(each) for each in one.claimants],
        **liveness(one.status),
    }


def _holder(one: Claimant) -> HolderDocument:
    return {"since": one.place.since, **work(one.place), "branch": one.branch}


def _claimant(one: Claimant) -> ClaimantDocument:
    run = (one.place.words or "a command") if one.place.run else None
    return {
        **brief(one.place),
        "branch": one.branch,
        "was": one.was,
        "place": one.number,
        "state": one.state,
        "run": run,
        "liveness": one.liveness,
    }
