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
        yield Problem(authors.RULE, "", item.commit, item.message, runs[item.commit])
    for commit, message in authors.false_sign_offs(subject.history.commits):
        if commit.id not in known:
            yield Problem(authors.RULE, "", commit.id, message, commands.disown(commit.id))


def _commands(subject: Subject, found: Sequence[Mismatch]) -> dict[str, str]:
    """Return the command for each commit: one in each worktree mends all that are not published.

    Mending one gives those above it other ids, so that a second command would not find them. What
    others may have is not rewritten: a commit on top says whose it is.
    """
    mine = subject.here.git_dir
    others = worktree.siblings(subject.here) if found else []
    where = {other.git_dir: other.path for other in others if other.git_dir != mine}
    kept = _unpublished(subject, [item.commit for item in found])
    commits: dict[str, list[str]] = {}
    for item in found:
        if item.commit in kept:
            commits.setdefault(item.git_dir, []).append(item.commit)
    return {
        item.commit: commands.reauthor(where.get(item.git_dir), commits[item.git_dir])
        if item.commit in kept
        else commands.own_up(where.get(item.git_dir), item.commit, item.actor)
        for item in found
    }


def _unpublished(subject: Subject, ids: Sequence[str]) -> set[str]:
    """Return which of the commits no remote-tracking branch has."""
    if not ids:
        return set()
    return set(subject.door.tell("rev-list", *ids, "--not", "--remotes").text.split())
