"""The file of an identifier: who claimed it, and something no other claim holds.

Without that, two people who claim one number with the same bytes would both own it: git merges an
identical addition without a word. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from coord.ids import claimtext

FOLDER = claimtext.FOLDER.decode().rstrip("/")
SUFFIX = ".toml"
_FIELD = re.compile(
    rb"""^[ \t]*["']?(id|actor|owner|instance|created|nonce)["']?[ \t]*[:=]"""
    rb"""[ \t]*["']?([^"'\r\n]*)""",
    re.MULTILINE,
)
_WIDTH = 80
LIMIT = 1 << 16  # bytes of a claim that are looked at


class Claim(NamedTuple):
    """What a claim's file says.

    Attributes:
        id: the identifier.
        namespace: what it is counted in.
        actor: who claimed it.
        instance: whose it is; empty for an actor who owns nothing.
        nonce: random.
        created: when, RFC 3339.
    """

    id: str
    namespace: str
    actor: str
    instance: str
    nonce: str
    created: str

    def text(self) -> bytes:
        """Return the file: TOML, one value a line (none of them needs an escape)."""
        fields = self._asdict().items()
        return "".join(f'{key} = "{value}"\n' for key, value in fields if value).encode()


def fields(text: bytes) -> dict[str, str]:
    """Return what a claim of whatever make says of its keys that are looked at."""
    found: dict[str, str] = {}
    for key, value in _FIELD.findall(text):
        found.setdefault(key.decode(), value.decode("utf-8", "replace").strip().rstrip(","))
    return found


def claimant(text: bytes) -> str:
    """Return whose claim it is, as the driver names it: actor, owner, or the first line."""
    found = fields(text)
    first = next((line for line in text.decode("utf-8", "replace").split("\n") if line.strip()), "")
    whose = found.get("actor") or found.get("owner") or first.strip()
    return whose[:_WIDTH] or "unreadable claim"


def renamed(text: bytes, new: str, nonce: str = "") -> bytes:
    """Return the claim under another identifier; everything else stays as it was written.

    Args:
        text: the claim.
        new: its identifier from now on.
        nonce: takes the place of the one it has, or is added.
    """
    text = re.sub(
        rb"""^([ \t]*["']?id["']?[ \t]*[:=][ \t]*["']?)[^"'\r\n,]*""",
        lambda match: match[1] + new.encode("utf-8", "surrogateescape"),
        text,
        count=1,
        flags=re.MULTILINE,
    )
    if not nonce:
        return text
    line = f'nonce = "{nonce}"'.encode()
    if claimtext.has_nonce(text):
        return re.sub(rb"^[ \t]*nonce[ \t]*=.*$", line, text, count=1, flags=re.MULTILINE)
    return text + (b"" if text.endswith(b"\n") or not text else b"\n") + line + b"\n"
