"""Commits rebuilt with another signature: pure, on raw commit objects.

Nothing but what must change is touched: trees, dates, messages, encodings and headers nobody here
has heard of stay byte for byte. A signature over the old bytes is dropped; it would be false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.identity.outgoing import Commit

_SIGNATURES = (b"gpgsig", b"gpgsig-sha256")


class Change(NamedTuple):
    """Which signatures of a commit are to become the pinned identity."""

    author: bool = False
    committer: bool = False


def affected(chain: Iterable[Commit], changed: Iterable[str]) -> list[str]:
    """Return the ids in `chain` (parents first) that change, or descend from one that does."""
    seen, order = set(changed), []
    for commit in chain:
        if commit.id in seen or any(parent in seen for parent in commit.parents):
            seen.add(commit.id)
            order.append(commit.id)
    return order


def rewritten(
    raw: bytes, parents: Mapping[str, str], who: tuple[str, str], change: Change
) -> bytes:
    """Return a commit object with its parents mapped and its signatures set to `who`."""
    header, blank, message = raw.partition(b"\n\n")
    lines: list[bytes] = []
    dropping = False
    name = signature(who, encoding(header))
    for line in header.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key:  # a line that starts with a space continues the header above it
            dropping = key in _SIGNATURES
        if dropping:
            continue
        if key == b"parent":
            lines.append(b"parent " + parents.get(value.decode(), value.decode()).encode())
        elif (key == b"author" and change.author) or (key == b"committer" and change.committer):
            lines.append(key + b" " + name + value[value.rfind(b">") + 1 :])
        else:
            lines.append(line)
    return b"\n".join(lines) + blank + message


def unsigned(raw: bytes) -> bytes:
    """Return a commit object without its signature."""
    return rewritten(raw, {}, ("", ""), Change())


def encoding(header: bytes) -> str:
    """Return the encoding a commit declares for its texts."""
    for line in header.split(b"\n"):
        if line.startswith(b"encoding "):
            return line[9:].decode("ascii", "replace")
    return "utf-8"


def signature(who: tuple[str, str], codec: str) -> bytes:
    """Return ``NAME <EMAIL>`` in a commit's encoding; UTF-8 where that cannot hold it."""
    text = f"{who[0]} <{who[1]}>"
    try:
        return text.encode(codec)
    except (LookupError, UnicodeEncodeError):
        return text.encode("utf-8", "surrogateescape")


def is_signed(raw: bytes) -> bool:
    """Tell whether a commit object carries a signature of its own."""
    header = b"\n" + raw.partition(b"\n\n")[0]
    return any(b"\n" + key + b" " in header for key in _SIGNATURES)


def subject(raw: bytes) -> str:
    """Return the first line of a commit's message."""
    message = raw.partition(b"\n\n")[2].lstrip(b"\n")
    return message.partition(b"\n")[0].decode("utf-8", "surrogateescape")
