"""Processes where there is no ``/proc`` (macOS, the BSDs): ``ps``, ``sysctl`` are asked once."""

from __future__ import annotations

import os
import subprocess

_FIELDS = 8  # pid, parent, state, then the start in five words; the program is the rest


def boot() -> str:
    """Return what tells this boot from others, empty where nothing does."""
    return _asked("sysctl", "-n", "kern.boottime").partition("}")[0].lstrip("{ ")


def processes() -> dict[int, tuple[int, str, str, str]]:
    """Return parent, state, start and program of every process by its number."""
    found = {}
    for line in _asked("ps", "-axo", "pid=,ppid=,stat=,lstart=,comm=").splitlines():
        fields = line.split(None, _FIELDS)
        if len(fields) > _FIELDS:
            program = os.path.basename(fields[_FIELDS]).lstrip("-")
            found[int(fields[0])] = (
                int(fields[1]),
                fields[2][0],
                " ".join(fields[3:_FIELDS]),
                program,
            )
    return found


def _asked(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")
