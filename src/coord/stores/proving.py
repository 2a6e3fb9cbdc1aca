"""A write that was decided on a copy, and is proved on the board in its own step.

It names what it was decided on, as the copy has it; and its answer brings what was written since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coord.stores import about, keys, retired
from coord.stores.store import Unavailable, Unknown
from coord.stores.transacting import Put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.stores.keptcopy import KeptCopy
    from coord.stores.store import Rec


def put(
    copy: KeptCopy,
    wanted: Sequence[tuple[str, bytes]],
    follows: str = "",
    after: str | None = None,
) -> Rec | None:
    """Create all of `wanted`, if this is still the board that was chosen; write the news.

    Only if `after` is still there for the key `follows`, where that is given. A folder is empty
    only if nothing was swept since, either: what begins there begins above.

    Returns:
        The record that owns the first key; None where nobody's does, or `follows` is no more to be
        written.
    """
    keys.require(wanted[0][0])
    copy.require_reached()
    base, without = _begun(copy), copy.leaving()
    asked = copy.asking()
    if after is None and 0 < keys.seq_of(follows) <= copy.swept():
        return None  # another command has brought that into the copy since it was decided on
    write = Put(wanted, _held(copy, base, follows, after), copy.since(base), without)
    try:
        rec, news = copy.board.put(write)
    except (Unavailable, Unknown) as error:
        copy.away(error)
        raise
    copy.learned(asked, base, news)
    copy.left(without)
    return rec if rec is None or copy.board.caps.clock else rec._replace(at=None)


def _begun(copy: KeptCopy) -> int:
    """Return up to where the copy has the board's sequence of writes; there has to be one."""
    if not copy.rev():
        copy.refresh()
    return copy.rev()


def _held(copy: KeptCopy, base: int, follows: str, after: str | None) -> list[Any]:
    """Return what has to hold, as the board compares it."""
    held: list[Any] = []
    board = copy.board
    if copy.epoch:
        copy.require_same()
        held.append(board.follows("", about.KEY, copy.rev_of(about.KEY)))
    if follows and after is None:
        # Not that it is empty: what is none of ours may stand there.
        folders = (follows.rpartition("/")[0], retired.FOLDER)
        held += [board.is_still(folder, base) for folder in folders]
    elif after is not None:
        held.append(board.follows(follows, after, copy.rev_of(after)))
    return held
