"""Declared sessions: what the lock proves, what the process proves, and what neither does."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.liveness import machine, mounts, process, sessionfile

if TYPE_CHECKING:
    from pathlib import Path

IDLE = "import sys; sys.stdin.read()"
# Keeps the lock by the descriptor it is handed.
HOLD = "import sys; print('there', flush=True); sys.stdin.read()"


def _read(folder: Path, session: str) -> sessionfile.Declared:
    found = sessionfile.read(str(folder), session)
    assert found is not None
    return found


def test_a_session_is_read_as_it_was_begun(tmp_path: Path) -> None:
    """By whoever may read it, in the private git dir, and nowhere else."""
    made = sessionfile.begin(str(tmp_path), "wait", "i-1", "task:a b")
    made.record(process.own()._replace(name="odd\nname"))

    found = _read(tmp_path, made.id)

    assert (found.kind, found.instance, found.scope) == ("wait", "i-1", "task:a b")
    assert found.keeper == process.own()
    assert found.command == process.own()._replace(name="odd name")
    assert os.stat(made.path).st_mode & 0o777 == 0o600
    assert [one.id for one in sessionfile.every(str(tmp_path))] == [made.id]
    assert sessionfile.read(str(tmp_path), "../" + made.id) is None
    assert sessionfile.read(str(tmp_path), "0" * 32) is None


@pytest.mark.parametrize("text", ["", "coord-session 1\n", "coord-session 1\nkeeper x 1 b h n\n"])
def test_a_torn_session_says_nothing(tmp_path: Path, text: str) -> None:
    """It is no proof of anything; and no reader falls over it."""
    folder = tmp_path / sessionfile.FOLDER
    folder.mkdir()
    (folder / ("a" * 32)).write_text(text)

    assert list(sessionfile.every(str(tmp_path))) == []


def test_a_free_lock_and_an_ended_command_end_a_session_and_neither_alone(tmp_path: Path) -> None:
    """A command that closes its descriptors frees the lock while it lives."""
    made = sessionfile.begin(str(tmp_path), "session")
    with subprocess.Popen([sys.executable, "-c", IDLE], stdin=subprocess.PIPE) as child:
        made.record(process.of(child.pid))
        assert sessionfile.is_free(str(tmp_path), _read(tmp_path, made.id)) is False
        made.close()
        found = _read(tmp_path, made.id)
        assert sessionfile.is_free(str(tmp_path), found) is True
        assert not sessionfile.has_ended(str(tmp_path), found)
        assert sessionfile.lives(str(tmp_path), found)

    assert sessionfile.has_ended(str(tmp_path), found)
    assert not sessionfile.lives(str(tmp_path), found)


def test_a_grandchild_that_keeps_the_descriptor_keeps_a_session_from_being_over(
    tmp_path: Path,
) -> None:
    """The command has ended, what it left behind has not."""
    made = sessionfile.begin(str(tmp_path), "session")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=-1, stdout=-1, pass_fds=[made.fd]
    ) as held:
        assert held.stdout is not None
        held.stdout.readline()
        ended = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        made.record(process.of(ended.pid))
        ended.communicate(b"\n")
        made.close()
        found = _read(tmp_path, made.id)
        assert not sessionfile.has_ended(str(tmp_path), found)

    assert sessionfile.has_ended(str(tmp_path), found)


def test_between_start_and_record_nothing_is_proved(tmp_path: Path) -> None:
    """A run killed in this very moment may have left a command that nobody wrote down."""
    code = (
        "import os, sys\n"
        "from coord.liveness import sessionfile\n"
        "made = sessionfile.begin(sys.argv[1], 'run', 'i', 'task:x')\n"
        "sys.argv[2:] and made.starting()\n"
        "print(made.id, flush=True)\n"
        "os._exit(0)\n"
    )
    for words, ended in (([], True), (["starting"], False)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), *words],
            capture_output=True,
            check=True,
            text=True,
        )
        found = _read(tmp_path, done.stdout.strip())
        assert sessionfile.has_ended(str(tmp_path), found) is ended


@pytest.mark.parametrize("guard", ["boot", "device", "disk"])
def test_a_lock_of_elsewhere_proves_nothing(
    tmp_path: Path, guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another boot's, another file by the same name, or a file system of another machine's."""
    made = sessionfile.begin(str(tmp_path), "wait")
    made.close()
    found = _read(tmp_path, made.id)
    assert sessionfile.is_free(str(tmp_path), found) is True
    if guard == "boot":
        found = found._replace(keeper=found.keeper._replace(boot="other pid:[1] time:[1]"))
    elif guard == "device":
        found = found._replace(device="1:2")
    else:
        monkeypatch.setattr(mounts, "is_local", lambda _: False)

    assert sessionfile.is_free(str(tmp_path), found) is None
    assert not sessionfile.has_ended(str(tmp_path), found)


def test_a_reader_that_holds_the_lock_for_a_moment_does_not_keep_a_starter_out(
    tmp_path: Path,
) -> None:
    """Readers ask with a shared lock; a stranger who keeps one costs a second, and no more."""
    made = sessionfile.begin(str(tmp_path), "wait")
    fd = os.open(made.path, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    os.close(fd)
    made.drop()

    assert not os.path.exists(made.path)


def test_this_very_process_is_here_and_its_proc_is_ours() -> None:
    """What the other tests stand on."""
    assert machine.proc_is_ours()
    assert process.own().is_here
    assert machine.boot_id_of(machine.boot())


def test_a_wait_tells_from_which_runs_it_was_started(tmp_path: Path) -> None:
    """A circle that closes through them is seen by nothing else."""
    made = sessionfile.begin(str(tmp_path), "wait", "i-1", "task:a", within=("n-1", "n-2"))
    plain = sessionfile.begin(str(tmp_path), "wait", "i-1", "task:a")

    read = {one.id: one.within for one in sessionfile.every(str(tmp_path))}

    assert read == {made.id: ("n-1", "n-2"), plain.id: ()}
