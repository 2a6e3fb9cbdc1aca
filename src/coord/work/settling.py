"""The next contact with a server: what this clone has not published yet is published by then."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import shown
from coord.stores import chosen
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree
    from coord.stores.replica import Replica
    from coord.stores.store import Store
    from coord.work.call import Call


class Waiting(NamedTuple):
    """What of a clone waits to be published: how many records, and since when (epoch)."""

    number: int
    since: float

    @property
    def told(self) -> str:
        """That in a few words."""
        from datetime import UTC, datetime  # noqa: PLC0415  # for a server that is away

        records = "1 record is" if self.number == 1 else f"{self.number} records are"
        at = datetime.fromtimestamp(self.since, UTC).isoformat(" ", "minutes")[:16]
        return f"{records} unpublished since {at}Z"


def settle(call: Call, here: Worktree, store: Store, me: Identity) -> None:
    """Publish what this clone has not published yet, where its server can be reached.

    What stays keeps the worker from changing those scopes: nothing may overtake what it said first.
    """
    board = chosen.copy_of(store)
    if board is None:
        return
    from coord.stores import outbox  # noqa: PLC0415  # most boards are files

    if not outbox.names(here.common_dir):
        return
    board.unsettled = ()
    try:
        board.fresh()
        with outbox.lock(here.common_dir):
            _settle(call, here, board, me)
    except (StoreError, OSError):
        pass  # what stays is told of at the end of the command, as what is read off the copy
    board.unsettled = outbox.unsettled(here.common_dir, me.instance)


def _settle(call: Call, here: Worktree, board: Replica, me: Identity) -> None:
    from coord.board import notices, publishing  # noqa: PLC0415  # as above
    from coord.board.roll import Roll  # noqa: PLC0415
    from coord.settings import config  # noqa: PLC0415
    from coord.stores import outbox  # noqa: PLC0415  # as above

    roll = Roll(board, here, config.load(here.top).expires)
    for entry in outbox.every(here.common_dir):
        if entry.board != board.epoch:
            continue
        outbox.send(here.common_dir, entry)
        said = publishing.settle(board, roll, entry)
        if entry.instance != me.instance:
            words = f"{entry.words}: {said}"
            notices.tell(
                board,
                entry.instance,
                "published",
                scope="",
                by=me.actor,
                reason=words,
                once=entry.id,
            )
        outbox.drop(entry)
        whose = "" if entry.instance == me.instance else f" of {shown(entry.actor)}"
        call.note(f"{shown(entry.words)}{whose}, which was unpublished: {said}")


def of(common_dir: str) -> Waiting | None:
    """Return as :func:`waiting` does, where nobody has come to the board; one of files has none."""
    try:
        is_afar = chosen.choice(common_dir) is not None
    except StoreError:
        return None
    return waiting(common_dir) if is_afar else None


def waiting(common_dir: str) -> Waiting | None:
    """Return what of a clone waits to be published; None where nothing does."""
    from coord.stores import outbox  # noqa: PLC0415  # as above

    found = outbox.names(common_dir)
    return Waiting(len(found), outbox.since(found[0])) if found else None


def require_none(common_dir: str) -> None:
    """Insist that nothing of a clone waits to be published on the board that is to be left.

    Raises:
        Refused: something does.
    """
    left = waiting(common_dir)
    if left is not None:
        raise Refused(
            "store-in-use",
            "what this clone has not published yet belongs to the board that would be left",
            where=common_dir,
            why=left.told,
            run="git coord store",
        )
