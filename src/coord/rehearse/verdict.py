"""What one merge means: which files wait for a person, which were refused, which logs are joined.

A guarded file counts as refused only if its driver said so. Where it is unmerged for another
reason, such as a deletion on one side, or where the driver is not there, a person has to look.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from coord.base.cquote import c_quoted
from coord.guard.guarded import JOINED
from coord.rehearse.report import (
    CLEAN,
    CONFLICT,
    FILE,
    MARKERS,
    MERGED,
    NOTHING,
    REFUSED,
    SIDES,
    Artifact,
    Conflict,
    Step,
)
from coord.rehearse.trees import is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coord.rehearse.mergetree import Merge
    from coord.rehearse.trees import Entry

    Kind = Callable[[bytes], str | None]

_CONTENTS = "contents"
BY_HAND = ("-headers", "-binary", "-clash")  # rules of drivers/sh/join: no join can be had
_SUBMODULE = b"160000"
# What a folder stands in the way of is named after its side, which is a commit in a rehearsal.
_SIDE = re.compile(r"(?<=~)[0-9a-f]{40,64}(?=(_[0-9]+)?$)")


def step(branch: str, tip: str, merge: Merge, kind: Kind, names: Mapping[str, str]) -> Step:
    """Return what merging `branch` comes to.

    Args:
        branch: as it was named.
        tip: its commit.
        merge: how git merges it.
        kind: tells how a path is guarded.
        names: what people call the commits and sides that the drivers name.
    """
    abouts = dict(_conflicts(merge))
    refused = []
    for path in sorted(merge.stages):
        guarded = kind(path) if abouts.get(path) == _CONTENTS else None
        said = _said_of(path, merge.words, names) if guarded else None
        if guarded and said:
            del abouts[path]
            refused.append(Artifact(os.fsdecode(path), guarded, said[1], said[0].endswith(BY_HAND)))
    outcome = CONFLICT if abouts else REFUSED if refused else CLEAN
    sides = {tip: branch.replace("/", "_")}
    conflicts = tuple(
        _conflict(path, about, merge.stages.get(path, {}), sides)
        for path, about in sorted(abouts.items())
    )
    return Step(
        branch, outcome, conflicts=conflicts, refused=tuple(refused), tip=tip,
        joined=tuple(_joined(merge, kind)),
    )  # fmt: skip


def _conflicts(merge: Merge) -> Iterator[tuple[bytes, str]]:
    """Yield (path, git's word for the conflict): whatever is unmerged, and whatever git names.

    A renamed folder may make a merge unclean and leave nothing unmerged. Several words for one path
    come as one; a path that both sides have as files and git says no more of is "contents".
    """
    if merge.clean:
        return
    said: dict[bytes, list[str]] = {path: [] for path in merge.stages}
    for message in merge.messages:
        for path in message.paths if message.conflict else ():
            said.setdefault(path, []).append(message.conflict)
    for path, words in said.items():
        yield path, ", ".join(dict.fromkeys(words)) or "unmerged"


def _conflict(
    path: bytes, about: str, stages: Mapping[str, Entry], named: Mapping[str, str]
) -> Conflict:
    """Return a conflict by what git leaves of it in the real merge."""
    real = _SIDE.sub(lambda side: named.get(side[0], "HEAD"), os.fsdecode(path))
    sides = [stages[number] for number in "32" if number in stages]
    links = [entry.id for entry in sides if entry.mode == _SUBMODULE]
    if not sides:
        return Conflict(real, about, NOTHING if stages else MERGED)
    if links:
        return Conflict(real, about, FILE, links[0])
    if len(sides) == 1:
        return Conflict(real, about, FILE)
    words = set(about.split(", "))
    texts = _CONTENTS in words and "binary" not in words and all(is_file(one.mode) for one in sides)
    return Conflict(real, about, MARKERS if texts else SIDES)


def _joined(merge: Merge, kind: Kind) -> Iterator[str]:
    for message in merge.messages:
        path = message.paths[0]
        merged = message.type == "Auto-merging" and path not in merge.stages
        if merged and kind(path) in JOINED:
            yield os.fsdecode(path)


def _said_of(path: bytes, words: str, names: Mapping[str, str]) -> tuple[str, str] | None:
    """Return rule and what of ``coord: RULE: WHAT: PATH``; None if the driver was silent."""
    end = f": {c_quoted(os.fsdecode(path))}"
    for line in words.split("\n"):
        if line.startswith("coord: ") and line.endswith(end):
            rule, _, what = line.removesuffix(end).removeprefix("coord: ").partition(": ")
            side = next((side for side in names if what.startswith(side)), "")
            return rule, names[side] + what.removeprefix(side) if side else what
    return None
