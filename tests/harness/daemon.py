"""A git daemon that gives repositories of a folder, and tells which requests came."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ASKED = re.compile(r"Request (upload-pack|receive-pack) for ")


class Daemon:
    """The daemon.

    Attributes:
        url: of the folder, without a slash at its end.
    """

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"git://127.0.0.1:{port}"
        self._log = folder / "daemon.log"
        argv = [
            *("git", "daemon", "--verbose", "--reuseaddr", "--export-all", "--max-connections=0"),
            *("--enable=receive-pack", f"--base-path={folder}", "--listen=127.0.0.1"),
            *(f"--port={port}", str(folder)),
        ]
        with self._log.open("wb") as log:
            self._child = subprocess.Popen(argv, stderr=log, env={"PATH": "/usr/bin:/bin"})
        self._ready()

    @property
    def asked(self) -> list[str]:
        """All requests there were: ``upload-pack`` for a fetch, ``receive-pack`` for a push."""
        return _ASKED.findall(self._log.read_text())

    def close(self) -> None:
        """Serve nobody any more."""
        self._child.terminate()
        self._child.wait()

    def _ready(self) -> None:
        while "Ready to rumble" not in self._log.read_text():
            assert self._child.poll() is None, self._log.read_text()
            time.sleep(0.02)


def serving(folder: Path) -> Iterator[Daemon]:
    """Yield a daemon for the repositories of a folder, and end it."""
    made = Daemon(folder)
    try:
        yield made
    finally:
        made.close()
