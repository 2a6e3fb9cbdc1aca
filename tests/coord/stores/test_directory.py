"""The directory store on real file systems: killed, full, read-only, without links, littered."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events
from coord.board.events import Place
from coord.identity.whoami import Identity
from coord.stores import recordfile
from coord.stores.directory import Directory
from coord.stores.store import Unavailable
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY, VALUE = "claims/s-x/00000001", b"v" * 5000
CREATE = f"Directory(sys.argv[1]).create({KEY!r}, {VALUE!r})"
IMPORT = "from coord.stores.directory import Directory"


def test_create_killed_before_any_write_leaves_a_whole_record_or_none(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """SIGKILL before every call that changes the disk, from nothing and on a board in use."""
    root, deaths = tmp_path / "coord" / "board", 0
    for _ in killed_at_every_call(IMPORT, CREATE, [str(root)], tmp_path, env):
        deaths += 1
        found = Directory(str(root)).read(KEY)
        assert found is None or found.value == VALUE
        again = Directory(str(root)).create(KEY, VALUE)
        assert again.value == VALUE
        shutil.rmtree(root / "claims" if deaths % 2 else root)

    assert deaths >= 8
    assert Directory(str(root)).create(KEY, b"other").value == VALUE


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_create_killed_in_any_system_call_leaves_a_whole_record_or_none(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """The same at the system's own boundary: at the entry of every call of every kind."""
    root, deaths = tmp_path / "coord" / "board", 0
    for call in ("mkdir", "openat", "write", "fsync", "linkat", "unlink,unlinkat", "close"):
        for number in range(1, 50):
            died = _killed(call, number, root, env)
            found = Directory(str(root)).read(KEY)
            assert found is None or found.value == VALUE
            shutil.rmtree(root, ignore_errors=True)
            if not died:
                break
            deaths += 1
    assert deaths >= 15


def _killed(call: str, number: int, root: Path, env: dict[str, str]) -> bool:
    """Create under strace, killed at call `number` of a kind that touches the board's paths."""
    paths = [str(root / name) for name in ("", "tmp", "claims", "claims/s-x", KEY, "clock")]
    watched = [part for path in paths for part in ("-P", path)]
    # A temporary file's name is random: its calls are watched by the whole kind instead.
    only = watched if call in {"openat", "close"} else []
    inject = f"inject={call}:signal=KILL:when={number}"
    program = f"import sys\n{IMPORT}\n{CREATE}"
    argv = ["strace", "-f", "-qq", "-o", "/dev/null", *only, "-e", inject]
    done = subprocess.run(
        [*argv, sys.executable, "-c", program, str(root)],
        env=env,
        capture_output=True,
        check=False,
    )
    return done.returncode != 0


def test_a_claim_killed_at_any_call_leaves_a_scope_that_can_be_read(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """A take-over, notices and all: it happened or not, and who lost it is told only if it did."""
    root = tmp_path / "coord" / "board"
    body = """
me = Identity("b", "i-b", "pinned", 2)
mine = Place("b", "i-b", "feat", "now")
claims.change(Directory(sys.argv[1]), "task:x", me, lambda at: events.taken(at, mine, "because"))
"""
    imports = """
import sys
from coord.board import claims, events, notices
from coord.stores.directory import Directory
from coord.board.events import Place
from coord.identity.whoami import Identity
"""
    outcomes = set()
    _claim(root, "i-a")
    for _ in killed_at_every_call(imports, body, [str(root)], tmp_path, env):
        state = claims.state(Directory(str(root)), "task:x")
        assert state.holder is not None
        outcomes.add(state.holder.instance)
        told = _unread(root, "i-a")
        assert told == (["lost"] if state.holder.instance == "i-b" else [])
        shutil.rmtree(root)
        _claim(root, "i-a")

    assert outcomes == {"i-a", "i-b"}


def _claim(root: Path, instance: str) -> None:
    me = Identity("a", instance, "pinned", 2)
    mine = Place("a", instance, "main", "now")
    claims.change(
        Directory(str(root)), "task:x", me, lambda at: events.joined(at, mine, lambda _: False)
    )


def _unread(root: Path, instance: str) -> list[str]:
    from coord.board import notices  # noqa: PLC0415

    return [notice.kind for notice in notices.unread(Directory(str(root)), instance)]


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system as exFAT or some SMB mounts, which not every CI can mount."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_links")
def test_without_hard_links_one_creator_wins(tmp_path: Path) -> None:
    """By the rename of a folder with one file; nothing is left in between."""
    store = Directory(str(tmp_path / "board"))

    assert store.create(KEY, b"1").value == b"1"
    assert store.create(KEY, b"2").value == b"1"
    assert [rec.value for rec in store.list("claims")] == [b"1"]
    assert os.listdir(tmp_path / "board" / "tmp") == []
    assert store.delete(KEY, b"1") is True
    assert store.read(KEY) is None


def test_both_ways_of_publishing_exclude_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One host mounts it with hard links, one without: still one winner."""
    store = Directory(str(tmp_path / "board"))
    store.create(KEY, b"linked")
    (tmp_path / "temp").write_bytes(b"moved")
    path = str(tmp_path / "board" / KEY)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", _no_link)
        assert recordfile.place(str(tmp_path / "temp"), path) is False
        assert recordfile.place(str(tmp_path / "temp"), path + "2") is True
    assert recordfile.place(str(tmp_path / "temp"), path + "2") is False
    assert os.path.isdir(path + "2")


def _no_link(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "no links here")


@pytest.fixture
def namespaced() -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Run sh in a mount namespace of its own, where that is allowed."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")

    def run(script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False
        )

    return run


def test_on_a_full_disk_nothing_is_half_made(
    tmp_path: Path, namespaced: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    """A real file system without room: the error says so, and neither record nor folder stays."""
    root = tmp_path / "disk" / "board"
    root.parent.mkdir()
    body = f"import sys\n{IMPORT}\nDirectory({str(root)!r}).create({KEY!r}, b'x' * 200_000)"
    done = namespaced(
        f"mount -t tmpfs -o size=64k none {root.parent} && "
        f'{sys.executable} -c "{body}"; cd {root}; find tmp claims -mindepth 1'
    )

    assert "disk-full" in done.stderr
    assert "No space left" in done.stderr
    assert done.stdout == ""


def test_on_a_read_only_board_reading_goes_on(
    tmp_path: Path, namespaced: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    """A sandbox that forbids the common dir: creates are refused by name, reads answered."""
    root = tmp_path / "ro" / "board"
    Directory(str(root)).create(KEY, b"there")
    body = (
        f"import sys\n{IMPORT}\nstore = Directory({str(root)!r})\n"
        f"print(store.read({KEY!r}).value, store.now() > 0)\n"
        "store.create('actors/a-x', b'new')"
    )
    done = namespaced(
        f"mount --bind {root.parent} {root.parent} && mount -o remount,bind,ro {root.parent} && "
        f'{sys.executable} -c "{body}"'
    )

    assert done.stdout == "b'there' True\n"
    assert "not-writable" in done.stderr
    common = root.parent.parent
    assert f"add {common} to the sandbox's writable roots" in done.stderr


@pytest.mark.parametrize("kind", ["empty", "folder", "symlink", "dangling", "pipe", "monster"])
def test_what_is_no_record_is_there_but_says_nothing(tmp_path: Path, kind: str) -> None:
    """Neither absent nor a crash, nor a read that blocks for ever."""
    store = Directory(str(tmp_path / "board"))
    store.create("claims/s-x/00000002", b"other")
    path = tmp_path / "board" / KEY
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "folder":
        path.mkdir()
    elif kind == "symlink":
        path.symlink_to(path.parent / "00000002")
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 30)

    found = store.read(KEY)

    assert found is not None
    assert found.value == b""
    assert store.create(KEY, b"new").value == b""
    assert [rec.key for rec in store.list("claims/s-x")] == [KEY, "claims/s-x/00000002"]


def test_files_that_are_no_keys_are_passed_over(tmp_path: Path) -> None:
    """What a desktop or an editor leaves behind."""
    store = Directory(str(tmp_path / "board"))
    store.create(KEY, b"1")
    for name in (".DS_Store", "00000001~", "README.md", "UPPER"):
        (tmp_path / "board" / "claims" / "s-x" / name).write_text("x")
        (tmp_path / "board" / "claims" / name).write_text("x")

    assert [rec.key for rec in store.list("claims")] == [KEY]


def test_old_litter_of_killed_writers_is_swept(tmp_path: Path) -> None:
    """After an hour, by the store's clock; a writer at work keeps its file."""
    store = Directory(str(tmp_path / "board"))
    store.create(KEY, b"1")
    scratch = tmp_path / "board" / "tmp"
    (scratch / "old").write_text("x")
    (scratch / "folder.d").mkdir()
    (scratch / "folder.d" / "r").write_text("x")
    (scratch / "new").write_text("x")
    now = store.now() or 0
    for name in ("old", "folder.d"):
        os.utime(scratch / name, (now - 3700, now - 3700))

    store.create("claims/s-y/00000001", b"2")

    assert os.listdir(scratch) == ["new"]


def test_a_failed_create_takes_its_folder_away_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a scope that nobody claimed would look like one."""
    store = Directory(str(tmp_path / "board"))
    store.create("actors/a-x", b"1")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", full)

    with pytest.raises(Unavailable, match="No space left"):
        store.create(KEY, b"1")
    assert not (tmp_path / "board" / "claims" / "s-x").exists()
    assert os.listdir(tmp_path / "board" / "tmp") == []
