"""What ``doctor`` answers: findings, remarks, and each worktree as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import coord
from coord.documents.finding import FindingDocument, findings

if TYPE_CHECKING:
    from coord.doctor.examine import Diagnosis
    from coord.doctor.facts import View


class NoteDocument(TypedDict):
    """What a worker should know of a subject, and nobody has to mend."""

    subject: str
    message: str


class WorktreeDocument(TypedDict):
    """A worktree: who works there, whom git writes there, and what is in force."""

    worktree: str
    branch: str | None
    bare: bool
    gone: bool
    actor: str | None
    instance: str | None
    pinned: bool
    author: str | None
    committer: str | None
    hooks: dict[str, str]
    hooks_folder: str | None
    alias: bool


class DiagnosisDocument(TypedDict):
    """The whole examination (``coord.doctor.examine.Diagnosis``)."""

    ok: bool
    findings: list[FindingDocument]
    notes: list[NoteDocument]
    worktrees: list[WorktreeDocument]
    git: str
    version: str


def diagnosis(found: Diagnosis) -> DiagnosisDocument:
    """Return the answer of ``doctor``."""
    return {
        "ok": found.ok,
        "findings": findings(found.findings),
        "notes": [
            {"subject": verdict.subject, "message": note}
            for verdict in found.verdicts
            for note in verdict.notes
        ],
        "worktrees": [_worktree(view) for view in found.views],
        "git": ".".join(map(str, found.git)),
        "version": coord.VERSION,
    }


def _worktree(view: View) -> WorktreeDocument:
    return {
        "worktree": view.folder,
        "branch": view.branch,
        "bare": view.bare,
        "gone": view.away,
        "actor": view.pin.actor if view.pin else None,
        "instance": view.pin.instance if view.pin else None,
        "pinned": view.pin is not None,
        "author": view.author or None,
        "committer": view.committer or None,
        "hooks": dict(view.hooks.states) if view.hooks else {},
        "hooks_folder": view.hooks.folder if view.hooks else None,
        "alias": view.alias,
    }
