"""Overlaps as a person reads them: one line for each branch that is met. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.overlap.contact import Contact, Touched
    from coord.overlap.pathspecs import Declared, Meeting

_NAMED = 5


def peers(met: Iterable[Meeting], me: str) -> dict[tuple[str, str | None], list[Meeting]]:
    """Return overlaps with claims of the worker `me`, by the instance and branch they are with."""
    found: dict[tuple[str, str | None], list[Meeting]] = {}
    for meeting in met:
        theirs = other(meeting, me).claim
        found.setdefault((theirs.instance or "", theirs.branch), []).append(meeting)
    return found


def other(meeting: Meeting, me: str) -> Declared:
    """Return the claim that the worker `me` meets."""
    return meeting.second if meeting.first.claim.instance == me else meeting.first


def told(met: Iterable[Meeting], me: str) -> Iterator[str]:
    """Yield whom the worker `me` meets, a line for each, and how many more there are."""
    found = list(peers(met, me).values())
    for meetings in found[:_NAMED]:
        yield f"{named(other(meetings[0], me))} means to touch the same: {words(meetings)}"
    if len(found) > _NAMED:
        yield f"and {len(found) - _NAMED} more: git coord overlap"


def pair(meetings: Sequence[Meeting]) -> str:
    """Return the overlaps of two workers' branches in one line, which both can read."""
    first, second = meetings[0].first, meetings[0].second
    return f"{named(first)} and {named(second)} both mean to touch {words(meetings)}"


def lines(
    declared: Sequence[Meeting], actual: Sequence[Contact], me: str, branch: str | None
) -> Iterator[str]:
    """Yield where a worker's branch meets others, a line for each; of the others, a line a file."""
    for meetings in peers([one for one in declared if _is_of(one, me)], me).values():
        yield f"{named(other(meetings[0], me))} means to touch the same: {words(meetings)}"
    for contact in actual:
        if branch in contact.branches and contact.unsettled:
            (theirs,) = (name for name in contact.branches if name != branch)
            said = joined([_touched(one) for one in contact.unsettled])
            yield f"{theirs} has changed the same since {contact.base[:12]}: {said}"
    yield from _among_others(declared, actual, me, branch)


def named(one: Declared) -> str:
    """Return a claim as the branch it is for, or itself, and its worker."""
    return f"{one.claim.branch or scopes.shown(one.scope)} ({one.claim.actor})"


def words(meetings: Sequence[Meeting]) -> str:
    """Return the paths of some overlaps, as far as they fit into a line; others named them."""
    files = dict.fromkeys(path for one in meetings for path in one.files)
    globs = dict.fromkeys(both for one in meetings for both in one.globs)
    new = [f"new files of {scopes.shown(a)} and {scopes.shown(b)}" for a, b in globs]
    return joined([*map(scopes.shown, sorted(files)), *new])


def joined(parts: Sequence[str]) -> str:
    """Return the first of some words, and how many more there are."""
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return ", ".join(parts[:_NAMED]) + more


def _among_others(
    declared: Sequence[Meeting], actual: Sequence[Contact], me: str, branch: str | None
) -> Iterator[str]:
    files: dict[str, dict[str, None]] = {}
    for meeting in declared:
        if not _is_of(meeting, me):
            ends = [named(meeting.first), named(meeting.second)]
            files.setdefault(f"{words([meeting])}: declared by", {}).update(dict.fromkeys(ends))
    for contact in actual:
        for one in contact.unsettled if branch not in contact.branches else ():
            changed = f"{scopes.shown(one.path)}: changed by"
            files.setdefault(changed, {}).update(dict.fromkeys(contact.branches))
    yield from (f"{what} {joined(list(who))}" for what, who in files.items())


def _is_of(meeting: Meeting, me: str) -> bool:
    return me in {meeting.first.claim.instance, meeting.second.claim.instance}


def _touched(one: Touched) -> str:
    return f"{scopes.shown(one.path)}{_where(one)}"


def _where(touched: Touched) -> str:
    if not touched.regions:
        return ""
    if touched.regions[0].end <= 1:
        return " from the first line on"
    found = [
        f"{one.start}-{one.end}" if one.end > one.start else str(one.start)
        for one in touched.regions
    ]
    return f" lines {joined(found)}"
