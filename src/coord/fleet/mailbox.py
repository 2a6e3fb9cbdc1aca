"""The inbox as a wake shows it: the one place that knows how messages are read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from coord.errors import Environment

if TYPE_CHECKING:
    from coord.board.store import Store


def unread(store: Store, instance: str | None) -> list[dict[str, object]]:
    """Return what `instance` has not read yet, each message as ``inbox --json`` answers.

    Raises:
        Environment: there is no inbox here.
    """
    if instance is None:
        return []
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
