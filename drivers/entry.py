"""The one entry of the drivers, started by the sh of a driver line (``drivers/sh``).

Exit 0: joined, %A is written. Exit 3: refused, %A is as it was, and stdout, which that sh reads,
holds the facts. Anything else is a crash, and the sh falls back on a text merge with markers.
"""

from __future__ import annotations

import sys
from posix import _exit, environ, write

from coord.drivers.config import start_of
from coord.drivers.logfile import Logs

REFUSED = 3


def main() -> None:
    """Join the log of ``sys.argv``: ``drivers log real|virtual %O %A %B %P``."""
    depth, base, ours, theirs, path = sys.argv[3:]
    virtual = depth == "virtual"
    logs = None
    try:
        logs = Logs(base, ours, theirs, start_of(path))
        logs.write(logs.joined(virtual=virtual))
    except Exception as error:  # noqa: BLE001 - whatever it is, it ends as a conflict
        _refuse(error, logs)
    _exit(0)  # 0.9 ms less than taking the interpreter down


def _refuse(error: Exception, logs: Logs | None) -> None:
    """Hand the facts over and end."""
    if b"COORD_DEBUG" in environ:
        sys.excepthook(type(error), error, error.__traceback__)
    from coord.drivers.refusal import facts  # noqa: PLC0415 - only when something is refused

    write(1, facts(error, logs))
    _exit(REFUSED)
