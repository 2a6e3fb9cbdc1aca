"""Plans are staged whole before anything is renamed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment
from coord.installer import apply, steps
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path


def test_what_cannot_be_staged_changes_nothing(tmp_path: Path) -> None:
    """The last step fails: the folders and files staged before it are gone again."""
    (tmp_path / "there").write_text("old")
    before = snapshot(tmp_path)
    plan = [
        steps.Folder(str(tmp_path / "new")),
        steps.Write(str(tmp_path / "new" / "file"), b"x", 0o666),
        steps.Write(str(tmp_path / "there"), b"new", 0o666),
        steps.Drop(str(tmp_path / "there")),
        steps.Write(str(tmp_path / "missing" / "file"), b"x", 0o666),
    ]

    with pytest.raises(Environment) as refused:
        apply.apply(plan, str(tmp_path), again="again")

    assert refused.value.rule == "system-error"
    assert snapshot(tmp_path) == before


def test_an_edit_keeps_the_mode_whatever_the_umask(tmp_path: Path) -> None:
    """The file belongs to others; only its text is ours to change."""
    file = tmp_path / "file"
    file.write_bytes(b"a\n")
    file.chmod(0o664)
    old = os.umask(0o077)
    try:
        edit = steps.Edit(str(file), lambda text: (text or b"") + b"b\n", "x")
        apply.apply([edit], str(tmp_path), again="")
    finally:
        os.umask(old)

    assert file.read_bytes() == b"a\nb\n"
    assert file.stat().st_mode & 0o777 == 0o664


def test_an_edit_never_reads_through_a_link(tmp_path: Path) -> None:
    """Somebody put it there after the plan was made."""
    (tmp_path / "outside").write_text("secret\n")
    (tmp_path / "link").symlink_to("outside")

    with pytest.raises(Environment):
        apply.apply(
            [steps.Edit(str(tmp_path / "link"), lambda text: (text or b"") + b"x", "x")],
            str(tmp_path),
            again="",
        )

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "outside").read_text() == "secret\n"


def test_an_edit_that_leaves_nothing_deletes_the_file(tmp_path: Path) -> None:
    """None is "no such file", in both directions."""
    file = str(tmp_path / "file")

    apply.apply([steps.Edit(file, lambda _: b"x", "x")], str(tmp_path), again="")
    assert os.path.exists(file)
    apply.apply([steps.Edit(file, lambda _: None, "x")], str(tmp_path), again="")

    assert not os.path.exists(file)


def test_the_config_is_edited_under_gits_own_lock(tmp_path: Path) -> None:
    """`git config` of anybody else fails meanwhile rather than lose a value."""
    file = tmp_path / "config"
    file.write_bytes(b"a\n")
    file.chmod(0o640)
    held: list[bool] = []

    def change(text: bytes | None) -> bytes:
        held.append((tmp_path / "config.lock").exists())
        return (text or b"") + b"b\n"

    edit = steps.Edit(str(file), change, "x", locked=True)
    apply.apply([edit], str(tmp_path), again="")

    assert held == [True]
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.read_bytes() == b"a\nb\n"
    assert not (tmp_path / "config.lock").exists()


def test_a_folder_of_somebody_else_is_left(tmp_path: Path) -> None:
    """Something is in it that is not ours."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "theirs").touch()

    apply.apply([steps.Leave(str(tmp_path / "hooks"))], str(tmp_path), again="")

    assert (tmp_path / "hooks" / "theirs").exists()


def test_one_installer_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second waits, and says so when it takes too long; no lock file stays."""
    monkeypatch.setattr(apply, "_PATIENCE", 0.2)

    with (
        apply.alone(str(tmp_path), again="coord-install"),
        pytest.raises(Environment) as refused,
        apply.alone(str(tmp_path), again="again"),
    ):
        pass

    assert (refused.value.rule, refused.value.run) == ("locked", "again")
    assert list(tmp_path.iterdir()) == []
    with apply.alone(str(tmp_path), again=""):
        pass
