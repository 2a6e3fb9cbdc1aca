"""One file for machines where nobody may install: ``python -m coord.installer.onefile FILE``.

It is a zip that Python runs: this package with click and tomli-w, all of them plain Python, and no
pygit2, for which git's own commands stand in. ``python3 FILE [OPTIONS]`` unpacks it into the user's
data folder and calls ``coord-install`` with the options.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from importlib import metadata, resources
from typing import TYPE_CHECKING

from coord.base.errors import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTS = ("git-coord", "click", "tomli-w")
_START = b"#!/usr/bin/env python3\n"


def main(path: str) -> None:
    """Write the file to `path`.

    Raises:
        Environment: this very package was not installed from a wheel.
    """
    with open(path, "wb") as file:
        file.write(_START)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("__main__.py", _unpacker())
            for name, data in _files():
                archive.writestr(f"site/{name}", data)
    os.chmod(path, 0o755)  # noqa: S103  # a program for everybody, like any script on PATH


def _unpacker() -> str:
    return resources.files("coord.installer").joinpath("unpack.py").read_text(encoding="utf-8")


def _files() -> Iterator[tuple[str, bytes]]:
    for part in _PARTS:
        found = metadata.distribution(part)
        if _is_editable(found):
            raise Environment(
                "package-scattered",
                "one file is made of an installed wheel",
                where=part,
                why="an editable install has its modules elsewhere",
                run="python -m build --wheel",
            )
        for file in found.files or ():
            if _is_shipped(file):
                yield file.as_posix(), file.read_binary()


def _is_shipped(file: metadata.PackagePath) -> bool:
    """Tell whether a file goes along: no scripts, bytecode and notes of where this one runs."""
    return ".." not in file.parts and file.suffix != ".pyc" and file.name != "direct_url.json"


def _is_editable(found: metadata.Distribution) -> bool:
    origin = json.loads(found.read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


if __name__ == "__main__":
    main(sys.argv[1])
