"""Lines as a terminal wants them: no wider than it is, and in colour where its user likes that.

Elsewhere nothing of this is loaded: what a pipe or a file gets is the same wherever it comes from.
"""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING

import click

from coord.base.columns import width
from coord.base.errors import CoordError
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

_NARROWEST = 20  # below it nothing is folded
# It is pasted: never folded, nor parted from its first word.
_COMMAND = re.compile(r"(?<=:) +(?:git |coord-install|mkdir |[A-Z_]+=).*|^  run: .*")
_QUOTED = re.compile(r" *\| ")  # another's words
_WORD = re.compile(r" *[^ ]+")
_WARNS, _BAD, _GOOD, _THEIRS = "yellow", "red", "green", "cyan"
_STYLES = [
    (re.compile(r"^(?:coord: )?[a-z]+(?:-[a-z]+)+: "), _BAD),  # the rule of a finding or a refusal
    (re.compile(r"^coord: usage: "), _BAD),
    (re.compile(r"^coord: (?![a-z]+(?:-[a-z]+)+: |usage: )"), _WARNS),
    (re.compile(r"(?<=, )[0-9]+ (?:contested|stale)\b"), _WARNS),
    (re.compile(r"(?<=  )(?:present|finished|clean)(?=  |$)"), _GOOD),
    (re.compile(r"(?<=  )(?:silent|unknown|away|running|stale)(?=  |$)"), _WARNS),
    (re.compile(r"(?<=  )(?:ended|gone|refused|conflict|left-out)(?=  |$)"), _BAD),
    (re.compile(r"^(?:ok\b|nothing is wrong$)"), _GOOD),
    (re.compile(r"^note(?=  )"), _WARNS),
    (re.compile(r"^[0-9]+ (?:problems?|things?)\b"), _BAD),
]


def fitted(lines: Iterable[str], stream: TextIO) -> Iterator[str]:
    """Yield lines, escaped already, as the terminal behind `stream` wants them."""
    cells = columns(stream)
    for line in lines:
        yield from coloured(folded(line, cells) if cells >= _NARROWEST else [line])


def coloured(lines: Iterable[str]) -> Iterable[str]:
    """Return lines in colour, where whoever looks on likes that."""
    return map(painted, lines) if _likes_colour() else lines


def erases(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal on which lines can be taken back."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def columns(stream: TextIO) -> int:
    """Return how wide a terminal is, by COLUMNS as elsewhere; 0 where nobody knows."""
    said = os.environ.get("COLUMNS", "")
    try:
        return int(said) if said.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # a test's own stream
        return 0


def folded(line: str, cells: int) -> Iterator[str]:
    """Yield a line in parts of at most `cells`, broken at blanks; of another's each is marked.

    A single word, and a command that is printed to be pasted, is left to the terminal, which breaks
    it without a line end.
    """
    if width(line) <= cells:
        yield line
        return
    quoted = _QUOTED.match(line)
    part = quoted.group() if quoted else ""
    margin = part or " " * _margin(line, cells)
    found = _COMMAND.search(line)
    words = _WORD.findall(line[len(part) : found.start() if found else None])
    for word in [*words, *([found.group()] if found else [])]:
        if part.strip(" |") and width(part) + width(word) > cells:
            yield part
            part = margin + word.lstrip()
        else:
            part += word
    yield part


def _margin(line: str, cells: int) -> int:
    """Return where the last column of a table begins, or somewhat further in than `line` does."""
    begun = len(line) - len(line.lstrip())
    last = line.rfind("  ", begun)
    column = width(line[:last]) + 2
    return column if last > 0 and column <= cells // 2 else begun + 4


def painted(line: str) -> str:
    """Return a line in colour; others' words are in one, whatever they say."""
    if _QUOTED.match(line):
        return click.style(line, _THEIRS)
    if line.startswith("  run: "):
        return "  run: " + click.style(line.removeprefix("  run: "), bold=True)
    for pattern, colour in _STYLES:
        line = pattern.sub(click.style(r"\g<0>", colour), line)
    return line


@functools.cache
def _likes_colour() -> bool:
    """Tell whether colour is wanted on a terminal; git knows ``color.ui`` and a dumb one.

    ``git --no-pager`` says GIT_PAGER=cat to its children: who wants no pager there is a program.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("GIT_PAGER") == "cat":
        return False
    asked = ("config", "--get-colorbool", "color.coord", "true")
    try:
        return git.ask(*asked, cwd=os.getcwd(), env=git.here()).text == "true"
    except (OSError, CoordError):
        return False
