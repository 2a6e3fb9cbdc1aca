"""Under which name the commits of a finished branch live, where no log of a rename says so.

A branch may be made anew under another name, by any tool, or rebased or amended there: whoever has
its commits, or once stood at them, is it, if that is one branch and nobody else's. What has landed
is looked for under no name: a later branch of its own name is new work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.renamed import LATER
from coord.order import branches
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from coord.board.renamed import Names
    from coord.order.branches import Onto, Ref
    from coord.order.candidates import Work
    from coord.repo.worktree import Worktree


def learned(
    here: Worktree,
    onto: Onto,
    found: Mapping[str, tuple[Work, Ref | None]],
    names: Names,
    has_landed: Callable[[str], bool],
) -> bool:
    """Add to `names` what finished branches that have lost theirs are called; tell whether any.

    Args:
        here: where git is asked.
        onto: what they land on.
        found: the branches of the board, by what they are called as far as that is known.
        names: what branches are called.
        has_landed: tells whether a commit has.
    """
    known = len(names)
    for name, (work, ref) in found.items():
        until, tip = _until(work, ref, names), work.finished_tip
        if until is None or tip is None:
            continue
        if has_landed(tip):
            if ref is not None:
                names.overwritten(work.name, until)
            continue
        places = (branches.having(here, onto, tip), names.stood_at(tip))
        now = _successor(work, places, found, onto)
        if now is not None:
            for old in {name, work.name, *work.was}:  # `name` may be that of an overwritten one
                names.learn(old, until, now)
        elif ref is not None and not any(ref.name in some for some in places):
            names.overwritten(work.name, until)
    return len(names) > known


def _until(work: Work, ref: Ref | None, names: Names) -> str | None:
    """Return until when its name meant a finished branch; None where it still may."""
    if work.finished_at is None:
        return None
    if ref is None:
        return LATER
    born = names.born(ref.name)
    return born if born is not None and born > work.finished_at else None


def _successor(
    work: Work,
    places: Iterable[Iterable[str]],
    found: Mapping[str, tuple[Work, Ref | None]],
    onto: Onto,
) -> str | None:
    """Return the only branch of the first of `places` that may be what `work` is called now."""
    for some in places:
        free = [one for one in some if _may_be(one, work, found) and not onto.is_copy(one)]
        if work.name in free:  # made anew from its own commits
            return None
        if len(free) == 1:
            return free[0]
    return None


def _may_be(name: str, work: Work, found: Mapping[str, tuple[Work, Ref | None]]) -> bool:
    """Tell whether a branch is nobody else's on the board."""
    other = found.get(normal(name))
    return other is None or other[0].instance == work.instance
