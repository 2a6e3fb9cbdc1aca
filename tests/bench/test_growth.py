"""The gate on growth sees what it is there for (`bench/growth.py`, a step of ``.ci/run``)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent.parent / "bench"
sys.path.append(str(BENCH))

import counted  # noqa: E402
import grown  # noqa: E402
import growth  # noqa: E402

ROW = growth.Row("prepare-commit-msg", "refs", "git commit -q --allow-empty -m x")
# What somebody might write into a hook: a look at each ref, at each pair of them, or at none.
ONCE = "git for-each-ref >/dev/null"
EACH = "for a in $(git for-each-ref --format='%(refname)'); do git rev-parse -q --verify $a; done"
PAIRS = EACH.replace("do ", "do " + EACH.replace("$a", "$b").replace("for a", "for b") + "; ", 1)


@pytest.fixture
def refs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small world of its own: branches, and nothing else that grows."""
    monkeypatch.setitem(grown.WORLDS, "refs", (grown.branches,))


def found(line: str, each: counted.Cost = growth.FLAT) -> growth.Found:
    """Return what a commit comes to when its hook does `line` first."""

    def change(place: Path) -> None:
        hook = place / "repo" / ".git" / "hooks" / "coord" / "hook"
        hook.write_text(f"{line} >/dev/null\n{hook.read_text()}")

    (only,) = growth.measured([ROW._replace(each=each)], 2, change)
    return only


@pytest.mark.usefixtures("refs")
def test_a_hook_that_looks_at_every_pair_of_refs_fails_where_one_a_ref_is_declared() -> None:
    """Quadratic: four times the pairs cost more for each further ref than the row allows."""
    linear = counted.Cost(2, 0, 30)  # two hooks of each commit

    assert not found(PAIRS, linear).is_kept()
    assert found(EACH, linear).is_kept()


@pytest.mark.usefixtures("refs")
def test_a_hook_that_looks_at_each_ref_fails_where_nothing_is_declared() -> None:
    """Linear is too much for a flat row; the same work, asked once, is not."""
    assert not found(EACH).is_kept()
    once = found(ONCE)
    assert (once.each.processes, once.each.fsyncs) == (0, 0)


def test_every_verb_hook_and_driver_has_a_row() -> None:
    """Also of those that every change is judged by, not only of the long ones."""
    now = {row.subject for row in growth.TABLE if not row.later}

    assert growth.subjects() - now == set()
    assert {"board", "id next", "coord-install", "pre-push", "coord-once"} <= growth.subjects()


def test_a_verb_without_a_row_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate names it, and ends with 1."""
    monkeypatch.setattr(growth, "TABLE", tuple(r for r in growth.TABLE if r.subject != "mirror"))
    monkeypatch.setattr(growth, "measured", lambda *_: [])

    assert growth.main([]) == 1
    assert "no row says how these may grow: mirror" in capsys.readouterr().out


def test_what_strace_writes_is_counted_by_command() -> None:
    """Threads are no processes, objects no files, and a call that was cut in two counts once."""
    log = """\
1  openat(AT_FDCWD, "/w/before", O_RDONLY) = 3
1  clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
2  openat(AT_FDCWD, "/w/repo/file", O_RDONLY) = 3
1  <... clone resumed>, child_tidptr=0x7) = 2
2  openat(5, "relative", O_RDONLY) = -1 ENOENT (No such file or directory)
2  openat(AT_FDCWD, "/usr/lib/x", O_RDONLY) = 3
2  openat(AT_FDCWD, "/w/repo/.git/objects/ab", O_RDONLY) = 3
2  clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 3
2  vfork( <unfinished ...>
4  fsync(3) = 0
2  <... vfork resumed>) = 4
1  clone(child_stack=NULL, flags=SIGCHLD) = 5
""".splitlines()

    costs = counted._counted(log, "/w")

    assert costs == [counted.Cost(2, 1, 2), counted.Cost(1, 0, 0)]
