"""Whom a word on the command line means: an actor's instances, or one instance. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import answers_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.actors import Actor

_SHORTEST = 4


class Meant(NamedTuple):
    """What a word means.

    Attributes:
        actors: the instances, by name and age.
        by_name: it was a name, so that several may go by it.
    """

    actors: tuple[Actor, ...]
    by_name: bool


def meant(everyone: Sequence[Actor], word: str) -> Meant:
    """Return whom `word` means: a name, else a handle, else an instance or the start of one."""
    tests: tuple[tuple[bool, Callable[[Actor], bool]], ...] = (
        (True, lambda one: one.actor == word),
        (False, lambda one: one.instance == word),
        (True, lambda one: answers_to(one.actor, word)),
        (False, lambda one: len(word) >= _SHORTEST and one.instance.startswith(word)),
    )
    for by_name, test in tests:
        found = sorted(filter(test, everyone), key=lambda one: (one.actor, one.created))
        if found:
            return Meant(tuple(found), by_name)
    return Meant((), by_name=False)


def nearest(names: Iterable[str], word: str) -> list[str]:
    """Return the names that `word` was most likely meant to be, the nearest first."""
    import difflib  # noqa: PLC0415  # 4 ms, after a miss only

    return difflib.get_close_matches(word, sorted(set(names)), n=3, cutoff=0.4)
