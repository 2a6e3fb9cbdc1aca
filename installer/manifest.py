"""What an install has done, kept beside what it wrote: for ``--check`` and ``--uninstall``.

Written first, with what is going to be there: whoever finds it knows how far to clean up.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from typing import NamedTuple

import coord

FILE = "hooks/coord/manifest"


class Declared(NamedTuple):
    """A file of the worktree that ``--fleet`` wrote.

    Attributes:
        name: its path relative to the top level.
        now: SHA-256 of what was written.
        before: what was there, each byte as a character; None for no file.
    """

    name: str
    now: str
    before: str | None

    @classmethod
    def of(cls, name: str, before: bytes | None, now: bytes) -> Declared:
        """Return what is to be remembered of a file."""
        return cls(name, digest(now), None if before is None else before.decode("latin-1"))

    def holds(self, text: bytes) -> bool:
        """Tell whether the file is as it was written."""
        return digest(text) == self.now

    @property
    def text_before(self) -> bytes | None:
        """What was there."""
        return None if self.before is None else self.before.encode("latin-1")


@dataclass(frozen=True)
class Manifest:
    """One install.

    Attributes:
        version: of the package that wrote it.
        made: folders that were not there before, relative to the common git dir.
        hooks: folders with our hooks, relative to the common git dir, or absolute outside of it.
        files: every whole file of ours → its SHA-256, named likewise.
        declared: what ``--fleet`` wrote in a worktree.
    """

    version: str = coord.VERSION
    made: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    declared: tuple[Declared, ...] = ()

    def text(self) -> bytes:
        """Return the manifest as it is stored; the same install gives the same bytes."""
        fields = {**asdict(self), "files": dict(self.files)}
        return json.dumps({"schema": 1, **fields}, indent=1).encode() + b"\n"


def parse(data: bytes | None) -> Manifest | None:
    """Return the manifest in `data`; None when there is none, or it is not one."""
    try:
        found = json.loads(data or b"")
        return Manifest(
            str(found["version"]),
            tuple(found["made"]),
            tuple(found["hooks"]),
            tuple(sorted(found["files"].items())),
            tuple(Declared(*one) for one in found.get("declared", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def digest(data: bytes) -> str:
    """Return how the manifest names the content of a file."""
    return hashlib.sha256(data).hexdigest()


def name(path: str, common_dir: str) -> str:
    """Return how the manifest names `path`: never by an absolute path of the repository."""
    inside = os.path.dirname(common_dir) if os.path.basename(common_dir) == ".git" else common_dir
    return os.path.relpath(path, common_dir) if path.startswith(inside + os.sep) else path


def located(name: str, common_dir: str) -> str:
    """Return the path that :func:`name` named, wherever the repository is now."""
    return os.path.normpath(os.path.join(common_dir, name))
