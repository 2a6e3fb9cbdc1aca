"""What this clone knows of commits that are made of others: replayed, or squashed.

A replayed commit bears another committer date than author date, unless both fell into one second;
then the reflogs still know, where they are. Of a squash its branch knows, while it is there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.repo import git, reflog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.history.blobs import Blobs
    from coord.history.door import Door
    from coord.repo.reflog import Log
    from coord.repo.worktree import Worktree

_BRANCHES = ("refs/heads/", "refs/remotes/")
_LOOKED_AT = 200  # branches


class Replays:
    """Answers about single commits; reflogs and branches are looked at only when it is asked."""

    def __init__(self, here: Worktree, door: Door, blobs: Blobs) -> None:
        self._here = here
        self._door = door
        self._blobs = blobs
        self._logs: list[Log] | None = None

    def made(self, commit: str) -> bool:
        """Tell whether a rebase, a pick or a mail made `commit` here: its author was not chosen."""
        if self._logs is None:
            self._logs = list(_logs(self._here.common_dir))
        found = (log.made(commit) for log in self._logs)
        return any(made is not None and made.author is False for made in found)

    def knows(self, commit: str, path: bytes, records: set[bytes]) -> bool:
        """Tell whether a branch without `commit` has all these lines or blocks in its `path`."""
        form = ("for-each-ref", "--format=%(objectname)", "--no-contains", commit)
        tips = self._door.ask(*form, *_BRANCHES).text.split()
        tips = list(dict.fromkeys(tips))[:_LOOKED_AT]
        specs = b"".join(tip.encode() + b":" + path + b"\n" for tip in tips if b"\n" not in path)
        found = self._door.ask("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=specs)
        blobs = [line[5:] for line in found.text.split("\n") if line.startswith("blob ")]
        return any(_holds(self._blobs.read(blob), records) for blob in dict.fromkeys(blobs))


def _holds(text: bytes, records: set[bytes]) -> bool:
    whole = b"\n" + text.replace(b"\r\n", b"\n") + b"\n"
    return all(b"\n" + record + b"\n" in whole for record in records)


def _logs(common_dir: str) -> Iterator[Log]:
    folder = os.path.join(common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for git_dir in (common_dir, *(os.path.join(folder, name) for name in names)):
        try:
            yield reflog.read(git_dir, common_dir, git_dir, git.elsewhere())
        except (reflog.Doubt, OSError):
            continue
