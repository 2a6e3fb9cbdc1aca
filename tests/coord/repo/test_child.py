"""A child process from start to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from coord.repo import child


def sh(script: str, stdin: bytes | None = None) -> tuple[int, bytes, bytes]:
    """Run a line of sh."""
    return child.run(("sh", "-c", script), os.environ, stdin)


def test_status_and_both_outputs_come_back() -> None:
    """What a child says on either side is kept apart, byte for byte."""
    assert sh("printf 'a\\0\\377'; printf b >&2; exit 3") == (3, b"a\0\xff", b"b")


def test_a_signal_is_told_from_a_status() -> None:
    """A killed child answers minus the signal's number, as ``subprocess`` has it."""
    assert sh("kill -TERM $$")[0] == -signal.SIGTERM


@pytest.mark.parametrize("size", [0, 1, 1 << 16, (1 << 20) + 1])
def test_more_than_a_pipe_holds_goes_through_in_both_directions(size: int) -> None:
    """Feeding all before reading any would stop both sides at a full pipe."""
    data = os.urandom(size)

    assert sh("cat; cat /dev/null >&2", data) == (0, data, b"")


def test_a_full_stderr_does_not_stop_stdout() -> None:
    """Both outputs are read side by side."""
    code, out, err = sh("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero")

    assert (code, len(out), len(err)) == (0, 300_000, 300_000)


def test_a_child_that_reads_nothing_is_no_error() -> None:
    """It may answer before it has read all; the rest is nobody's."""
    assert sh("echo done", b"x" * (1 << 20)) == (0, b"done\n", b"")


def test_without_input_the_child_reads_nothing() -> None:
    """It must not eat the stdin of the hook that started it."""
    assert sh("cat") == (0, b"", b"")


def test_a_child_dies_of_a_broken_pipe_as_in_a_shell() -> None:
    """Python ignores SIGPIPE, and an ignored signal would stay ignored in every child."""
    assert sh("sh -c 'kill -PIPE $$'; echo $?")[1] == b"141\n"


def test_the_path_is_that_of_the_child() -> None:
    """A command is looked up by the environment it is given, not by ours."""
    with pytest.raises(FileNotFoundError):
        child.run(("sh", "-c", ":"), {"PATH": "/nowhere"})


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_confuse_no_pipe(closed: str) -> None:
    """A daemon may start us without stdin, stdout or stderr: pipes then get their numbers."""
    script = (
        "import os; from coord.repo import child; "
        "got = child.run(('sh', '-c', 'cat; echo err >&2'), os.environ, b'in'); "
        "os._exit(0 if got == (0, b'in', b'err\\n') else 1)"
    )
    line = f'exec "$0" -c "$1" {closed}'

    assert subprocess.run(["sh", "-c", line, sys.executable, script], check=False).returncode == 0


def test_no_descriptor_is_left_open() -> None:
    """Ten thousand questions to git must not end in "too many open files"."""
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        sh("echo x", b"y")
        with pytest.raises(FileNotFoundError):
            child.run(("no-such-command",), os.environ)

    assert len(os.listdir("/dev/fd")) == before


def test_an_interrupted_wait_kills_the_child() -> None:
    """After Ctrl-C nothing goes on behind the back of whoever pressed it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            child.run(("sleep", "30"), os.environ)
    finally:
        signal.signal(signal.SIGALRM, before)

    assert time.monotonic() - begin < 10
