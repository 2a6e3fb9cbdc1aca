"""``session``: what a harness starts its agent by, so that its end can be proved."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from coord.liveness import beats, process, sessionfile, signs, spent
from coord.work import arrive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Kept(NamedTuple):
    """A session that this process keeps for a command.

    Attributes:
        call: who called.
        worker: whose session it is.
        session: its file.
    """

    call: Call
    worker: Worker
    session: Session

    def record(self, command: process.Process) -> None:
        """Write down the command, and give its first sign of life; a full disk does not stop it."""
        try:
            self.session.record(command)
        except OSError as error:
            self.call.note(f"the session does not name its command: {error.strerror}")
        chain = self.worker.watch.chain
        given = signs.Chain((process.own(), *chain.links), chain.whole, self.session.id)
        beats.beat(self.worker.here.git_dir, self.worker.me.instance, given)

    def over(self, *, all_of_it: bool) -> None:
        """Write down that the command has ended, and whether all that it has started has too."""
        git_dir, instance = self.worker.here.git_dir, self.worker.me.instance
        if instance and all_of_it:
            with contextlib.suppress(OSError):
                beats.own(git_dir, instance, self.session.id)
        try:
            self.session.over(all_of_it=all_of_it)
        except OSError as error:
            self.call.note(f"the session does not say that it is over: {error.strerror}")


@contextlib.contextmanager
def keeping(call: Call) -> Iterator[Kept]:
    """Keep a session in the worktree of the caller for a block.

    Raises:
        OSError: the private git dir cannot be written.
    """
    worker = arrive.looking(call)
    spent.forget(worker.here.git_dir)
    session = sessionfile.begin(worker.here.git_dir, "session", worker.instance)
    try:
        yield Kept(call, worker, session)
    finally:
        with contextlib.suppress(OSError):
            os.close(session.fd)
