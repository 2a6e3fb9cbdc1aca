"""A broken rule, as ``check`` and ``id check`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.history.problem import Problem


class ProblemDocument(TypedDict):
    """A broken rule (``coord.history.problem.Problem``)."""

    rule: str
    path: str
    commit: str | None
    message: str
    run: str
    line: int | None


def problems(found: Iterable[Problem]) -> list[ProblemDocument]:
    """Return broken rules, in their order."""
    return [
        {
            "rule": one.rule,
            "path": one.path,
            "commit": one.commit,
            "message": one.message,
            "run": one.run,
            "line": one.line,
        }
        for one in found
    ]
