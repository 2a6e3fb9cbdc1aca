"""The board as a page in a file: what four verbs answer, drawn, and put there in one step."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from coord.cli import outfile
from coord.documents import board as boarded
from coord.documents import ledgers, merge_order, overlaps
from coord.page.page import Seen, page
from coord.work import board as boards
from coord.work import merge_order as orders
from coord.work import overlap as meetings
from coord.work import shipped

if TYPE_CHECKING:
    from coord.work.call import Call


def write(call: Call, path: str, refresh: int | None = None) -> None:
    """Write the page of the board to `path`, absent or whole.

    Args:
        call: who asks.
        path: of the file, which :func:`coord.cli.outfile.require` has let through.
        refresh: after how many seconds an open page is read again; None for never.

    Raises:
        OSError: it cannot be written there.
    """
    outfile.write(path, page(seen(call), refresh).encode())


def seen(call: Call) -> Seen:
    """Return what the page shows."""
    found = boards.board(call, everything=False)
    now = time.time() if found.roll.now is None else found.roll.now
    return Seen(
        _name(found.worker.here.common_dir),
        now,
        boarded.document(found),
        merge_order.document(orders.merge_order(call).plan),
        overlaps.document(meetings.overlap(call)),
        [ledgers.move(one) for one in shipped.shipped(call)],
        found.unreached,
        found.worker.store.caps.clock,
    )


def _name(common_dir: str) -> str:
    folder, name = os.path.split(common_dir)
    return os.path.basename(folder) if name == ".git" else name.removesuffix(".git")
