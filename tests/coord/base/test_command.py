"""How ``coord-install`` is called in printed commands."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from coord.base import command
from harness import system_path

if TYPE_CHECKING:
    from harness import Repo


def test_on_path_it_goes_by_its_name(installed: Repo) -> None:
    """The short form, where it works."""
    del installed

    assert command.install("--check") == "coord-install --check"


def test_off_path_it_goes_by_its_own_path(installed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtualenv of its own puts nothing on PATH: a bare name would be pasted in vain."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    called = command.install("--check")

    bare = installed.with_env(PATH=system_path())
    assert called.endswith("coord-install --check")
    assert called.startswith(sys.prefix)
    assert bare.paste(called).code == 0


def test_from_a_hook_it_is_the_interpreter_that_has_installed(installed: Repo) -> None:
    """Hooks run another one; what it prints can be pasted where nothing is on PATH."""
    called = command.recorded(str(installed.common()))

    bare = installed.with_env(PATH=system_path())
    assert sys.prefix in called
    assert bare.paste(f"{called} --check").code == 0
    assert command.recorded(str(installed.path)) == "coord-install"


@pytest.mark.parametrize(
    "verb", ["coord-install --nonsense", "coord-install --check --fleet", "git-coord ship new x"]
)
def test_every_printed_form_is_found_off_path(repo: Repo, verb: str) -> None:
    """Wrong usage, options that clash, a remark: as somebody sees it who has only a virtualenv."""
    bare = repo.with_env(PATH=system_path())
    scripts = os.path.dirname(sys.executable)

    done = bare.paste(f"{scripts}/{verb}")

    printed = re.findall(r"\S*coord-install(?: -\S+)*", done.err)
    assert printed
    assert all(each.startswith(f"{scripts}/") for each in printed if " -" in each)
    assert bare.paste(printed[-1]).code == 0
