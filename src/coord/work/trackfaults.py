"""What ``track`` and ``untrack`` refuse, in words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError, Environment, Refused, Usage
from coord.base.names import quote
from coord.guard import guarded

if TYPE_CHECKING:
    from coord.guard.written import Written
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
        run=f"git coord track {kind} -h",
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


def no_log(pattern: str, found: Written) -> Refused:
    """Return that a file is written as something else than a log, and how it is declared then."""
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
