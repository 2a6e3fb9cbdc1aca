"""``wait`` and ``run``: until a scope can be held, never longer than the worker lives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from harness import system_path
from harness.board import SESSION, actor, answer, asleep, eventually, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker who holds task:x."""
    made = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    answer(made, "claim", "x")
    return made


def _heeding() -> None:
    """Heed what a suite that was started in the background, or by nohup, ignores."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _started(repo: Repo, *argv: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        cwd=repo.path,
        env=dict(repo.env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heeding,  # noqa: PLW1509
    )


def test_a_free_scope_and_ones_own_are_not_waited_for(one: Repo, two: Repo) -> None:
    """Exit 0 at once, with how it stands."""
    assert answer(two, "wait", "free")["state"] == "free"
    assert answer(one, "wait", "x")["state"] == "held"


def test_a_wait_ends_at_its_time_with_the_holder_named(one: Repo, two: Repo) -> None:
    """Exit 1; the printed command waits again."""
    answer(two, "claim", "x")
    done = two.coord("wait", "x", "--timeout", "1s")

    assert done.code == 1
    assert done.refusal.rule == "still-held"
    assert "one-0001" in done.refusal.headline
    assert done.refusal.run == "git coord wait task:x"
    assert one.paste(done.refusal.run).code == 0


@pytest.mark.parametrize("text", ["soon", "", "-1s", "1", "1y", "٣s", "1e3s", "99999d"])
def test_what_is_no_duration_is_wrong_usage(repo: Repo, text: str) -> None:
    """90s 30m 24h 7d."""
    done = repo.coord("wait", "x", "--timeout", text)

    assert done.code == 2
    assert "30m" in done.refusal.why


def test_a_wait_ends_when_the_scope_becomes_the_callers(one: Repo, two: Repo) -> None:
    """In line, and first in it after a release."""
    answer(two, "claim", "x")
    with _started(two, "git", "coord", "wait", "x", "--timeout", "60s") as waiting:
        assert eventually(lambda: asleep(waiting.pid))
        answer(one, "release", "x")

        assert waiting.wait(60) == 0
        assert b"task:x is yours" in waiting.communicate()[0]


def test_a_claim_that_only_waits_says_so_and_how_to_wait(one: Repo, two: Repo) -> None:
    """Exit 0 all the same: it is done, and what follows ``&&`` would run."""
    done = two.coord("claim", "x")

    assert done.code == 0
    assert done.out == (
        "task:x is held by one-0001 (feat-one); you are number 2, and do not hold it yet\n"
    )
    assert "to wait for it: git coord wait task:x; claim --wait does both\n" in done.err
    del one


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_claim_with_wait_ends_when_all_is_held(
    one: Repo, two: Repo, options: tuple[str, ...]
) -> None:
    """What was free is held meanwhile; what follows ``&&`` runs only then."""
    answer(one, "claim", "y")
    with _started(two, "git", "coord", "claim", "--wait", "x", "free", "y", *options) as waiting:
        assert eventually(lambda: len(scope(one, "task:y")["claimants"]) == 2)
        assert waiting.stderr is not None
        told = waiting.stderr.readline()
        for name in ("y", "x"):
            assert waiting.poll() is None
            answer(one, "release", name)

        assert waiting.wait(60) == 0
        out = waiting.communicate()[0]
    assert b"waiting for task:x: held by one-0001 (feat-one), you are number 2, at most 30" in told
    if options:
        found = json.loads(out)["claims"]
        assert [claim["state"] for claim in found] == ["held"] * 3
        assert [claim["scope"] for claim in found] == ["task:free", "task:x", "task:y"]
    else:
        assert out == b"task:free is yours, generation 1\ntask:x is yours\ntask:y is yours\n"


def test_a_claim_with_wait_keeps_its_place_at_the_end_of_its_time(one: Repo, two: Repo) -> None:
    """Exit 1, and it says that the place stays."""
    done = two.coord("claim", "--wait", "x", "--timeout", "1s")

    assert (done.code, done.refusal.rule) == (1, "still-held")
    assert done.refusal.why.endswith("after 1 second; your place in line stays yours")
    assert len(scope(one, "task:x")["claimants"]) == 2


@pytest.mark.parametrize("words", [("claim", "--wait", "x"), ("claim", "--wait", "x", "--json")])
def test_a_claim_that_is_interrupted_keeps_its_place_and_says_so(
    one: Repo, two: Repo, words: tuple[str, ...]
) -> None:
    """Ctrl-C ends the wait alone; the command that gives up the place works."""
    with _started(two, "git-coord", *words) as waiting:
        assert waiting.stderr is not None
        while b"waiting for task:x" not in waiting.stderr.readline():
            assert waiting.poll() is None
        waiting.send_signal(signal.SIGINT)
        err = waiting.communicate()[1].decode()

    assert waiting.returncode in {130, -signal.SIGINT}
    assert "your place in the line for task:x stays: git coord release task:x gives it up" in err
    assert len(scope(one, "task:x")["claimants"]) == 2
    assert two.paste("git coord release task:x").code == 0


def test_a_claim_with_wait_holds_at_its_end_though_its_place_was_given_up(
    one: Repo, two: Repo
) -> None:
    """It never says that a scope is yours which is free."""
    with _started(two, "git", "coord", "claim", "--wait", "x") as waiting:
        assert eventually(lambda: asleep(waiting.pid))
        answer(two, "release", "x")
        answer(one, "release", "x")

        assert waiting.wait(60) == 0
        assert b"task:x is yours" in waiting.communicate()[0]
    assert scope(one, "task:x")["claimants"][0]["actor"] == "two-0002"


def test_a_wait_says_first_what_it_waits_for(one: Repo, two: Repo) -> None:
    """It may last for half an hour; of an artifact it says that nothing has to wait."""
    answer(one, "claim", "artifact:a")
    answer(two, "claim", "artifact:a")
    outside = two.coord("wait", "x", "--timeout", "1s")
    inside = two.coord("wait", "artifact:a", "--timeout", "1s")

    assert outside.err.startswith(
        "coord: waiting for task:x: held by one-0001 (feat-one), you are not in line, "
        "at most 1 second\n"
    )
    assert "waiting for artifact:a: held by one-0001 (feat-one), you are number 2" in inside.err
    assert "no work has to wait for artifact:a: that line is the order of merging\n" in inside.err
    assert "waiting for" not in two.coord("wait", "free").err


def test_who_is_not_in_line_waits_until_nobody_is(one: Repo, two: Repo, three: Repo) -> None:
    """A release with an heir frees nothing for others."""
    answer(two, "claim", "x")
    with _started(three, "git", "coord", "wait", "x", "--timeout", "60s") as waiting:
        assert eventually(lambda: asleep(waiting.pid))
        answer(one, "release", "x")
        time.sleep(0.3)  # for what must not happen
        assert waiting.poll() is None
        answer(two, "release", "x")

        assert waiting.wait(60) == 0


@pytest.mark.parametrize(
    "command",
    [
        "git coord wait x",
        "git-coord wait x",
        "sh -c 'git coord wait x; true'",
        "setsid -w git coord wait x",
        "env A=1 timeout 900 sh -c 'git coord wait x --timeout 20m; true'",
        "git coord run x -- true",
        "git-coord run x -- true",
    ],
)
def test_a_wait_never_outlives_its_worker(one: Repo, two: Repo, command: str) -> None:
    """SIGKILL the worker alone: soon nothing it started is left, however it was called."""
    with living(two) as live:
        live.start(command)
        assert eventually(
            lambda: asleep(live.process.pid) or len(scope(one, "task:x")["claimants"]) > 1
        )
        live.kill()

        assert eventually(lambda: not live.children())
    assert [c["actor"] for c in scope(one, "task:x")["claimants"]] == ["one-0001"]


def test_a_worker_killed_before_its_wait_could_look_leaves_no_orphan(one: Repo, two: Repo) -> None:
    """In the tenth of a second in which Python starts."""
    with living(two) as live:
        live.start("exec git-coord wait x")
        assert eventually(live.children)
        live.kill()

        assert eventually(lambda: not live.children())
    del one


def test_run_holds_runs_releases_and_passes_the_status_on(two: Repo) -> None:
    """Held while it runs; its streams, its folder, its exit code."""
    sub = two.path / "sub"
    sub.mkdir()
    done = two.at(sub).run(
        "git", "coord", "run", "y", "--", "sh", "-c",
        "git coord board --json; pwd >&2; cat; exit 7", stdin="in",
    )  # fmt: skip

    assert done.code == 7
    assert done.out.endswith("in")
    assert '"task:y", "state": "held"' in done.out
    assert str(sub) in done.err
    assert scope(two, "task:y")["state"] == "free"
    assert [e["kind"] for e in answer(two, "log", "y")["events"]] == [
        "claim",
        "update",
        "release",
    ]


def test_run_passes_a_signal_on_as_128_and_its_number(two: Repo) -> None:
    """As a shell does."""
    assert two.coord("run", "y", "--", "sh", "-c", "kill -9 $$").code == 137
    assert two.coord("run", "y", "--", "/nowhere").code == 127
    assert two.coord("run", "y", "--", str(two.path)).code == 126
    assert scope(two, "task:y")["state"] == "free"


def test_run_waits_in_line(one: Repo, two: Repo) -> None:
    """As ``wait`` does, with a place of its own."""
    with _started(two, "git", "coord", "run", "x", "--", "echo", "ran") as running:
        assert eventually(lambda: len(scope(one, "task:x")["claimants"]) == 2)
        answer(one, "release", "x")

        assert running.wait(60) == 0
        assert b"ran" in running.communicate()[0]
    assert scope(one, "task:x")["state"] == "free"


def test_run_without_waiting_or_in_vain_leaves_the_line(one: Repo, two: Repo) -> None:
    """Exit 1, the command was not run, no place is left behind."""
    for option in (["--no-wait"], ["--timeout", "1s"]):
        done = two.coord("run", *option, "x", "--", "touch", "ran")

        assert done.code == 1
        assert done.refusal.rule == "still-held"
        assert not (two.path / "ran").exists()
        assert len(scope(one, "task:x")["claimants"]) == 1


def test_run_leaves_what_was_claimed_as_it_was(one: Repo, two: Repo) -> None:
    """The worker's own claim serves the command, held or in line, and outlives it."""
    done = one.coord("run", "x", "--", "true")

    assert done.code == 0
    assert "stays so" in done.err
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"
    answer(two, "claim", "x")
    with _started(two, "git", "coord", "run", "x", "--", "true") as running:
        answer(one, "release", "x")
        assert running.wait(60) == 0
        running.communicate()
    assert [c["actor"] for c in scope(one, "task:x")["claimants"]] == ["two-0002"]


def test_a_claim_during_a_run_outlives_it(two: Repo) -> None:
    """What the command itself claims is the worker's to release."""
    done = two.coord("run", "y", "--", "git", "coord", "claim", "y")

    assert done.code == 0
    assert scope(two, "task:y")["holder"]["actor"] == "two-0002"


def test_two_runs_of_one_worker_exclude_each_other(two: Repo) -> None:
    """Ownership is the instance's; running is each command's."""
    script = "mkdir lock && sleep 1 && rmdir lock"
    runs = [_started(two, "git", "coord", "run", "y", "--", "sh", "-c", script) for _ in range(3)]

    codes = [running.wait(60) for running in runs]

    for running in runs:
        running.communicate()
    assert codes == [0, 0, 0]


def _children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, check=True
    )
    return [int(word) for word in listed.stdout.split()]


def test_what_a_killed_run_held_is_its_workers_to_run_again(one: Repo, two: Repo) -> None:
    """Others see it held and dead; the same worker goes on."""
    with _started(two, "git-coord", "run", "y", "--", "sleep", "60") as running:
        assert eventually(lambda: answer(two, "log", "y")["events"][-1:])
        assert eventually(lambda: answer(two, "log", "y")["events"][-1]["kind"] == "update")
        command = _children(running.pid)
        for pid in (running.pid, *command):  # what it ran would keep its output open
            os.kill(pid, signal.SIGKILL)
        running.communicate()
    row = scope(one, "task:y")
    assert (row["state"], row["dead"], row["stale"]) == ("held", True, True)
    assert answer(one, "claim", "y")["claims"][0]["state"] == "waiting"

    assert two.coord("run", "y", "--", "true").code == 0
    assert scope(one, "task:y")["holder"]["actor"] == "one-0001"


def _offer(wait: subprocess.Popen[bytes]) -> str:
    """Return the take-over that a wait says, having waited for it."""
    assert wait.stderr is not None
    said = iter(wait.stderr.readline, b"")
    line = next(line for line in said if b"take-over" in line).decode()
    return line[line.index("git coord") :].partition(" takes")[0].strip()


@pytest.mark.parametrize(
    ("waiting", "end"),
    [
        (("run", "y", "--timeout", "60s", "--", "echo", "in"), b"in\n"),
        (("wait", "y", "--timeout", "60s"), b"task:y is yours\n"),
        (("claim", "--wait", "y", "--timeout", "60s"), b"task:y is yours\n"),
    ],
)
def test_who_waits_is_told_of_a_run_that_is_killed_meanwhile(
    one: Repo, two: Repo, waiting: tuple[str, ...], end: bytes
) -> None:
    """A kill is no event: it waited for half an hour, and was told then."""
    with _started(two, "git-coord", "run", "y", "--", "sleep", "60") as running:
        assert eventually(lambda: answer(two, "log", "y")["events"][-1:])
        assert eventually(lambda: answer(two, "log", "y")["events"][-1]["kind"] == "update")
        with _started(one, "git-coord", *waiting) as wait:
            assert wait.stderr is not None
            assert b"waiting for task:y" in wait.stderr.readline()
            for pid in (running.pid, *_children(running.pid)):
                os.kill(pid, signal.SIGKILL)
            running.communicate()
            offer = _offer(wait)

            assert "--reason 'its run has ended'" in offer
            assert one.paste(offer).code == 0
            # a claim that wakes up finds itself the holder, or is told of it by the wait
            said = wait.communicate()[0]
            assert said.replace(b", generation 2", b"") == end


@pytest.mark.parametrize("pid", [1 << 80, -1, "1", None])
def test_a_forged_process_of_a_holder_stops_no_wait(one: Repo, two: Repo, pid: object) -> None:
    """A peer wrote the record that a wait looks at once a second."""
    answer(two, "claim", "y")
    record = one.common("coord/board/claims/s-task=3ay/00000001")
    said = json.loads(record.read_text())
    process = {"host": "h", "boot": "b", "pid": pid, "start": 1, "name": "n"}
    said["state"]["line"][0] |= {"run": True, "process": process}
    record.write_text(json.dumps(said))

    done = one.coord("wait", "y", "--timeout", "3s")

    assert done.refusal.rule == "still-held", done.err


def test_who_waits_is_told_that_a_worktree_was_removed_meanwhile(one: Repo, two: Repo) -> None:
    """Neither is that an event."""
    answer(two, "claim", "y")
    with _started(one, "git-coord", "wait", "y", "--timeout", "60s") as wait:
        assert wait.stderr is not None
        assert b"waiting for task:y" in wait.stderr.readline()
        one.git("worktree", "remove", "--force", str(two.path))

        assert one.paste(_offer(wait)).code == 0
        assert wait.communicate()[0] == b"task:y is yours\n"


@pytest.mark.parametrize("own", [False, True])
def test_what_a_killed_run_has_started_holds_on_until_a_take_over_that_is_offered(
    one: Repo, two: Repo, *, own: bool
) -> None:
    """A daemon has its lock: nobody knows what works there, and its worker is present."""
    script = "setsid sleep 60 >/dev/null 2>&1 & echo $!; exec sleep 60"
    with _started(two, "git-coord", "run", "y", "--", "sh", "-c", script) as running:
        assert running.stdout is not None
        daemon = int(running.stdout.readline())
        assert eventually(lambda: answer(two, "log", "y")["events"][-1]["kind"] == "update")
        try:
            for pid in (running.pid, *_children(running.pid)):
                os.kill(pid, signal.SIGKILL)
            running.communicate()
            waiter = two if own else one
            assert not scope(one, "task:y")["dead"]
            with _started(waiter, "git-coord", "wait", "y", "--timeout", "60s") as wait:
                done = waiter.paste(_offer(wait))
                assert wait.communicate()[0] == b"task:y is yours\n"
        finally:
            os.kill(daemon, signal.SIGKILL)
    assert done.code == 0, done.err
    held = scope(one, "task:y")["claimants"]
    assert [one["run"] for one in held] == [None]


def test_a_run_stays_present_as_long_as_it_lasts(one: Repo, two: Repo) -> None:
    """A silent computation is no silent worker, also when who started it has ended."""
    two.write(".coord.toml", '[presence]\nexpires = "2s"\n')
    one.write(".coord.toml", '[presence]\nexpires = "2s"\n')
    with living(two) as live:
        live.start("setsid git coord run y -- sleep 30 &")
        assert eventually(lambda: len(answer(one, "board")["claims"]) == 2)
        live.kill()
        time.sleep(4)

        row = scope(one, "task:y")
        assert (row["stale"], row["dead"]) == (False, False)
        assert actor(one, "two-0002")["present"]
        assert one.coord("take-over", "y", "--reason", "r").refusal.rule == "holder-present"


def test_a_run_that_lost_its_scope_is_told_at_its_end(one: Repo, two: Repo) -> None:
    """The command is not stopped: what it does is its own; the status is passed on."""
    script = "echo in; until [ -e over ]; do sleep 0.05; done"
    with _started(two, "git", "coord", "run", "y", "--", "sh", "-c", script) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"in\n"
        done = one.coord("take-over", "y", "--reason", "because", "--from-present")
        assert done.code == 0, done.err
        (two.path / "over").touch()
        err = running.communicate()[1].decode()
    assert running.returncode == 0
    assert "task:y is no longer yours" in err
    assert "| because" in err
    assert scope(one, "task:y")["holder"]["actor"] == "one-0001"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_run_hands_a_request_to_end_to_its_command(two: Repo, number: signal.Signals) -> None:
    """And releases after it."""
    code = (
        f"import signal, sys; signal.signal({int(number)}, lambda *_: sys.exit(3))\n"
        "print('up', flush=True); signal.pause()"
    )
    with _started(two, "git-coord", "run", "y", "--", sys.executable, "-c", code) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"up\n"
        os.kill(running.pid, number)

        assert running.wait(60) == 3
        running.communicate()
    assert scope(two, "task:y")["state"] == "free"


def test_a_command_under_run_is_free_to_work_elsewhere(installed: Repo, tmp_path: Path) -> None:
    """The alias, as without a virtualenv: git sets GIT_DIR for it, which stops at us."""
    side = worker(installed, tmp_path / "side", "side", "side-0001")
    bare = side.with_env(PATH=system_path())
    (side.path / "sub").mkdir()

    done = bare.at(side.path / "sub").run(
        *("git", "coord", "run", "y", "--", "sh", "-c"),
        "pwd; env | grep COORD_ | grep -v COORD_RUN=; "
        f"cd '{installed.path}' && git rev-parse --absolute-git-dir",
    )

    assert done.out.splitlines() == [str(side.path / "sub"), str(installed.path / ".git")]


def test_run_refuses_an_inferred_identity(repo: Repo, one: Repo) -> None:
    """It would claim and release."""
    assert repo.coord("run", "y", "--", "true").refusal.rule == "identity-inferred"
    odd = one.with_env(COORD_ACTOR="somebody")
    done = odd.coord("run", "y", "--", "sh", "-c", "echo it\\'s $0", "a b")
    assert done.refusal.rule == "identity-conflict"
    assert odd.paste(done.refusal.run).out == "it's a b\n"


def test_waiting_for_a_dead_or_gone_holder_names_the_take_over(one: Repo, two: Repo) -> None:
    """Its release would never come: every message says so, and names the take-over."""
    with living(two, before=SESSION) as live:
        live.run("git coord claim y")
        live.end()
    first = one.coord("claim", "y")
    assert "two-0002 (feat-two), who has ended (its session is over)" in first.out
    assert "git coord take-over task:y" in first.err
    assert "git coord wait" not in first.err

    for verb in (["wait", "y", "--timeout", "1s"], ["run", "--no-wait", "y", "--", "true"]):
        done = one.coord(*verb)
        assert "who has ended" in done.refusal.headline
        assert done.refusal.run == (
            "git coord take-over task:y --generation 1 --reason 'its session is over'"
        )
    assert one.paste(done.refusal.run).code == 0
    assert one.coord("run", "--no-wait", "y", "--", "true").code == 0


def test_a_command_that_outlives_its_run_keeps_the_scope(one: Repo, two: Repo) -> None:
    """Python was killed, the command was not: two must not run at once."""
    with _started(two, "git-coord", "run", "y", "--", "sleep", "60") as running:
        assert eventually(lambda: answer(two, "board")["claims"][1:])
        assert eventually(lambda: answer(two, "log", "y")["events"][-1]["kind"] == "update")
        (command,) = _children(running.pid)
        os.kill(running.pid, signal.SIGKILL)
        try:
            running.wait(60)
            row = scope(one, "task:y")
            assert (row["state"], row["dead"]) == ("held", False)
            done = one.coord("take-over", "y", "--reason", "r")
            assert done.refusal.rule == "holder-present"
            assert f"pid {command}, is still running" in done.refusal.why
            assert two.coord("run", "--no-wait", "y", "--", "true").code == 1
        finally:
            os.kill(command, signal.SIGKILL)
        running.communicate()
    assert eventually(lambda: scope(one, "task:y")["dead"])
    assert one.coord("take-over", "y", "--reason", "r").code == 0


@pytest.mark.parametrize(
    "argv", [["--no-wiat", "y"], ["--no-wait", "--bogus", "y"], ["y", "--bogus"], ["--json", "y"]]
)
def test_a_misspelt_option_of_run_is_wrong_usage_and_nothing_runs(
    two: Repo, argv: list[str]
) -> None:
    """It is neither a scope nor a command."""
    done = two.coord("run", *argv, "touch", "ran")

    assert done.code == 2
    assert not (two.path / "ran").exists()
    assert answer(two, "board")["claims"] == []


@pytest.mark.parametrize(
    "argv",
    [
        ["y", "echo", "-n", "--no-wait"],
        ["--no-wait", "y", "--", "echo", "-n", "--no-wait"],
        ["y", "--timeout", "1s", "--", "echo", "-n", "--no-wait"],
        ["--", "y", "echo", "-n", "--no-wait"],
    ],
)
def test_what_follows_the_scope_and_its_options_is_the_command(two: Repo, argv: list[str]) -> None:
    """With and without the two dashes."""
    done = two.coord("run", *argv)

    assert (done.code, done.out) == (0, "--no-wait")


def test_run_says_what_it_waits_for(one: Repo, two: Repo) -> None:
    """The holder, its own number, and how long; a mere place in the line is no claim."""
    done = two.coord("run", "x", "--timeout", "1s", "--", "true")
    assert (
        "waiting for task:x: held by one-0001 (feat-one), you are number 2, at most 1 second"
        in done.err
    )
    answer(two, "claim", "x")
    done = two.coord("run", "x", "--timeout", "1s", "--", "true")
    assert scope(one, "task:x")["claimants"][1]["actor"] == "two-0002"
    assert "is claimed by you" not in done.err
    assert "your place in the line for task:x stays yours" in done.err


def test_run_passes_the_status_on_though_the_board_cannot_be_written(two: Repo) -> None:
    """And says which command gives up what could not be given up."""
    board = two.common("coord/board")
    recorded = f"until [ -e '{board}/claims/s-task=3ay/00000002' ]; do sleep 0.02; done"
    script = f"{recorded}; mv '{board}' '{board}.aside' && ln -s board '{board}'; exit 7"
    done = two.coord("run", "y", "--", "sh", "-c", script)
    board.unlink()
    board.with_name("board.aside").rename(board)

    assert done.code == 7
    assert "task:y could not be released" in done.err
    assert "git coord release task:y" in done.err
    assert two.paste("git coord release task:y").code == 0
    assert scope(two, "task:y")["state"] == "free"


def test_a_wait_that_ends_with_its_shell_says_so_and_how_to_outlive_it(
    one: Repo, two: Repo
) -> None:
    """By name and number, though a subshell lives on; by setsid it lasts as long as its worker."""
    said = two.path / "said"
    shell = subprocess.Popen(
        ["sh", "-c", f"(timeout 60 git coord wait x; :) >'{said}' 2>&1 & sleep 60"],
        cwd=two.path, env=dict(two.env), start_new_session=True,
    )  # fmt: skip
    detached = subprocess.Popen(
        ["sh", "-c", "setsid git coord wait x >out 2>&1 & sleep 60"],
        cwd=two.path, env=dict(two.env), start_new_session=True,
    )  # fmt: skip
    assert eventually(lambda: asleep(shell.pid) and asleep(detached.pid))
    for each in (shell, detached):
        each.kill()
        each.wait()

    assert eventually(lambda: "worker-gone" in said.read_text())
    assert f"the wait for task:x has ended with sh (pid {shell.pid})" in said.read_text()
    assert "setsid git coord wait task:x" in said.read_text()
    answer(one, "release", "x")
    out = two.path / "out"
    assert eventually(lambda: out.read_text().endswith("task:x is free\n"))
    assert out.read_text().count("\n") == 2  # before it, what it waits for
