"""The id of a clone: made once, by whoever is first, and proved by the very file alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.liveness import clone, mounts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAKE = "import sys\nfrom coord.liveness import clone\nprint(clone.own(sys.argv[1]))"


@pytest.fixture
def common(tmp_path: Path) -> Path:
    """A common git dir."""
    folder = tmp_path / "repo" / ".git"
    folder.mkdir(parents=True)
    return folder


def made(common: Path) -> str:
    """Return the id of a clone, which it has from now on."""
    found = clone.own(str(common))
    assert clone.is_id(found)
    return found


def copied(common: Path) -> Path:
    """Return a copy beside it, as ``cp -a`` makes one."""
    there = common.parent.parent / "copy"
    shutil.copytree(common.parent, there)
    return there / ".git"


def restored(common: Path) -> Path:
    """Play a backup back over what is there."""
    there = copied(common)
    shutil.rmtree(common)
    return there.rename(common)


def synced(common: Path) -> Path:
    """Copy as rsync does: a file is written beside its place, then renamed; times are kept."""
    there = common.parent.parent / "synced" / ".git"
    (there / "coord").mkdir(parents=True)
    shutil.copy2(common / clone.FILE, there / "coord" / ".clone.x")
    (there / "coord" / ".clone.x").rename(there / clone.FILE)
    return there


def test_nobody_who_only_looks_makes_an_id(common: Path) -> None:
    """A reader leaves a clone as it was."""
    assert clone.read(str(common)) is None
    assert clone.known(str(common)) == ""
    assert list(common.iterdir()) == []


def test_all_who_are_first_at_once_have_one_id(common: Path) -> None:
    """Each would otherwise call the others' workers those of another clone."""
    racers = [
        subprocess.Popen([sys.executable, "-c", MAKE, common], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    found = {racer.communicate()[0].strip() for racer in racers}

    assert found == {made(common)}
    assert [path.name for path in (common / "coord").iterdir()] == ["clone"]


def test_without_hard_links_there_is_one_id_too(
    common: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ExFAT and some SMB have none; what came first stays."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(22, "no links here")

    monkeypatch.setattr(os, "link", refused)
    first = made(common)
    assert made(common) == first
    assert clone.read(str(common)) == clone.Clone(first, proved=True)


@pytest.mark.parametrize("way", [copied, restored, synced])
def test_a_copy_is_noticed_by_its_inode(common: Path, way: Callable[[Path], Path]) -> None:
    """The id is known, and that it is not proved to be this one's."""
    first = made(common)
    there = str(way(common))
    assert clone.read(there) == clone.Clone(first, proved=False)
    assert clone.known(there) == ""


def test_a_moved_one_is_the_same(common: Path) -> None:
    """``mv`` keeps the inode; a repository that moved keeps working."""
    first = made(common)
    there = common.parent.rename(common.parent.parent / "moved") / ".git"
    assert clone.read(str(there)) == clone.Clone(first, proved=True)


def test_another_device_of_the_same_file_is_no_copy(common: Path) -> None:
    """Devices are numbered anew at each boot and mount."""
    first = made(common)
    path = common / "coord" / "clone"
    text = path.read_text()
    path.write_text(text.replace("device ", "device 9"))
    assert clone.read(str(common)) == clone.Clone(first, proved=True)


@pytest.mark.parametrize(
    ("kind", "made_on", "proved"),
    [
        ("ext4", "ext4", False),
        ("vfat", "vfat", True),
        ("fuse.sshfs", "fuse.sshfs", True),
        ("overlay", "overlay", False),
        ("", "", False),
    ],
)
def test_where_inodes_are_made_up_anew_none_of_them_says_anything(
    common: Path, monkeypatch: pytest.MonkeyPatch, kind: str, made_on: str, *, proved: bool
) -> None:
    """Every look would otherwise be at a copy."""
    monkeypatch.setattr(mounts, "kind", lambda _: made_on)
    first = made(common)
    there = copied(common)
    monkeypatch.setattr(mounts, "kind", lambda _: kind)
    assert clone.read(str(there)) == clone.Clone(first, proved=proved)


def test_an_overlay_is_a_copy_of_what_lies_below(
    common: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows the same inode, and keeps what is written there to itself."""
    first = made(common)
    path = common / "coord" / "clone"
    path.write_text(path.read_text().replace("device ", "device 9"))
    monkeypatch.setattr(mounts, "kind", lambda _: mounts.OVERLAY)
    assert clone.read(str(common)) == clone.Clone(first, proved=False)


@pytest.mark.parametrize("text", ["", "coord-clone 1\nid 7\nend\n", "coord-clone 1\nid {id}\n"])
def test_a_torn_file_proves_nothing(common: Path, text: str) -> None:
    """Nothing is decided by what cannot be read; the two answers of a copy mend it."""
    first = made(common)
    (common / "coord" / "clone").write_text(text.format(id=first))
    assert clone.read(str(common)) == clone.Clone("", proved=False)
    assert clone.own(str(common)) == ""
    again = clone.settle(str(common))
    assert clone.read(str(common)) == clone.Clone(again, proved=True)


@pytest.mark.parametrize("plant", ["link", "pipe", "folder"])
def test_what_is_no_file_is_neither_followed_nor_waited_for(
    common: Path, tmp_path: Path, plant: str
) -> None:
    """Whoever can write the common dir can plant it."""
    first = made(common)
    path = common / "coord" / "clone"
    path.rename(tmp_path / "elsewhere")
    if plant == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif plant == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert clone.read(str(common)) == clone.Clone("", proved=False)
    again = clone.settle(str(common))
    assert clone.read(str(common)) == clone.Clone(again, proved=True)
    assert first in (tmp_path / "elsewhere").read_text()


def test_where_no_id_can_be_made_records_have_none(tmp_path: Path) -> None:
    """As those of versions before; whoever writes the record says what is wrong."""
    (tmp_path / "coord").write_text("no folder")
    assert clone.own(str(tmp_path)) == ""


def test_what_may_be_its_own_is_what_names_it_or_on_files_what_names_nobody(
    common: Path, tmp_path: Path
) -> None:
    """Versions before named none; a copy cannot tell, and gives nothing of its files up."""
    first = made(common)
    named = (first, "another", "", None)

    def own(where: Path, *, shared: bool) -> list[bool]:
        return [*map(clone.may_own(str(where), shared=shared), named)]

    assert own(common, shared=False) == [True, False, True, True]
    assert own(common, shared=True) == [True, False, False, False]
    shutil.copytree(common, tmp_path / "copy")
    assert own(tmp_path / "copy", shared=False) == [True] * 4
    assert own(tmp_path / "new", shared=True) == [False] * 4
