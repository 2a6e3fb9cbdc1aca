"""The merge order of a repository: the board's branches, what git knows of them, and their order.

A rehearsal joins here: it merges ``plan.finished`` in turn onto ``plan.onto``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.guard import guarded
from coord.order import candidates
from coord.order.arrange import FINISHED, LANDED, RUNNING, Candidate, arranged
from coord.order.standing import looked_up
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.board.events import Event
    from coord.board.events import Place as Claim
    from coord.board.roll import Roll
    from coord.order.branches import Onto
    from coord.order.standing import Branch
    from coord.repo.worktree import Worktree


class Entry(NamedTuple):
    """One place in the order.

    Attributes:
        position: from 1.
        branch: the branch.
        waits_on: branches that come before it because it waits on them.
        undeclared: derived files it changed without a claim.
        unchanged: artifacts it claimed and did not change.
        absent: it is running, but its worker's process or worktree is no more.
        elsewhere: where its worker is, in words, if in another clone: so may the branch be.
    """

    position: int
    branch: Branch
    waits_on: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    absent: bool = False
    elsewhere: str = ""

    @property
    def deleted_at(self) -> str | None:
        """The commit that it was finished at, where no branch has that and it can come back."""
        one = self.branch
        is_gone = one.state == FINISHED and one.ref is None and not one.under
        return one.tip if is_gone and not (self.elsewhere or one.taken) else None


class Plan(NamedTuple):
    """The merge order.

    Attributes:
        onto: what the branches land on.
        entries: every branch with a claim, in order.
        cycles: branches that wait on each other.
    """

    onto: Onto
    entries: tuple[Entry, ...]
    cycles: tuple[tuple[str, ...], ...]

    @property
    def finished(self) -> list[Entry]:
        """What is to be merged now, in order."""
        return [entry for entry in self.entries if entry.branch.state == FINISHED]


def planned(here: Worktree, events: Sequence[Event], onto: Onto, roll: Roll) -> Plan:
    """Return the order in which the branches of the board land on `onto`.

    Args:
        here: where git is asked.
        events: the newest event of every scope.
        onto: what they land on.
        roll: who is still there.
    """
    names = roll.names
    found = looked_up(here, events, onto, names)
    order = arranged(
        (
            Candidate(name, branch.state, branch.work.footprint, branch.work.since)
            for name, branch in found.items()
        ),
        candidates.lines(events, lambda waiting: _counts(waiting, found, roll), names),
    )
    plain = {name: branch.name for name, branch in found.items()}
    kinds = _kinds(here, found.values())
    entries = []
    for position, one in enumerate(order.order, 1):
        waits_on = tuple(plain[other] for other in order.waits_on.get(one.name, ()))
        branch = found[one.name]
        differences = _compared(branch, kinds)
        away = next((where for each in branch.work.deciding if (where := roll.where(each))), "")
        absent = _is_absent(branch, roll)
        entries.append(Entry(position, branch, waits_on, *differences, absent, elsewhere=away))
    cycles = tuple(tuple(plain[name] for name in circle) for circle in order.cycles)
    return Plan(onto, tuple(entries), cycles)


def _counts(waiting: Claim, found: Mapping[str, Branch], roll: Roll) -> bool:
    """Tell whether a place in a line holds up those behind it.

    The dead wait for nothing; but nobody has to be there for a branch that is finished.
    """
    branch = found.get(candidates.called(waiting, roll.names))
    return (branch is not None and branch.state == FINISHED) or not roll.is_dead(waiting)


def _is_absent(branch: Branch, roll: Roll) -> bool:
    if branch.state != RUNNING or branch.work.instance is None:
        return False
    status = roll.of(branch.work.instance)
    return status.gone or status.dead


def _kinds(here: Worktree, branches: Iterable[Branch]) -> dict[str, str]:
    """Return the kind of each guarded file that any of the branches changed."""
    paths = {path for branch in branches for path in branch.changed or ()}
    return guarded.kinds(here, sorted(paths))


def _compared(branch: Branch, kinds: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (changed without a claim, claimed and not changed) of a branch.

    A claimed folder stands for all below it. Of what has landed nothing can be told any more.
    """
    if branch.changed is None or branch.state == LANDED:
        return (), ()
    claimed, touched = set(branch.work.footprint), {normal(path) for path in branch.changed}
    under = touched.union(*map(_folders, touched))
    undeclared = (
        path
        for path in branch.changed
        if kinds.get(path) == "derived"
        and claimed.isdisjoint({normal(path), *_folders(normal(path))})
    )
    unchanged = (path for path in branch.work.footprint if path not in under)
    return tuple(sorted(undeclared)), tuple(unchanged)


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
