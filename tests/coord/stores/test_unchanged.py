"""What is believed of folders that are as they were: never that a record is the last that is not.

The rule and what it cannot see are in the module. Nobody can set the time at which a folder was
changed, so here the look is later by an hour, and a tick of the clock lies between changes.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.board import claims, events
from coord.liveness import mounts
from coord.stores import directory, keys, unchanged
from coord.stores.directory import Directory
from harness.crash import killed_at_every_call
from harness.scope import claim, release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from coord.stores.store import Rec

HOUR, TICK = 3600.0, 0.01
NAMES = [f"s-{number}" for number in range(4)]
IMPORT = "import time\nfrom coord.stores import unchanged\nunchanged._FEW = 0"
NOTE = (
    "unchanged.mounts.is_local = lambda _: True;"
    "look = unchanged.Look(sys.argv[1], sys.argv[2], time.time() + 3600);"
    "look.note([line for _, line in look.changed(['s-0', 's-1', 's-2', 's-3'])], 0)"
)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board with four scopes, each with a record, on a disk of ours; one is enough to note."""
    monkeypatch.setattr(unchanged, "_FEW", 0)
    monkeypatch.setattr(mounts, "is_local", lambda _: True)
    (tmp_path / "board/tmp").mkdir(parents=True)
    for name in NAMES:
        (tmp_path / "board/claims" / name).mkdir(parents=True)
        (tmp_path / "board/claims" / name / "00000001").write_text("free")
    time.sleep(TICK)
    return tmp_path / "board"


def look(board: Path, later: float = HOUR) -> list[str]:
    """Look, note all that is to be read, and return the names of that."""
    one = unchanged.Look(f"{board}/claims", str(board / "tmp"), time.time() + later)
    changed = one.changed(NAMES)
    one.note([line for _, line in changed], 0)
    time.sleep(TICK)
    return [name for name, _ in changed]


def noted(board: Path) -> Path:
    """Return the file of what is known."""
    return board / f"claims.same-{os.geteuid()}"


def test_a_folder_that_is_as_it_was_is_not_read_again(board: Path) -> None:
    """Nothing is left of the writing, and who may read the records may read what was noted."""
    assert look(board) == NAMES
    assert look(board) == []
    assert list((board / "tmp").iterdir()) == []
    assert noted(board).stat().st_mode == (board / "claims/s-0/00000001").stat().st_mode


def test_a_folder_that_was_changed_within_a_minute_is_read_each_time(board: Path) -> None:
    """A change after the look could bear the same time: git's racy entries."""
    assert look(board, later=59) == NAMES
    assert look(board, later=59) == NAMES
    assert not noted(board).exists()
    look(board, later=61)
    assert look(board, later=0) == NAMES  # by a clock that is behind what was noted


def _claimed(folder: Path) -> None:
    (folder / "00000002").write_text("held")


def _withdrawn(folder: Path) -> None:
    (folder / "00000001").unlink()


def _moved_in(folder: Path) -> None:
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    shutil.rmtree(folder)
    other.rename(folder)


def _moved_away_and_back(folder: Path) -> None:
    folder.rename(folder.parent / "other")
    (folder.parent / "other").rename(folder)


def _played_back(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / "other", copy_function=shutil.copy2)
    facts = folder.stat()
    shutil.rmtree(folder)
    shutil.copytree(folder.parent / "other", folder, copy_function=shutil.copy2)
    (folder / "00000002").write_text("held")
    os.utime(folder, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@pytest.mark.parametrize(
    "change", [_claimed, _withdrawn, _moved_in, _moved_away_and_back, _played_back]
)
def test_a_folder_that_was_changed_is_read(board: Path, change: Callable[[Path], None]) -> None:
    """Also one whose time was set to what it was before: another time tells of that."""
    look(board)

    change(board / "claims/s-2")

    assert look(board) == ["s-2"]
    assert look(board) == []


@pytest.mark.parametrize(
    "clock",
    [("boot", -3600.0), ("boot", 3600.0), ("boot", -2.1), ("another", 0.0)],
    ids=["set back", "set forth", "a little", "another boot"],
)
def test_once_the_clock_was_set_nothing_is_believed(
    board: Path, monkeypatch: pytest.MonkeyPatch, clock: tuple[str, float]
) -> None:
    """From then on a change may bear a time that was before."""
    monkeypatch.setattr(unchanged, "_clock", lambda: ("boot", 0.0))
    look(board)
    assert look(board) == []

    monkeypatch.setattr(unchanged, "_clock", lambda: clock)

    assert look(board) == NAMES
    assert look(board) == []


def test_a_copied_board_is_read_anew(board: Path, tmp_path: Path) -> None:
    """With all its times; and so is the original's place when it is played back."""
    look(board)
    shutil.copytree(board, tmp_path / "copy", copy_function=shutil.copy2)
    for path in (board, *board.rglob("*")):
        facts = path.stat()
        os.utime(
            tmp_path / "copy" / path.relative_to(board), ns=(facts.st_atime_ns, facts.st_mtime_ns)
        )

    assert look(tmp_path / "copy") == NAMES
    shutil.rmtree(board)
    shutil.copytree(tmp_path / "copy", board, copy_function=shutil.copy2)
    assert look(board) == NAMES


def test_what_another_user_has_noted_is_not_believed(
    board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor what was put in our place; it is ours by its owner."""
    look(board)
    mine, another = noted(board), os.geteuid() + 1
    shutil.copy(mine, board / f"claims.same-{another}")

    monkeypatch.setattr(os, "geteuid", lambda: another)

    assert look(board) == NAMES


def test_what_was_torn_is_not_believed(board: Path) -> None:
    """Cut anywhere, and what never was ours."""
    look(board)
    whole = noted(board).read_bytes()
    for length in range(len(whole)):
        noted(board).write_bytes(whole[:length])
        one = unchanged.Look(f"{board}/claims", str(board / "tmp"), time.time() + HOUR)
        assert [name for name, _ in one.changed(NAMES)] == NAMES
    for text in (b"\xff\n" + whole, b"\0" * len(whole), whole.replace(b"same 1", b"same 2")):
        noted(board).write_bytes(text)
        one = unchanged.Look(f"{board}/claims", str(board / "tmp"), time.time() + HOUR)
        assert [name for name, _ in one.changed(NAMES)] == NAMES


def test_where_nothing_can_be_written_all_is_read(board: Path) -> None:
    """A board that was moved has a file in place of its scratch folder."""
    (board / "tmp").rmdir()
    (board / "tmp").write_text("moved")

    assert look(board) == NAMES
    assert look(board) == NAMES


def test_on_a_disk_that_may_be_another_machines_all_is_read(
    board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clock is not ours."""
    look(board)

    monkeypatch.setattr(mounts, "is_local", lambda _: False)

    assert look(board) == NAMES


def test_a_noting_that_is_killed_leaves_what_was_known(
    board: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """Before every call that changes the disk; what is left in the scratch folder is swept."""
    deaths = 0
    arguments = [f"{board}/claims", str(board / "tmp")]
    for _ in killed_at_every_call(IMPORT, NOTE, arguments, tmp_path, env):
        deaths += 1
        (board / "claims/s-1" / f"{deaths + 1:08d}").write_text("held")
        time.sleep(TICK)
        assert "s-1" in look(board)
        noted(board).unlink()
    assert deaths >= 3


# What a scope goes through, each with what it makes of it.
def _take(store: Directory, scope: str) -> None:
    claim(store, 0, scope)


def _free(store: Directory, scope: str) -> None:
    release(store, 0, scope)


def _offered(store: Directory, scope: str) -> None:
    claim(store, 1, scope)


def _compacted(store: Directory, scope: str) -> None:
    claims.compact(store, keys.claim(scope))


def _lost_its_top(store: Directory, scope: str) -> None:
    records = list(store.list(keys.claim(scope)))
    if len(records) > 1:
        store.delete(records[-1].key, records[-1].value)


def _tore(store: Directory, scope: str) -> None:
    newest = claims.top(store, scope)
    if newest is not None:
        store.create(keys.event(keys.claim(scope), newest.seq + 1), b"torn")


STEPS = st.lists(
    st.tuples(
        st.sampled_from([_take, _free, _offered, _compacted, _lost_its_top, _tore]),
        st.sampled_from([f"task:{number}" for number in range(3)]),
        st.booleans(),
    ),
    max_size=12,
)


@given(STEPS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_taken_is_what_all_scopes_say(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[tuple[Callable[[Directory, str], None], str, bool]],
) -> None:
    """Whatever happened between the looks, a scope is left out only where it is free."""
    monkeypatch.setattr(directory, "_MANY", 0)
    monkeypatch.setattr(unchanged, "_FEW", 0)
    monkeypatch.setattr(mounts, "is_local", lambda _: True)
    store = Later(str(tmp_path_factory.mktemp("board") / "coord" / "board"))
    for step, scope, looks in steps:
        step(store, scope)
        time.sleep(TICK)
        if looks:
            every = [one for one in claims.tops(store) if _says(one)]
            assert list(claims.taken(store)) == every
            assert list(claims.taken(store)) == every
            time.sleep(TICK)


def _says(event: events.Event) -> bool:
    return bool(event.state.line or event.state.offers)


class Later(Directory):
    """A folder that is looked at when all in it is an hour old."""

    def now(self) -> float:
        """Return the time in an hour."""
        return super().now() + HOUR


def test_free_scopes_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held is read each time, and so is what has changed since."""
    monkeypatch.setattr(directory, "_MANY", 0)
    monkeypatch.setattr(unchanged, "_FEW", 0)
    monkeypatch.setattr(mounts, "is_local", lambda _: True)
    store = Later(str(tmp_path / "coord" / "board"))
    for number in range(5):
        claim(store, 0, f"task:{number}")
    for number in range(4):
        release(store, 0, f"task:{number}")
    time.sleep(TICK)

    def asked() -> list[str]:
        found: list[str] = []

        def is_free(rec: Rec) -> bool:
            found.append(rec.key)
            return not json.loads(rec.value)["state"]["line"]

        list(store.last("claims", but=is_free))
        return found

    assert len(asked()) == 5
    time.sleep(TICK)
    assert asked() == ["claims/s-task=3a4/00000001"]
    claim(store, 0, "task:2")
    assert asked() == ["claims/s-task=3a2/00000003", "claims/s-task=3a4/00000001"]


def test_few_folders_are_read_and_nothing_is_noted(tmp_path: Path) -> None:
    """The board of a small fleet has no such file, and the same answer."""
    store = Later(str(tmp_path / "coord" / "board"))
    for number in range(3):
        claim(store, 0, f"task:{number}")
        release(store, 0, f"task:{number}")
    asked: list[Rec] = []

    assert len(list(store.last("claims", but=lambda rec: bool(asked.append(rec))))) == 3
    assert asked == []
    assert not noted(tmp_path / "coord/board").exists()
