"""The three lines of a refusal, read back from stderr as a person reads them."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """One refusal: ``coord: RULE: WHAT: WHERE`` / ``  why: …`` / ``  run: …``."""

    rule: str
    headline: str
    why: str
    run: str


def refusals(stderr: str) -> list[Refusal]:
    """Return every refusal in `stderr`; a headline without its two lines fails the test."""
    lines = stderr.replace("\r", "\n").split("\n")  # git's progress ends in a CR only
    found = []
    for number, line in enumerate(lines):
        if not line.startswith("coord: ") or number + 1 >= len(lines):
            continue
        if not lines[number + 1].startswith("  why: "):
            continue
        assert lines[number + 2].startswith("  run: "), stderr
        rule, _, headline = line.removeprefix("coord: ").partition(": ")
        why = lines[number + 1].removeprefix("  why: ")
        found.append(Refusal(rule, headline, why, lines[number + 2].removeprefix("  run: ")))
    return found
