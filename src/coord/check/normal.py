"""Texts without what git converts on its own: line ends, ``ident`` lines, UTF-16.

A merge with ``merge.renormalize``, or a side that was checked out and added again, holds a parent's
file so. What a filter makes of a text only a clone with that filter knows.
"""

from __future__ import annotations

import codecs
import re

_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def normal(text: bytes) -> bytes:
    """Return a text as git would hold it if all these conversions were declared."""
    if text.startswith(_UTF16):
        text = text.decode("utf-16", "replace").encode()
    return _IDENT.sub(b"$Id$", text.replace(b"\r\n", b"\n"))
