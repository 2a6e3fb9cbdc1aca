"""The one command of each problem, pasteable where ``check`` was run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.names import operand, quote
from coord.guard.refusal import path_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.history.revisions import Range
    from coord.repo.worktree import Worktree

_NAMED = 10  # ids in one command
_ASKED = '"${PRODUCER:?the command that makes it}"'
# Trailers as a paragraph of their own: --trailer would obey the user's `trailer.*`.
_VOUCH = "git commit --allow-empty -q -m"


def mend(asked: Range, path: bytes) -> str:
    """Return the command that puts back what a log or write-once file lost in a range.

    What is not committed yet is put aside, for it may hold more than the loss.
    """
    if asked.uncommitted:
        return f"git stash push -- {quote(f':(top,literal){os.fsdecode(path)}')}"
    return f"git coord check --mend{f' {quote(asked.words)}' if asked.words else ''}"


def accept(commit: str, path: bytes) -> str:
    """Return the command that records beside a commit that its loss was looked at."""
    trailer = quote(f"Coord-Resolved: {commit} looked at, and put right where it was wrong")
    return f"{_VOUCH} {quote(f'Accept {os.fsdecode(path)} of {commit[:12]}')} -m {trailer}"


def regenerate(asked: Range, path: bytes) -> str:
    """Return the command that makes an artifact anew and vouches for it, changed or not."""
    if asked.uncommitted:
        return f"git coord regenerate {operand(os.fsdecode(path))}"
    return regenerate_all([path])


def regenerate_all(paths: Sequence[bytes]) -> str:
    """Return the command that makes the artifacts of a rule anew and vouches for the first."""
    path, words = paths[0], " ".join(operand(os.fsdecode(path)) for path in paths)
    trailer = quote(f"Coord-Resolved: {path_word(os.fsdecode(path))} regenerated")
    return (
        f"git coord regenerate {words} && "
        f"{_VOUCH} {quote(f'Regenerate {os.fsdecode(path)}')} -m {trailer}"
    )


def renumber(path: bytes) -> str:
    """Return the command that gives one of two claimants another identifier."""
    return f"git coord id renumber {operand(os.fsdecode(path))}"


def reauthor(where: str | None, commits: Sequence[str]) -> str:
    """Return the command that gives commits their author, in the worktree `where`, None: here."""
    folder = f" -C {quote(where)}" if where else ""
    named = " ".join(commits) if len(commits) <= _NAMED else "--outgoing"
    return f"git{folder} coord reauthor {named}"


def disown(commit: str) -> str:
    """Return the command that records beside a published commit that its sign-off is false."""
    trailer = quote(f"Coord-Resolved: {commit} not signed off by the one it names")
    return f"{_VOUCH} {quote(f'Disown the sign-off of {commit[:12]}')} -m {trailer}"


def declare_producer(path: bytes) -> str:
    """Return the command that declares how an artifact is made."""
    return f"git coord track derived {operand(os.fsdecode(path))} --regenerate {_ASKED}"


def edit(here: Worktree, cwd: str, name: str, line: int = 0) -> str:
    """Return the command that opens a file of the top level in the user's editor."""
    path = os.path.relpath(os.path.join(here.top, name), cwd) if here.top else name
    return f"${{EDITOR:-vi}} {f'+{line} ' if line else ''}{quote(path)}"


def track(kind: str, pattern: str, how: str | None, inputs: Sequence[str] = ()) -> str:
    """Return the command that guards `pattern` as declared; None, as a producer, is asked for."""
    options = {"derived": "--regenerate", "log": "--start"}
    words = [f"{options[kind]} {quote(how)}"] if how is not None else []
    words += [f"--regenerate {_ASKED}"] if how is None and kind == "derived" else []
    words += [f"--input {quote(pathspec)}" for pathspec in inputs]
    return " ".join(["git coord track", kind, quote(pattern), *words])
