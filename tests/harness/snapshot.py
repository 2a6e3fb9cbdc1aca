"""A git dir as it lies on the disk: every file, folder and link with its bytes and mode."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return {path: (type and mode, bytes or link target)} of all that is in `folder`."""
    found: dict[str, tuple[int, bytes]] = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(root, name)
            mode = os.lstat(path).st_mode
            data = b""
            if stat.S_ISLNK(mode):
                data = os.fsencode(os.readlink(path))
            elif stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    data = file.read()
            found[os.path.relpath(path, folder)] = (mode, data)
    return found
