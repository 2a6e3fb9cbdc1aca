"""The edge of the process: what a command line knows of its caller, as a use case wants it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.cli import show
from coord.stores import chosen
from coord.stores.waiting import Watch
from coord.work.call import Call, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def call(
    asked: str | None,
    verb: str,
    words: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
    tail: Sequence[str] = (),
) -> Call:
    """Return the call that was typed; made first thing, before a process above can be missed.

    Args:
        asked: ``--as``.
        verb: the verb, which with what follows is shown where it is to be run again.
        words: its arguments.
        options: its options, by their spelling.
        tail: a command that was typed after ``--``.
    """
    chosen.tell_by(show.note)
    watch = Watch(os.environ.get("COORD_SESSION", ""))
    said = typed(verb, words, options or {}, tail)
    return Call(asked, os.getcwd(), os.environ, watch, show.note, show.quoted, said)
