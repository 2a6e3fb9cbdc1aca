"""The current folder that was removed: a refusal, and where its command leads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.repo import cwd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A removed folder below a removed folder, in which this process stands."""
    back = os.getcwd()
    folder = tmp_path / "a b" / "c"
    folder.mkdir(parents=True)
    os.chdir(folder)
    folder.rmdir()
    folder.parent.rmdir()
    monkeypatch.setenv("PWD", str(folder))
    yield folder
    os.chdir(back)


def test_a_folder_that_stands_is_no_refusal() -> None:
    """Whatever else was wrong is told by others."""
    assert cwd.gone() is None


def test_the_command_leads_to_the_nearest_folder_above(gone: Path, tmp_path: Path) -> None:
    """Its parent may be gone with it."""
    refused = cwd.gone()

    assert refused is not None
    assert (refused.rule, refused.where, refused.exit_code) == ("folder-gone", str(gone), 3)
    assert refused.run == f"cd {tmp_path}"


def test_a_folder_made_anew_is_gone_back_into(gone: Path) -> None:
    """The shell still stands in the old one; the path is quoted."""
    gone.mkdir(parents=True)
    refused = cwd.gone()

    assert refused is not None
    assert refused.run == f"cd '{gone}'"


@pytest.mark.parametrize("named", ["", "relative/path"])
def test_a_shell_that_names_no_folder(
    gone: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """There is always a root."""
    monkeypatch.setenv("PWD", named)
    refused = cwd.gone()

    assert refused is not None
    assert refused.run == "cd /", gone
