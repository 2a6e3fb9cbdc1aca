"""Overlaps of declared paths as a person reads them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.overlap.pathspecs import Declared, Meeting

_NAMED = 5


def lines(meeting: Meeting) -> Iterator[str]:
    """Yield an overlap as a person reads it; paths are others' words."""
    yield f"{_named(meeting.first)} and {_named(meeting.second)} declare the same paths"
    for path in meeting.files[:_NAMED]:
        yield f"  | {path}"
    for one, other in meeting.globs[:_NAMED]:
        yield f"  | {one} and {other}, where nothing is tracked yet"
    more = max(len(meeting.files) - _NAMED, 0) + max(len(meeting.globs) - _NAMED, 0)
    if more:
        yield f"  and {more} more"


def _named(one: Declared) -> str:
    branch = one.claim.branch
    on = f" on {branch}" if branch and one.scope != f"branch:{branch}" else ""
    return f"{one.scope} ({one.claim.actor}{on})"
