"""What goes on, in one line of a terminal, while it takes longer than a second; then it is gone."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from coord.base.columns import cut
from coord.base.names import shown
from coord.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from coord.check.edges import Tick

_PATIENCE = 1.0
_AGAIN = 0.25
_CELLS = 80  # of a terminal that does not say
_ERASED = "\r\x1b[K"


class _Line:
    """The one line, drawn by a thread of its own: some git child may take all of the time."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self._what, self._stream = what, stream
        self._counted = ""
        self._drawn = False
        self._ended = threading.Event()
        self._pen = threading.Lock()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def tick(self, what: str, done: int, total: int) -> None:
        """Take note of how many of how many things are done."""
        self._counted = f": {done} of {total} {shown(what)}"

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the row to what is printed in the block."""
        with self._pen:
            if self._drawn:
                self._stream.write(_ERASED)
                self._stream.flush()
            self._drawn = False
            yield

    def end(self) -> None:
        """Draw no more, and leave nothing."""
        self._ended.set()
        self._thread.join()
        with self.aside():
            pass

    def _draw(self) -> None:
        begun, wait = time.monotonic(), _PATIENCE
        while not self._ended.wait(wait):
            wait = _AGAIN
            said = f"coord: {self._what}{self._counted} ({time.monotonic() - begun:.0f} s)"
            cells = terminal.columns(self._stream) or _CELLS
            with self._pen:
                self._stream.write(_ERASED + cut(said, cells - 1))
                self._stream.flush()
                self._drawn = True


_at_work: list[_Line] = []


@contextmanager
def going(what: str, asks: Callable[[], bool] | None = None) -> Iterator[Tick]:
    """Show `what` is being done while the block takes its time; yield what counts it.

    On a terminal that can erase a line, and nowhere else. Not around what lets a child print.

    Args:
        what: as a person says it.
        asks: whether a child may ask its user something on that terminal, such as a passphrase.
    """
    stream = sys.stderr
    if not terminal.erases(stream) or (asks and asks()):
        yield uncounted
        return
    line = _Line(what, stream)
    _at_work.append(line)
    try:
        yield line.tick
    finally:
        _at_work.remove(line)
        line.end()


@contextmanager
def aside() -> Iterator[None]:
    """Leave the row to what is printed in the block."""
    with ExitStack() as pens:
        for line in _at_work:
            pens.enter_context(line.aside())
        yield


def uncounted(what: str, done: int, total: int) -> None:
    """Count nothing."""
    del what, done, total
