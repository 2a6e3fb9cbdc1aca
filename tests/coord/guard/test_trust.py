"""Producers are code: a clone runs only the texts it has accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.guard import trust

if TYPE_CHECKING:
    from pathlib import Path


def test_only_the_accepted_text_is_accepted(tmp_path: Path) -> None:
    """One byte more is another producer."""
    (tmp_path / "hooks" / "coord").mkdir(parents=True)

    assert not trust.is_accepted(str(tmp_path), "make")
    trust.accept(str(tmp_path), ["make", "gen é"])
    trust.accept(str(tmp_path), ["third"])

    assert trust.is_accepted(str(tmp_path), "make")
    assert trust.is_accepted(str(tmp_path), "gen é")
    assert trust.is_accepted(str(tmp_path), "third")
    assert not trust.is_accepted(str(tmp_path), "make ")


def test_accepting_again_writes_nothing(tmp_path: Path) -> None:
    """A second install changes no byte and no time stamp."""
    (tmp_path / "hooks" / "coord").mkdir(parents=True)
    trust.accept(str(tmp_path), ["make"])
    before = (tmp_path / "hooks" / "coord" / "trusted").stat()

    trust.accept(str(tmp_path), ["make"])

    assert (tmp_path / "hooks" / "coord" / "trusted").stat().st_ino == before.st_ino
