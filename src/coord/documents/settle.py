"""What ``regenerate`` and ``resolve`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from coord.settle.producers import Job
    from coord.work.regenerate import Regenerated
    from coord.work.resolve import Resolved


class FileDocument(TypedDict):
    """A derived file: what makes it, and what was staged (null: nothing ran)."""

    path: str
    command: str
    refused: bool
    trusted: bool
    blob: str | None
    unchanged: NotRequired[bool]


class RegeneratedDocument(TypedDict):
    """The files that were regenerated, or would be."""

    dry_run: bool
    regenerated: list[FileDocument]


class ResolvedDocument(TypedDict):
    """A path that was settled by hand; ``ours`` and ``theirs`` name the sides of a conflict."""

    path: str
    kind: str
    take: str
    blob: str | None
    reason: str
    ours: str | None
    theirs: str | None


def regenerated(done: Regenerated, *, dry_run: bool) -> RegeneratedDocument:
    """Return the answer of ``regenerate``."""
    files = [_file(done, job, path) for job in done.plan.jobs for path in job.paths]
    return {"dry_run": dry_run, "regenerated": files}


def resolved(done: Resolved) -> ResolvedDocument:
    """Return the answer of ``resolve``."""
    return {
        "path": done.case.path,
        "kind": done.case.kind,
        "take": done.take,
        "blob": done.blob or None,
        "reason": done.reason,
        "ours": done.met.ours if done.met else None,
        "theirs": done.met.theirs if done.met else None,
    }


def _file(done: Regenerated, job: Job, path: str) -> FileDocument:
    answer: FileDocument = {
        "path": path,
        "command": job.command,
        "refused": path in done.plan.records,
        "trusted": job.text not in done.untrusted,
        "blob": done.made.blobs[path] if done.made else None,
    }
    if done.made:
        answer["unchanged"] = path in done.made.unchanged
    return answer
