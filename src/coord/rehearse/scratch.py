"""Where a rehearsal happens: a folder of its own, in which git finds the repository's objects.

It lies in the system's folder for temporary files (TMPDIR moves it), never in the git dir: there a
kill would leave litter that git does not know, and a sandbox may forbid to write. New objects go to
an object directory of its own that names the real one as its alternate. Git and the drivers read
attributes and ``.coord.toml`` from a working tree, so the declarations of the tree that is built
on, and nothing else, are laid out in one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Self

from coord.base.cquote import c_quoted
from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


class Scratch:
    """The folder; a context manager that removes it.

    Attributes:
        folder: its path.
        top: the working tree with the declarations.
        objects: the object directory.
        env: environment in which git reads the repository's objects and refs, writes objects here,
            and reads declarations from `top`.
    """

    def __init__(self, here: Worktree) -> None:
        self._kept = tempfile.TemporaryDirectory(
            prefix="coord-rehearse-", ignore_cleanup_errors=True
        )
        self.folder = self._kept.name
        self.top = os.path.join(self.folder, "tree")
        self.objects = os.path.join(self.folder, "objects")
        os.mkdir(self.top)
        os.mkdir(self.objects)
        lend(os.path.join(here.common_dir, "objects"), self.objects)
        self.env = {
            **git.elsewhere(),
            "GIT_DIR": here.git_dir,
            "GIT_WORK_TREE": self.top,
            # None: git would take from an index what the tree that is built on does not have.
            "GIT_INDEX_FILE": os.path.join(self.folder, "no-index"),
            "GIT_OBJECT_DIRECTORY": self.objects,
            "COORD_PREVIEW": "1",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._kept.cleanup()

    def lay_out(self, path: bytes, text: bytes | None) -> None:
        """Write a declaration into the working tree, or remove it where `text` is None."""
        full = os.path.join(os.fsencode(self.top), path)
        if text is None:
            _remove(full)
            return
        if os.path.isdir(full):  # of a tree in which a folder had that name
            shutil.rmtree(full)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text)


def lend(source: str, target: str) -> None:
    """Let the object directory `target` find what `source` holds.

    A file, not GIT_ALTERNATE_OBJECT_DIRECTORIES: a path with a colon cannot be told there.
    """
    os.makedirs(os.path.join(target, "info"), exist_ok=True)
    with open(os.path.join(target, "info", "alternates"), "w", encoding="utf-8") as file:
        file.write(c_quoted(source) + "\n")


def _remove(full: bytes) -> None:
    try:
        os.unlink(full)
    except OSError:  # it was a symlink, which is never laid out
        pass
