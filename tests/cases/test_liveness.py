"""Public reports about the living who were called dead: each in real namespaces, by real commands.

Nobody here is dead but where a test says so. Signs of life are set back, because half an hour of
silence is what all other proofs have to be told from.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import pytest

from coord.liveness import machine
from harness import QUIET
from harness.board import actor, answer, eventually, living, scope, silence
from harness.lives import (
    AGAIN,
    MUTANTS,
    READERS,
    WAYS,
    allowed,
    expected,
    lookers,
    mutant,
    shown,
    working,
)
from harness.repo import Repo

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from harness.lives import Table
    from harness.repo import Done

DEAD = {"ended", "gone", "left"}
HOUR = 3600
# A pid namespace of its own for each command, as agents' sandboxes make one.
SANDBOX = ("bwrap", "--bind", "/", "/", "--dev", "/dev", "--unshare-pid")


@pytest.fixture
def three(installed: Repo, tmp_path: Path) -> list[Repo]:
    """Three pinned worktrees."""
    return [installed.worktree(tmp_path / name, name) for name in "abc"]


def line(three: list[Repo]) -> None:
    """Let all claim one scope, the first as its holder."""
    for one in three:
        one.coord("claim", "db")


def shell(repo: Repo, text: str, *around: str) -> Done:
    """Run a shell line by a command `around` it, which is not the shell's last."""
    return repo.run(*around, "sh", "-c", f"{text}; exit $?")


def name(repo: Repo) -> str:
    """Return the actor of a worktree."""
    return str(answer(repo, "whoami")["actor"])


def words(done: Done) -> dict[str, str]:
    """Return the liveness of each actor in a board that was read anywhere."""
    assert done.code == 0, done.err
    return {one["actor"]: one["liveness"] for one in json.loads(done.out)["actors"]}


@pytest.mark.parametrize("covered", ["{tree}", "{private}", "{common}/worktrees"])
def test_a_container_that_mounts_its_own_worktree_calls_no_other_removed(
    installed: Repo, three: list[Repo], covered: str
) -> None:
    """It passed the others over, and took what the living held as of a forgotten worktree.

    cheasee-pi#1000, xorq#1974, ic#11183, sandcastle#849, agent-of-empires#2938, superset#7042.
    """
    a, b, _ = three
    installed.coord("pin", "--self")
    line(three)
    held, next_one = name(a), name(b)
    for one in three:
        silence(one, HOUR)
    cover = covered.format(tree=a.path, private=a.private(), common=a.common())
    container = (
        "unshare",
        "-rm",
        "sh",
        "-c",
        f'mount -t tmpfs none {quote(cover)} && exec "$@"',
        "-",
    )

    seen = words(installed.run(*container, "git", "coord", "board", "--json"))
    taken = installed.run(*container, "git", "coord", "take-over", "db", "--gone")

    assert seen[held] not in DEAD
    assert seen[next_one] not in DEAD
    assert (taken.code, taken.refusal.rule) == (1, "holder-not-gone")
    assert scope(b, "task:db")["holder"]["actor"] == held
    # What is really forgotten is gone, from there too.
    installed.git("worktree", "remove", "--force", str(b.path))
    assert actor(installed, next_one)["liveness"] == "gone"


def test_a_holder_in_a_container_leaves_to_one_that_it_does_not_see(three: list[Repo]) -> None:
    """The next in line is not passed over because its worktree is not mounted there."""
    a, b, _ = three
    line(three)
    container = f'mount -t tmpfs none {quote(str(b.path))} && exec "$@"'

    done = a.run("unshare", "-rm", "sh", "-c", container, "-", "git", "coord", "release", "db")

    assert done.code == 0, done.err
    assert scope(a, "task:db")["holder"]["actor"] == name(b)


@pytest.fixture
def boxed() -> tuple[str, ...]:
    """What runs a command in a pid namespace with the old ``/proc``; skips where it cannot."""
    if shutil.which("bwrap") is None:
        pytest.skip("there is no bwrap here")
    return SANDBOX


def test_a_pid_namespace_for_each_command_ends_nobody(
    three: list[Repo], boxed: tuple[str, ...]
) -> None:
    """All that stood above a command is over with its sandbox, and the number comes again.

    qwen-code#11614, codex#44304, sandbox-runtime#214.
    """
    a, b, c = three
    box = (*boxed, "--proc", "/proc")
    for one in (a, b):
        shell(one, "git coord claim db", *box)
    held, next_one = name(a), name(b)

    refused = shell(c, "git coord take-over db --reason 'its process has ended'", *box)
    now = words(shell(c, "git coord board --json", *box))
    for one in (a, b):
        silence(one, HOUR)
    looks = [words(shell(c, "git coord board --json", *around)) for around in (box, box, ())]

    assert (refused.code, refused.refusal.rule) == (1, "holder-present")
    assert (now[held], now[next_one]) == ("present", "present")
    assert not {found[one] for found in looks for one in (held, next_one)} & DEAD
    assert a.coord("release", "db").code == 0
    assert scope(a, "task:db")["holder"]["actor"] == next_one


def test_runs_below_another_proc_exclude_each_other(
    three: list[Repo], boxed: tuple[str, ...]
) -> None:
    """With the host's ``/proc`` another process has the number of one that lives.

    bubblewrap#383, codex#44304.
    """
    a, b, _ = three
    run = "git coord run db --timeout 60s -- sh -c"
    text = f"""
        i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done
        {run} 'echo in; touch on; cat go; echo a-out' &
        until [ -e on ]; do sleep 0.05; done
        {run} 'echo c-in; echo c-out' &
        cd {quote(str(b.path))}; {run} 'echo b-in; echo b-out'; wait"""

    with started(a, text, *boxed) as going:
        in_line = eventually(lambda: scope(b, "task:db")["claimants"][2:])
        (a.path / "go").write_text("")
        rest, err = going.communicate(timeout=60)

    said = rest.split()
    assert in_line, err
    assert said[:1] == ["a-out"], err
    assert sorted([said[1:3], said[3:]]) == [["b-in", "b-out"], ["c-in", "c-out"]]


def test_a_command_that_a_script_gave_is_not_the_workers_end(three: list[Repo]) -> None:
    """A session hook in Python has ended when its claim stands; the agent above it has not.

    OpenSwarm#456.
    """
    a, b, c = three
    named = [name(a), name(b)]
    hook = "python3 -c \"import subprocess; subprocess.run(['git', 'coord', 'claim', 'db'])\""
    with living(a) as first, living(b) as second:
        for one in (first, second):
            assert one.run(hook)[0] == 0
        c.coord("claim", "db")
        refused = c.coord("take-over", "db", "--reason", "its process has ended")
        for tree in (a, b):
            silence(tree, HOUR)
        told = [actor(c, one) for one in named]
        for one in (first, second):
            assert one.process.poll() is None

    assert refused.refusal.rule == "holder-present"
    assert [one["liveness"] for one in told] == ["silent", "silent"]
    assert all(one["why"] for one in told)


@contextmanager
def container(repo: Repo) -> Iterator[tuple[str, ...]]:
    """Yield what runs a command in a box as ``docker exec`` does: its parent is outside."""
    box = ("unshare", "-rm", "--pid", "--fork", "--mount-proc", "--kill-child", "sleep", "60")
    with repo.begun(*box, **QUIET) as outer:
        try:
            children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
            first = f"/proc/{outer.pid}/ns/pid_for_children"
            own = os.readlink("/proc/self/ns/pid")
            assert eventually(lambda: children.read_text() and os.readlink(first) != own)
            inside = children.read_text().split()[0]
            assert eventually(lambda: "sleep" in Path(f"/proc/{inside}/comm").read_text())
            yield ("nsenter", "-t", inside, "-U", "-p", "-m", "--preserve-credentials")
        finally:
            outer.kill()


def test_commands_of_docker_exec_end_nobody(three: list[Repo]) -> None:
    """Each of them has no parent in there, and is the only process that is left of a worker."""
    with container(three[0]) as box:
        for one in three:
            assert shell(one, f"cd {quote(str(one.path))} && git coord claim db", *box).code == 0
        a, b, c = three
        there = f"cd {quote(str(c.path))} && git coord"
        refused = shell(c, f"{there} take-over db --reason 'its process has ended'", *box)
        for one in (a, b):
            silence(one, HOUR)
        looks = [
            words(shell(c, f"{there} board --json", *box)),
            words(shell(c, f"{there} board --json")),
        ]
        left = shell(a, f"cd {quote(str(a.path))} && git coord release db", *box)

    assert refused.refusal.rule == "holder-present"
    assert not {found[name(one)] for found in looks for one in (a, b)} & DEAD
    assert left.code == 0
    assert scope(c, "task:db")["holder"]["actor"] == name(c)  # the present one


@contextmanager
def started(repo: Repo, text: str, *around: str) -> Iterator[subprocess.Popen[str]]:
    """Start a shell line that says ``in`` once it is, and goes on when ``go`` is written to."""
    os.mkfifo(repo.path / "go")
    with repo.begun(*around, "sh", "-c", text, text=True, start_new_session=True) as going:
        try:
            assert going.stdout is not None
            assert going.stdout.readline() == "in\n"
            yield going
        finally:
            with suppress(ProcessLookupError):
                os.killpg(going.pid, signal.SIGKILL)


@pytest.mark.parametrize("leave", ["sign-off", "release db", "claim db && git coord release db"])
def test_a_run_is_a_place_that_its_worker_does_not_give_up(three: list[Repo], leave: str) -> None:
    """Whatever else the worker says, its command is at work until that ends.

    DeepSeek-Reasonix#9078, cqlite#3436.
    """
    a, b, _ = three
    with started(a, "git coord run db -- sh -c 'echo in; cat go; echo out'") as going:
        a.paste(f"git coord {leave}")
        meanwhile = b.coord("run", "db", "--no-wait", "--", "echo", "in")
        (a.path / "go").write_text("")
        rest = going.communicate(timeout=30)[0]

    assert (meanwhile.code, meanwhile.out, rest) == (1, "", "out\n")
    assert b.coord("run", "db", "--", "echo", "in").out == "in\n"


def test_two_runs_of_a_holder_exclude_each_other(three: list[Repo]) -> None:
    """What the worker holds in person lets its runs in, one at a time.

    DeepSeek-Reasonix#9078.
    """
    a, *_ = three
    a.coord("claim", "db")
    said = a.path / "said"
    run = "git coord run db --timeout 60s -- sh -c"
    with started(a, f"{run} 'echo in; cat go; echo 1-out >>said'") as first:
        second = a.begun("sh", "-c", f"{run} 'echo 2-in >>said'", **QUIET)
        assert eventually(lambda: len(scope(a, "task:db")["claimants"]) == 3)
        (a.path / "go").write_text("")
        assert (first.wait(60), second.wait(60)) == (0, 0)

    assert said.read_text() == "1-out\n2-in\n"


def test_a_run_inside_a_run_waits_for_nobody(three: list[Repo]) -> None:
    """It waited for its own parent.

    fsl#946, #978.
    """
    inner = ("git", "coord", "run", "db", "--timeout", "4s", "--", "echo", "inner")

    done = three[0].coord("run", "db", "--", *inner)

    assert (done.code, done.out) == (0, "inner\n")
    assert "waiting" not in done.err


def test_the_sign_off_of_one_session_is_not_the_others(installed: Repo, tmp_path: Path) -> None:
    """Two agents in one worktree: the second one's sign-off freed what the first had claimed.

    claude-code#90146, stella#5874. Who is another session: tests/coord/liveness/test_others.py.
    """
    a = installed.worktree(tmp_path / "a", "a")
    with living(a) as first, living(a) as second:
        first.run("git coord claim parser --session S1 --intent one")
        second.run("git coord claim parser --session S2 --intent two")

        _, said, told = second.run("git coord sign-off")

        assert "kept: task:parser was claimed by another session here" in said
        assert "works in this worktree too" in told
        assert scope(installed, "task:parser")["holder"]["session"] == "S1"
        first.end()
        assert "released: task:parser" in second.run("git coord sign-off")[1]


def settled(repo: Repo) -> list[Path]:
    """Return the sessions here of runs that have their turn, or are sure to wait for it."""
    files = (path for path in repo.private("coord-sessions").rglob("*") if path.is_file())
    return [path for path in files if b"settled" in path.read_bytes()]


def test_a_circle_of_waits_is_named_at_once(three: list[Repo]) -> None:
    """Each waits for what the other holds: both waited it out.

    oh-my-pi#6031, bernstein#4673.
    """
    a, b, _ = three
    wait = "git coord run B --timeout 60s -- echo got"
    with started(a, f"git coord run A -- sh -c 'echo in; cat go; {wait}'") as first:
        b.coord("claim", "B")
        (a.path / "go").write_text("")
        assert eventually(lambda: scope(b, "task:B")["claimants"][1:])
        assert eventually(lambda: len(settled(a)) == 2)  # it looks for a circle itself at first

        begun = time.monotonic()
        done = b.coord("wait", "A", "--timeout", "60s")
        took = time.monotonic() - begun
        b.coord("release", "B")
        rest = first.communicate(timeout=30)[0]

    assert (done.code, done.refusal.rule) == (1, "waits-in-circle")
    assert name(a) in done.refusal.why
    assert took < 45
    assert rest == "got\n"


@pytest.fixture
def on_memory(env: dict[str, str]) -> Iterator[Repo]:
    """An installed repository where all may look, on a disk proved to be this machine's own."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o755)  # noqa: S103  # the point of it
        repo = Repo.init(Path(folder) / "repo", env)
        repo.commit("start", {"README": "start\n"})
        repo.install()
        yield repo


def test_a_reboot_ends_whoever_gave_no_sign_since(on_memory: Repo) -> None:
    """Nobody was ever dead after one, and a scope went to a waiter who had been before it.

    openclaw#29927, tandem#2051.
    """
    a, b, c = (on_memory.worktree(on_memory.path.parent / one, one) for one in "abc")
    boot = on_memory.path.parent / "boot"
    boot.write_text("11111111-2222-3333-4444-555555555555\n")
    before = f"mount --bind {boot} /proc/sys/kernel/random/boot_id && git coord claim db"
    for one in (a, b):
        assert shell(one, before, "unshare", "-rm").code == 0
    rows = answer(c, "board")["actors"]
    held, waiting, reader = (
        next(row["actor"] for row in rows if row["branch"] == one) for one in "abc"
    )
    booted = machine.booted()
    assert booted is not None

    another = [actor(c, one)["liveness"] for one in (held, waiting)]
    for one in (a, b):
        silence(one, time.time() - booted + 60)
    ended = [actor(c, one) for one in (held, waiting)]
    c.coord("claim", "db")
    a.coord("release", "db")

    assert not set(another) & DEAD  # a sign after this boot: two kernels write there
    assert [(one["liveness"], one["why"]) for one in ended] == [("ended", "before this boot")] * 2
    assert scope(c, "task:db")["holder"]["actor"] == reader
    assert [one["actor"] for one in scope(c, "task:db")["claimants"]] == [reader]


@pytest.fixture
def lives(on_memory: Repo) -> Iterator[Table]:
    """Workers that live, each in its way and silent for an hour."""
    with working(on_memory) as table:
        yield table


def test_nobody_who_lives_is_called_dead(lives: Table) -> None:
    """Ways to run by who looks: no cell says ended or gone, and no end of a chain is a proof.

    That all above its last command has ended is said of those of whom it is true, and that git has
    forgotten a worktree of that alone. All the reports of namespaces at once, and their neighbours.
    Each row fails where the judgement is changed. COORD_TABLE names a file for the table; then a
    take-over is tried in each cell as well.
    """
    boards = {looker: lives.board(looker) for looker in lookers()}

    cells = {
        (looker, way): word
        for looker, board in boards.items()
        for way, word in lives.words(board).items()
    }
    if file := os.environ.get("COORD_TABLE"):
        Path(file).write_text(shown(cells))
    assert len(cells) == len(lookers()) * len(lives.names)
    wrong = {cell: word for cell, word in cells.items() if word not in allowed(cell[1])}
    assert wrong == {}
    here = {way: word for (looker, way), word in cells.items() if looker == "here"}
    assert here == {way: expected(way) for way in here}
    claims = [one for board in boards.values() for one in board["claims"]]
    dead = {one["scope"] for one in claims if one["dead"] or one["gone"]}
    assert dead == {"task:pruned", "task:re-added"}
    refused = [one for one in here if expected(one) != "gone"]
    writers = [looker for looker in boards if looker not in READERS]
    tried = product(writers, refused) if file else zip(writers, refused, strict=False)
    taken = {cell: lives.take(*cell).refusal.rule for cell in tried}
    assert set(taken.values()) == {"holder-not-gone"}, taken
    # Who believes in silence, in a chain, a number, a lock or a folder calls the living dead.
    for why, (change, looker, killed) in MUTANTS.items():
        if looker in boards:
            assert killed & {*WAYS, AGAIN} <= dead_by(lives, change, looker), why


def dead_by(lives: Table, change: str, looker: str) -> set[str]:
    """Return who is called dead where the judgement is changed."""
    found = lives.words(lives.board(looker, *mutant(change)))
    return {way for way, word in found.items() if word not in allowed(way)}


def test_a_copied_worktree_acts_for_nobody(three: list[Repo], tmp_path: Path) -> None:
    """It may look; what owns or gives up is refused, with a worktree of its own as the way out."""
    a = three[0]
    a.coord("claim", "db")
    shutil.copytree(a.path, tmp_path / "scratch", symlinks=True)
    copy = a.at(tmp_path / "scratch")

    for verb in (("claim", "other"), ("release", "db"), ("sign-off",), ("pin", "--replace")):
        done = copy.coord(*verb)
        assert (done.code, done.refusal.rule) == (1, "worktree-copied"), done.err
        assert f"is a copy of {a.path}" in done.err
    assert scope(a, "task:db")["holder"]["actor"] == name(a)
    assert copy.coord("board").code == 0
    (found,) = answer(copy, "doctor", code=1)["findings"]
    assert (found["rule"], found["worktree"]) == ("worktree-copied", str(copy.path))
    assert f"a copy of {a.path}" in found["message"]
    assert found["run"] == done.refusal.run
    assert answer(a, "doctor")["findings"] == []
    own = str(tmp_path / "scratch-own")
    for _ in range(2):  # it leads there again
        assert copy.paste(f"{done.refusal.run} && pwd").out.endswith(f"{own}\n")
    assert a.at(Path(own)).coord("claim", "other").code == 0


def test_the_hooks_of_a_copied_worktree_give_no_sign_for_the_original(
    three: list[Repo], tmp_path: Path
) -> None:
    """Those of a moved one do, with another worktree in its old place too."""
    a, b, _ = three
    seen = Path(a.git("rev-parse", "--absolute-git-dir").strip(), "coord-seen")
    shutil.copytree(a.path, tmp_path / "scratch", symlinks=True)
    os.utime(seen, (1e9, 1e9))

    a.at(tmp_path / "scratch").git("commit", "-q", "--allow-empty", "-m", "x")
    a.at(tmp_path / "scratch").git("checkout", "-q", "-b", "other")

    assert seen.stat().st_mtime == 1e9
    a.path.rename(tmp_path / "moved")
    b.path.rename(a.path)
    a.at(tmp_path / "moved").git("commit", "-q", "--allow-empty", "-m", "x")
    assert seen.stat().st_mtime > 1e9


def test_whoever_commits_in_a_copied_worktree_is_told_once(
    three: list[Repo], tmp_path: Path
) -> None:
    """It moves the branch of the original, whose next ``commit -a`` deletes what it added."""
    a = three[0]
    copy = a.at(tmp_path / "it's a copy")
    shutil.copytree(a.path, copy.path, symlinks=True)
    told = f"this folder is a copy of {a.path}: "

    copy.write("q", "1\n")
    copy.git("add", "q")
    done = copy.run("git", "commit", "-m", "c")
    advice = [line for line in done.err.split("\n") if told in line]
    assert (done.code, len(advice)) == (0, 1), done.err
    assert copy.run("git", "checkout", "-b", "other").err.count(told) == 1
    assert told not in a.run("git", "commit", "--allow-empty", "-m", "x").err

    assert copy.paste(advice[0].rpartition(": ")[2]).code == 0
    own = a.at(tmp_path / "it's a copy-own")
    own.write("r", "1\n")
    own.git("add", "r")
    assert told not in own.run("git", "commit", "-m", "c").err


def test_a_copied_worktree_reads_nothing_in_the_name_of_the_original(
    three: list[Repo], tmp_path: Path
) -> None:
    """Its worker has the message and the news unread; whose folder it is a copy of is told."""
    a, b, _ = three
    worker = name(a)
    shutil.copytree(a.path, tmp_path / "scratch", symlinks=True)
    copy = a.at(tmp_path / "scratch")
    b.coord("claim", "db")
    b.coord("send", "help", worker, "who has the key?")
    b.coord("handoff", worker, "--scope", "db")
    told = f"this folder is a copy of {a.path}, and so is its worker: test -d {copy.path}-own || "

    for verb in ("whoami", "board", "inbox"):
        looked = copy.coord(verb)
        assert (looked.code, looked.err.count(told)) == (0, 1), looked.err
        assert "offers" not in looked.err
    assert "who has the key?" in looked.out
    assert f"they stay unread: they are {worker}'s, in {a.path}" in looked.err
    own = a.coord("inbox")
    assert "who has the key?" in own.out
    assert "offers" in own.err
    assert told not in own.err
    assert "who has the key?" not in a.coord("inbox").out


def test_a_moved_worktree_is_no_copy(three: list[Repo], tmp_path: Path) -> None:
    """Nothing is at the old place; git repairs what it has written down when it is asked to."""
    a = three[0]
    a.coord("claim", "db")
    a.path.rename(tmp_path / "moved")
    moved = a.at(tmp_path / "moved")

    assert moved.coord("release", "db").code == 0
    moved.git("worktree", "repair")
    assert moved.coord("claim", "db").code == 0


def test_a_copy_beside_a_worktree_that_is_gone_goes_on(three: list[Repo], tmp_path: Path) -> None:
    """It is all that is left of it."""
    a = three[0]
    shutil.copytree(a.path, tmp_path / "scratch", symlinks=True)
    shutil.rmtree(a.path)

    assert a.at(tmp_path / "scratch").coord("claim", "db").code == 0
