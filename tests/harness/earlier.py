"""The package of an earlier commit, laid out as pip does, and upgraded in place as pip does."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.drivers import library

_ROOT = Path(__file__).parent.parent.parent
#: The first commit whose installs have to live on: what it wrote into git dirs stays readable.
COMMIT = "041b6edd1a7cfea6184566500e31889ca65c30dd"
_HOMES = {"src/coord": "", "drivers": "drivers", "hooks": "hooks", "installer": "installer"}
_SCRIPT = """\
#!/bin/sh
'''exec' '{python}' "$0" "$@"
' '''
import sys
from {module} import {function}
sys.exit({function}())
"""


@dataclass(frozen=True)
class Earlier:
    """A virtual environment that holds the earlier package, until it is upgraded.

    Attributes:
        home: the environment.
        scripts: console script → what it calls, as the earlier package declares them.
    """

    home: Path
    scripts: dict[str, str]

    @classmethod
    def install(cls, home: Path) -> Earlier:
        """Make the environment; its dependencies are those of the running one."""
        source = home / "source"
        with tarfile.open(fileobj=io.BytesIO(_archive())) as archive:
            # Debian 12's Python has no filters yet, and later ones warn where none is named.
            named = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(source, **named)  # type: ignore[arg-type]  # noqa: S202
        venv.create(home, symlinks=True)
        declared = tomllib.loads((source / "pyproject.toml").read_text())
        made = cls(home, declared["project"]["scripts"])
        for folder, part in _HOMES.items():
            shutil.copytree(source / folder, made.package / part)
        borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (made.package.parent / "borrowed.pth").write_text("\n".join(sorted(borrowed)))
        for name, called in made.scripts.items():
            module, _, function = called.partition(":")
            text = _SCRIPT.format(python=made.python, module=module, function=function)
            (home / "bin" / name).write_text(text)
            (home / "bin" / name).chmod(0o755)
        return made

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.home / "bin" / "python")

    @property
    def package(self) -> Path:
        """The folder of the package."""
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.home / "lib" / version / "site-packages" / "coord"

    def script(self, name: str) -> str:
        """Return the path of a console script."""
        assert name in self.scripts
        return str(self.home / "bin" / name)

    def upgrade(self) -> None:
        """Put the present package in the place of the earlier one; the scripts stay as they are."""
        shutil.rmtree(self.package)
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(library()) / "coord", self.package, ignore=left_out)


def _archive() -> bytes:
    names = (*_HOMES, "pyproject.toml")
    done = subprocess.run(
        ["git", "archive", COMMIT, *names], cwd=_ROOT, capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("the history of this repository is not here")
    return done.stdout


def without_ours(path: str) -> str:
    """Return a PATH without our scripts: git then finds its alias, and with it the launcher."""
    folders = path.split(os.pathsep)
    return os.pathsep.join(name for name in folders if name != sysconfig.get_path("scripts"))
