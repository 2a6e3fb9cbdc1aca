"""A folder that was removed under whoever stands in it, or works on it from elsewhere.

A worktree that another process removes leaves its workers so: ``getcwd`` fails from then on, and
git with it ("Unable to read current working directory").
"""

from __future__ import annotations

import os

from coord.base.errors import Environment
from coord.base.names import quote


def gone() -> Environment | None:
    """Return the refusal for a current folder that is no more; None where it stands."""
    try:
        os.getcwd()
    except FileNotFoundError as error:
        named = os.environ.get("PWD", "")
        return Environment(
            "folder-gone",
            "the current folder is gone",
            where=named or ".",
            why=f"{error.strerror}: it was removed, or moved away, while a shell or a worker stood "
            "in it",
            run=f"cd {quote(_nearest(named))}",
        )
    except OSError:
        return None  # it is there, and may not be read
    return None


def removed(path: str) -> Environment:
    """Return the refusal for a folder that git was to work in and that is no more."""
    return Environment(
        "folder-gone",
        "the folder is gone",
        where=path,
        why="git was to work there; it was removed, or moved away, meanwhile",
        run=f"cd {quote(_nearest(path))}",
    )


def _nearest(path: str) -> str:
    """Return the nearest folder at or above `path` that there is.

    That is `path` itself where it was made anew: a shell is back in it after a ``cd``.
    """
    while path.startswith("/") and not os.path.isdir(path):
        path = os.path.dirname(path)
    return path if path.startswith("/") else "/"
