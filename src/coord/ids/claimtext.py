"""Identifiers: one file per id, its path is the id, and no two ids are one after case folding."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from coord.history.problem import printed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

FOLDER = b"coordination/ids/"
_OWN = re.compile(rb"^[ \t]*(?:id|nonce)[ \t]*=.*\n?", re.MULTILINE)
_FIELD = re.compile(  # blanks of one line: 30 KB of empty lines took eight seconds
    rb"""^[ \t]*(id|nonce)[ \t]*=[ \t]*["']([^"'\n]*)["'][ \t\r]*(?:#.*)?$""", re.MULTILINE
)

_ZEROS = re.compile(rb"/0[0-9]*\.toml\0")  # of a number that needs none


class Clash(NamedTuple):
    """An identifier that is not `path`'s alone, and why."""

    path: bytes
    message: str


def is_id(path: bytes) -> bool:
    """Tell whether `path` is in the folder of identifiers."""
    return path.startswith(FOLDER)


def nonce(text: bytes) -> bytes | None:
    """Return what a claim holds that no other one does; None for nothing of the kind."""
    return dict(_FIELD.findall(text)).get(b"nonce")


def has_nonce(text: bytes) -> bool:
    """Tell whether a claim holds something that no other claim does."""
    return nonce(text) is not None


def bare(text: bytes) -> bytes:
    """Return a claim without what another number changes in it: its id, and a nonce it may get."""
    return _OWN.sub(b"", text).rstrip()


def claim_of(text: bytes) -> bytes:
    """Return what makes a claim the same one under any number: its nonce, else all but its id."""
    found = nonce(text)
    return bare(text) if found is None else b"nonce " + found


def has_moved_to(path: bytes, text: bytes, claim: bytes) -> bool:
    """Tell whether the file of another number is the claim that :func:`claim_of` returned.

    A nonce proves it; a claim without one is given one when it moves, for what an actor says of one
    number may be what they say of the next. Documents elsewhere are known by their bytes.
    """
    return (has_nonce(text) or not is_id(path)) and claim in {claim_of(text), bare(text)}


def stem(path: bytes) -> bytes:
    """Return the identifier that a path is."""
    name = path.rpartition(b"/")[2]
    return name.rpartition(b".")[0] or name


def clashes(paths: Iterable[bytes], read: Callable[[bytes], bytes]) -> Iterator[Clash]:
    """Yield every file whose id another file has too, or says it has.

    Args:
        paths: files in the folder of ids, and other write-once files.
        read: returns the content of one.
    """
    ordered = sorted(paths)
    yield from _same_name(ordered)
    yield from _same_content(filter(is_id, ordered), read)


def _same_name(paths: Iterable[bytes]) -> Iterator[Clash]:
    first: dict[str, bytes] = {}
    for path in paths:
        before = first.setdefault(folded(path), path)
        if before != path:
            yield Clash(path, f"the same identifier as {printed(before)}")


def folded(path: bytes) -> str:
    """Return what makes two paths one identifier.

    Case and composition, which file systems fold; of an id also its suffix and leading zeros.
    """
    text = path.decode("utf-8", "surrogateescape")
    if not path.isascii():
        text = unicodedata.normalize("NFC", text)
    text = text.casefold()
    if not is_id(path):
        return text
    folder, _, name = text.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return f"{folder}/{stem.lstrip('0') or '0' if stem.isdecimal() else stem}"


def are_apart(paths: Collection[bytes]) -> bool:
    """Tell whether it is plain at a glance that no two of `paths` are :func:`folded` into one.

    A call for each of a hundred thousand would cost ten times as much.
    """
    all_ = b"\0".join([*paths, b""]).lower()
    if not all_.isascii() or all_.count(b".toml\0") < len(paths) or _ZEROS.search(all_):
        return False
    return len(set(all_.split(b"\0"))) > len(paths)


def _same_content(paths: Iterable[bytes], read: Callable[[bytes], bytes]) -> Iterator[Clash]:
    nonces: dict[bytes, bytes] = {}
    for path in paths:
        fields = dict(_FIELD.findall(read(path)))
        own = stem(path)
        if fields.get(b"id", own) != own:
            yield Clash(path, f"its file says it is {fields[b'id'].decode('utf-8', 'replace')}")
        before = nonces.setdefault(fields[b"nonce"], path) if b"nonce" in fields else path
        if before != path:
            yield Clash(path, f"a copy of {printed(before)}: both hold one nonce")
