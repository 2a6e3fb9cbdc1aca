"""A file of one parent that a merge keeps under another path, as a subtree merge does.

There the same path in both parents is two files: ``LOG`` of a library is no version of ours, and it
is kept whole as ``vendor/lib/LOG``.
"""

from __future__ import annotations

from coord.drivers import law
from coord.drivers.records import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def keeps(
    tree: Mapping[bytes, str],
    path: bytes,
    blob: str,
    holds: Callable[[str], bool],
) -> bool:
    """Tell whether a merge keeps the parent's file `path` under another path.

    Args:
        tree: path → blob of the merge.
        path: where the parent has the file.
        blob: what it has there.
        holds: whether a blob holds all that this one does.
    """
    for other, found in tree.items():
        if other == path:
            continue
        if found == blob or (_is_shifted(other, path) and holds(found)):
            return True
    return False


def holds(kind: str, start: bytes | None, text: bytes, old: bytes) -> bool:
    """Tell whether a text holds everything that another one does."""
    had, has = (count(law.contents(kind, start, one)) for one in (old, text))
    return all(has.get(one, 0) >= copies for one, copies in had.items())


def _is_shifted(one: bytes, other: bytes) -> bool:
    return one.endswith(b"/" + other) or other.endswith(b"/" + one)
