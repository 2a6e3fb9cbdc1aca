"""The file of an identifier: who claimed it, and something no other claim holds.

Without that, two people who claim one number with the same bytes would both own it: git merges an
identical addition without a word. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from coord.ids import claimtext

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = claimtext.FOLDER.decode().rstrip("/")
SUFFIX = ".toml"
_FIELD = re.compile(
    r"""^[ \t]*["']?(id|actor|owner|instance|created|nonce)["']?[ \t]*[:=]"""
    r"""[ \t]*["']?([^"'\r\n]*)""",
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
    found = _FIELD.findall(text.decode("utf-8", "replace"))
    return {
        key: value.strip().rstrip(",") for key, value in reversed(found)
    }  # the first one counts


def claimant(text: bytes, found: Mapping[str, str] | None = None) -> str:
    """Return whose claim it is, as the driver names it: actor, owner, or the first line.

    Args:
        text: the claim.
        found: its :func:`fields`, where they are known.
    """
    found = fields(text) if found is None else found
    whose = found.get("actor") or found.get("owner")
    if not whose:
        lines = text.decode("utf-8", "replace").split("\n")
        whose = next((line for line in lines if line.strip()), "").strip()
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
