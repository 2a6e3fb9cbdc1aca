"""A wait falls asleep: its process becomes a small program until something happens, and wakes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import coord
from coord.cli import idler
from coord.liveness import beats
from coord.liveness.sessionfile import Session
from coord.work import patience
from coord.work.wait import Resumed

if TYPE_CHECKING:
    from coord.work.wait import Waiting


def fall(waiting: Waiting, *, as_json: bool) -> None:
    """Become the small program; return where there is none to become."""
    if not (sys.executable and sys.orig_argv):
        return
    asleep = idler.Asleep(_words(waiting, as_json=as_json))
    if asleep.fd >= 0:
        os.set_inheritable(asleep.fd, True)
    lib = os.path.dirname(os.path.dirname(coord.__file__))
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(  # noqa: S606  # our own interpreter, no shell
            sys.executable,
            [sys.executable, "-I", "-S", "-c", idler.CODE, lib, *asleep.words()],
        )
    except OSError:  # the arguments are too long, the interpreter is gone
        if asleep.fd >= 0:
            os.set_inheritable(asleep.fd, False)


def resumed() -> Resumed | None:
    """Return what this process has left of a wait that slept; None where it did not."""
    said = os.environ.pop(idler.RESUMED, "").split(idler.FIELD)
    try:
        end, fd, path = float(said[0]), int(said[1]), said[2]
        facts, there = os.fstat(fd), os.stat(path)
    except (ValueError, IndexError, OSError):
        return None
    if (facts.st_dev, facts.st_ino) != (there.st_dev, there.st_ino):
        return None
    os.set_inheritable(fd, False)
    return Resumed(end, Session(os.path.basename(path), path, fd))


def _words(waiting: Waiting, *, as_json: bool) -> list[str]:
    worker, session = waiting.worker, waiting.session
    instance = worker.me.instance or ""
    return [
        patience.event_of(worker, waiting.scope, waiting.event),
        patience.news_of(worker),
        waiting.scope,
        instance,
        " ".join(waiting.within),
        repr(waiting.end),
        repr(worker.beat_every),
        "-1" if session is None else str(session.fd),
        "" if session is None else session.path,
        idler.FIELD.join(_signs(worker.here.git_dir, instance)),
        idler.FIELD.join(
            f"{link.pid}{idler.PAIR}{link.start}" for link in worker.watch.watched
        ),
        "json" if as_json else "text",
        *sys.orig_argv,
    ]


def _signs(git_dir: str, instance: str) -> list[str]:
    names = [beats.SEEN, *([f"{beats.BEATS}/{instance}"] if instance else [])]
    return [os.path.join(git_dir, name) for name in names]
