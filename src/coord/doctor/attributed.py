"""Which line of an attributes file decides how a path is merged; git says what, and never where."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from coord.installer import appended, attributesfile, disk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.repo.worktree import Worktree

_WORDS = {b"merge": "set", b"-merge": "unset", b"!merge": "unspecified", b"binary": "unset"}


class Source(NamedTuple):
    """A line: the file, its number, its text."""

    file: str
    line: int
    text: str


def source(there: Worktree, path: str, driver: str) -> Source | None:
    """Return the line that gives a path this value of ``merge``, None where it is not found.

    Files in git's order: ``info/attributes`` outranks all, then the folder nearest to the path; in
    each the last line counts. Patterns are compared as ``fnmatch`` does, which is near enough for
    a person who then looks at the line.
    """
    for file, base in _files(there, path):
        lines = list(appended.split(disk.read(file) or b""))
        name = os.path.relpath(path, base) if base else path
        for number in range(len(lines), 0, -1):
            rule = attributesfile.parsed(lines[number - 1])
            if rule and _fits(rule, name) and driver in _values(rule):
                return Source(file, number, os.fsdecode(lines[number - 1]).strip())
    return None


def _files(there: Worktree, path: str) -> Iterator[tuple[str, str]]:
    """Yield (attributes file, the folder that its patterns start from)."""
    yield os.path.join(there.common_dir, attributesfile.INFO), ""
    folder = path
    while folder:
        folder = os.path.dirname(folder)
        yield os.path.join(there.cwd, folder, attributesfile.COMMITTED), folder


def _fits(rule: attributesfile.Line, name: str) -> bool:
    pattern = attributesfile.unquoted(os.fsdecode(rule.pattern))
    if "/" not in pattern:
        return fnmatchcase(os.path.basename(name), pattern)
    return fnmatchcase(name, pattern.removeprefix("/"))


def _values(rule: attributesfile.Line) -> Iterator[str]:
    for word in rule.attributes:
        if word.startswith(b"merge="):
            yield os.fsdecode(word[6:])
        elif word in _WORDS:
            yield _WORDS[word]
