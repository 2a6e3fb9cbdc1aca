"""What a push is about to change, as git tells pre-push on its stdin."""

from __future__ import annotations

from coord.base.frozen import NamedTuple


class Update(NamedTuple):
    """One line of pre-push's stdin; `local` is a ref, or what was typed: ``HEAD~2``, an id."""

    local: str
    tip: str
    remote: str
    old: str


def updates(stdin: bytes) -> list[Update]:
    """Return the refs a push sets, deletions left out."""
    lines = stdin.decode("utf-8", "surrogateescape").split("\n")
    # From the right: the local side may hold spaces, as in HEAD@{1 day ago}.
    fields = [line.rsplit(" ", 3) for line in lines if line.count(" ") >= 3]  # noqa: PLR2004
    found = [Update(*field) for field in fields]
    return [update for update in found if not is_null(update.tip)]


def is_null(commit: str) -> bool:
    """Tell whether an id is the null id, of any hash."""
    return not commit.strip("0")
