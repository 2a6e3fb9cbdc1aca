"""What one merge means: which files wait for a person, which were refused, which logs are joined.

A guarded file counts as refused only if its driver said so. Where it is unmerged for another
reason, such as a deletion on one side, or where the driver is not there, a person has to look.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.cquote import c_quoted
from coord.integrate.rehearsal import CLEAN, CONFLICT, REFUSED, Artifact, Conflict, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coord.integrate.mergetree import Merge

    Kind = Callable[[bytes], str | None]

_CONTENTS = "contents"


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
        what = _said_of(path, merge.words, names) if guarded else None
        if guarded and what:
            del abouts[path]
            refused.append(Artifact(os.fsdecode(path), guarded, what))
    outcome = CONFLICT if abouts else REFUSED if refused else CLEAN
    conflicts = tuple(Conflict(os.fsdecode(path), about) for path, about in sorted(abouts.items()))
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


def _joined(merge: Merge, kind: Kind) -> Iterator[str]:
    for message in merge.messages:
        path = message.paths[0]
        merged = message.type == "Auto-merging" and path not in merge.stages
        if merged and kind(path) == "log":
            yield os.fsdecode(path)


def _said_of(path: bytes, words: str, names: Mapping[str, str]) -> str | None:
    """Return what a driver said of a path: ``coord: RULE: WHAT: PATH``; None if it was silent."""
    end = f": {c_quoted(os.fsdecode(path))}"
    for line in words.split("\n"):
        if line.startswith("coord: ") and line.endswith(end):
            what = line.removesuffix(end).removeprefix("coord: ").partition(": ")[2]
            side = next((side for side in names if what.startswith(side)), "")
            return names[side] + what.removeprefix(side) if side else what
    return None
