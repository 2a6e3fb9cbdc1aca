"""Git as ``check`` reads it: plumbing only, no optional locks, objects as they were written."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK = 1 << 18
# Else git writes every line by itself where the reader is a pipe.
WHOLE = {"GIT_FLUSH": "0"}


@dataclass(frozen=True)
class Door:
    """Where objects are read.

    Attributes:
        cwd: a folder from which git finds the repository.
        env: environment of every child. Replacements are off: a ``refs/replace`` entry, which only
            this clone has, would hide what the others see.
    """

    cwd: str
    env: Mapping[str, str] = field(
        default_factory=lambda: {**git.elsewhere(), "GIT_NO_REPLACE_OBJECTS": "1", **WHOLE}
    )

    def ask(self, *args: str, stdin: bytes | None = None) -> git.Output:
        """Run git and return its output, whatever its exit status."""
        return git.ask(*args, cwd=self.cwd, env=self.env, stdin=stdin)

    def tell(self, *args: str, stdin: bytes | None = None) -> git.Output:
        """Run git and insist on success.

        Raises:
            GitError: git's exit status was not 0.
        """
        return git.tell(*args, cwd=self.cwd, env=self.env, stdin=stdin)

    def answered(self, *args: str, stdin: bytes) -> bytes:
        """Return what git answers to much input, empty where it fails.

        Both are files: through pipes they would go 4 KB at a time.
        """
        with tempfile.TemporaryFile() as feed, tempfile.TemporaryFile() as answer:
            feed.write(stdin)
            feed.seek(0)
            done = subprocess.run(
                ["git", *git.QUIET, *args], cwd=self.cwd, env=git.found(self.cwd, self.env),
                stdin=feed, stdout=answer, stderr=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            answer.seek(0)
            return b"" if done.returncode else answer.read()

    def fields(self, *args: str, stdin: bytes) -> Iterator[bytes]:
        """Yield the NUL-terminated fields a git child prints, as they come.

        Its input is a file: a pipe that nobody empties while nobody reads would stop both.

        Raises:
            GitError: git's exit status was not 0.
        """
        with tempfile.TemporaryFile() as feed, tempfile.TemporaryFile() as words:
            feed.write(stdin)
            feed.seek(0)
            with subprocess.Popen(
                ["git", *git.QUIET, *args], cwd=self.cwd, env=git.found(self.cwd, self.env),
                stdin=feed, stdout=subprocess.PIPE, stderr=words,
            ) as child:  # fmt: skip
                assert child.stdout is not None  # noqa: S101  # it was asked for
                rest = b""
                while chunk := child.stdout.read(CHUNK):
                    *whole, rest = (rest + chunk).split(b"\0")
                    yield from whole
            if child.returncode:
                words.seek(0)
                raise git.GitError(args, child.returncode, os.fsdecode(words.read()), self.cwd)
