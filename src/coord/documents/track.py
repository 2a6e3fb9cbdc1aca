"""What ``track`` and ``untrack`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    from coord.work.track import Changed, Rule


class SaidDocument(TypedDict, total=False):
    """What is said of a pattern beside its kind; what was not said is left out."""

    regenerate: str
    inputs: list[str]
    start: str


class ReplacedDocument(SaidDocument):
    """How a pattern was guarded before."""

    kind: str


class _Replacing(SaidDocument, total=False):
    replaced: ReplacedDocument


class TrackedDocument(_Replacing):
    """How a pattern is guarded; `replaced` is there where it was guarded otherwise before."""

    pattern: str
    kind: str
    changed: list[str]


class UntrackedDocument(TypedDict):
    """A pattern that is not guarded any more."""

    pattern: str
    changed: list[str]


def tracked(rule: Rule, done: Changed) -> TrackedDocument:
    """Return the answer of ``track``."""
    said = cast("_Replacing", _said(rule))
    if done.replaced:
        said["replaced"] = {"kind": done.replaced.kind, **_said(done.replaced)}
    return {"pattern": rule.pattern, "kind": rule.kind, **said, "changed": done.paths}


def untracked(done: Changed) -> UntrackedDocument:
    """Return the answer of ``untrack``."""
    return {"pattern": done.pattern, "changed": done.paths}


def _said(rule: Rule) -> SaidDocument:
    said: SaidDocument = {}
    if rule.regenerate is not None:
        said["regenerate"] = rule.regenerate
    if rule.inputs:
        said["inputs"] = list(rule.inputs)
    if rule.start is not None:
        said["start"] = rule.start
    return said
