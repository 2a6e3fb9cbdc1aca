"""Paths as git prints them with core.quotePath: plain, or in C notation for odd bytes."""

from __future__ import annotations

import os

_NAMES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_BYTES = {name: byte for byte, name in _NAMES.items()}
_PRINTABLE = range(0x20, 0x7F)


def c_quoted(path: str) -> str:
    """Return `path` as git prints it with core.quotePath: odd bytes in C notation."""
    raw = os.fsencode(path)
    if all(byte in _PRINTABLE and byte not in _NAMES for byte in raw):
        return path
    return '"' + "".join(_quoted_byte(byte) for byte in raw) + '"'


def _quoted_byte(byte: int) -> str:
    if byte in _NAMES:
        return "\\" + _NAMES[byte]
    return chr(byte) if byte in _PRINTABLE else f"\\{byte:03o}"


def c_unquoted(text: str) -> str:
    """Return the path that :func:`c_quoted`, git or a driver wrote.

    Raises:
        ValueError: an escape that stands for no byte; nobody of them wrote that.
    """
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    raw, at, text = bytearray(), 0, text[1:-1]
    while (slash := text.find("\\", at)) >= 0:
        raw += os.fsencode(text[at:slash])
        digits = text[slash + 1 : slash + 4]
        if digits.isdigit():
            raw.append(int(digits, 8))
            at = slash + 1 + len(digits)
        else:
            raw.append(_BYTES.get(digits[:1], ord("\\")))
            at = slash + 2
    return os.fsdecode(bytes(raw) + os.fsencode(text[at:]))
