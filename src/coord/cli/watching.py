"""Show something again whenever it is another, until the reader has seen enough."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from coord.base.columns import cut, width
from coord.base.names import shown
from coord.cli import closed, show, terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

# The other screen of a terminal, without a cursor: what stood there before comes back at the end.
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
# What stood there is cleared line by line: a screen that is empty for a moment flickers.
_HOME, _LINE, _REST = "\x1b[H", "\x1b[K", "\x1b[J"
_SHARE = 20  # of one processor, at most a twentieth: a fleet has many boards open
_SOONEST, _LATEST = 1.0, 60.0
_GLANCE = 0.2  # seconds between two looks at how large the terminal is


def again(draw: Callable[[], None], rest: Callable[[float], bool] | None = None) -> None:
    """Call `draw` for ever, as often as its cost allows, and when the terminal has another size.

    Args:
        draw: what shows it; it may find nothing new.
        rest: sleeps at most so many seconds, and tells whether nobody looks on any more.
    """
    sleep = rest or _slept
    while True:
        begun, size = time.process_time(), shutil.get_terminal_size()
        draw()
        cost = time.process_time() - begun
        until = time.monotonic() + min(_LATEST, max(_SOONEST, cost * _SHARE))
        while (left := until - time.monotonic()) > 0 and shutil.get_terminal_size() == size:
            if sleep(min(_GLANCE, left)):
                return


def _slept(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def _unread(seconds: float) -> bool:
    """Tell whether the reader of stdout has left, or leaves within so many seconds.

    A pipe tells it of itself; a write would tell it too, but not before something changes.
    """
    look = select.poll()
    look.register(sys.stdout.fileno(), 0)
    # POLLNVAL is no news: macOS answers it of every terminal.
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in look.poll(seconds * 1000)):
        return True
    return closed.is_lost(sys.stdout)


class Frame(NamedTuple):
    """What is shown at one moment.

    Attributes:
        lines: its lines, for a terminal that is so many cells wide; None: wherever they go.
        still: what tells it from another moment's, without the ages that go by of themselves.
    """

    lines: Callable[[int | None], list[str]]
    still: list[str]


def screen(frame: Callable[[], Frame]) -> None:
    """Show `frame` again whenever it is another.

    On a terminal it takes the place of the one before, cut to its size, and leaves all at the end
    as it was; elsewhere it follows, a blank line between. It ends with Ctrl-C, and when nobody
    reads it: at once where stdout is closed.
    """
    if not show.reaches_anybody():
        return
    if not terminal.erases(sys.stdout):
        again(_following(frame), _unread)
        return
    drawn: list[str] = []
    with _other_screen(drawn):
        again(_in_place(frame, drawn), _unread)


def _following(frame: Callable[[], Frame]) -> Callable[[], None]:
    before: list[str] = []

    def draw() -> None:
        found = frame()
        if found.still != before:
            before[:] = found.still
            show.lines([*found.lines(None), ""])
            sys.stdout.flush()

    return draw


def _in_place(frame: Callable[[], Frame], drawn: list[str]) -> Callable[[], None]:
    def draw() -> None:
        size = shutil.get_terminal_size()
        found = _fitted([*map(shown, frame().lines(size.columns))], size)
        if found != drawn:
            drawn[:] = found
            *above, last = terminal.coloured(found)
            _write(_HOME + "".join(f"{_LINE}{line}\n" for line in above) + _REST + last)

    return draw


@contextlib.contextmanager
def _other_screen(drawn: list[str]) -> Iterator[None]:
    """Be on the other screen, also after a stop by Ctrl-Z; `drawn` is what stands there."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        _tell(_LEAVE)
        os.kill(os.getpid(), signal.SIGSTOP)
        drawn.clear()
        _tell(_ENTER)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    signal.signal(signal.SIGTSTP, stop)
    _write(_ENTER)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # a terminal that is gone
            _write(_LEAVE)


def _write(text: str) -> None:
    click.echo(text, nl=False)
    sys.stdout.flush()


def _tell(mark: str) -> None:
    """Write past stdout's buffer: a signal that comes while it is flushed may not touch it."""
    os.write(sys.stdout.fileno(), mark.encode())


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


def _fitted(lines: list[str], size: os.terminal_size) -> list[str]:
    room = max(2, size.lines)
    if len(lines) > room:
        left = f"… and {len(lines) - room + 1} lines more"
        told = f"{left}: git coord board"
        lines = [*lines[: room - 1], told if width(told) <= size.columns else left]
    return [cut(line, size.columns) for line in lines]
