"""What a server did not answer: it is written down here, and published at the next contact.

Only what can wait goes there: a claim, what ends or changes one, words to somebody. Nothing is
called the worker's own before it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from coord.base.errors import CoordError
from coord.stores import chosen
from coord.stores.store import StoreError, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from coord.work.arrive import Worker
    from coord.work.call import Call
T = TypeVar("T")


class Unpublished(StoreError):
    """A record is written down here, and holds for nobody until it is published."""


class Left(NamedTuple):
    """What could not be published: of what, and why."""

    name: str
    error: StoreError


def kept(call: Call, worker: Worker, verb: str, act: Callable[[], T]) -> T:
    """Do one thing; where it is not answered, write it down.

    Raises:
        Unpublished: that was done.
        StoreError: it failed in another way.
    """
    made, left = each(call, worker, verb, [""], lambda _: act())
    require(call, left)
    return made[0]


def each(
    call: Call, worker: Worker, verb: str, names: Sequence[str], act: Callable[[str], T]
) -> tuple[list[T], list[Left]]:
    """Do one thing for each name, and write down what of it is not answered.

    Where that is all that comes of one of them, say what has become of the others.

    Raises:
        CoordError, OSError: one failed in another way.
    """
    made: list[T] = []
    left: list[Left] = []
    said: list[str] = []
    try:
        for name in names:
            try:
                made.append(act(name))
                said.append(f"{verb} {name} stands on the board")
            except StoreError as error:
                if not _written(worker, f"{verb} {name}".rstrip(), error):
                    raise
                left.append(Left(name, error))
                said.append(f"{verb} {name} is written down here and not published")
    except (CoordError, OSError):
        tried = len(said) + 1
        _tell(call, [*said, *(f"{verb} {name} was not tried" for name in names[tried:])])
        raise
    if left and made:
        _tell(call, said)
    return made, left


def _tell(call: Call, said: Sequence[str]) -> None:
    for words in said:
        call.note(words)


def require(call: Call, left: Sequence[Left]) -> None:
    """Say of what was written down that it was not published.

    Raises:
        Unpublished: there is some.
    """
    if not left:
        return
    named = ", ".join(one.name for one in left if one.name)
    raise Unpublished(
        "unpublished",
        f"{named or call.words} is written down here and not published: nothing is yours by it",
        where=left[0].error.where,
        why=f"{left[0].error.why}; the next command here that reaches the board publishes it",
        run="git coord store",
    )


def withdrawn(call: Call, worker: Worker, scopes: Collection[str] | None) -> set[str]:
    """Take back the worker's claims, of `scopes` or all, that the server surely never had.

    Return the scopes in which that was done: nothing is left there to give up.
    """
    board = chosen.copy_of(worker.store)
    if board is None or not board.unsettled:
        return set()
    from coord.board import publishing  # noqa: PLC0415  # for a server that is away
    from coord.stores import outbox  # noqa: PLC0415  # for a server that is away

    common, found = worker.here.common_dir, set()
    with outbox.lock(common):
        for entry in outbox.every(common):
            scope = "" if entry.sent else publishing.claimed(entry)
            named = scopes is None or scope in scopes
            if scope and named and entry.instance == worker.instance:
                outbox.drop(entry)
                found.add(scope)
                call.note(f"{entry.words}, which was not published, is taken back")
        board.unsettled = outbox.unsettled(common, worker.instance)
    return found


def _written(worker: Worker, words: str, error: StoreError) -> bool:
    """Write down what `error` says was to be written; False where it cannot wait."""
    pending, board = error.pending, chosen.copy_of(worker.store)
    if pending is None or board is None:
        return False
    from coord.stores import outbox  # noqa: PLC0415  # for a server that is away

    if not outbox.takes(pending):
        return False
    outbox.add(
        worker.here.common_dir,
        pending,
        board=board.epoch,
        me=worker.me,
        words=words,
        sent=isinstance(error, Unknown),
    )
    board.unsettled = {*board.unsettled, pending.key.rpartition("/")[0]}
    return True
