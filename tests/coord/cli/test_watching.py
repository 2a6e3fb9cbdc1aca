"""``board --watch`` on a real terminal: drawn again as it changes, and gone without a trace."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import pytest

from harness.board import eventually
from harness.terminal import opened, resized

if TYPE_CHECKING:
    from collections.abc import Iterator

    import harness.etcd
    from harness import Repo

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


class Screen:
    """A terminal on which the board of a repository is watched."""

    def __init__(self, repo: Repo) -> None:
        self._look, self._play = opened(80, 24)
        self.kept = termios.tcgetattr(self._play)
        self.seen = ""
        self.child = subprocess.Popen(
            ["git-coord", "board", "--watch"],
            cwd=repo.path,
            env={**repo.env, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            stdout=self._play,
            stderr=subprocess.PIPE,
        )

    def shows(self, text: str) -> str:
        """Wait until `text` has been drawn since the last call, and return all that was."""
        drawn, until = "", time.monotonic() + 30
        while text not in drawn:
            assert select.select([self._look], [], [], until - time.monotonic())[0], drawn
            drawn += os.read(self._look, 65536).decode()
        self.seen += drawn
        return drawn

    def resized(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        resized(self._play, columns, lines)

    def ended_by(self, number: signal.Signals) -> int:
        """End it, and return its exit status; `seen` has all it wrote."""
        self.child.send_signal(number)
        self.shows(LEAVE)
        return self.child.wait(30)

    def is_as_it_was(self) -> bool:
        """Tell whether the terminal's settings are what they were."""
        return termios.tcgetattr(self._play) == self.kept


@pytest.fixture
def screen(installed: Repo) -> Iterator[Screen]:
    """The board, being watched."""
    made = Screen(installed)
    yield made
    made.child.kill()
    made.child.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_whatever_ends_it_leaves_the_terminal_as_it_was(
    screen: Screen, number: signal.Signals, code: int
) -> None:
    """The other screen, and no trace in the first one, nor in what was scrolled off it."""
    screen.shows("0 claims")

    assert screen.ended_by(number) == code
    assert screen.seen.startswith(ENTER)
    assert screen.seen.endswith(LEAVE)
    assert "\x1b[3J" not in screen.seen
    assert screen.is_as_it_was()


def test_it_is_drawn_again_when_the_board_changes(screen: Screen, installed: Repo) -> None:
    """Within a second or two; in colour, as the board itself."""
    screen.shows("0 claims")
    installed.coord("--as", "ada", "claim", "x")

    assert "task:x" in screen.shows("1 claim")


def test_it_is_fitted_to_another_size_at_once(screen: Screen, installed: Repo) -> None:
    """Cut at the right, and at the bottom with the number of lines that are missing."""
    installed.coord("--as", "ada", "claim", *(f"task:{number}-{'x' * 50}" for number in range(6)))
    screen.shows("task:5-")
    screen.resized(30, 5)
    drawn = screen.shows("lines more").split("\x1b[H")[-1]

    assert drawn.count("\n") == 4
    for mark in ("\x1b[K", "\x1b[J"):
        drawn = drawn.replace(mark, "")
    assert max(len(row.strip("\r")) for row in drawn.split("\n")) <= 30 + len("\x1b[32m\x1b[0m")


def test_a_stop_gives_the_terminal_back_until_it_goes_on(screen: Screen) -> None:
    """Ctrl-Z and `fg`: a shell without a cursor, on the other screen, would be no shell."""
    screen.shows("0 claims")
    screen.child.send_signal(signal.SIGTSTP)

    assert screen.shows(LEAVE).endswith(LEAVE)
    state = Path(f"/proc/{screen.child.pid}/stat")
    assert eventually(lambda: state.read_text().rpartition(")")[2].split()[0] == "T")
    screen.child.send_signal(signal.SIGCONT)
    assert screen.shows("0 claims").startswith(ENTER)


_BUSY = """
from coord.cli import watching
with watching._other_screen([]):
    while True:
        watching._write("x" * 60000)
"""


def test_a_stop_amid_a_drawing_is_a_stop(installed: Repo) -> None:
    """Python lets nobody write through a buffer that is being flushed: a board ended by Ctrl-Z."""
    look, play = opened(80, 24)
    child = subprocess.Popen(
        [sys.executable, "-c", _BUSY], env=installed.env, stdout=play, stderr=subprocess.PIPE
    )
    try:
        for _ in range(10):
            drawn = os.read(look, 1 << 20)
            child.send_signal(signal.SIGTSTP)
            while LEAVE.encode() not in drawn:
                drawn = drawn[-20:] + os.read(look, 1 << 20)
            assert os.waitid(os.P_PID, child.pid, os.WSTOPPED) is not None
            child.send_signal(signal.SIGCONT)
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("out", ["", ">&-"])
def test_it_ends_when_nobody_reads_it(installed: Repo, out: str) -> None:
    """A closed pipe tells at once; a board on which nothing happens writes nothing."""
    script = f"{{ timeout 25 git coord board --watch {out}; echo ended $? >&2; }} | head -1"

    assert installed.run("sh", "-c", script).err == "ended 0\n"


@pytest.mark.parametrize(
    ("columns", "more"), [(40, "… and 3 lines more: git coord board"), (20, "… and 3 lines more")]
)
def test_a_narrow_screen_cuts_names_and_keeps_what_is_said_of_them(
    screen: Screen, installed: Repo, columns: int, more: str
) -> None:
    """Each worker's state and "(you)"; one long name sets no column for the others."""
    installed.coord("--as", "x" * 40, "claim", "task:" + "y" * 50)
    installed.coord("claim", "k")
    screen.shows("2 claims")
    screen.resized(columns, 5)
    rows = screen.shows(more).split("\x1b[H")[-1].split("\n")

    assert [row.count("present") for row in rows].count(1) == 3  # the headline and two workers
    screen.resized(columns, 24)
    assert "(you)" in screen.shows("task:k")


_TICKS = """
from itertools import count
from coord.cli.watching import Frame, screen
moments = count()
screen(lambda: (lambda at: Frame(lambda _: [f"age {at}"], [str(at // 2)]))(next(moments)))
"""


def test_only_news_follow_in_a_pipe_and_not_that_time_goes_by(installed: Repo) -> None:
    """Ages tick each second, up to two minutes: a log of the board would be full of them."""
    done = installed.run("sh", "-c", f"timeout 25 {quote(sys.executable)} -c '{_TICKS}' | head -3")

    assert done.out.split("\n") == ["age 0", "", "age 2", ""]


def test_a_page_that_is_watched_through_a_pipe_ends_with_its_reader(installed: Repo) -> None:
    """It is a file to us, written into; the system says that nobody has it."""
    script = "{ timeout 25 git coord board --watch --html /dev/stdout; echo $? >&2; } | head -1"

    assert "124" not in installed.run("sh", "-c", script).err.splitlines()


def test_a_server_that_is_away_stands_above_the_board_until_it_is_back(
    cut: tuple[Repo, harness.etcd.Cluster],
) -> None:
    """With an age that goes on; on a narrow screen in parts, with nothing of it cut off."""
    ann, cluster = cut
    assert ann.coord("claim", "task:1").code == 0
    screen = Screen(ann)
    try:
        screen.shows("1 claim")
        cluster.members[0].kill()
        assert "cannot be reached" in screen.shows("2 seconds old")
        told = screen.shows("task:1").split("\x1b[H")[-1]
        assert told.index("the board at") < told.index("1 claim")
        screen.shows("4 seconds old")
        screen.resized(40, 24)
        folded = screen.shows(" old").split("\x1b[H")[-1].replace("\x1b[K", "")
        assert "what is shown of it is" in " ".join(folded.split())

        cluster.members[0].start()
        cluster.ready()
        while "the board at" in screen.shows("1 claim").split("\x1b[H")[-1]:
            pass  # until it is asked again
    finally:
        screen.child.kill()
        screen.child.communicate()


def test_in_a_pipe_a_server_that_is_away_is_told_of_once(
    cut: tuple[Repo, harness.etcd.Cluster], tmp_path: Path
) -> None:
    """A server that takes connections and says nothing, too; and that it is back is news."""
    ann, cluster = cut
    assert ann.coord("claim", "task:1").code == 0
    out = tmp_path / "out"
    with out.open("wb") as file:
        child = subprocess.Popen(
            ["git-coord", "board", "--watch"],
            cwd=ann.path,
            env=ann.env,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.PIPE,
        )
    try:
        assert eventually(lambda: out.read_text().count("1 claim") == 1, 30)
        cluster.members[0].signal(signal.SIGSTOP)
        assert eventually(lambda: out.read_text().count("1 claim") == 2, 30)
        time.sleep(7)  # asked again meanwhile
        cluster.members[0].signal(signal.SIGCONT)
        assert eventually(lambda: out.read_text().count("1 claim") == 3, 30)
    finally:
        cluster.members[0].signal(signal.SIGCONT)
        child.kill()
        child.communicate()
    first, second, third = re.findall(r"(.*)\n1 present, 1 claim\n", "\n" + out.read_text())
    assert (first, third) == ("", "")
    assert second.startswith("coord: the board at ")
    assert second.endswith(" old")
