"""The inbox as a wake shows it: the one place that knows how messages are read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from coord.errors import Environment, Refused

if TYPE_CHECKING:
    from coord.board.store import Store


def unread(store: Store, instance: str | None) -> list[dict[str, object]]:
    """Return what `instance` has not read yet, each message as ``inbox --json`` answers.

    Raises:
        Refused: nobody acts here for certain, and messages are addressed to instances.
        Environment: there is no inbox here.
    """
    if instance is None:
        raise Refused(
            "identity-inferred",
            "nobody is pinned here",
            where="inbox",
            why="messages are addressed to a worker, not to a name inferred from a branch",
            run="git coord pin --self",
        )
    try:
        inbox = importlib.import_module("coord.board.inbox")
    except ModuleNotFoundError as error:
        raise Environment(
            "no-inbox",
            "messages cannot be read",
            where="git coord inbox",
            why="this version has none",
            run="git coord board",
        ) from error
    return [inbox.document(message) for message in inbox.unread(store, instance)]
