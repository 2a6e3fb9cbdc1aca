"""What is shipped is what is tracked."""

from __future__ import annotations

import os
import subprocess
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import coord

ROOT = Path(__file__).parent.parent
HOMES = {
    "src/coord/": "coord/",
    "hooks/": "coord/hooks/",
    "drivers/": "coord/drivers/",
    "installer/": "coord/installer/",
}


MANUAL = "docs/git-coord.1"
MADE = "coord/_version.py"  # by the build, of the tag


def shipped_name(tracked: str) -> str | None:
    """Return the name of a tracked file inside the wheel, None for what stays at home."""
    if tracked == MANUAL:
        return f"git_coord-{coord.VERSION}.data/data/share/man/man1/git-coord.1"
    for home, package in HOMES.items():
        if tracked.startswith(home):
            return package + tracked.removeprefix(home)
    return None


@pytest.mark.skipif("COORD_WHEEL" not in os.environ, reason="CI names the wheel it has built")
def test_the_wheel_holds_the_tracked_files_and_no_others() -> None:
    """A module or an sh file that is not shipped would fail only at a user's."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    tracked = {shipped_name(name) for name in listing.stdout.split("\0") if name} - {None}

    with zipfile.ZipFile(os.environ["COORD_WHEEL"]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert held == tracked | {MADE}


@pytest.mark.skipif("COORD_WHEEL" not in os.environ, reason="CI names the wheel it has built")
def test_what_is_tested_is_the_wheel() -> None:
    """The checkout is off the import path."""
    assert ROOT not in Path(coord.__file__).parents


@pytest.mark.skipif("COORD_WHEEL" not in os.environ, reason="CI names the wheel it has built")
def test_the_wheel_its_metadata_and_its_commands_say_one_version() -> None:
    """It stands nowhere in the sources: the build has it of the tag."""
    told = subprocess.run(["git-coord", "--version"], capture_output=True, check=True, text=True)

    assert told.stdout == f"git-coord {coord.VERSION}\n"
    assert metadata.version("git-coord") == coord.VERSION
    assert f"-{coord.VERSION}-" in os.environ["COORD_WHEEL"]
