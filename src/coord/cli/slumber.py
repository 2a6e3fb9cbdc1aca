"""What a wait that sleeps has to know, as the command line of a small program."""

from __future__ import annotations

import os

CODE = "import sys; sys.path.insert(0, sys.argv.pop(1)); from coord.cli.idler import main; main()"
RESUMED = "COORD_WAIT"
"""What a wait that was asleep tells the whole program: its end, its lock, what it has told."""
FIELD, PAIR = "\x1e", "\x1f"


class Asleep:
    """What a wait is for, as its command line says.

    Attributes:
        event: the file of the next event of the scope.
        news: the folder of what the worker is to be told, empty where nobody is certain.
        scope: canonical scope.
        instance: who waits, empty where that is not certain.
        within: the runs it was started from, by nonce.
        end: when its time is up, by the monotonic clock.
        every: seconds between signs of life.
        expires: how much silence ends presence, in seconds.
        told: what was said of a holder who is not there.
        known: what is known to have ended of the holder.
        fd: the lock of the wait, -1 where it has none.
        session: the file that is locked.
        seen: the worktree's sign of life.
        sign: the session's own, empty where nobody is certain.
        above: (pid, start) of the processes whose end ends the wait, nearest first.
        names: what they call themselves.
        ended: which of them has, in a few words.
        answer: how it ends: ``json`` or ``text``, or ``claim``: in text, and only once it holds.
        program: the whole program with its arguments.
    """

    def __init__(self, words: list[str]) -> None:
        self.event, self.news, self.scope, self.instance, within, end, every, fd = words[:8]
        self.session, self.seen, self.sign, above, expires, self.told, self.known = words[8:15]
        self.answer, *self.program = words[15:]
        self.expires = float(expires)
        self.within = within.split()
        self.end, self.every, self.fd = float(end), float(every), int(fd)
        found = [one.split(PAIR) for one in above.split(FIELD) if one]
        self.above = [(int(pid), start) for pid, start, _ in found]
        self.names = [name for *_, name in found]
        self.ended = "a process"

    @property
    def common_dir(self) -> str:
        """The common git dir, whose board the event is to come to."""
        board = os.path.dirname(os.path.dirname(os.path.dirname(self.event)))
        return os.path.dirname(os.path.dirname(board))

    def drop(self) -> None:
        """Take away the lock of the wait."""
        if self.fd >= 0:
            try:
                os.unlink(self.session)
            except OSError:
                pass
            os.close(self.fd)
            self.fd = -1


def beside(event: str, by: int) -> str:
    """Return the file of the event `by` numbers after `event`."""
    folder, name = os.path.split(event)
    return os.path.join(folder, f"{int(name) + by:0{len(name)}d}")
