"""What processes of this clone want pushed: whoever pushes takes all of it along.

    <home>/queue/<id>.ask      a transaction, locked by who waits for it
    <home>/queue/<id>.taken    the same while it is being pushed
    <home>/queue/<id>.answer   what became of it
    <home>/queue/<id>.later    what goes along with the next push, and nobody waits for

A transaction is taken, or withdrawn, by renaming it: by one of both. Its lock ends with its
process, and what nobody waits for any more is not pushed.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile, publish
from coord.base.failures import Absent, Denied, Failure, Lost, Spoiled, Unfit
from coord.remote.draft import Ask, Change, Held
from coord.remote.objects import Broken

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

_MOST = 64 << 20  # bytes: a hundred records of the largest size
_LEFT = 3600.0  # seconds
_KINDS = {kind.__name__: kind for kind in (Absent, Denied, Lost, Unfit, Spoiled, Broken)}


class Answer(NamedTuple):
    """What became of a transaction.

    Attributes:
        done: whether it held, and stands.
        name: the commit on which that was decided, or which has done it.
        rev: its number.
        line: id of the unbroken line that it is of.
        again: it may have been done before: the push that did it was not answered.
        began: when the fetch or push began that showed it, by :func:`coord.remote.tips.clock`.
    """

    done: bool
    name: str
    rev: int
    line: str
    again: bool = False
    began: float = 0.0


class Taken(NamedTuple):
    """A transaction to be pushed: its file without the ending, and whether it was once before."""

    path: str
    ask: Ask
    again: bool


class Asked:
    """A transaction of this process."""

    def __init__(self, path: str, fd: int) -> None:
        self._path = path
        self._fd = fd

    def answer(self) -> Answer | None:
        """Return what became of it; None where nothing has yet.

        Raises:
            Failure: of the push.
        """
        try:
            found = json.loads(peerfile.read(f"{self._path}.answer"))
        except FileNotFoundError:
            return None
        if "kind" in found:
            failure = _KINDS.get(found["kind"], Lost)(found["where"], found["why"])
            failure.run = found["run"]
            raise failure
        return Answer(**found)

    def withdraw(self) -> bool:
        """Take it back; False where it is being pushed, or was."""
        try:
            os.rename(f"{self._path}.ask", f"{self._path}.gone")
        except FileNotFoundError:
            return False
        return True

    def end(self) -> None:
        """Leave nothing of it."""
        for ending in ("ask", "taken", "gone", "answer"):
            publish.forget(f"{self._path}.{ending}")
        os.close(self._fd)


@contextmanager
def asked(home: str, ask: Ask) -> Iterator[Asked]:
    """Have a transaction pushed by whoever pushes next, for a block that waits for it."""
    path = _fresh(home)
    fd = os.open(f"{path}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    mine = Asked(path, fd)
    try:
        _lock(fd)
        with open(fd, "wb", closefd=False) as file:
            file.write(_encoded(ask))
        os.rename(f"{path}.new", f"{path}.ask")
        yield mine
    finally:
        publish.forget(f"{path}.new")
        mine.end()


def later(home: str, found: Sequence[Change]) -> None:
    """Have changes go along with the next push, whoever makes it."""
    path = _fresh(home)
    publish.note(f"{path}.new", _encoded(Ask(also=tuple(found))))
    os.rename(f"{path}.new", f"{path}.later")


def gone(home: str) -> set[str]:
    """Return the keys of what goes with the next push, for nobody to read any more."""
    paths = (os.path.join(home, "queue", name) for name in _names(home) if name.endswith(".later"))
    found = (_read(path.removesuffix(".later"), ".later", again=False) for path in paths)
    changes = (change for some in found for one in some for change in one.ask.also)
    return {change.key for change in changes if change.value is None}


def take(home: str, known: Container[str]) -> tuple[list[Taken], list[Taken]]:
    """Take what waits, the oldest first: what is answered, and what nobody waits for.

    Args:
        home: folder of what is kept of a chain here.
        known: paths of what has been taken by this process.
    """
    answered, rest = [], []
    for name in _names(home):
        path, ending = os.path.splitext(os.path.join(home, "queue", name))
        if path in known:
            continue
        if ending in {".ask", ".taken"} and _is_orphan(f"{path}{ending}"):
            for left in ("ask", "taken", "answer"):
                publish.forget(f"{path}.{left}")
        elif ending == ".later":
            rest += _read(path, ".later", again=False)
        elif ending == ".ask":
            with suppress(FileNotFoundError):  # withdrawn
                os.rename(f"{path}.ask", f"{path}.taken")
                answered += _read(path, ".taken", again=False)
        elif ending == ".taken" and not os.path.lexists(f"{path}.answer"):
            answered += _read(path, ".taken", again=True)  # whoever pushed it was killed
        elif ending in {".answer", ".new", ".gone"}:
            _sweep(path, ending)
    return answered, rest


def settle(taken: Taken, answer: Answer | Failure) -> None:
    """Tell who waits what became of a transaction."""
    if isinstance(answer, Failure):
        names = [base.__name__ for base in type(answer).__mro__]
        kind = next((name for name in names if name in _KINDS), "Unfit")
        document = {"kind": kind, "where": answer.where, "why": answer.why, "run": answer.run}
    else:
        document = answer._asdict()
    publish.note(f"{taken.path}.new-answer", json.dumps(document).encode())
    os.rename(f"{taken.path}.new-answer", f"{taken.path}.answer")


def put_back(taken: Taken) -> None:
    """Have a transaction wait for the next push."""
    with suppress(FileNotFoundError):
        os.rename(f"{taken.path}.taken", f"{taken.path}.ask")


def drop(found: Sequence[Taken]) -> None:
    """Forget what went along."""
    for one in found:
        publish.forget(f"{one.path}.later")


def _fresh(home: str) -> str:
    folder = os.path.join(home, "queue")
    for path in (home, folder):
        os.makedirs(path, 0o700, exist_ok=True)
    return os.path.join(folder, f"{time.time_ns():020d}-{os.urandom(4).hex()}")


def _names(home: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(home, "queue")))
    except FileNotFoundError:
        return []


def _lock(fd: int) -> bool:
    """Lock a file for this process; False where another has it, or none can be locked here."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_orphan(path: str) -> bool:
    """Tell whether who waits for a transaction has ended; where nothing is locked, nobody has."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return _lock(fd)
    finally:
        os.close(fd)


def _sweep(path: str, ending: str) -> None:
    """Take away what a killed process has left, an hour later; an answer once nobody waits."""
    with suppress(OSError):
        is_old = time.time() - os.lstat(f"{path}{ending}").st_mtime > _LEFT
        if is_old and not os.path.lexists(f"{path}.taken"):
            publish.forget(f"{path}{ending}")


def _encoded(ask: Ask) -> bytes:
    changes = [
        [
            [one.key, None if one.value is None else one.value.decode("latin-1"), one.at]
            for one in some
        ]
        for some in (ask.then, ask.also)
    ]
    return json.dumps([[list(one) for one in ask.held], *changes]).encode()


def _read(path: str, ending: str, *, again: bool) -> list[Taken]:
    """Return the transaction in a file; none where it is no such thing."""
    try:
        held, then, also = json.loads(peerfile.read(f"{path}{ending}", _MOST))
        then, also = (
            tuple(
                Change(key, None if value is None else value.encode("latin-1"), float(at))
                for key, value, at in some
            )
            for some in (then, also)
        )
        ask = Ask(tuple(Held(*one) for one in held), then, also)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return []
    return [Taken(path, ask, again)]
