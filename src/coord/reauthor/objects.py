"""Raw commit objects in and out: through libgit2, or the git binary where libgit2 cannot follow.

libgit2 writes a thousand commits in a tenth of a second; git would need a process for each. But it
refuses repositories with extensions it does not know (reftable, SHA-256), and there git has to do.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Protocol

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygit2

    from coord.repo.worktree import Worktree


class Commits(Protocol):
    """A repository's commit objects as bytes."""

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw text of each commit."""

    def write(self, raw: bytes) -> str:
        """Store a commit and return its id."""


def commits(here: Worktree) -> Commits:
    """Return the fastest way to `here`'s commits that understands its format."""
    import pygit2  # noqa: PLC0415  # 65 ms, paid by the one verb that rewrites

    try:
        return _ThroughLibrary(pygit2.Repository(here.git_dir))
    except pygit2.GitError:
        return _ThroughGit(here.cwd)


class _ThroughLibrary:
    def __init__(self, repository: pygit2.Repository) -> None:
        self._repository = repository

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw text of each commit."""
        return {commit: self._repository.read(commit)[1] for commit in ids}

    def write(self, raw: bytes) -> str:
        """Store a commit and return its id."""
        import pygit2  # noqa: PLC0415  # loaded already

        try:
            return str(self._repository.write(pygit2.enums.ObjectType.COMMIT, raw))
        except OSError as error:
            raise _numbered(error, self._repository.path) from error


def _numbered(error: OSError, where: str) -> OSError:
    """Return libgit2's failure with the number that only its words tell."""
    known = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT)
    number = next((one for one in known if os.strerror(one) in str(error)), None)
    return error if number is None else OSError(number, os.strerror(number), where)


class _ThroughGit:
    def __init__(self, cwd: str) -> None:
        self._cwd = cwd

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw text of each commit."""
        stdin = "".join(f"{commit}\n" for commit in ids).encode()
        out = git.tell("cat-file", "--batch", cwd=self._cwd, stdin=stdin).out
        found, at = {}, 0
        for commit in ids:  # each is "ID commit SIZE\n", SIZE bytes, "\n"
            start = out.index(b"\n", at) + 1
            end = start + int(out[at : start - 1].rpartition(b" ")[2])
            found[commit] = out[start:end]
            at = end + 1
        return found

    def write(self, raw: bytes) -> str:
        """Store a commit and return its id."""
        return git.tell(
            "hash-object", "-t", "commit", "-w", "--stdin", cwd=self._cwd, stdin=raw
        ).text
