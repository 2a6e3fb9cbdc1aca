"""The merge order as a person reads it. Pure: lines out, nothing printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.columns import aligned
from coord.base.names import quote
from coord.order.arrange import FINISHED, LANDED, RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.order.merging import Entry, Plan

_WIDEST = 40
_SHORT = 12
_NAMED = 3


def lines(plan: Plan) -> Iterator[str]:
    """Yield the order, a line a branch, and what there is to say of it below."""
    yield _summary(plan)
    if plan.entries:
        yield ""
    at = {entry.branch.name: entry.position for entry in plan.entries}
    table = aligned(list(map(_columns, plan.entries)), _WIDEST)
    for entry, (name, *others) in zip(plan.entries, table, strict=True):
        said = ", ".join(_remarks(entry, at))
        yield f"{entry.position:>4}  {'  '.join((name, *others, said))}".rstrip()
        yield from (f"{'':>6}{remark}" for remark in _differences(entry))
    if plan.cycles:
        yield ""
    for circle in plan.cycles:
        yield f"a circle of waits, broken at {circle[0]}: {', '.join(circle)}"


def names_left_out(plan: Plan) -> bool:
    """Tell whether a branch waits on more of them than its line names."""
    at = {entry.branch.name: entry.position for entry in plan.entries}
    return any(len(names) > _NAMED for one in plan.entries for names in _waits(one, at))


def _summary(plan: Plan) -> str:
    states = [entry.branch.state for entry in plan.entries]
    if not states:
        return f"no branch has a claim: nothing to merge onto {plan.onto.name}"
    counts = [
        f"{states.count(state)} {state}" for state in (FINISHED, RUNNING, LANDED) if state in states
    ]
    branches = "1 branch" if len(states) == 1 else f"{len(states)} branches"
    return f"{branches} onto {plan.onto.name}: {', '.join(counts)}"


def _columns(entry: Entry) -> tuple[str, ...]:
    count = len(entry.branch.work.footprint)
    artifacts = f"{count or 'no'} artifact{'' if count == 1 else 's'}"
    return (entry.branch.name, entry.branch.work.actor, entry.branch.state, artifacts)


def _remarks(entry: Entry, at: Mapping[str, int]) -> Iterator[str]:
    """Yield what an integrator has to know before merging a branch."""
    branch = entry.branch
    before, later = _waits(entry, at)
    if before:
        yield f"after {_nearest(before)}"
    if later:
        yield f"though it waits on {_nearest(later)}"
    if branch.state == RUNNING:
        yield "its worker is gone" if entry.absent else "not to be disturbed"
    if branch.moved:
        yield "changed since it was finished"
    if branch.work.was:
        yield f"was {_nearest(branch.work.was)}"
    if branch.ref is not None and branch.ref.remote:
        yield f"{branch.ref.typed} here"
    if branch.ref is None:
        yield _why_missing(entry)


def _why_missing(entry: Entry) -> str:
    branch = entry.branch
    at = f"finished at {(branch.work.finished_tip or '')[:_SHORT]}"
    if branch.away and branch.tip:
        return f"{at}, its worker is {entry.elsewhere}"
    if entry.elsewhere:
        fetch = "; git fetch brings what was pushed of it" if branch.away else ""
        return f"not here: its worker is {entry.elsewhere}{fetch}"
    if branch.work.finished_at is None:
        return "no such branch"
    if branch.under:
        return f"{at}, which is in {_nearest(branch.under)}"
    if branch.state == LANDED:
        return at
    return f"deleted, {at}" if branch.tip else f"deleted, {at}, which is gone too"


def _nearest(names: Sequence[str]) -> str:
    """Return the branches that a line has room for, the nearest first."""
    more = len(names) - _NAMED
    return ", ".join(names[::-1][:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _waits(entry: Entry, at: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return the branches that one waits on: those before it, and those after."""
    before = [name for name in entry.waits_on if at[name] < entry.position]
    return before, [name for name in entry.waits_on if at[name] > entry.position]


def _differences(entry: Entry) -> Iterator[str]:
    """Yield where claims and changes differ; who still runs may yet change what it claimed.

    Of a branch that is gone it is what brings it back.
    """
    if entry.deleted_at:
        command = f"git branch {quote(entry.branch.name)} {entry.deleted_at[:_SHORT]}"
        yield f"to have it back: {command}"
    if entry.undeclared:
        yield f"changed but not claimed: {', '.join(entry.undeclared)}"
    if entry.unchanged and entry.branch.state == FINISHED:
        yield f"claimed but not changed: {', '.join(entry.unchanged)}"
