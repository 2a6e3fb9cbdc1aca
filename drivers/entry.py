"""The one entry of the drivers, started by the sh of a driver line (``drivers/sh``).

Exit 0: joined, %A is written. Exit 3: refused, %A is as it was, and stdout, which that sh reads,
holds the facts. Anything else is a crash, and the sh falls back on a text merge with markers.

Each conflicted log would start one; from the third on they ask a joiner (`coord.drivers.joiner`).
"""

from __future__ import annotations

import gc
import sys
from posix import _exit, environ, write

from coord.drivers.law import is_document
from coord.drivers.logfile import Logs
from coord.drivers.start import start_of

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from coord.drivers.logfile import Files

REFUSED = 3


def main() -> None:
    """Join the file of ``sys.argv``: ``drivers log|changelog real|virtual %O %A %B %P``."""
    kind, depth, *names, path = sys.argv[2:]
    files = None
    gc.disable()  # nothing here holds cycles; looking for some takes half the time of a large file
    try:
        files = _opened(kind, names, path)
        files.write(files.joined(virtual=depth == "virtual"))
    except Exception as error:  # noqa: BLE001 - whatever it is, it ends as a conflict
        _refuse(error, files, kind)
    _stay()
    _exit(0)  # 0.9 ms less than taking the interpreter down


def _stay() -> None:
    """Let this be the last Python but one that a merge of many logs starts, where that can be."""
    if not environ.get(b"COORD_JOINS"):
        return
    from coord.drivers.joiner import stay  # noqa: PLC0415

    try:
        stay(environ[b"COORD_JOINS"], _opened)
    except Exception:  # noqa: BLE001, S110 - the log is joined; the others have their own Pythons
        pass


def _opened(kind: str, names: list[str], path: str) -> Files:
    base, ours, theirs = names
    start = start_of(path)
    if not is_document(kind, start):
        return Logs(base, ours, theirs, start)
    from coord.drivers.documentfile import Documents  # noqa: PLC0415 - most logs are lines

    return Documents(kind, base, ours, theirs, start)


def _refuse(error: Exception, files: Files | None, kind: str) -> None:
    """Hand the facts over and end."""
    if b"COORD_DEBUG" in environ:
        sys.excepthook(type(error), error, error.__traceback__)
    from coord.drivers.facts import facts  # noqa: PLC0415 - only when something is refused

    write(1, facts(error, files, kind))
    _exit(REFUSED)
