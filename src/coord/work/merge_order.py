"""``merge-order``: in which order the branches of the board are to be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.order import merging
from coord.order.arrange import LANDED
from coord.work import arrive
from coord.work.target import target

if TYPE_CHECKING:
    from coord.order.merging import Plan
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


class Order(NamedTuple):
    """In which order branches are merged, and the worktree from which that was asked."""

    here: Worktree
    plan: Plan

    @property
    def finished(self) -> list[str]:
        """The branches that may be merged now, in order, as git is told of them here."""
        return [one.branch.typed for one in self.plan.finished]

    @property
    def tips(self) -> list[str | None]:
        """Their commits, as they are `finished`; None: none of its name is what was finished.

        Where several others have the commits, it is that which was finished; and of another clone's
        branch, where that is here.
        """
        found = [one.branch for one in self.plan.finished]
        return [one.tip if one.under or one.away else one.ref and one.ref.commit for one in found]

    @property
    def deleted(self) -> dict[str, str]:
        """Those of them that are gone, with the commit that brings each back."""
        gone = {one.branch.name: one.deleted_at for one in self.plan.finished}
        return {name: commit for name, commit in gone.items() if commit}

    @property
    def has_landed(self) -> bool:
        """Whether a branch is merged already, and its claims are left to be settled."""
        return any(one.branch.state == LANDED for one in self.plan.entries)


def merge_order(call: Call, onto: str | None = None) -> Order:
    """Return the order in which the branches of the board are to be merged into `onto` (HEAD).

    Raises:
        Usage: `onto` is no commit.
    """
    worker = arrive.looking(call)
    goal = target(worker.here, onto, "merge-order")
    tops = list(claims.taken(worker.store))
    return Order(worker.here, merging.planned(worker.here, tops, goal, worker.roll()))
