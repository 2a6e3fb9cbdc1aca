"""What ``coord-install`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from coord.documents.finding import FindingDocument, findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.base.finding import Problem
    from coord.installer.authorship import Change
    from coord.installer.report import Report
    from coord.installer.steps import Step


class StepDocument(TypedDict):
    """A step that was taken, or would be."""

    action: str
    path: str
    to: NotRequired[str]


class AuthorDocument(TypedDict):
    """The author of a worktree, before and after (``coord.installer.authorship.Change``)."""

    worktree: str
    actor: str | None
    before: str
    after: str
    state: str


class UninstalledDocument(TypedDict):
    """What an uninstall did, or would do."""

    state: str
    changed: bool
    steps: list[StepDocument]
    notes: list[str]


class InstalledDocument(TypedDict):
    """What an install did, or would do; ``snippet`` calls the hooks that were not written."""

    state: str
    changed: bool
    steps: list[StepDocument]
    authors: list[AuthorDocument]
    notes: list[str]
    snippet: str | None


class VersionDocument(TypedDict):
    """Which version would install."""

    version: str


class CheckedDocument(TypedDict):
    """What is not in force."""

    ok: bool
    problems: list[FindingDocument]


def installed(done: Report) -> InstalledDocument:
    """Return the answer of an install."""
    return {
        "state": done.state,
        "changed": bool(done.steps),
        "steps": [_step(step) for step in done.steps],
        "authors": [_author(change) for change in done.authors],
        "notes": done.notes,
        "snippet": done.snippet,
    }


def uninstalled(done: Report) -> UninstalledDocument:
    """Return the answer of an uninstall."""
    return {
        "state": done.state,
        "changed": bool(done.steps),
        "steps": [_step(step) for step in done.steps],
        "notes": done.notes,
    }


def checked(problems: Sequence[Problem]) -> CheckedDocument:
    """Return the answer of ``--check``."""
    return {"ok": not problems, "problems": findings(problems)}


def _step(step: Step) -> StepDocument:
    answer: StepDocument = {"action": type(step).__name__.lower(), "path": step.path}
    to = getattr(step, "to", None) or getattr(step, "beside", None)
    if to:
        answer["to"] = to
    return answer


def _author(change: Change) -> AuthorDocument:
    return {
        "worktree": change.worktree,
        "actor": change.actor,
        "before": change.before,
        "after": change.after,
        "state": change.state,
    }
