"""Commits as the rules need them, read by one ``git rev-list``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base.cquote import c_quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.history.door import Door

RESOLVED = "Coord-Resolved"
SIGNED = "Signed-off-by"
_KEYS = (RESOLVED, SIGNED, "Co-authored-by", "Co-developed-by")
_TRAILERS = ",".join(f"key={key}" for key in _KEYS)
_FORMAT = (
    "%H %P%x00%an%x00%ae%x00%cn%x00%ce%x00%at %ct%x00%s%x00"
    f"%(trailers:{_TRAILERS},unfold,separator=%x00)"
)
_SQUASHED = "Squashed commit of the following"

Person = tuple[str, str]


class Commit(NamedTuple):
    """One commit.

    Attributes:
        id: full id.
        parents: their ids.
        author: (name, e-mail).
        committer: (name, e-mail).
        origin: what a copy of it keeps: author, author date and subject.
        copied: whether it looks like a copy itself: other dates or people, or a squash's subject.
        trailers: (key, text) of those that the rules know.
    """

    id: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    origin: tuple[Person, str, str]
    copied: bool
    trailers: tuple[tuple[str, str], ...]

    def texts(self, key: str) -> list[str]:
        """Return the texts of the trailers `key`, whatever its case."""
        return [text for name, text in self.trailers if name.lower() == key.lower()]

    def excuses(self, path: bytes) -> bool:
        """Tell whether a trailer ``Coord-Resolved: PATH REASON`` of this commit names `path`."""
        return any(_names(text, path) for text in self.texts(RESOLVED))


def _names(text: str, path: bytes) -> bool:
    plain = os.fsdecode(path)
    forms = (plain, c_quoted(plain), f'"{plain}"')
    return any(text == form or text.startswith(f"{form} ") for form in forms)


def read(door: Door, tips: Sequence[str], hidden: Sequence[str], *paths: str) -> list[Commit]:
    """Return the commits of `tips` that `hidden` does not reach, each before its parents.

    Args:
        door: the repository.
        tips: commit ids.
        hidden: commit ids.
        paths: only commits that differ from a parent there.

    Raises:
        GitError: git could not list them.
    """
    revs = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{rev}\n" for rev in hidden)
    where = ("--full-history", "--", *paths) if paths else ("--",)
    listing = door.tell(
        "rev-list", "--topo-order", "--no-commit-header", "--encoding=none", "--stdin",
        f"--format={_FORMAT}", *where, stdin=revs.encode(),
    )  # fmt: skip
    return [_commit(line) for line in os.fsdecode(listing.out).split("\n") if line]


def _commit(line: str) -> Commit:
    ids, name, email, committer, address, times, subject, *trailers = line.split("\0")
    own, *parents = ids.split()
    written, committed = times.split(" ")
    author, by = (name, email), (committer, address)
    copied = written != committed or author != by or subject.startswith(_SQUASHED)
    pairs = [text.partition(":")[::2] for text in trailers if text]
    known = tuple((key, text.strip()) for key, text in pairs)
    origin = (author, written, subject)
    return Commit(own, tuple(parents), author, by, origin, copied, known)
