"""What ``clone-id`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.work.cloneid import Known


class CloneDocument(TypedDict):
    """Which clone this is.

    Attributes:
        clone: its random id, null where it has none that can be read.
        proved: it is where that id was made, or has none yet; else it is a copy, or was moved or
            restored by copying.
        original: the common git dir of the clone it was copied from, where that is to be found.
        set_aside: where the board that was copied lies now.
    """

    clone: str | None
    proved: bool
    original: str | None
    set_aside: str | None


def document(found: Known) -> CloneDocument:
    """Return which clone this is."""
    return {
        "clone": found.id or None,
        "proved": found.proved,
        "original": found.original,
        "set_aside": found.set_aside,
    }
