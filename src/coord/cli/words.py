"""What a shell is offered where an argument names a scope, a branch or a worker of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.base.names import quote
from coord.cli import edge

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click


def scope(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the claimed scopes that begin as typed."""
    del ctx, param
    return _begun(incomplete, "scopes")


def branch(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the branches that somebody works on and that begin as typed."""
    del ctx, param
    return _begun(incomplete, "branches")


def worker(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the workers whose names begin as typed."""
    del ctx, param
    return _begun(incomplete, "workers")


def anything(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return whatever on the board begins as typed."""
    del ctx, param
    return _begun(incomplete, "scopes", "branches", "workers")


def _begun(incomplete: str, *kinds: str) -> list[str]:
    from coord.work import words  # noqa: PLC0415  # only where a shell asks

    try:
        store = words.board(edge.call(None, "completion"))
        found = {word for kind in kinds for word in getattr(words, kind)(store)}
    except (CoordError, OSError):  # nobody wants to read of it in the middle of a line
        return []
    return _inert(word for word in found if word.startswith(incomplete))


def _inert(found: Iterable[str]) -> list[str]:
    """Leave out what a shell takes for more than a word: bash puts it on the line as it is."""
    return sorted(word for word in found if quote(word) == word)
