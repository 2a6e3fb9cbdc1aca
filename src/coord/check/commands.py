"""The one command of each problem, pasteable where ``check`` was run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.names import operand, quote
from coord.guard import refusal
from coord.guard.refusal import path_word

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from coord.history.revisions import Range
    from coord.repo.worktree import Worktree

_NAMED = 10  # ids in one command
_ASKED = '"${PRODUCER:?the command that makes it}"'
# Trailers as a paragraph of their own: --trailer would obey the user's `trailer.*`.
# Of nothing that is staged meanwhile: --only takes the paths behind it, and no more.
_VOUCH = "git commit --allow-empty --only -q -m"


def mend(asked: Range) -> str:
    """Return the command that puts back what a log or write-once file lost in a range."""
    return f"git coord check --mend{f' {quote(asked.words)}' if asked.words else ''}"


def put_aside(kind: str, path: bytes, stages: Collection[str]) -> str:
    """Return the command that takes an uncommitted loss back: it may hold more than the loss.

    git puts aside neither what it does not track, as after ``git rm``, nor an open conflict: that
    has a way out of its own.

    Args:
        kind: the file's, one of ``guarded.KINDS``.
        path: relative to the top level.
        stages: those that the index has of it.
    """
    name = os.fsdecode(path)
    spec = quote(f":(top,literal){name}")
    if not stages:
        return f"git reset -q -- {spec} && git stash push -- {spec}"
    return f"git stash push -- {spec}" if "0" in stages else refusal.command(kind, name)


def accept(commit: str, path: bytes) -> str:
    """Return the command that records beside a commit that its loss was looked at."""
    trailer = quote(f"Coord-Resolved: {commit} looked at, and put right where it was wrong")
    return f"{_VOUCH} {quote(f'Accept {os.fsdecode(path)} of {commit[:12]}')} -m {trailer}"


def regenerate(asked: Range, path: bytes, *, busy: bool = False) -> str:
    """Return the command that makes an artifact anew and vouches for it, changed or not.

    Args:
        asked: what was judged.
        path: relative to the top level.
        busy: a merge or the like is under way: its commit takes the file along, and git refuses
            one of single paths.
    """
    if asked.uncommitted or busy:
        return f"git coord regenerate {operand(os.fsdecode(path))}"
    return regenerate_all([path])


def regenerate_all(paths: Sequence[bytes]) -> str:
    """Return the command that makes the artifacts of a rule anew and vouches for the first.

    It commits these and no more, from whatever folder it is pasted in.
    """
    path, words = paths[0], " ".join(operand(os.fsdecode(path)) for path in paths)
    trailer = quote(f"Coord-Resolved: {path_word(os.fsdecode(path))} regenerated")
    specs = " ".join(quote(f":(top,literal){os.fsdecode(path)}") for path in paths)
    return (
        f"git coord regenerate {words} && "
        f"{_VOUCH} {quote(f'Regenerate {os.fsdecode(path)}')} -m {trailer} -- {specs}"
    )


def renumber(path: bytes) -> str:
    """Return the command that gives one of two claimants another identifier."""
    return f"git coord id renumber {operand(os.fsdecode(path))}"


def reauthor(where: str | None, commits: Sequence[str]) -> str:
    """Return the command that gives commits their author, in the worktree `where`, None: here."""
    folder = f" -C {quote(where)}" if where else ""
    named = " ".join(commits) if len(commits) <= _NAMED else "--outgoing"
    return f"git{folder} coord reauthor {named}"


def own_up(where: str | None, commit: str, actor: str) -> str:
    """Return the command that records beside a published commit who made it: it stays as it is."""
    trailer = quote(f"Coord-Resolved: {commit} made by {actor}, and published so")
    vouch = _VOUCH.replace("git", f"git -C {quote(where)}", 1) if where else _VOUCH
    return f"{vouch} {quote(f'Say who made {commit[:12]}')} -m {trailer}"


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
