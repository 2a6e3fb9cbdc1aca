"""Presence: signs of life by the store's clock, death and removal at once; nothing freed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.identity import pin
from coord.liveness import beats, clone, machine, mounts, others, presence, process, signs

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
        (private / "commondir").write_text("../..\n")
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {private}\n")
        (private / "gitdir").write_text(f"{tmp_path / name / '.git'}\n")
    return common


def _pinned(common: Path, name: str = "a") -> str:
    made, _ = pin.ensure(str(common / "worktrees" / name), str(common), f"{name}-", RULE)
    return made.instance


def _status(common: Path, instance: str, now: float = NOW, name: str = "a") -> presence.Status:
    return presence.Judge(str(common), now, EXPIRES).of(f"worktrees/{name}", instance)


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


@pytest.mark.parametrize(("ahead", "present"), [(299, True), (86400, False)])
def test_a_sign_from_the_future_counts_while_it_may_be_a_clock_s_error(
    common: Path, ahead: int, *, present: bool
) -> None:
    """A day ahead of the store it would keep somebody present for a day."""
    instance = _pinned(common)
    _seen(common, NOW + ahead)

    found = _status(common, instance)

    assert found.present is present
    if not present:  # nor does it say that nobody was there
        why = "its last sign of life is ahead of the clock"
        assert (found.liveness, found.seen, found.why) == ("silent", None, why)


def test_a_sign_the_hooks_left_counts_for_the_pinned_worker(common: Path) -> None:
    """``: >`` in sh renews it, with no word of who."""
    instance = _pinned(common)
    private = common / "worktrees" / "a"
    subprocess.run(["sh", "-c", ": >coord-seen"], cwd=private, check=True)

    assert _status(common, instance, (private / beats.SEEN).stat().st_mtime + 1).present


def _beaten(common: Path, instance: str, given: signs.Chain, at: float = NOW) -> Path:
    private = common / "worktrees" / "a"
    beats.beat(str(private), instance, given)
    for path in (private / beats.SEEN, *(private / "coord-sessions" / instance).iterdir()):
        os.utime(path, (at, at))
    return private


def test_a_killed_worker_has_left_once_it_is_silent_and_is_never_called_ended(
    common: Path,
) -> None:
    """What it has started in the background may work on: the end of a chain is no proof."""
    instance = _pinned(common)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    _beaten(common, instance, signs.alone(process.of(child.pid)))
    silent = _status(common, instance, NOW + EXPIRES)
    assert (silent.liveness, silent.why) == ("silent", f"{_name(child.pid)} ({child.pid}) lives")

    child.kill()
    child.communicate()

    assert _status(common, instance).present
    assert _status(common, instance, NOW + EXPIRES).liveness == "left"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_was_left_in_another_clone_proves_no_end(common: Path, *, elsewhere: bool) -> None:
    """A private git dir that was copied has the sessions of where it was."""
    clone.own(str(common))
    instance = _pinned(common)
    with subprocess.Popen(["true"]) as child:
        over = process.of(child.pid)
        child.wait()
    private = _beaten(common, instance, signs.alone(over))
    (path,) = (private / "coord-sessions" / instance).iterdir()
    if elsewhere:
        text = path.read_text()
        path.write_text(text.replace(f"clone {clone.known(str(common))}", f"clone {'f' * 32}"))
        os.utime(path, (NOW, NOW))

    found = _status(common, instance, NOW + EXPIRES)

    assert found.liveness == ("unknown" if elsewhere else "left")
    assert found.why == ("recorded in another clone" if elsewhere else found.why)


def _name(pid: int) -> str:
    return process.of(pid).name


def test_what_an_earlier_command_left_alive_keeps_a_session_from_having_left(
    common: Path,
) -> None:
    """A step under nohup outlives the shell that gave the next command."""
    instance = _pinned(common)
    ended = process.own()._replace(start="1")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        step, worker = process.of(child.pid)._replace(name="sh"), ended._replace(name="agent")
        _beaten(common, instance, signs.Chain((step, worker), whole=True))
        _beaten(common, instance, signs.Chain((worker,), whole=True))
        assert _status(common, instance, NOW + EXPIRES).liveness == "silent"

        child.communicate(b"\n")

    assert _status(common, instance, NOW + EXPIRES).liveness == "left"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"host": "elsewhere"}, "recorded on elsewhere: look there"),
        ({"boot": "x pid:[1] time:[1]"}, "in another boot, or by another kernel"),
        ({"boot": machine.boot().replace("pid:", "pid:1")}, "in another namespace of processes"),
        ({"whole": False}, "where not all that stood above it can be seen"),
    ],
)
def test_what_cannot_be_looked_for_is_unknown(
    common: Path, given: dict[str, object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither ended nor left, though no such process is to be seen."""
    instance = _pinned(common)
    whole = bool(given.pop("whole", True))
    for key, text in given.items():
        monkeypatch.setattr(machine, key, lambda text=text: text)
    one = process.own()._replace(start="1")
    _beaten(common, instance, signs.Chain((one,), whole=whole))
    monkeypatch.undo()

    found = _status(common, instance, NOW + EXPIRES)

    assert found.liveness == "unknown"
    assert why in found.why


def test_a_reboot_ends_a_session_if_nobody_else_writes_there(
    common: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same host, another boot, a sign from before it, and no other kernel's since."""
    instance, other, booted = _pinned(common), _pinned(common, "b"), NOW - 60
    monkeypatch.setattr(machine, "boot", lambda: "before pid:[1] time:[1]")
    _beaten(common, instance, signs.alone(process.own()), NOW - 3600)
    monkeypatch.undo()
    monkeypatch.setattr(machine, "booted", lambda: booted)
    monkeypatch.setattr(mounts, "is_local", lambda _: True)
    os.utime(common / "worktrees" / "a" / beats.SEEN, (NOW - 3600, NOW - 3600))
    assert _status(common, instance).liveness == "ended"

    monkeypatch.setattr(machine, "boot", lambda: "third pid:[1] time:[1]")
    beats.beat(str(common / "worktrees" / "b"), other, signs.alone(process.own()))
    monkeypatch.undo()
    monkeypatch.setattr(machine, "booted", lambda: booted)
    monkeypatch.setattr(mounts, "is_local", lambda _: True)
    (theirs,) = (common / "worktrees" / "b" / "coord-sessions" / other).iterdir()
    os.utime(theirs, (NOW, NOW))
    assert _status(common, instance).liveness == "unknown"


def test_a_record_of_a_version_before_is_a_time_and_no_proof(common: Path) -> None:
    """It names no time namespace, and not all that stood above."""
    instance = _pinned(common)
    folder = common / "worktrees" / "a" / beats.BEATS
    folder.mkdir()
    (folder / instance).write_text("coord-beat 1\ncount 0000000001\nhost h\nboot b\npid 4194303\n")
    os.utime(folder / instance, (NOW, NOW))

    assert _status(common, instance).present
    assert _status(common, instance, NOW + EXPIRES).liveness == "unknown"


@pytest.mark.parametrize("how", ["git", "replaced"])
def test_a_worktree_that_git_has_forgotten_is_gone_at_once(common: Path, how: str) -> None:
    """Its private git dir is not there, or another's who left no trace of this one."""
    instance = _pinned(common)
    _seen(common, NOW)
    private = common / "worktrees" / "a"
    if how == "git":
        subprocess.run(["rm", "-r", str(private)], check=True)
    else:
        pin.replace(str(private), str(common), "other", RULE)

    found = _status(common, instance)

    assert found.gone
    assert not found.present


def test_a_worktree_whose_folder_is_not_to_be_seen_is_not_gone(common: Path) -> None:
    """In a container it may only not be mounted; git knows it."""
    instance = _pinned(common)
    _seen(common, NOW)
    subprocess.run(["rm", "-r", str(common.parent / "a")], check=True)

    assert _status(common, instance).present


def test_where_something_may_be_mounted_below_nobody_is_gone(
    common: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty file system over .git/worktrees hides the living."""
    instance = _pinned(common)
    subprocess.run(["rm", "-r", str(common / "worktrees" / "a")], check=True)
    monkeypatch.setattr(mounts, "may_cover", lambda _: True)

    assert _status(common, instance).liveness == "unknown"


def test_whose_worktree_is_another_s_by_now_is_not_gone_while_there_is_a_trace(
    common: Path,
) -> None:
    """Its session may work on, and give its next command there."""
    instance = _pinned(common)
    _beaten(common, instance, signs.alone(process.own()))
    pin.replace(str(common / "worktrees" / "a"), str(common), "other", RULE)

    assert _status(common, instance).present


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
        beats.beat(str(private), f"i-{actor}", signs.alone(process.own()))
    for actor, at in (("one", NOW - 7200), ("two", NOW - 3600)):
        for path in (private / "coord-sessions" / f"i-{actor}").iterdir():
            os.utime(path, (at, at))
    _seen(common, NOW)

    assert not _status(common, "i-one").present
    assert _status(common, "i-two").present


def test_a_session_renews_its_file_where_it_stands_and_mends_a_torn_one(common: Path) -> None:
    """A reader of a torn one knows nothing, and says so."""
    instance, private = _pinned(common), common / "worktrees" / "a"
    for _ in range(3):
        beats.beat(str(private), instance, signs.alone(process.own()))
    (path,) = (private / "coord-sessions" / instance).iterdir()
    assert f"count {3:020}\n" in path.read_text()

    path.write_text(path.read_text()[:-10])
    (found,) = signs.every(str(private), instance)
    assert found.torn
    beats.beat(str(private), instance, signs.alone(process.own()))
    (found,) = signs.every(str(private), instance)
    assert not found.torn
    assert found.chain.links == (process.own(),)


def test_commands_that_are_sessions_of_their_own_fill_no_folder(common: Path) -> None:
    """A sandbox a command has a namespace a command; that one was not to be seen is kept."""
    instance, private = _pinned(common), common / "worktrees" / "a"
    for start in range(2, 30):
        given = signs.Chain((process.own()._replace(start=str(start)),), whole=False)
        beats.beat(str(private), instance, given)

    found = list(signs.every(str(private), instance))

    assert len(found) <= 10
    assert _status(common, instance, NOW * 2).liveness == "unknown"


def test_a_git_dir_that_cannot_be_written_fails_no_command(tmp_path: Path) -> None:
    """Presence is advisory."""
    beats.beat(str(tmp_path / "nowhere"), "i", signs.alone(process.own()))


def test_who_signs_off_has_ended_until_its_next_command(common: Path) -> None:
    """It said so itself."""
    instance, private = _pinned(common), str(common / "worktrees" / "a")
    given = signs.alone(process.own())
    beats.beat(private, instance, given)

    beats.drop(private, instance)
    beats.drop(private, instance)

    assert _status(common, instance) == presence.Status("ended", None, "it has signed off")
    beats.beat(private, instance, given)
    assert _status(common, instance, NOW * 2).liveness == "silent"


def test_who_signs_off_ends_no_other_session_that_lives(common: Path) -> None:
    """Two agents in one worktree: the second one's end is not the first one's."""
    instance, private = _pinned(common), str(common / "worktrees" / "a")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        beats.beat(private, instance, signs.alone(process.of(child.pid)))
        given = signs.alone(process.own())
        beats.beat(private, instance, given)
        stay = [one.name for one in others.living(private, instance, given)]
        beats.drop(private, instance, stay)
        assert _status(common, instance, NOW * 2).liveness == "silent"
        child.communicate(b"\n")


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


def test_no_session_is_forgotten_however_many_there_are(common: Path) -> None:
    """Two that had no file of their own any more shared one, and the first was overwritten."""
    instance = _pinned(common)
    with contextlib.ExitStack() as stack:
        wait = (sys.executable, "-c", "input()")
        many = [
            stack.enter_context(subprocess.Popen(wait, stdin=subprocess.PIPE)) for _ in range(12)
        ]
        for at, one in enumerate(many):
            given = signs.alone(process.of(one.pid))
            _beaten(common, instance, given, NOW - len(many) + at)
        for one in many[1:]:
            one.communicate(b"\n")

        assert _status(common, instance, NOW * 2).liveness == "silent"
        many[0].communicate(b"\n")
    assert _status(common, instance, NOW * 2).liveness == "left"
