"""Presence: signs of life by the store's clock, death and removal at once; nothing freed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.identity import pin
from coord.liveness import beats, presence, process
from coord.liveness.process import Process

if TYPE_CHECKING:
    from pathlib import Path

EXPIRES, NOW = 1800.0, 1_800_000_000.0
RULE = pin.Authorship("{actor}", "", keep=True)


@pytest.fixture
def common(tmp_path: Path) -> Path:
    """A common git dir with one linked worktree, as git lays them out."""
    common = tmp_path / "r.git"
    for name in ("a", "b"):
        private = common / "worktrees" / name
        private.mkdir(parents=True)
        (private / "HEAD").write_text(f"ref: refs/heads/{name}\n")
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {private}\n")
        (private / "gitdir").write_text(f"{tmp_path / name / '.git'}\n")
    return common


def _pinned(common: Path, name: str = "a") -> str:
    made, _ = pin.ensure(str(common / "worktrees" / name), str(common), f"{name}-", RULE)
    return made.instance


def _status(common: Path, instance: str, now: float = NOW, name: str = "a") -> presence.Status:
    return presence.status(str(common), f"worktrees/{name}", instance, now, EXPIRES)


def _seen(common: Path, at: float, name: str = "a") -> None:
    path = common / "worktrees" / name / beats.SEEN
    path.touch()
    os.utime(path, (at, at))


@pytest.mark.parametrize(
    ("minutes", "present"), [(0, True), (29, True), (31, False), (1500, False)]
)
def test_half_an_hour_of_silence_ends_presence(
    common: Path, minutes: int, *, present: bool
) -> None:
    """By the age of the file alone; no clock of a writer's has a say."""
    instance = _pinned(common)
    _seen(common, NOW - minutes * 60)

    found = _status(common, instance)

    assert found.present is present
    assert found.seen == NOW - minutes * 60
    assert not found.gone
    assert not found.dead


def test_a_sign_from_the_future_counts_as_one(common: Path) -> None:
    """The clock was set back: who was just here must not be open to a take-over for it."""
    instance = _pinned(common)
    _seen(common, NOW + 86400)

    assert _status(common, instance).present


def test_a_sign_the_hooks_left_counts_for_the_pinned_worker(common: Path) -> None:
    """``: >`` in sh renews it, with no word of who."""
    instance = _pinned(common)
    private = common / "worktrees" / "a"
    subprocess.run(["sh", "-c", ": >coord-seen"], cwd=private, check=True)

    assert _status(common, instance, (private / beats.SEEN).stat().st_mtime + 1).present


def test_a_killed_worker_is_dead_at_once(common: Path) -> None:
    """Its last command left the process; half an hour need not pass."""
    instance = _pinned(common)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    link = process._look()(child.pid)
    assert link is not None
    private = str(common / "worktrees" / "a")
    beats.beat(private, instance, process.recorded(link))
    now = os.stat(os.path.join(private, beats.SEEN)).st_mtime
    assert _status(common, instance, now).present

    child.kill()
    child.communicate()

    found = _status(common, instance, now)
    assert found.dead
    assert not found.present


def test_the_next_command_of_a_new_process_is_life_again(common: Path) -> None:
    """A harness was started anew in the same worktree."""
    instance, private = _pinned(common), str(common / "worktrees" / "a")
    beats.beat(private, instance, process.own()._replace(start="1"))
    assert _status(common, instance).dead

    beats.beat(private, instance, process.own())

    assert not _status(common, instance).dead


@pytest.mark.parametrize("how", ["git", "rm", "replaced"])
def test_a_removed_worktree_is_gone_at_once(common: Path, how: str) -> None:
    """By git, by hand, or another worker's by now."""
    instance = _pinned(common)
    _seen(common, NOW)
    private = common / "worktrees" / "a"
    if how == "git":
        subprocess.run(["rm", "-r", str(private)], check=True)
    elif how == "rm":
        subprocess.run(["rm", "-r", str(common.parent / "a")], check=True)
    else:
        pin.replace(str(private), str(common), "other", RULE)

    found = _status(common, instance)

    assert found.gone
    assert not found.present


def test_a_locked_worktree_on_a_disk_that_is_out_is_not_gone(common: Path) -> None:
    """Git worktree lock says that the folder will come back."""
    instance = _pinned(common)
    (common / "worktrees" / "a" / "locked").write_text("usb\n")
    subprocess.run(["rm", "-r", str(common.parent / "a")], check=True)

    assert not _status(common, instance).gone


def test_an_unreadable_pin_makes_nobody_gone(common: Path) -> None:
    """Who is not known is not called gone."""
    instance = _pinned(common)
    (common / "worktrees" / "a" / pin.PIN).write_text("torn")

    assert not _status(common, instance).gone


def test_without_a_pin_each_worker_has_its_own_signs(common: Path) -> None:
    """Two explicit actors in one worktree; the hooks' sign is the last commander's."""
    private = common / "worktrees" / "a"
    (private / beats.MINTED).mkdir()
    for actor in ("one", "two"):
        (private / beats.MINTED / actor).write_text(f"i-{actor}\n")
        beats.beat(str(private), f"i-{actor}", process.own())
    for actor, at in (("one", NOW - 7200), ("two", NOW - 3600)):
        os.utime(private / beats.BEATS / f"i-{actor}", (at, at))
    _seen(common, NOW)

    assert not _status(common, "i-one").present
    assert _status(common, "i-two").present


def test_beats_are_counted_and_name_the_worker(common: Path) -> None:
    """In place while nothing else changes; whole again after anything."""
    private = str(common / "worktrees" / "a")
    path = os.path.join(private, beats.BEATS, "i")
    for _ in range(3):
        beats.beat(private, "i", process.own())
    assert "count 0000000003\n" in _text(path)

    other = Process("h", "b", 5, "6", "odd\nname")
    beats.beat(private, "i", other)
    assert "count 0000000004\n" in _text(path)
    assert beats.worker_of(private, "i") == other._replace(name="odd name")

    with open(path, "wb") as file:
        file.write(b"torn")
    assert beats.worker_of(private, "i") is None
    beats.beat(private, "i", other)
    assert "count 0000000001\n" in _text(path)


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_a_git_dir_that_cannot_be_written_fails_no_command(tmp_path: Path) -> None:
    """Presence is advisory."""
    beats.beat(str(tmp_path / "nowhere"), "i", process.own())


def test_who_leaves_takes_its_signs_along(common: Path) -> None:
    """``sign-off`` drops presence."""
    instance, private = _pinned(common), str(common / "worktrees" / "a")
    beats.beat(private, instance, process.own())

    beats.drop(private, instance)
    beats.drop(private, instance)

    assert _status(common, instance).seen is None


def test_acting_is_told_from_files_alone(common: Path) -> None:
    """The pin's, else the explicit actor's, else the only one there is."""
    private = common / "worktrees" / "b"
    assert beats.acting(str(private), None) is None
    (private / beats.MINTED).mkdir()
    (private / beats.MINTED / "one").write_text("i-one\n")
    assert beats.acting(str(private), None) == "i-one"
    (private / beats.MINTED / "two").write_text("i-two\n")
    assert beats.acting(str(private), None) is None
    assert beats.acting(str(private), "two") == "i-two"
    instance = _pinned(common, "b")
    assert beats.acting(str(private), "two") == instance
