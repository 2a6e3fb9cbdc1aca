"""Both sides of a log or changelog as texts: their join, and what one made by hand lacks."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from coord.drivers import join, law
from coord.guard import guarded
from coord.guard.missing import missing
from coord.guard.normal import Forms
from coord.repo import git
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.settle.index import Entry, Spot


class BothSides(NamedTuple):
    """The three texts of a conflict, as git would convert them now."""

    kind: str
    start: bytes | None
    base: bytes
    ours: bytes
    theirs: bytes


def read(spot: Spot, path: str, kind: str, stages: Sequence[Entry | None]) -> BothSides:
    """Return the texts of base, ours and theirs; none where there is no file."""
    rule = guarded.log_rules(spot.here, config.load(spot.top), [path]).get(path)
    start = None if rule is None or rule.start is None else os.fsencode(rule.start)
    forms = Forms(spot.here.cwd, git.elsewhere(), [path])
    base, ours, theirs = (b"" if one is None else forms.text(path, one.blob) for one in stages)
    return BothSides(kind, start, base, ours, theirs)


def joined(sides: BothSides) -> bytes:
    """Return the join; of a log of lines that has none, all of ours, then what theirs adds.

    Raises:
        Refused: a document has no order in which both could simply stand.
    """
    kind, start, *texts = sides
    if law.is_document(kind, start):
        return law.joined(kind, start, *texts)
    return join.both(sides.base, sides.ours, sides.theirs, start)


def lost(sides: BothSides, text: bytes) -> list[bytes]:
    """Return what a text lacks of both sides, but for what one of them took out.

    Nothing of a document that has no join: there a person makes one text of two.
    """
    kind, start, *texts = sides
    if law.is_document(kind, start):
        try:
            law.joined(kind, start, *texts)
        except join.Refused:
            return []
        return law.lacking(kind, start, (sides.base, sides.ours, sides.theirs), text)
    result, base, ours, theirs = (
        Counter(record for _, record in law.contents(kind, start, one)) for one in (text, *texts)
    )
    return [one for one in missing(result, [ours, theirs], base).elements() if one]
