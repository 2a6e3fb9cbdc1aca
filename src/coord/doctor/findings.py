"""What a look at one subject gives: findings with their one command, remarks, and what is right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coord.base.finding import Problem as Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Finding", "Verdict", "verdict"]


@dataclass(frozen=True)
class Verdict:
    """The answer about one subject.

    Attributes:
        subject: one word.
        right: what is as it should be, in one line; shown when there is no finding.
        findings: what is wrong, each with the command that mends it.
        notes: what a worker should know and nobody has to mend; they never fail a run.
    """

    subject: str
    right: str
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verdict(
    subject: str, right: str, findings: Iterable[Finding], notes: Iterable[str] = ()
) -> Verdict:
    """Return the verdict with each finding and note once, in the order they were found."""
    return Verdict(
        subject, right, list(dict.fromkeys(findings)), list(dict.fromkeys(note for note in notes))
    )
