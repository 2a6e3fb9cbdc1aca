"""What ``check`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.problem import ProblemDocument, problems
from coord.history.problem import printed

if TYPE_CHECKING:
    from coord.check.judge import Repair, Report


class CheckedDocument(TypedDict):
    """What is broken, and what was seen (``coord.check.judge.Report``)."""

    ok: bool
    problems: list[ProblemDocument]
    commits: int
    guarded: int
    notes: list[str]


class MendedDocument(TypedDict):
    """The paths that got back what they had lost, and the commit that does it."""

    mended: list[str]
    commit: str | None


def checked(report: Report) -> CheckedDocument:
    """Return the answer of ``check``."""
    return {
        "ok": not report.problems,
        "problems": problems(report.problems),
        "commits": report.commits,
        "guarded": report.guarded,
        "notes": list(report.notes),
    }


def mended(done: Repair) -> MendedDocument:
    """Return the answer of ``check --mend``."""
    return {"mended": [printed(each.path) for each in done.mended], "commit": done.commit}
