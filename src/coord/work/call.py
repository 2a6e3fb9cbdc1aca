"""A call of a use case: what only the front door knows, a command line or a server alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Usage
from coord.base.frozen import NamedTuple
from coord.base.names import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from coord.stores.waiting import Watch

FIELD_LIMIT = 2000


class Call(NamedTuple):
    """Who calls, from where, and where commentary goes.

    Attributes:
        actor: the explicit actor (``--as``), which outranks COORD_ACTOR; None when none was given.
        cwd: the caller's folder.
        environ: the caller's environment.
        watch: the processes above the worker. A server's own ancestors are not its worker's.
        note: takes a line of commentary as soon as there is one: a refusal may follow it.
        quoted: takes a line of another's words, which is to be marked as such.
        words: the command as it was typed after ``git coord``, for "run it again".
    """

    actor: str | None
    cwd: str
    environ: Mapping[str, str]
    watch: Watch
    note: Callable[[str], None]
    quoted: Callable[[str], None]
    words: str


def typed(
    verb: str, words: Iterable[str], options: Mapping[str, object], tail: Sequence[str] = ()
) -> str:
    """Return a command after ``git coord`` as it can be pasted; unsaid options are left out."""
    said = [verb, *map(quote, words)]
    for option, text in options.items():
        if text is True:
            said.append(option)
        elif isinstance(text, tuple):
            said += [word for each in text for word in (option, quote(str(each)))]
        elif text:
            said += [option, quote(str(text))]
    return " ".join([*said, *(["--", *map(quote, tail)] if tail else [])])


def bounded(text: str | None, option: str, verb: str) -> str | None:
    """Return `text` unless it is longer than a record should be.

    Raises:
        Usage: it is.
    """
    if text is None or len(text) <= FIELD_LIMIT:
        return text
    raise Usage(
        "too-long",
        f"{option} is too long",
        where=f"{len(text)} characters",
        why=f"a record keeps at most {FIELD_LIMIT} of each text",
        run=f"git coord {verb} -h",
    )
