"""The merge order as a person reads it. Pure: lines out, nothing printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.columns import aligned
from coord.order.arrange import FINISHED, LANDED, RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.order.merging import Entry, Plan

_WIDEST = 40
_SHORT = 12


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
    before = [name for name in entry.waits_on if at[name] < entry.position]
    later = [name for name in entry.waits_on if at[name] > entry.position]
    if before:
        yield f"after {_last_of(before)}"
    if later:
        yield f"though it waits on {_last_of(later)}"
    if branch.state == RUNNING:
        yield "its worker is gone" if entry.absent else "not to be disturbed"
    if branch.moved:
        yield "changed since it was finished"
    if branch.ref is None:
        yield _why_missing(entry)


def _why_missing(entry: Entry) -> str:
    branch = entry.branch
    if entry.elsewhere:
        return "not here: its worker is in another clone"
    if branch.work.finished_at is None:
        return "no such branch"
    at = f"finished at {(branch.work.finished_tip or '')[:_SHORT]}"
    return f"deleted, {at}" if branch.tip else f"deleted, {at}, which is gone too"


def _last_of(names: Sequence[str]) -> str:
    others = len(names) - 1
    return names[-1] + (f" and {others} more" if others else "")


def _differences(entry: Entry) -> Iterator[str]:
    """Yield where claims and changes differ; who still runs may yet change what it claimed."""
    if entry.undeclared:
        yield f"changed but not claimed: {', '.join(entry.undeclared)}"
    if entry.unchanged and entry.branch.state == FINISHED:
        yield f"claimed but not changed: {', '.join(entry.unchanged)}"
