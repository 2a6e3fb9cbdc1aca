"""What each commit changed against each of its parents, by one ``git diff-tree``.

``git log -m`` does not say which parent it compares with. ``diff-tree --stdin`` takes the parent
from the line it is fed, answers in order, and with ``--always`` says so when nothing differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.history.door import Door

_REGULAR = (b"100644", b"100755")


class Change(NamedTuple):
    """A path along one edge from a parent to a commit; None where no regular file is there."""

    old: str | None
    new: str | None


Raw = tuple[bytes, bytes]  # (":MODE MODE ID ID LETTER", path)


def along(door: Door, edges: Sequence[tuple[str, str]], *paths: str) -> Iterator[list[Raw]]:
    """Yield, for each (commit, parent) in order, the raw entries that differ.

    Raises:
        GitError: git could not compare, as where a tree is missing.
    """
    stdin = "".join(f"{commit} {parent}\n" for commit, parent in edges).encode()
    where = ("--", *paths) if paths else ()
    fields = door.fields(
        "diff-tree", "--stdin", "--always", "-r", "--raw", "-z", "--no-renames", "--no-abbrev",
        *where, stdin=stdin,
    )  # fmt: skip
    entries: list[Raw] | None = None
    for field in fields:
        if field.startswith(b":"):
            assert entries is not None  # noqa: S101  # a commit's id comes before its entries
            entries.append((field, next(fields)))
        else:
            if entries is not None:
                yield entries
            entries = []
    if entries is not None:
        yield entries


def change(raw: bytes) -> Change:
    """Return the change that a raw entry stands for."""
    old_mode, new_mode, old, new, _ = raw[1:].split(b" ")
    return Change(
        old.decode() if old_mode in _REGULAR else None,
        new.decode() if new_mode in _REGULAR else None,
    )
