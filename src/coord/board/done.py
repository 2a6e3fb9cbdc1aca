"""A branch that is done, and one that has landed. Pure, as the decisions in ``events`` are.

``finish`` marks the state of the scope ``branch:NAME``: it names the branch's commit then, and its
holder's claims stay until the branch lands. Whoever becomes holder, or says something new of the
branch, is at work on it again: the mark is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.events import Change, State, joined, left
from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from coord.board.events import Place


def scope_of(branch: str) -> str:
    """Return the scope that stands for a branch."""
    return f"branch:{keys.normal(branch)}"


def later(now: str, state: State) -> str:
    """Return the time of what is said now of a branch, whose own scope is in `state`.

    It is later than that the branch was finished, also where the clock went back in between.
    """
    at = state.finished_at
    if at is None or at < now:
        return now
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415  # 2 ms, for a clock gone back

    try:
        moment = datetime.fromisoformat(at).astimezone(UTC) + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return now
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def finished(
    state: State, mine: Place, tip: str, is_dead: Callable[[Place], bool], since: str = ""
) -> Change | None:
    """Mark a branch as done at `tip`; what nobody holds is claimed by the same event.

    None when it is marked so already, and nothing was claimed for it later than that: `since` is
    when something last was, before which nothing is finished, whatever the clock says. The state it
    leads to has another holder where somebody else holds the branch: the caller has to refuse that.
    """
    holder = state.holder
    before = state
    if holder is None or holder.instance != mine.instance or holder.run:
        taken = joined(state, mine, is_dead)
        before = state if taken is None else taken.state
    marked = before.finished_at
    if marked is not None and marked >= since and before.finished_tip == tip:
        return None
    after = before._replace(finished_at=max(mine.since, since), finished_tip=tip)
    return Change("finish", after, {"tip": tip})


def landed(
    state: State,
    gone: Collection[Place],
    words: str,
    is_dead: Callable[[Place], bool],
    rank: Callable[[Place], int] = lambda _: 0,
) -> Change | None:
    """Give up the places `gone` of branches that have landed; the next in line becomes holder."""
    change = left(state, lambda place: place in gone, is_dead, rank)
    if change is None:
        return None
    return change._replace(kind="land", details={**change.details, "reason": words})
