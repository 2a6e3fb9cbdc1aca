"""The joiner: one Python for the logs of a merge, whatever is killed, planted or stopped."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import Repo, refusals
from harness.drivers import add_drivers, library
from harness.scenes import diverged

if TYPE_CHECKING:
    from collections.abc import Callable

LOGS = [f"{number}.log" for number in range(6)]
BASE, OURS, THEIRS = b"a\nb\n", b"a\nb\nm\n", b"a\nb\ns\n"
JOINED = "a\nb\nm\ns\n"
GROWN = dict.fromkeys(LOGS, (BASE, OURS, THEIRS))
# A driver of the same merge: what the joiner of its git has open.
LOOK = """\
for p in /proc/[0-9]*; do
	if read -r name <"$p/comm" && [ "$name" = "coord $PPID" ]; then
		readlink "$p/cwd" "$p"/fd/* >held
	fi
done
exit 0
"""


@pytest.fixture
def many(guarded: Repo) -> Repo:
    """A repository with six logs that both sides appended to."""
    diverged(guarded, GROWN)
    return guarded


@pytest.fixture
def starts(guarded: Repo, tmp_path: Path) -> Callable[[], int]:
    """What tells how many Pythons the drivers have started."""
    real = re.search(r"(?m)^coord_python='(.*)'$", guarded.common("hooks/coord/launch").read_text())
    assert real is not None
    counting, count = tmp_path / "python", tmp_path / "starts"
    counting.write_text(f'#!/bin/sh\necho >>"{count}"\nexec "{real[1]}" "$@"\n')
    counting.chmod(0o755)
    add_drivers(guarded, python=str(counting))
    return lambda: len(count.read_bytes()) if count.exists() else 0


def mark(repo: Repo) -> list[str]:
    """Return the words of the mark: git's pid; the joiner's, and the numbers of its pipes."""
    return repo.private("coord-joins").read_text().split()


def lives(pid: str) -> bool:
    """Tell whether a process runs; one that nobody has reaped does not."""
    try:
        text = Path("/proc", pid, "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def assert_joined(repo: Repo) -> None:
    """Each record of both sides is there once."""
    assert [repo.read(name) for name in LOGS] == [JOINED] * len(LOGS)


class TestOneForAll:
    """Two Pythons are started, whatever the number of logs."""

    def test_a_merge_of_many_starts_two(self, many: Repo, starts: Callable[[], int]) -> None:
        """The second forks what the others ask."""
        done = many.tried("merge", "side")

        assert (done.code, done.err) == (0, "")
        assert_joined(many)
        assert starts() == 2

    def test_a_merge_of_one_leaves_a_mark_and_no_process(self, guarded: Repo) -> None:
        """It is no slower than it was."""
        diverged(guarded, {"a.log": (BASE, OURS, THEIRS)})
        guarded.git("merge", "side")

        assert len(mark(guarded)) == 1

    def test_it_ends_with_git(self, many: Repo) -> None:
        """There is no daemon."""
        many.git("merge", "side")
        _, joiner, *_ = mark(many)

        for _ in range(500):
            if not lives(joiner):
                break
            time.sleep(0.01)
        assert not lives(joiner)

    def test_each_merge_has_its_own(self, many: Repo, starts: Callable[[], int]) -> None:
        """The mark of a git that has ended is nobody's."""
        many.git("merge", "side")
        many.git("reset", "-q", "--hard", "HEAD~")
        many.git("merge", "side")

        assert_joined(many)
        assert starts() == 4

    def test_the_picks_of_a_rebase_share_one(
        self, guarded: Repo, starts: Callable[[], int]
    ) -> None:
        """They are one process of git."""
        diverged(guarded, {"a.log": (BASE, OURS, THEIRS)})
        guarded.git("switch", "-q", "side")
        for number in range(4):
            guarded.write("a.log", guarded.read("a.log") + f"s{number}\n")
            guarded.git("commit", "-qam", f"s{number}")
        guarded.git("rebase", "-q", "main")

        assert guarded.read("a.log") == JOINED + "s0\ns1\ns2\ns3\n"
        assert starts() == 2

    def test_it_holds_nothing_but_its_pipes_and_git(self, guarded: Repo) -> None:
        """A lock, a pipe or a mount of whoever runs git is free with git. `+` is merged last."""
        guarded.git("config", "merge.look.driver", LOOK)
        attributes = guarded.common("info/attributes")
        attributes.write_text(attributes.read_text() + "+.look merge=look\n")
        diverged(guarded, GROWN | {"+.look": (BASE, OURS, THEIRS)})
        guarded.run("sh", "-c", "exec git merge -q side 9>locked")

        cwd, *held = guarded.read("held").splitlines()
        assert cwd == "/"
        kinds = sorted(one.partition(":")[0] for one in held)
        assert kinds == [*["/dev/null"] * 3, "anon_inode", *["pipe"] * 4]


REFUSED = {"3.log": (BASE, b"a\nX\n", THEIRS)}  # main edited what side appended to
HEADS = {"5.log": (b"# a\nb\n", b"# c\nb\nm\n", b"# d\nb\ns\n")}
CHANGES = b"# Changes\n\n## %s\n\n* one\n"


MORE = [
    {},
    REFUSED,
    HEADS,
    {"4.log": (BASE, OURS, b"a\nb\n\0\n")},
    {"4.log": (BASE, OURS, BASE + b"s\n" * (1 << 20))},
    {"4.log": (None, OURS, THEIRS)},
    {"4.log": (b"", b"m", b"s")},
    {"a b.log": (BASE, OURS, THEIRS), "-n\\\xe9\n.log": (BASE, OURS, THEIRS)},
    {f"{'d' * 200}/" * 5 + "a.log": (BASE, OURS, THEIRS)},
    {f"{n}.md": (CHANGES % b"1", CHANGES % b"2", CHANGES % b"3") for n in range(4)},
    {".coord.toml": (b'[log."*.log"]\nstart = "a"\n',) * 3},
    {".coord.toml": (b"[log",) * 3},
]
COMMANDS = ["merge --no-ff -X ignore-all-space", "rebase", "cherry-pick"]


@pytest.mark.parametrize(
    ("more", "command"),
    [*((more, "merge") for more in MORE), *((REFUSED, command) for command in COMMANDS)],
)
def test_what_a_merge_leaves_and_says_is_the_same_without_one(
    guarded: Repo, tmp_path: Path, more: dict[str, tuple[bytes, ...]], command: str
) -> None:
    """One Python for each log, in a copy where no mark can be left, is the law."""
    diverged(guarded, GROWN | more)
    shutil.copytree(guarded.path, tmp_path / "alone", symlinks=True)
    env = {**guarded.env, "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    made, alone = Repo(guarded.path, env), Repo(tmp_path / "alone", env)
    alone.private("coord-joins").mkdir()
    first, second = (one.tried(*command.split(), "side") for one in (made, alone))

    assert (first.code, first.out, first.err) == (second.code, second.out, second.err)
    for args in (["ls-files", "-s"], ["status", "--porcelain"], ["diff"]):
        assert guarded.git(*args) == alone.git(*args)
    assert ".coord.toml" in more or len(mark(guarded)) == 4


DYING = """

def _die() -> None:
    import posix
    file = posix.open({count!r}, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT)
    posix.write(file, b"x")
    if posix.fstat(file).st_size == {number}:
        posix.kill(posix.getpid(), 9)
"""
STEPS = {
    "logfile.py": (
        "new = self._ours + NEW",
        "stream.write(tail)",
        "posix.rename(new, self._ours)",
    ),
    "entry.py": ("_stay()\n    _exit",),
    "joiner.py": ("_let_go({", "nonce, *asked", 'posix.chdir("/")  #', "posix.write(told"),
}


def dying(folder: Path, module: str, step: str, number: int) -> str:
    """Make a library whose drivers are killed when they come to a step for the `number`-th time."""
    shutil.copytree(Path(library(), "coord", "drivers"), folder / "coord" / "drivers")
    shutil.copy(Path(library(), "coord", "__init__.py"), folder / "coord")
    path = folder / "coord" / "drivers" / module
    text = path.read_text()
    assert text.count(step) == 1
    dead = DYING.format(count=str(folder / "count"), number=number)
    path.unlink()
    path.write_text(text.replace(step, f"_die(); {step}") + dead)
    return str(folder)


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize(("module", "step"), [(m, s) for m, all_ in STEPS.items() for s in all_])
def test_killed_at_any_step_each_log_is_joined_or_as_it_was(
    many: Repo, tmp_path: Path, module: str, step: str, number: int
) -> None:
    """Of both Pythons and the joiner; what a refusal prints joins it, and nothing is left of it."""
    add_drivers(many, lib=dying(tmp_path / "lib", module, step, number))
    done = many.tried("merge", "side")

    refused = refusals(done.err)
    assert len(refused) == done.code == done.out.count("CONFLICT") <= 1
    for one in refused:
        assert one.run.startswith("git checkout -m -- ")
        assert many.paste(one.run).code == 0
    assert_joined(many)
    assert many.git("status", "--porcelain", "--untracked-files=all", "--", ":!*.log") == ""


class TestPlanted:
    """What stands where the mark does is not followed, not waited for, and not believed."""

    @pytest.mark.parametrize(
        "text", ["", "x", "1 1 0 1", "{git}", "{git} 1 0 1", "{git} {own} 0 1", "{git} x ../x x"]
    )
    def test_a_mark_that_no_driver_left(self, many: Repo, text: str) -> None:
        """Its words may be anybody's."""
        path = many.private("coord-joins")
        said = text.format(git="$$", own=os.getpid())
        done = many.run("sh", "-c", f'echo "{said}" >"{path}"; exec git merge side')

        assert (done.code, done.err) == (0, "")
        assert_joined(many)

    def test_a_link_is_not_written_through(self, many: Repo, tmp_path: Path) -> None:
        """A peer may have put it there."""
        kept = tmp_path / "kept"
        kept.write_text("mine\n")
        many.private("coord-joins").symlink_to(kept)

        assert many.tried("merge", "side").code == 0
        assert_joined(many)
        assert kept.read_text() == "mine\n"

    def test_a_pipe_is_not_waited_for(self, many: Repo) -> None:
        """Nobody would write into it."""
        os.mkfifo(many.private("coord-joins"))

        assert many.tried("merge", "side").code == 0
        assert_joined(many)


def test_a_disk_can_be_unmounted_as_soon_as_git_has_ended(many: Repo, tmp_path: Path) -> None:
    """A stick that is pulled after the merge; ten times, for it was a race."""
    (tmp_path / "disk").mkdir()
    once = (
        "mount -t tmpfs none disk && cp -a repo disk/ && git -C disk/repo merge -q side && "
        "umount disk || exit 1"
    )
    script = f"cd '{tmp_path}'; for n in 1 2 3 4 5 6 7 8 9 10; do {once}; done"
    done = many.run("unshare", "-m", "sh", "-c", script)
    if "unshare" in done.err:
        pytest.skip("no mount namespaces may be made here")

    assert (done.code, done.err) == (0, "")


def test_in_a_process_namespace_with_another_proc_each_has_its_own(
    many: Repo, starts: Callable[[], int]
) -> None:
    """There the pids of /proc are others'."""
    done = many.run("unshare", "-pf", "git", "merge", "side")
    if "unshare" in done.err:
        pytest.skip("no process namespaces may be made here")

    assert (done.code, done.err) == (0, "")
    assert_joined(many)
    assert starts() == len(LOGS)
