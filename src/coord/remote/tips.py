"""The tip of a chain, as this clone last saw it, and who asks for it again.

One process of a clone fetches or pushes at a time, and what it learned is every other's: who waited
for a fetch that began after it asked takes its result.

    <home>/tip   {"schema": 1, "name", "rev", "line", "began", "came", "host", "seen",
                  "boot", "folder"}

A chain that does not go on where it was left is another line, with a new random id: nothing that
was known of the old one is taken for granted. A server may also be several that lag behind each
other, so what we know to have stood there a moment ago still does.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from coord.base import deadline, peerfile, publish
from coord.base.failures import Absent, Spoiled, Unfit
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.remote import objects, transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coord.remote.address import Address
    from coord.remote.objects import Changes

#: The number of a chain that has no commit yet; its first has the next.
EMPTY = 1
#: When a tip was seen that nothing is known of.
NEVER = -1e9
LATELY = 300.0  # seconds in which who has pushed is one of those that push
_SILENCE = 3.0  # seconds in which most servers have answered
_LAGS = 60.0  # seconds in which an older tip than ours is a server that lags behind
_AGAIN, _PAUSE = 3, 0.3
_LONGEST = 12  # digits of a number
_HOST = 16  # characters of a host's id
_HOSTS = 500  # how many are known, and commits of when; they fit a file


def mute(_: str) -> None:
    """Tell nobody what is waited for."""


class Place(NamedTuple):
    """A chain elsewhere, and what is kept of it here.

    Attributes:
        where: the repository.
        home: folder of what is kept of it.
        patience: seconds within which one fetch or push ends.
        boot: what :func:`clock` counts from.
        tell: is told what is waited for.
    """

    where: Address
    home: str
    patience: float
    boot: str
    tell: Callable[[str], object] = mute

    @property
    def cache(self) -> str:
        """The bare repository of what was fetched, which can be made anew at any time."""
        return f"{self.home}.git"


_NOBODY: Mapping[str, float] = {}


class Step(NamedTuple):
    """What a fetch brought: the number of the tip before, and what has changed since."""

    rev: int
    changes: Changes


class Tip(NamedTuple):
    """The end of a chain.

    Attributes:
        name: its commit; empty where there is none.
        rev: its number.
        line: id of the unbroken line that it is the end of.
        began: when the fetch or push began that showed it, by :func:`clock`.
        came: when commits came of late, likewise, as far as that is known; and when this clone has
            pushed one that did not.
        host: random id of this clone among those that push.
        seen: when the last commit of each of those that push came.
        step: what the fetch brought that showed it, if one of this process was that.
    """

    name: str = ""
    rev: int = EMPTY
    line: str = ""
    began: float = NEVER
    came: tuple[float, ...] = ()
    host: str = ""
    seen: Mapping[str, float] = _NOBODY
    step: Step | None = None


def clock() -> float:
    """Return seconds by a clock that is never set, the same for all processes of a boot."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def known(place: Place) -> Tip:
    """Return the tip that was last seen, whatever has become of it since.

    Seconds of another boot, or of a machine that was set back, are no news; and in a copy of the
    folder this is another clone.
    """
    host = os.urandom(8).hex()
    try:
        found = json.loads(peerfile.read(_path(place)))
        tip = Tip(str(found["name"]), int(found["rev"]), str(found["line"]), host=host)
        began, came = float(found["began"]), tuple(map(float, found["came"]))
        seen = {str(one): float(at) for one, at in found["seen"].items()}
        if found["folder"] == _folder(place):
            tip = tip._replace(host=str(found["host"]))
        counts = (
            found["boot"] == place.boot != "" and max([began, *seen.values(), *came]) <= clock()
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Tip(host=host)
    return tip._replace(began=began, came=came, seen=seen) if counts else tip


def keep(place: Place, tip: Tip) -> Tip:
    """Write down what is known now, in :func:`alone`."""
    tip = tip._replace(came=tip.came[-_HOSTS:])
    document = {"schema": 1, **tip._asdict(), "boot": place.boot, "folder": _folder(place)}
    del document["step"]
    publish.replace(_path(place), json.dumps(document).encode() + b"\n")
    return tip


def _folder(place: Place) -> int:
    return os.stat(place.home).st_ino


def _path(place: Place) -> str:
    return os.path.join(place.home, "tip")


@contextmanager
def alone(place: Place) -> Iterator[None]:
    """Fetch or push as the only one of this clone, for a block.

    Raises:
        Absent: another does not end.
        OSError: nothing can be kept here.
    """
    os.makedirs(place.home, 0o700, exist_ok=True)  # what is queued there is its owner's alone
    try:
        patience = deadline.left(2 * place.patience)
        with publish.lock(os.path.join(place.home, "net.lock"), patience=patience):
            yield
    except publish.Held as error:
        why = f"another process of this clone is at it: {error}"
        raise Absent(place.where.text, why) from error


def forget(place: Place) -> None:
    """Forget what was fetched, but not which tip that was: the next fetch brings all of it."""
    with suppress(OSError):
        keep(place, known(place)._replace(began=NEVER))
    publish.drop(place.cache)


def fetched(place: Place, since: float) -> Tip:
    """Return the tip as a fetch shows it that began at `since` or later.

    Raises:
        Failure: the repository does not answer, or this is none.
    """
    tip = known(place)
    if tip.began >= since:
        return tip
    with alone(place):
        tip = known(place)
        return tip if tip.began >= since else _fetched(place, tip)


def _fetched(place: Place, tip: Tip) -> Tip:
    """Ask the repository; an answer that is behind what we know is asked for once more."""
    for last in (False,) * _AGAIN + (True,):
        began = clock()
        name = _asked(place, tip)
        if name == tip.name and tip.line:
            return keep(place, tip._replace(began=began))
        try:
            on = _gone_on(place, tip, name, began)
            if on is not None:
                return keep(place, on)
            if not _is_behind(place, tip, name) or began - tip.began > _LAGS:
                return keep(place, _begun(place, tip, name, began))
        except objects.Broken:
            raise
        except Unfit as error:
            raise _spoiled(place, tip, name, error.why) from error
        if not last:
            time.sleep(_PAUSE)
    return tip


def _asked(place: Place, tip: Tip) -> str:
    """Return the commit that is the tip there."""
    with away(tip), patiently(place):
        end = time.monotonic() + deadline.left(place.patience)
        return transport.fetch(place.cache, place.where, end)


@contextmanager
def away(tip: Tip) -> Iterator[None]:
    """Take a repository that is not there for away, where a board was known in it.

    Raises:
        Absent: it is away.
        Unfit: there was none.
    """
    try:
        yield
    except Unfit as error:
        from coord.remote import words  # noqa: PLC0415  # after a failure alone

        if isinstance(error, objects.Broken) or not (tip.name and words.is_absent(error.why)):
            raise
        raise Absent(error.where, error.why) from error


@contextmanager
def patiently(place: Place) -> Iterator[None]:
    """Say what is waited for, where a block takes longer than anybody waits without asking why."""
    from threading import Timer  # noqa: PLC0415  # 2 ms, beside a child's

    said = (
        f"waiting for {place.where.text} to answer, {deadline.left(place.patience):.0f} s at most"
    )
    timer = Timer(_SILENCE, place.tell, [said])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _spoiled(place: Place, tip: Tip, name: str, why: str) -> Spoiled:
    """Return that `name` is no board, and what puts the tip that is known in its place again.

    A shallow cache has not what its tip goes on from, and a server takes no commit without: there
    it is the same tree, in a commit that goes on from none, which is another line for all. Where
    no tip is known what stands there is put aside, and the board is begun anew. Each of it only
    if nobody has moved the ref since.
    """
    what = f"{name[:12]} in its {transport.REF} is no board: {why}"
    try:
        back = _to_put_back(place, tip)
    except Unfit:
        back = ""
    if back:
        refs = f"{back}:{transport.REF}"
        then = f"commit {tip.rev} is what this clone has read; who has read the most puts it back"
    else:
        refs = f"{name}:{transport.REF}-{name[:12]} :{transport.REF}"
        then = (
            "a clone that has read the board says how to put it back; if none has, this puts aside "
            "what is in its place"
        )
    lease = f"--atomic --force-with-lease={transport.REF}:{name}"
    into = f"{quote(place.where.url)} {refs}"
    run = transport.typed(place.cache, "push", "--no-verify", lease, into)
    return Spoiled(place.where.text, f"{what}; {then}", run)


def _to_put_back(place: Place, tip: Tip) -> str:
    """Return a commit that any server takes, of what stands at the tip; empty where that is none.

    Raises:
        Unfit: the cache has it no more.
    """
    if not tip.name:
        return ""
    objects.files(place.cache, tip.name)
    if os.path.exists(os.path.join(place.cache, "shallow")):
        return objects.alone(place.cache, tip.name, f"{tip.rev + 1}")
    return tip.name


def _begun(place: Place, tip: Tip, name: str, began: float) -> Tip:
    """Return the tip of a line of which nothing was known.

    Raises:
        Unfit: what stands there is no board.
    """
    rev = _number(place, objects.messages(place.cache, [name])[0]) if name else EMPTY
    if name:
        objects.files(place.cache, name)  # what is no board's is never known
    line = os.urandom(8).hex()
    return tip._replace(name=name, rev=rev, line=line, began=began, seen={})


def _gone_on(place: Place, tip: Tip, name: str, began: float) -> Tip | None:
    """Return the tip that `name` is where it goes on from the one that is known, else None."""
    if not (tip.line and tip.name and name):
        return None
    commits = objects.commits(place.cache, tip.name, name)
    if not commits:
        return None
    messages = objects.messages(place.cache, commits)
    if _number(place, messages[0]) != tip.rev + len(commits):
        return None
    step = Step(tip.rev, objects.changes(place.cache, tip.name, name))  # likewise
    lines = (message[1] if message[1:] else "" for message in reversed(messages))
    hosts = [line if len(line) == _HOST else "" for line in lines]
    return gone_on(tip, name, hosts, len(commits), began)._replace(step=step)


def gone_on(tip: Tip, name: str, hosts: Sequence[str], ahead: int, began: float) -> Tip:
    """Return the tip after `ahead` commits more, which a fetch showed that began at some moment.

    They came since the last one that showed none of them: at even distances, for all that is known.

    Args:
        tip: the tip before.
        name: the commit.
        hosts: whose they are, of the last of them, the oldest first.
        ahead: how many.
        began: when the fetch began.
    """
    since = max([tip.began, *tip.came, began - ahead * LATELY])
    moments = [began - (began - since) * (n + 0.5) / ahead for n in reversed(range(len(hosts)))]
    came = tuple(at for at in (*tip.came, *moments) if began - at < LATELY)
    seen = {**tip.seen, **dict(zip(hosts, moments, strict=True))}
    lately = [(one, at) for one, at in seen.items() if began - at < LATELY]
    seen = dict(lately[-_HOSTS:])
    return tip._replace(name=name, rev=tip.rev + ahead, began=began, came=came, seen=seen)


def _is_behind(place: Place, tip: Tip, name: str) -> bool:
    """Tell whether `name` stood here before, or, with none, nothing yet."""
    if not name or not tip.name or not tip.line:
        return False
    return objects.commits(place.cache, name, tip.name) is not None


def _number(place: Place, message: list[str]) -> int:
    """Return the number of a commit, which its message begins with.

    Raises:
        Unfit: it has none: what stands there is no board.
    """
    digits = message[0]
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST:
        return int(digits)
    raise Unfit(place.where.text, "the tip has no number")
