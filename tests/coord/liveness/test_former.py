"""What is taken away of a worker that was: its own alone, whatever a record calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.liveness import former, sessionfile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("instance", ["..", "../hooks", "", ".", "/etc", "a/b"])
def test_an_instance_that_is_a_path_takes_nothing_away(tmp_path: Path, instance: str) -> None:
    """A peer can write such a record of a worker that is gone."""
    for name in ("HEAD", "hooks/kept", f"{sessionfile.FOLDER}/a/b/kept"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    former.disown(str(tmp_path), instance, instance)
    former.forget(str(tmp_path), instance)

    assert not former.is_former(str(tmp_path), instance)
    assert former.newest(str(tmp_path), instance) is None
    assert (tmp_path / "hooks/kept").exists()
    assert (tmp_path / sessionfile.FOLDER / "a/b/kept").exists()


def test_a_link_where_signs_would_be_is_not_followed(tmp_path: Path) -> None:
    """What it leads to is another's."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "kept").touch()
    (tmp_path / sessionfile.FOLDER).mkdir()
    (tmp_path / sessionfile.FOLDER / "a-1").symlink_to(tmp_path / "other")

    former.forget(str(tmp_path), "a-1")

    assert (tmp_path / "other" / "kept").exists()
