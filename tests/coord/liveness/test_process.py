"""Who runs us: ancestors, the worker among them, and processes that are surely gone."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from typing import IO

import pytest

from coord.liveness import process
from coord.liveness.process import Link, Process

WALK = """
import os, sys
from coord.liveness import process
chain = process.ancestors()
print([link.pid for link in chain].index(int(sys.argv[1])), process.worker(chain).pid)
"""


def _link(pid: int, name: str, program: str = "") -> Link:
    return Link(pid, 0, "1", name, program or name)


def _pids(chain: list[Link]) -> list[int]:
    return [link.pid for link in chain]


@pytest.mark.parametrize(
    "wrap",
    [
        [],
        ["env", "X=1"],
        ["timeout", "60"],
        ["sh", "-c", '"$@"; exit', "sh"],
        ["env", "sh", "-c", '"$@"; exit', "sh", "timeout", "60"],
        ["nohup", "nice", "setsid", "-w", "stdbuf", "-oL"],
        ["xargs", "-I{}", "sh", "-c", '"$@"; exit', "sh"],
    ],
    ids=["plain", "env", "timeout", "sh", "all", "runners", "xargs"],
)
def test_shells_env_and_timeout_are_skipped_when_finding_the_worker(wrap: list[str]) -> None:
    """Shells, env and timeout carry commands; the one who gave them is above."""
    done = subprocess.run(
        [*wrap, sys.executable, "-c", WALK, str(os.getpid())],
        capture_output=True,
        check=True,
        text=True,
        input="x",
    )

    assert done.stdout.split()[1] == str(os.getpid())


def test_a_process_above_that_may_not_be_read_ends_the_chain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every verb asks who runs it, the doctor too: none may fail where /proc hides others."""
    above, read = process.ancestors()[1].pid, open

    def hidden(path: str, **how: str) -> IO[str]:
        if path == f"/proc/{above}/stat":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return read(path, **how)

    monkeypatch.setattr("builtins.open", hidden)

    assert _pids(process.ancestors()) == [os.getppid()]


def test_a_script_run_by_a_shell_is_its_shell(tmp_path: os.PathLike[str]) -> None:
    """It names itself build.sh; what runs is sh."""
    script = os.path.join(tmp_path, "build.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n{sys.executable} -c "$@"; exit\n')
    os.chmod(script, 0o700)
    done = subprocess.run(
        [script, WALK, str(os.getpid())], capture_output=True, check=True, text=True
    )

    assert done.stdout.split()[1] == str(os.getpid())


def test_with_only_shells_above_the_outermost_shell_is_the_worker() -> None:
    """A person at a terminal of its own."""
    chain = [_link(5, "git"), _link(4, "bash"), _link(3, "zsh")]

    found = process.worker(chain)
    assert found is not None
    assert found.pid == 3
    assert process.worker([]) is None


def test_a_child_of_init_or_a_terminal_server_is_its_own_worker() -> None:
    """Neither ends when the work does; git and npm, by whatever name, are never the worker."""
    script = [_link(5, "git"), _link(4, "bash"), _link(3, "npm run all", "node"), _link(2, "dash")]
    for name in ("systemd", "tmux: server", "tini"):
        found = process.worker([*script, _link(9, name), _link(1, "init")])
        assert found is not None
        assert found.pid == 2
    assert process.worker([_link(5, "git"), _link(1, "systemd")]) is None
    agent = process.worker([_link(5, "git"), _link(4, "bash"), _link(1, "agent")])
    assert agent is not None
    assert agent.pid == 1


def test_an_orphaned_script_is_the_worker_not_the_first_process(
    tmp_path: os.PathLike[str],
) -> None:
    """Whatever took it in runs on for ever; a single command is its container's agent's."""
    script = os.path.join(tmp_path, "work.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write("read -r line\n")
    for argv, expected in (["sh", script], None), (["sh", "-c", "read -r line; :"], 1):
        with subprocess.Popen(argv, stdin=subprocess.PIPE) as shell:
            while script.encode() not in _words(shell.pid) and b"-c" not in _words(shell.pid):
                time.sleep(0.01)  # the words are there a moment after the program
            chain = [_link(7, "git"), _link(shell.pid, "sh"), _link(1, "first")]
            found = process.worker(chain)
            assert found is not None
            assert found.pid == (expected or shell.pid)
            shell.communicate(b"x\n")


def _words(pid: int) -> list[bytes]:
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().split(b"\0")


def test_watched_are_all_up_to_the_leader_and_the_worker() -> None:
    """A harness may give each command a session of its own: the worker is above the leader."""
    chain = [
        _link(5, "git"),
        _link(4, "bash"),
        _link(3, "node"),
        _link(2, "tmux"),
        _link(1, "init"),
    ]

    assert _pids(process.watched(chain, 4)) == [5, 4, 3]
    assert _pids(process.watched(chain, 2)) == [5, 4, 3, 2]
    assert _pids(process.watched(chain, 99)) == [5, 4, 3]
    assert process.watched([], 4) == []


def test_a_session_of_its_own_lets_a_wait_outlive_the_shells_above_it() -> None:
    """``setsid git coord wait``: the worker still counts."""
    chain = [_link(5, "git"), _link(4, "bash"), _link(3, "node"), _link(1, "init")]

    assert _pids(process.watched(chain, 5)) == [5, 3]
    assert _pids(process.watched(chain, 6, 6)) == [3]


def test_a_child_of_init_without_its_leader_was_adopted() -> None:
    """The worker was killed before we looked; a service or a pid-1 worker is none of that."""
    assert process.is_adopted([_link(5, "git"), _link(1, "init")], 4, 6)
    assert process.is_adopted([_link(1, "init")], 4, 6)
    assert not process.is_adopted([_link(5, "git"), _link(1, "init")], 6, 6)
    assert not process.is_adopted([_link(5, "git"), _link(1, "agent")], 1, 6)
    assert not process.is_adopted([_link(5, "git"), _link(1, "agent")], 0, 6)
    assert not process.is_adopted([_link(5, "git"), _link(4, "node"), _link(1, "init")], 3, 6)


def test_a_killed_process_is_dead_at_once_also_before_it_is_reaped() -> None:
    """A zombie waits for nothing."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = _recorded(child.pid)
    assert not found.has_ended

    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    assert found.has_ended
    child.communicate()
    assert found.has_ended


def _recorded(pid: int) -> Process:
    link = process._look()(pid)
    assert link is not None
    return process.recorded(link)


def test_a_number_that_came_again_is_another_process() -> None:
    """Told by the start time."""
    mine = process.own()

    assert not mine.has_ended
    assert mine._replace(start="1").has_ended


def test_processes_of_other_hosts_boots_or_containers_are_unknown() -> None:
    """Not there is no proof of death where one cannot look."""
    gone = process.own()._replace(pid=(1 << 22) - 1)

    assert gone.has_ended
    assert not gone._replace(host="elsewhere").has_ended
    assert not gone._replace(boot="another").has_ended


@pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="needs ps")
def test_without_proc_the_same_is_told_by_ps() -> None:
    """MacOS and the BSDs."""
    look = process._ps()
    found, parent = look(os.getpid()), look(os.getppid())

    assert found is not None
    assert found.parent == os.getppid()
    assert parent is not None
    assert look((1 << 22) - 1) is None
