"""A wait falls asleep: its process becomes a small program until something happens, and wakes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import coord
from coord.base import duration
from coord.cli import slumber
from coord.liveness import beats, signs
from coord.liveness.sessionfile import Session
from coord.settings import config
from coord.work import patience
from coord.work.wait import Resumed

if TYPE_CHECKING:
    from coord.work.wait import Waiting


def claiming(asked: str | None, scope: str, timeout: float) -> list[str]:
    """Return the program that goes on with a claim of `scope` once its wait wakes."""
    program = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    actor = [] if asked is None else ["--as", asked]
    return [*program, *actor, "claim", scope, "--wait", "--timeout", duration.typed(timeout)]


def fall(waiting: Waiting, answer: str, program: list[str] | None = None) -> None:
    """Become the small program; return where there is none to become.

    Args:
        waiting: what for.
        answer: how it ends, as :class:`coord.cli.slumber.Asleep` has it.
        program: what it becomes again; None: what was called.
    """
    if waiting.worker.store.caps.hosts or not (sys.executable and sys.orig_argv):
        return  # no file tells of an event elsewhere, and the small program has no client
    words = [*_words(waiting), answer, *(program or sys.orig_argv)]
    fd = -1 if waiting.session is None else waiting.session.fd
    if fd >= 0:
        os.set_inheritable(fd, True)
    lib = os.path.dirname(os.path.dirname(coord.__file__))
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(  # noqa: S606  # our own interpreter, no shell
            sys.executable,
            [sys.executable, "-I", "-S", "-c", slumber.CODE, lib, *words],
        )
    except OSError:  # the arguments are too long, the interpreter is gone
        if fd >= 0:
            os.set_inheritable(fd, False)


def resumed() -> Resumed | None:
    """Return what this process has left of a wait that slept; None where it did not.

    Where nothing can be written it has no lock, and its time is up all the same.
    """
    said = os.environ.pop(slumber.RESUMED, "").split(slumber.FIELD)
    try:
        end, fd, path, told, known = float(said[0]), int(said[1]), *said[2:]
        if fd < 0:
            return Resumed(end, None, told, known)
        facts, there = os.fstat(fd), os.stat(path)
    except (ValueError, IndexError, OSError):
        return None
    if (facts.st_dev, facts.st_ino) != (there.st_dev, there.st_ino):
        return None
    os.set_inheritable(fd, False)
    return Resumed(end, Session(os.path.basename(path), path, fd), told, known)


def _words(waiting: Waiting) -> list[str]:
    worker, session = waiting.worker, waiting.session
    instance, git_dir = worker.me.instance or "", worker.here.git_dir
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
        os.path.join(git_dir, beats.SEEN),
        signs.path_of(git_dir, instance, worker.watch.chain) if instance else "",
        slumber.FIELD.join(
            slumber.PAIR.join((str(link.pid), link.start, link.name))
            for link in worker.watch.watched
        ),
        repr(config.load(worker.here.top).expires),
        waiting.told,
        waiting.known,
    ]
