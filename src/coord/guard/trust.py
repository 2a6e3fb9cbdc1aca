"""Which producer commands this clone has accepted.

A producer is code with the trust of building the tree, and it comes from a committed file: a text
that nobody here has accepted yet is shown and refused. Kept beside the hooks, in the folder that
sandboxes of agents do not let them write.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from coord.base import peerfile, publish, sharing

if TYPE_CHECKING:
    from collections.abc import Iterable


_MOST = 1 << 20  # bytes: 16,000 texts


def is_accepted(common_dir: str, command: str) -> bool:
    """Tell whether the producer text `command` was accepted in this clone."""
    return _digest(command) in _read(common_dir)


def unknown(common_dir: str, commands: Iterable[str]) -> list[str]:
    """Return those of some producer texts that were not accepted in this clone, each once."""
    known = _read(common_dir)
    return [text for text in dict.fromkeys(commands) if _digest(text) not in known]


def accept(common_dir: str, commands: Iterable[str]) -> None:
    """Accept producer texts for this clone; accepted ones stay accepted.

    Raises:
        OSError: ``hooks/coord`` cannot be written.
    """
    known = _read(common_dir)
    new = known | {_digest(command) for command in commands}
    if new != known:
        text = "".join(f"{digest}\n" for digest in sorted(new))
        publish.replace(_path(common_dir), text.encode(), share=sharing.as_config(common_dir))


def _path(common_dir: str) -> str:
    return os.path.join(common_dir, "hooks", "coord", "trusted")


def _read(common_dir: str) -> set[str]:
    try:
        text = peerfile.read(_path(common_dir), _MOST)
    except OSError:  # what cannot be read accepts nothing; the next consent writes it anew
        return set()
    return set(text.decode("ascii", "replace").split())


def _digest(command: str) -> str:
    return hashlib.sha256(command.encode("utf-8", "surrogateescape")).hexdigest()
