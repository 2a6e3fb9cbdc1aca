"""How a log is declared: as asked, or as the file is written that the pattern names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.names import quote
from coord.guard import written
from coord.work import trackfaults

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


def looked_at(call: Call, here: Worktree, pattern: str, start: str | None) -> str | None:
    """Return what a record of a log begins with, None: lines, as asked or else as it is written.

    Raises:
        Refused: nothing was asked, and the file is no log.
    """
    text = _head(here.top or here.cwd, pattern)
    if text is None:
        return start
    found = written.how(text)
    if start is not None:
        if found.kind == "changelog":
            again = f"git coord track changelog {quote(pattern)}"
            call.note(f"{found.why}; what people edit is joined as a changelog: {again}")
        return start
    if found.kind != "log":
        raise trackfaults.no_log(pattern, found)
    if found.start is not None or found.unpromised:
        promise = f"; not promised: {found.unpromised}" if found.unpromised else ""
        call.note(f"{found.why}{promise}")
    return found.start


def is_text(top: str, pattern: str) -> bool:
    """Tell whether the file that a pattern names is text; yes where it names none."""
    text = _head(top, pattern)
    return text is None or written.is_text(text)


def _head(top: str, pattern: str) -> bytes | None:
    """Return what the file begins with; None where the pattern names no plain file."""
    path = os.path.join(top, pattern.lstrip("/"))
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    return peerfile.head(path, written.LOOKED_AT)
