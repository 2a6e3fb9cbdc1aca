"""What ``track`` and ``untrack`` refuse, in words; and what a file says of how it is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError, Environment, Refused, Usage
from coord.base.names import quote
from coord.cli import show
from coord.guard import guarded, written

if TYPE_CHECKING:
    from coord.installer.declaration import Value
    from coord.repo.worktree import Worktree


def outside_sparse(path: str, name: str) -> Refused:
    """Return that a tracked file is not checked out, whose lines a new one would lose."""
    return Refused(
        "outside-sparse",
        f"{name} is outside of the sparse checkout",
        where=path,
        why="what it says already would be lost",
        run=f"git -C {quote(os.path.dirname(path))} sparse-checkout add /{name}",
    )


def not_tracked(pattern: str) -> Refused:
    """Return that there is nothing to let go."""
    return Refused(
        "not-tracked",
        "no such pattern is guarded",
        where=pattern,
        why="it is neither in .gitattributes nor in .coord.toml of this worktree",
        run="git ls-files -- "
        + " ".join(f"':(top,attr:{guarded.attribute(kind)})'" for kind in guarded.KINDS),
    )


def usage(pattern: str, why: str, kind: str) -> Usage:
    """Return what is wrong with a pattern, or with what is said of it."""
    return Usage(
        "pattern-invalid",
        f"cannot be tracked as {kind}",
        where=pattern or "(empty)",
        why=why,
        run=f"git coord track {kind} --help",
    )


def no_worktree(here: Worktree) -> CoordError:
    """Return that a bare repository has no committed files to write."""
    return Environment(
        "no-worktree",
        "there is no worktree to declare it in",
        where=here.git_dir,
        why=".gitattributes and .coord.toml are committed files: run this in a worktree",
        run="git worktree list",
    )


def looked_at(here: Worktree, pattern: str, values: dict[str, Value]) -> dict[str, Value]:
    """Return how a log is declared: as asked, or as the file is written that the pattern names.

    Raises:
        Refused: nothing was asked, and the file is no log.
    """
    path = os.path.join(here.top or here.cwd, pattern.lstrip("/"))
    if not os.path.isfile(path) or os.path.islink(path):
        return values
    with open(path, "rb") as file:
        found = written.how(file.read(written.LOOKED_AT))
    if values:
        if found.kind == "changelog":
            show.note(f"{found.why}; {_rather(pattern)}")
        return values
    if found.kind != "log":
        raise _no_log(pattern, found)
    if found.start is not None or found.unpromised:
        promise = f"; not promised: {found.unpromised}" if found.unpromised else ""
        show.note(f"{found.why}{promise}")
    return values if found.start is None else {"start": found.start}


def _rather(pattern: str) -> str:
    return f"what people edit is joined as a changelog: git coord track changelog {quote(pattern)}"


def _no_log(pattern: str, found: written.Written) -> Refused:
    word = quote(pattern)
    if found.kind:
        return Refused(
            "not-a-log",
            "it is written as a changelog",
            where=pattern,
            why=f"{found.why}; joined line by line, entries land under other headings. "
            f"As a changelog, {found.unpromised}",
            run=f"git coord track changelog {word}",
        )
    return Refused(
        "not-a-log",
        "it is not written as a log",
        where=pattern,
        why=f"{found.why}. Left unguarded, {found.unpromised.removeprefix('nothing: ')}; "
        "the command declares it all the same",
        run=f"git coord track log {word} --lines",
    )
