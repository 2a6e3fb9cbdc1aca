"""The problems with who made and who signed the commits of the range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import authors, commands
from coord.check.losses import accepted
from coord.history.problem import Problem
from coord.repo import worktree
from coord.repo.reflog import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.check.authors import Mismatch
    from coord.check.subject import Subject


def problems(subject: Subject, notes: list[str]) -> Iterator[Problem]:
    """Yield them, newest commit first; what cannot be told goes to `notes`."""
    known = accepted(subject)
    try:
        found = list(authors.mismatches(subject.here, subject.history.commits))
    except (Doubt, OSError, ValueError) as doubt:
        found = []
        notes.append(f"authorship was not checked: {doubt}")
    found = [item for item in found if item.commit not in known]
    runs = _commands(subject, found)
    for item in found:
        yield Problem(authors.RULE, "", item.commit, item.message, runs[item.git_dir])
    for commit, message in authors.false_sign_offs(subject.history.commits):
        if commit.id not in known:
            yield Problem(authors.RULE, "", commit.id, message, commands.disown(commit.id))


def _commands(subject: Subject, found: Sequence[Mismatch]) -> dict[str, str]:
    """Return, for each private git dir, the command that mends all its commits at once.

    Mending one gives those above it other ids, so that a second command would not find them.
    """
    mine = subject.here.git_dir
    others = worktree.siblings(subject.here) if found else []
    where = {other.git_dir: other.path for other in others if other.git_dir != mine}
    commits: dict[str, list[str]] = {}
    for item in found:
        commits.setdefault(item.git_dir, []).append(item.commit)
    return {git_dir: commands.reauthor(where.get(git_dir), ids) for git_dir, ids in commits.items()}
