"""The two ``include.path`` lines at the end of the repository's config, as text.

They stand last so that the author of a pin wins over an earlier ``user.*``. The paths are relative
to the config file: the repository may move.
"""

from __future__ import annotations

from coord.base import gitconfig
from coord.installer import appended

TARGETS = ("hooks/coord/config", "coord/identities")
_BLOCK = gitconfig.block("include", None, [("path", target) for target in TARGETS]).encode()
# git writes a value without quotes; a tool that rewrote the file may have dropped ours.
_OURS = {
    target.encode(): {f'path = "{target}"'.encode(), f"path = {target}".encode()}
    for target in TARGETS
}


def added(old: bytes | None) -> bytes:
    """Return the config text `old` with both lines; unchanged when it has them."""
    if old is not None and _present(old) == set(_OURS):
        return old
    return appended.added(removed(old), _BLOCK)


def removed(old: bytes | None) -> bytes | None:
    """Return the config text `old` without our lines, and without the section they leave empty."""
    if old is None:
        return None
    texts = appended.split(old)
    ours = {number for number, _ in _found(texts)}
    headers = {number for number in _headers(texts, ours) if _is_left_empty(texts, number, ours)}
    return appended.without(old, ours | headers) or b""


def _present(old: bytes) -> set[bytes]:
    return {target for _, target in _found(appended.split(old))}


def _found(texts: list[bytes]) -> list[tuple[int, bytes]]:
    """Return (index, target) of our lines, wherever git or a person moved them."""
    found, inside = [], False
    for number, line in enumerate(texts):
        word = line.strip()
        if word.startswith(b"["):
            inside = word.lower() == b"[include]"
        elif inside:
            found += [(number, target) for target, forms in _OURS.items() if word in forms]
    return found


def _headers(texts: list[bytes], ours: set[int]) -> set[int]:
    """Return the indexes of the section headers that lines `ours` stand under."""
    found, last = set(), 0
    for number, line in enumerate(texts):
        if line.lstrip().startswith(b"["):
            last = number
        elif number in ours:
            found.add(last)
    return found


def _is_left_empty(texts: list[bytes], header: int, ours: set[int]) -> bool:
    for number in range(header + 1, len(texts)):
        if number in ours:
            continue
        return texts[number].lstrip().startswith(b"[")
    return True
