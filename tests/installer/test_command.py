"""How ``coord-install`` is called in printed commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from coord.installer import command

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def test_on_path_it_goes_by_its_name(installed: Repo) -> None:
    """The short form, where it works."""
    del installed

    assert command.install("--check") == "coord-install --check"


def test_off_path_it_goes_by_its_own_path(installed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtualenv of its own puts nothing on PATH: a bare name would be pasted in vain."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    called = command.install("--check")

    bare = installed.with_env(PATH="/usr/bin:/bin")
    assert called.endswith("coord-install --check")
    assert called.startswith(sys.prefix)
    assert bare.paste(called).code == 0
