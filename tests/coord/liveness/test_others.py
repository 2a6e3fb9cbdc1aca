"""Which sessions of one worker are told apart, and for how long."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.liveness import beats, others, process, sessionfile, signs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ME = "i-1"


class Processes:
    """Processes by a name that begins with what they are: an agent lives, a shell carries."""

    def __init__(self) -> None:
        self._started: dict[str, subprocess.Popen[bytes]] = {}
        self._known: dict[str, process.Process] = {}

    def of(self, name: str) -> process.Process:
        """Return the process `name`, started once; one whose name begins with `ended` has ended."""
        if name not in self._known:
            sleeps = not name.startswith("bash")
            argv = ["sleep", "60"] if sleeps else ["sh", "-c", "read x; exit"]
            started = subprocess.Popen(argv, stdin=subprocess.PIPE)
            self._started[name] = started
            found = process.of(started.pid)
            self._known[name] = found._replace(name="bash" if not sleeps else name)
            if name.startswith("ended"):
                self.end(name)
        return self._known[name]

    def end(self, name: str) -> None:
        """End a process."""
        self._started[name].kill()
        self._started[name].communicate()


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Processes that end with the test."""
    made = Processes()
    yield made
    for name in made._started:
        made.end(name)


def chain(processes: Processes, names: str, session: str = "") -> signs.Chain:
    """Return the chain of a command below processes, the nearest first."""
    return signs.Chain(tuple(map(processes.of, names.split())), whole=True, session=session)


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ("claude bash", "bash", None),  # a shell, and the agent that was started in it
        ("bash", "claude bash", None),
        ("claude1 bash1", "claude2 bash2", "claude2"),  # two terminals, or two panes
        ("bash1", "claude2 bash2", "claude2"),
        ("claude1 bash1", "bash2", None),  # who types there may be the one who looks on
        ("bash1", "bash2", None),
        ("claude1 bash1 editor", "claude2 bash2 editor", "claude2"),
        ("bash1 editor", "claude2 bash2 editor", None),  # the editor is the parent of both
        ("claude bash3", "claude bash4", None),  # a shell for each command
        ("claude", "ended-hook claude", None),  # a script that gave a command, and has ended
        ("claude1", "ended-hook claude2", "claude2"),
        ("claude1 bash1", "ended-agent bash2", None),  # its session has ended
    ],
)
def test_two_sessions_are_told_apart_by_who_works_in_them(
    tmp_path: Path, processes: Processes, ours: str, theirs: str, found: str | None
) -> None:
    """The nearest that lives, is no shell, and is no ancestor of the one that looks."""
    git_dir = str(tmp_path)
    beats.beat(git_dir, ME, chain(processes, theirs))
    mine = chain(processes, ours)
    beats.beat(git_dir, ME, mine)

    seen = others.living(git_dir, ME, mine)

    assert [one.told.partition(" ")[0] for one in seen] == ([found] if found else [])
    assert [one.name for one in seen] == [others.mark(git_dir, chain(processes, theirs))][
        : len(seen)
    ]


def test_declared_sessions_are_apart_while_their_commands_live(
    tmp_path: Path, processes: Processes
) -> None:
    """Their locks differ; the same session in another shell is one."""
    git_dir = str(tmp_path)
    made = [sessionfile.begin(git_dir, "session", ME) for _ in range(2)]
    for session, name in zip(made, ("claude1", "claude2"), strict=True):
        session.record(processes.of(name))
        beats.beat(git_dir, ME, chain(processes, f"bash-{name} {name}", session.id))
    mine = chain(processes, "bash-more claude1", made[0].id)
    outside = chain(processes, "claude3 bash3")

    assert others.mark(git_dir, mine) == made[0].id
    assert [one.name for one in others.living(git_dir, ME, mine)] == [made[1].id]
    assert {one.name for one in others.living(git_dir, ME, outside)} == {one.id for one in made}

    processes.end("claude2")  # its keeper, this process, lives and holds the lock
    assert others.living(git_dir, ME, mine) == []
    made[0].over(all_of_it=False)  # a daemon of it may go on: it holds nobody's claims
    assert others.living(git_dir, ME, outside) == []
    for session in made:
        session.close()


def test_what_is_not_to_be_seen_from_here_is_no_other_session(
    tmp_path: Path, processes: Processes
) -> None:
    """A sandbox for each command, another boot, a torn file: nobody could ever free its claims."""
    git_dir = str(tmp_path)
    beats.beat(git_dir, ME, chain(processes, "claude1"))
    (away,) = (tmp_path / "coord-sessions" / ME).iterdir()
    away.write_text(away.read_text().replace("\nboot ", "\nboot another-"))
    torn = tmp_path / "coord-sessions" / ME / "torn"
    torn.write_bytes(b"coord-sign 1\n")

    assert others.living(git_dir, ME, chain(processes, "claude2")) == []
    assert others.mark(git_dir, signs.Chain((), whole=False)) is None
