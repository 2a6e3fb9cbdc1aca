"""Files that are absent or whole, whoever races and whenever we are killed."""

from __future__ import annotations

import errno
import multiprocessing
import os
from typing import TYPE_CHECKING

import pytest

from coord.base import publish
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from pathlib import Path


def _race(path: str, number: int, start: object, wins: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    if publish.create(path, f"writer {number}\n".encode() * 50):
        wins.put(number)  # type: ignore[attr-defined]


def test_of_many_creators_exactly_one_wins_and_its_bytes_stand(tmp_path: Path) -> None:
    """create(2)-only: 16 processes, one winner, its record whole."""
    context = multiprocessing.get_context("fork")
    for round_ in range(20):
        path = str(tmp_path / f"record{round_}")
        start, wins = context.Barrier(16), context.Queue()
        racers = [context.Process(target=_race, args=(path, n, start, wins)) for n in range(16)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()

        winner = wins.get(timeout=5)

        assert wins.empty()
        assert (tmp_path / f"record{round_}").read_bytes() == f"writer {winner}\n".encode() * 50
        assert not list(tmp_path.glob("*.tmp-*"))


def test_create_killed_at_any_call_leaves_the_file_absent_or_whole(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """SIGKILL before every system call of a create: no empty, no torn record."""
    path = tmp_path / "record"
    deaths = 0
    for _ in killed_at_every_call(
        "from coord.base import publish",
        "publish.create(sys.argv[1], b'x' * 5000)",
        [str(path)],
        tmp_path,
        env,
    ):
        deaths += 1
        if path.exists():
            assert path.read_bytes() == b"x" * 5000
            path.unlink()

    assert deaths >= 6
    assert path.read_bytes() == b"x" * 5000


def test_replace_killed_at_any_call_leaves_the_old_or_the_new(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """SIGKILL before every system call of a replace: the old bytes or the new ones."""
    path = tmp_path / "file"
    deaths = 0
    path.write_bytes(b"old")
    for _ in killed_at_every_call(
        "from coord.base import publish",
        "publish.replace(sys.argv[1], b'new' * 2000)",
        [str(path)],
        tmp_path,
        env,
    ):
        deaths += 1
        assert path.read_bytes() in {b"old", b"new" * 2000}
        path.write_bytes(b"old")

    assert deaths >= 5
    assert path.read_bytes() == b"new" * 2000


def test_without_hard_links_create_still_lets_one_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ExFAT and some SMB mounts answer EPERM to link(2); no such mount can be had in every CI."""

    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)

    assert publish.create(str(tmp_path / "a"), b"1") is True
    assert publish.create(str(tmp_path / "a"), b"2") is False
    assert (tmp_path / "a").read_bytes() == b"1"
    assert os.listdir(tmp_path) == ["a"]


def test_replace_puts_a_file_in_place_of_a_symlink(tmp_path: Path) -> None:
    """A symlink where we write is replaced, never followed out of the folder."""
    (tmp_path / "outside").write_text("keep")
    (tmp_path / "link").symlink_to("outside")

    publish.replace(str(tmp_path / "link"), b"new")

    assert (tmp_path / "outside").read_text() == "keep"
    assert not (tmp_path / "link").is_symlink()


def test_a_dangling_symlink_counts_as_taken(tmp_path: Path) -> None:
    """Create-only means the name, not what a link leads to."""
    (tmp_path / "link").symlink_to("nowhere")

    assert publish.create(str(tmp_path / "link"), b"x") is False


def _hold(path: str, inside: object, done: object) -> None:
    with publish.lock(path):
        inside.set()  # type: ignore[attr-defined]
        done.wait()  # type: ignore[attr-defined]


def test_a_lock_is_free_again_when_its_holder_is_killed(tmp_path: Path) -> None:
    """Flock dies with the process: no stale lock to explain."""
    context = multiprocessing.get_context("fork")
    path = str(tmp_path / "folder" / "lock")
    inside, done = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(path, inside, done))
    holder.start()
    inside.wait()
    holder.kill()
    holder.join()

    with publish.lock(path):
        pass


def test_a_full_disk_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENOSPC at the write: the error comes up, the folder is as it was."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)

    with pytest.raises(OSError, match="No space"):
        publish.create(str(tmp_path / "a"), b"1")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("folder", "lock"), [(0o700, 0o600), (0o755, 0o600), (0o777, 0o666)])
def test_a_lock_is_for_all_who_may_write_in_its_folder(
    tmp_path: Path, folder: int, lock: int
) -> None:
    """Whatever the umask of who came first: another who cannot open it could not write at all."""
    tmp_path.chmod(folder)
    before = os.umask(0o077)
    try:
        os.close(publish.opened(str(tmp_path / "lock")))
    finally:
        os.umask(before)

    assert (tmp_path / "lock").stat().st_mode & 0o777 == lock
