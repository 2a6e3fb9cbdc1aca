"""Sections of ``.coord.toml`` that modules of their own read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.settings import config
from coord.settings.section import Section
from coord.settings.sections import ConfigInvalid

if TYPE_CHECKING:
    from pathlib import Path


def test_a_section_of_another_module_is_read_with_the_rest_checked(tmp_path: Path) -> None:
    """Texts under known keys; a fault names its line, whoever finds it."""
    file = tmp_path / config.FILE
    file.write_text('[id.HW]\nformat = "HW-{n}"\n\n[id."a b"]\n')
    section = Section(str(tmp_path), "id")

    assert section.tables(("format",)) == {"HW": {"format": "HW-{n}"}, "a b": {"format": None}}
    assert section.invalid("a b", "format", "why").line == 4
    file.write_text("[id.HW]\nformat = 7\n")
    with pytest.raises(ConfigInvalid) as caught:
        Section(str(tmp_path), "id").tables(("format",))
    assert caught.value.line == 2
    file.write_text('[id.HW]\nx = "y"\n')
    assert Section(str(tmp_path), "id").tables(("format",)) == {"HW": {"format": None}}
    file.write_text("[nonsense\n")
    with pytest.raises(ConfigInvalid):
        Section(str(tmp_path), "id")
    assert Section(None, "id").tables(("format",)) == {}
