"""What is not in force, as ``doctor`` and ``coord-install --check`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.base.finding import Problem


class FindingDocument(TypedDict):
    """Something that is not in force (``coord.base.finding.Problem``)."""

    rule: str
    worktree: str
    message: str
    run: str


def findings(found: Iterable[Problem]) -> list[FindingDocument]:
    """Return what is not in force, in its order."""
    return [
        {
            "rule": one.rule,
            "worktree": one.worktree,
            "message": one.message,
            "run": one.run,
        }
        for one in found
    ]
