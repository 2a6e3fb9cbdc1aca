"""A child with all that it starts, to a moment."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from coord.remote import session

if TYPE_CHECKING:
    from pathlib import Path

_ENV = {"PATH": os.defpath}


def _run(script: str, within: float = 20) -> session.Done:
    return session.run(("sh", "-c", script), _ENV, time.monotonic() + within)


def _is_gone(file: Path) -> bool:
    """Tell whether the process whose id is in a file has ended, or does until a second is over."""
    pid = int(file.read_text())
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_what_it_says_and_its_status_come_back() -> None:
    """As of any child."""
    assert _run("echo out; echo err >&2; exit 3") == (3, b"out\n", b"err\n")
    assert _run("kill -9 $$").code == -9


def test_a_child_that_hangs_is_ended_with_what_it_has_started(tmp_path: Path) -> None:
    """Ssh hangs where git waits for it; and what does not heed a signal is killed."""
    script = f"(trap '' TERM; echo $$; exec sleep 60) >{tmp_path}/it & echo $! >{tmp_path}/other; "
    begun = time.monotonic()

    done = _run(f"{script} echo begun; sleep 60", within=2)

    assert done == (None, b"begun\n", b"")
    assert time.monotonic() - begun < 30
    assert _is_gone(tmp_path / "other")


def test_a_child_that_shuts_its_mouth_and_hangs_is_ended() -> None:
    """Nothing more can come of it, but its end."""
    assert _run("exec >&- 2>&-; exec sleep 60", within=0.5).code is None


def test_a_child_that_talks_for_ever_is_ended_and_not_kept_whole() -> None:
    """A server's words go through."""
    done = _run("echo first; yes; echo last", within=2)

    assert done.code is None
    assert done.out.startswith(b"first\n")
    assert len(done.out) < 1 << 18


def test_of_many_words_the_first_and_the_last_are_kept() -> None:
    """The first tell how far it came, the last how it ended."""
    done = _run("echo first >&2; head -c 9000000 /dev/zero >&2; echo last >&2")

    assert done.code == 0
    assert done.err.startswith(b"first\n")
    assert done.err.endswith(b"last\n")
    assert len(done.err) < 1 << 18


def test_a_helper_that_outlives_it_is_not_waited_for(tmp_path: Path) -> None:
    """As a connection that ssh keeps for the next command: it has our pipe for its words."""
    begun = time.monotonic()
    done = _run(f"sleep 60 >/dev/null & echo $! >{tmp_path}/helper; echo done")

    assert done == (0, b"done\n", b"")
    assert time.monotonic() - begun < 30
    assert not _is_gone(tmp_path / "helper")
    os.kill(int((tmp_path / "helper").read_text()), signal.SIGKILL)


def test_it_has_no_terminal_to_ask_at() -> None:
    """Ssh opens one, whatever its standard input is."""
    assert _run("exec 2>&-; true </dev/tty").code != 0


def test_it_is_ended_where_we_are_interrupted(tmp_path: Path) -> None:
    """It is in no foreground that Ctrl-C would reach."""

    def interrupt() -> None:
        while not (tmp_path / "it").exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        _run(f"echo $$ >{tmp_path}/new; mv {tmp_path}/new {tmp_path}/it; exec sleep 60")

    assert _is_gone(tmp_path / "it")


@pytest.mark.skipif(not hasattr(fcntl, "F_SETSIG"), reason="the kernel tells of no pipe's end")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_a_command_that_is_killed_and_so_does_what_it_has_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Nobody is left who would end it: git:// has no time of its own."""
    script = f"sleep 60 & echo $! >{tmp_path}/other; echo $$ >{tmp_path}/it; echo on; exec sleep 60"
    argv, end = ("sh", "-c", script), time.monotonic() + 60
    code = f"from coord.remote import session; session.run({argv!r}, {_ENV!r}, {end})"
    command = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "it").exists() or not (tmp_path / "it").read_text():
        time.sleep(0.01)
    time.sleep(0.1)
    command.send_signal(number)
    command.wait()

    assert _is_gone(tmp_path / "it")
    assert _is_gone(tmp_path / "other")


def test_a_command_that_is_not_there_says_so_and_leaves_nothing_open() -> None:
    """Who asks often would have no descriptors left."""
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(FileNotFoundError):
        session.run(("none-such",), _ENV, time.monotonic() + 1)

    assert len(os.listdir("/proc/self/fd")) == before


def test_what_was_pushed_cannot_fill_the_memory_here() -> None:
    """Nor is anything else taken from what ssh may leave for other commands."""
    done = _run("sleep 0.1; ulimit -d; ulimit -c; ulimit -f; ulimit -t")

    assert done.out.split() == [b"1048576", b"0", b"unlimited", b"unlimited"]
