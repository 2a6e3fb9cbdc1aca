"""What ``store`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.stores.probe import Probe
    from coord.work.store import Stands


class UnpublishedDocument(TypedDict):
    """A record that waits to be published.

    Attributes:
        actor: who left it.
        instance: who left it, for certain.
        words: what was typed.
        key: of the record.
        at: when, in seconds since the epoch.
    """

    actor: str
    instance: str
    words: str
    key: str
    at: float


class UnreadableDocument(TypedDict):
    """A file that cannot be read, and the command that removes it."""

    path: str
    run: str


class StoreDocument(TypedDict):
    """Where a clone's board is kept.

    Attributes:
        url: of the board elsewhere, null where it is in the git dir.
        folder: where the board is in the git dir, of a clone that keeps it there.
        reached: the server can be reached, or there is none.
        why: why it cannot be, null where it can.
        as_of: when what is known here was true, in seconds since the epoch; null for now.
        epoch: random id of the board there, null where the board is in the git dir.
        held: how many scopes are held.
        unpublished: what of this clone waits to be published, the oldest first.
        unreadable: files among that which cannot be read, and are never published.
        pushes_a_minute: how many all its clones may make together, 0 for any number; null where it
            is on no git remote.
    """

    url: str | None
    folder: str
    reached: bool
    why: str | None
    as_of: float | None
    epoch: str | None
    held: int
    unpublished: list[UnpublishedDocument]
    unreadable: list[UnreadableDocument]
    pushes_a_minute: float | None


def document(found: Stands) -> StoreDocument:
    """Return how a board stands."""
    return {
        "url": found.url or None,
        "folder": found.folder,
        "reached": not found.why,
        "why": found.why or None,
        "as_of": found.at,
        "epoch": found.epoch or None,
        "held": found.held,
        "unpublished": [
            {
                "actor": one.actor,
                "instance": one.instance,
                "words": one.words,
                "key": one.pending.key,
                "at": one.at,
            }
            for one in found.unpublished
        ],
        "unreadable": [{"path": one.path, "run": one.run} for one in found.unreadable],
        "pushes_a_minute": found.pace,
    }


class TroubleDocument(TypedDict):
    """What is wrong with a board, and the command that mends it or says more."""

    rule: str
    where: str
    message: str
    run: str


class ProbeDocument(TypedDict):
    """A board that was tried.

    Attributes:
        where: its folder, or its server and prefix.
        ok: nothing is wrong.
        right: what was proved, null where nothing could be tried.
        facts: what else is known of it.
        notes: what its users should know, and nobody has to mend.
        troubles: what is wrong.
    """

    where: str
    ok: bool
    right: str | None
    facts: list[str]
    notes: list[str]
    troubles: list[TroubleDocument]


def probed(found: Probe) -> ProbeDocument:
    """Return what trying a board gave."""
    return {
        "where": found.where,
        "ok": not found.troubles,
        "right": found.right or None,
        "facts": list(found.facts),
        "notes": list(found.notes),
        "troubles": [
            {"rule": one.rule, "where": one.where, "message": one.message, "run": one.run}
            for one in found.troubles
        ],
    }
