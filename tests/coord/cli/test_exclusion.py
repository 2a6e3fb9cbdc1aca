"""Runs and waits among themselves: what excludes, what wakes, and circles that are named."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import QUIET
from harness.board import MARK, answer, asleep, eventually, marked, scope, worker

if TYPE_CHECKING:
    from harness import Repo

ROUNDS = int(os.environ.get("COORD_RUN_ROUNDS", "3"))
LONG = ROUNDS if "COORD_RUN_ROUNDS" in os.environ else 1
# A user namespace that grants no inotify.
WITHOUT = ("unshare", "-U", "-r", "sh", "-c",
           'echo 0 >/proc/sys/user/max_inotify_instances; exec "$@"', "-")  # fmt: skip


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker of its own worktree."""
    return worker(repo, tmp_path / "one", "feat-one", "one-0001")


def _started(repo: Repo, *argv: str) -> subprocess.Popen[str]:
    return repo.begun("git", "coord", *argv, text=True)


def _in_line(repo: Repo, name: str) -> bool:
    """Tell whether somebody waits in the line for a scope."""
    return len(scope(repo, name)["claimants"]) > 1


@pytest.mark.parametrize("claimed", [True, False])
def test_racing_runs_never_overlap(one: Repo, two: Repo, tmp_path: Path, *, claimed: bool) -> None:
    """Of one worker and of two, whatever is claimed; COORD_RUN_ROUNDS=200 is the long race."""
    place = tmp_path / "at-work"
    script = f"mkdir '{place}' && rmdir '{place}'"
    if claimed:
        answer(one, "claim", "y")
    who = (one, one) if claimed else (one, one, two)
    for _ in range(ROUNDS):
        runs = [_started(repo, "run", "y", "--", "sh", "-c", script) for repo in who]
        assert [run.wait(60) for run in runs] == [0] * len(runs), [r.communicate() for r in runs]
        for run in runs:
            run.communicate()


@pytest.mark.parametrize("words", [["release", "y"], ["sign-off"]])
def test_what_runs_keeps_its_scope_whatever_its_worker_gives_up(
    one: Repo, two: Repo, words: list[str]
) -> None:
    """The answer says what holds it, and until when; its end frees it."""
    held, over = one.path.parent / "held", one.path.parent / "over"
    held.write_text("#!/bin/sh\nfor n in $(seq 1200); do [ -e ../over ] || sleep 0.1; done\n")
    held.chmod(0o755)
    answer(one, "claim", "y")
    with _started(one, "run", "y", "--", "../held") as running:
        assert eventually(lambda: _in_line(two, "task:y"))
        done = one.coord(*words)

        assert "the run of held holds it until it ends" in done.out or (
            "task:y is held by the run of held until it ends" in done.out
        )
        assert two.coord("run", "--no-wait", "y", "--", "true").code == 1
        over.touch()
        assert running.wait(60) == 0
        running.communicate()
    assert scope(two, "task:y")["state"] == "free"


def test_a_nested_run_goes_at_once(one: Repo) -> None:
    """It stands on the run it was started from."""
    done = one.coord("run", "y", "--", "git", "coord", "run", "y", "--timeout", "4s", "--",
                     "echo", "in")  # fmt: skip

    assert (done.code, done.out.strip()) == (0, "in")


def test_a_run_of_anothers_within_ones_own_is_refused(one: Repo, two: Repo) -> None:
    """It would wait for its own end."""
    done = one.coord(
        "run", "y", "--", "git", "-C", str(two.path), "coord", "run", "y", "--", "true"
    )

    assert done.code == 1
    assert "waits-in-circle" in done.err


def test_a_circle_of_runs_is_refused_to_whom_it_closes_for_and_told_to_the_other(
    one: Repo, two: Repo
) -> None:
    """Each holds what the other wants; the printed command takes both in one order."""
    inner = (
        "touch ../has-{0}; until [ -e ../has-{1} ]; do sleep 0.02; done; "
        "git coord run {1} --timeout 60s -- echo got"
    )
    with (
        _started(one, "run", "a", "--", "sh", "-c", inner.format("a", "b")) as first,
        _started(two, "run", "b", "--", "sh", "-c", inner.format("b", "a")) as second,
    ):
        ends = [(*run.communicate(timeout=90), run.returncode) for run in (first, second)]

    (out, told, went), (none, refused, code) = sorted(ends, key=lambda end: end[2])
    assert (out, went, none, code) == ("got\n", 0, "", 1), ends
    assert "you wait in a circle with" in told
    assert "waits-in-circle" in refused
    held, wanted = ("b", "a") if code == second.returncode else ("a", "b")
    assert f"git coord run task:{wanted} -- git coord run task:{held} -- echo got" in refused


def test_a_wait_that_closes_a_circle_of_claims_is_refused(one: Repo, two: Repo) -> None:
    """Who waits already is told, and goes on."""
    answer(one, "claim", "a")
    answer(two, "claim", "b")
    with _started(one, "wait", "b", "--timeout", "60s") as waiting:
        assert eventually(lambda: asleep(waiting.pid))
        done = two.coord("wait", "a", "--timeout", "60s")
        assert done.refusal.rule == "waits-in-circle"
        assert done.refusal.run == "git coord release task:b"
        assert two.paste(done.refusal.run).code == 0
        out, err = waiting.communicate(timeout=60)

    assert waiting.returncode == 0
    assert "task:b is free" in out
    assert "you wait in a circle with two-0002" in err


# A wait that looks for circles only when as many are to be seen.
MEETING = """
import os, sys, time
from coord.cli.main import run
from coord.work import circle
start, (folder, others) = circle._start, sys.argv[1:3]
def met(*given):
    os.mkdir(f"{folder}/{os.getpid()}")
    while len(os.listdir(folder)) < int(others):
        time.sleep(0.002)
    return start(*given)
circle._start = met
sys.argv[1:3] = []
run()
"""


@pytest.mark.parametrize("waits", [("wait", "wait"), ("run", "wait"), ("wait", "wait", "wait")])
def test_of_waits_that_close_a_circle_in_one_moment_one_is_refused(
    repo: Repo, tmp_path: Path, waits: tuple[str, ...]
) -> None:
    """Each saw the others, and all were refused, so that nobody waited; the others go on."""
    folder = tmp_path / "meeting"
    folder.mkdir()
    size = len(waits)
    who = [worker(repo, tmp_path / f"w{at}", f"w{at}", f"w{at}-000{at}") for at in range(size)]
    for at, one in enumerate(who):
        answer(one, "claim", f"s{at}")
    started = [
        one.begun(
            sys.executable, "-c", MEETING, str(folder), str(size), verb, f"s{(at + 1) % size}",
            "--timeout", "90s", *(["--", "true"] if verb == "run" else []), text=True,
        )
        for at, (verb, one) in enumerate(zip(waits, who, strict=True))
    ]  # fmt: skip
    assert eventually(lambda: any(wait.poll() is not None for wait in started))
    refused = next(at for at, wait in enumerate(started) if wait.poll() is not None)
    # Whoever waits for the next scope is let in when the one before it is.
    order = [(refused - step) % size for step in range(size)]
    said = []
    for at in order:
        said.append(started[at].communicate(timeout=60)[1])
        answer(who[at], "release", f"s{at}")

    assert [started[at].returncode for at in order] == [1, *[0] * (size - 1)], said
    assert "waits-in-circle" in said[0], said


@pytest.mark.parametrize("verb", [["wait", "y"], ["run", "y", "--", "true"]])
def test_an_offer_ends_the_wait_for_it_with_its_ack(one: Repo, two: Repo, verb: list[str]) -> None:
    """At once: its holder waits for the answer."""
    answer(one, "claim", "y")
    with _started(two, *verb) as waiting:
        assert eventually(lambda: asleep(waiting.pid) or _in_line(one, "task:y"))
        answer(one, "handoff", "two-0002", "--scope", "y")
        _, err = waiting.communicate(timeout=60)

    assert waiting.returncode == 1
    ack = err.rsplit("run: ", 1)[1].strip()
    assert ack.startswith("git coord ack ")
    assert two.paste(ack).code == 0
    assert scope(one, "task:y")["holder"]["actor"] == "two-0002"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_an_ended_wait_leaves_no_lie(one: Repo, two: Repo, number: signal.Signals) -> None:
    """No lock is left, but by a kill; a release then goes to who listens."""
    answer(one, "claim", "y")
    answer(two, "claim", "y")
    waiting = subprocess.Popen(
        ["git-coord", "wait", "y"],
        cwd=two.path,
        env=dict(two.env),
        stderr=subprocess.DEVNULL,
        # A suite in the background of a script ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else 0,  # noqa: PLW1509
    )
    assert eventually(lambda: asleep(waiting.pid))
    waiting.send_signal(number)

    assert waiting.wait(60) in {-number, 128 + number}
    assert [each["actor"] for each in scope(one, "task:y")["claimants"]] == ["one-0001", "two-0002"]


def test_an_ended_run_in_line_leaves_the_line(one: Repo, two: Repo) -> None:
    """Asked to end it gives its place up."""
    answer(one, "claim", "y")
    waiting = two.begun("git-coord", "run", "y", "--", "true", **QUIET)
    assert eventually(lambda: _in_line(one, "task:y"))
    waiting.send_signal(signal.SIGTERM)

    assert waiting.wait(60) == -signal.SIGTERM
    assert len(scope(one, "task:y")["claimants"]) == 1


@pytest.mark.parametrize("victim", ["run", "command"])
def test_a_kill_leaves_a_scope_neither_to_two_nor_for_ever(
    one: Repo, two: Repo, tmp_path: Path, victim: str
) -> None:
    """Of the run or of its command, at any moment; COORD_RUN_ROUNDS=50 kills each so often.

    The command holds a lock of its own, which tells two at work. What a killed run has left is its
    worker's to run again, and another's by the take-over that it is offered.
    """
    work = ("flock", "-n", "-E", "99", "-F", str(tmp_path / "at-work"), "sleep", "0.3")
    for _ in range(LONG):
        mark = uuid.uuid4().hex
        struck = _started(one.with_env(**{MARK: mark}), "run", "y", "--", *work)
        moment = time.monotonic() + random.uniform(0, 1.5)  # noqa: S311  # no secret
        while time.monotonic() < moment and struck.poll() is None:
            time.sleep(0.01)
        for pid in _of(mark, victim):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for _ in range(15):  # however busy the machine is
            done = two.coord("run", "y", "--timeout", "2s", "--", *work)
            if done.code == 0 or "--reason 'its run has ended'" in done.refusal.run:
                break
        if done.code:
            assert two.paste(done.refusal.run).code == 0
            assert two.coord("run", "y", "--no-wait", "--", *work).code == 0
            assert two.coord("release", "y").code == 0
        struck.communicate(timeout=60)

        assert struck.returncode != 99
        assert one.coord("run", "y", "--no-wait", "--", *work).code == 0
        assert eventually(lambda mark=mark: not marked(mark))


def _of(mark: str, victim: str) -> list[int]:
    """Return the processes of a started run that are the run itself, or its command."""
    found = []
    for pid in marked(mark):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            is_run = b"run" in words
            if is_run == (victim == "run"):
                found.append(pid)
    return found


# A wait that looks again by itself only when all is lost.
UNSAFE = """
from coord.cli import slumber
slumber.CODE = slumber.CODE.replace(
    "main()",
    "from coord.stores import bell; from coord.cli import idler;"
    "bell._SAFETY = idler.AGAIN = 600.0; main()",
)
from coord.cli.main import run
run()
"""


@pytest.mark.parametrize("way", ["inotify", "polling"])
def test_a_release_between_the_look_and_the_sleep_is_not_missed(
    one: Repo, two: Repo, way: str
) -> None:
    """At any moment of a wait that begins; COORD_RUN_ROUNDS=200 is the long race."""
    around = () if way == "inotify" else WITHOUT
    for _ in range(LONG):
        answer(one, "claim", "y")
        wait = two.begun(*around, sys.executable, "-c", UNSAFE, "wait", "y", "--timeout", "60s")
        time.sleep(random.uniform(0, 0.8))  # noqa: S311  # no secret
        answer(one, "release", "y")
        said = wait.communicate(timeout=90)

        assert (wait.returncode, said[0]) == (0, b"task:y is free\n"), said
