"""The merge drivers alone in a repository, without coord-install: what git needs, and no more."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import coord
from coord.drivers.registered import DRIVERS, SCRIPTS

if TYPE_CHECKING:
    from harness.repo import Repo

_ROOT = Path(__file__).parent.parent.parent
_LAUNCH = _ROOT / "hooks" / "sh" / "launch"
_SCRIPTS = _ROOT / "drivers" / "sh"
MACROS = "".join(f"[attr]{name} merge={name}\n" for name in DRIVERS)
PATTERNS = "*.log coord-log\n*.md coord-changelog\n*.lock coord-derived\n*.once coord-once\n"


def add_drivers(
    repo: Repo,
    patterns: str = PATTERNS,
    python: str = os.path.realpath(sys.executable),
    lib: str | None = None,
    repair: str = "echo repaired",
) -> Path:
    """Put launcher, scripts, config and attributes into the common git dir; return hooks/coord."""
    home = repo.common("hooks/coord")
    home.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        shutil.copy(_SCRIPTS / name, home / name)
    text = _LAUNCH.read_text()
    values = {"PYTHON": python, "LIB": lib or library(), "CLI": sys.executable, "REPAIR": repair}
    values |= {"SOURCE": "", "LOOK": ""}
    for name, value in values.items():
        text = text.replace(f"@{name}@", "'" + value.replace("'", "'\\''") + "'")
    (home / "launch").write_text(text)
    for name, driver in DRIVERS.items():
        keys = {"driver": driver.command, "name": driver.about}
        if driver.recursive is not None:
            keys["recursive"] = driver.recursive
        for key, text in keys.items():
            repo.git("config", "-f", str(home / "config"), f"merge.{name}.{key}", text)
    repo.git("config", "include.path", "hooks/coord/config")
    repo.common("info").mkdir(exist_ok=True)
    repo.common("info/attributes").write_text(MACROS + patterns)
    return home


def library() -> str:
    """Return the folder that holds the package under test."""
    found = coord.__file__
    assert found is not None
    return os.path.dirname(os.path.dirname(found))


def records(repo: Repo) -> list[str]:
    """Return the texts of the refusal records of a worktree."""
    folder = repo.private("coord-refused")
    return [file.read_text() for file in sorted(folder.iterdir())] if folder.exists() else []
