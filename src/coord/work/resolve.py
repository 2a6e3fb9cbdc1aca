"""``resolve``: a guarded path is settled by hand, with a reason that the commit will bear."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Usage
from coord.settle import index, sides
from coord.settle import resolve as resolving
from coord.work import where

if TYPE_CHECKING:
    from coord.settle.resolve import Case
    from coord.settle.sides import Sides
    from coord.work.call import Call


class Resolved(NamedTuple):
    """A path that was settled.

    Attributes:
        case: what there was to settle.
        take: which of ``coord.settle.resolve.TAKES``.
        blob: what is staged, empty where the file is gone.
        reason: why, in one line.
        met: the two sides, None for a history that was edited on purpose.
    """

    case: Case
    take: str
    blob: str
    reason: str
    met: Sides | None


def resolve(call: Call, path: str, take: str, reason: str) -> Resolved:
    """Settle a guarded path: stage what is taken, and note why.

    Raises:
        Usage: no reason, or nothing is known of such a path.
        Refused: the path is not guarded, or the choice makes no sense for it.
        Environment: there is no working tree.
    """
    why = " ".join(reason.split())
    if not why:
        raise Usage(
            "usage",
            "--reason is empty",
            where="git coord resolve",
            why="the commit bears it, for whoever wonders later",
            run="git coord resolve -h",
        )
    here = where.located(call)
    where.lazily_pin(call, here)
    case = resolving.case(index.spot(here, call.cwd, "resolve"), path)
    met = sides.labels(here) if case.is_conflict else None
    return Resolved(case, take, resolving.settle(case, take, why), why, met)
