"""How the identifiers of a namespace are spelled: ``HW-DR-{n:04}`` ↔ ``HW-DR-0054``. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

LIMIT = 100
_SPEC = re.compile(r"(?P<prefix>[^{}]*)\{n(?::0(?P<width>[1-9])d?)?\}(?P<suffix>[^{}]*)")
_LITERAL = re.compile(r"[A-Za-z0-9._-]*")
_NAMESPACE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
_DIGITS = 9  # of a number; what has more is a date or a hash
#: What no number of a series reaches.
MOST = 10**_DIGITS


class Invalid(ValueError):
    """A format or namespace cannot be used; the argument says why."""


class Format(NamedTuple):
    """Text before and after a number that is padded with zeros to `width`."""

    prefix: str
    width: int
    suffix: str

    def text(self, number: int) -> str:
        """Return the identifier with `number`."""
        return f"{self.prefix}{number:0{self.width}d}{self.suffix}"

    def number(self, text: str) -> int | None:
        """Return the number of an identifier, however its case and zeros are; None: not of these.

        File systems fold case, and people leave zeros out: such a spelling takes the number too.
        """
        end = len(text) - len(self.suffix)
        digits = text[len(self.prefix) : end]
        if text[: len(self.prefix)].casefold() != self.prefix.casefold():
            return None
        if text[max(end, 0) :].casefold() != self.suffix.casefold() or len(digits) > _DIGITS:
            return None
        return int(digits) if digits.isascii() and digits.isdigit() else None


def parsed(spec: str) -> Format:
    """Return the format that `spec` describes: plain text and one ``{n}`` or ``{n:04}``.

    Raises:
        Invalid: it would not give each number one file name of its own.
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise Invalid("it needs exactly one {n}, or {n:04} for at least four digits")
    prefix, suffix = match["prefix"], match["suffix"]
    faults = (
        (not _LITERAL.fullmatch(prefix + suffix), "besides {n} it may hold A-Z a-z 0-9 . _ -"),
        (prefix[-1:].isdigit() or suffix[:1].isdigit(), "no digit may stand next to {n}"),
        (prefix[:1] in {".", "-"}, "an identifier begins with a letter or digit"),
        (suffix[-1:] == ".", "an identifier does not end in a dot"),
        (len(prefix + suffix) > LIMIT, f"it is longer than {LIMIT} characters"),
    )
    for is_so, why in faults:
        if is_so:
            raise Invalid(why)
    return Format(prefix, int(match["width"] or 1), suffix)


def require_namespace(name: str) -> None:
    """Insist that `name` can be a folder everywhere and the beginning of an identifier.

    Raises:
        Invalid: it cannot.
    """
    if not _NAMESPACE.fullmatch(name):
        raise Invalid(
            "a namespace is 1 to 64 of A-Z a-z 0-9 . _ - and begins with a letter or digit"
        )


def default(namespace: str) -> Format:
    """Return the format of a namespace that declares none: ``NS-0001``."""
    return Format(f"{namespace}-", 4, "")


def guessed(stem: str) -> Format:
    """Return the format that `stem` seems to follow: its last number counts, or one is added."""
    match = re.fullmatch(rf"(?s)(.*?)([0-9]{{1,{_DIGITS}}})([^0-9]*)", stem)
    if match is None or match[1][-1:].isdigit():
        return Format(f"{stem}-", 1, "")
    return Format(match[1], len(match[2]), match[3])
