"""The message of the commit under way, as git hands it to the hooks."""

from __future__ import annotations

import os

from coord.base import peerfile


def text(path: str) -> bytes:
    """Return the message in `path`; git writes it through a link, so it is read through one.

    Raises:
        OSError: it cannot be read, or is no file.
    """
    return peerfile.read(os.path.realpath(path), peerfile.WHOLE)
