"""Remotes that are clones on this machine and have a board of their own, which is another board."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote

from coord.repo import git, worktree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.repo.worktree import Worktree

_FETCH = " (fetch)"
_FILE = "file://"


def notes(here: Worktree) -> list[str]:
    """Return a line for each remote of a clone in which others claim, on a board of its own."""
    return [
        f"the remote {name} is a clone with a board of its own, {common}: what is claimed here is "
        "not seen there"
        for name, common in _with_boards(here)
    ]


def _with_boards(here: Worktree) -> Iterator[tuple[str, str]]:
    seen = {here.common_dir}
    listing = git.ask("remote", "-v", cwd=here.cwd)
    for line in os.fsdecode(listing.out).split("\n"):
        name, _, rest = line.partition("\t")
        if not rest.endswith(_FETCH):
            continue
        common = _board_at(os.path.join(here.cwd, _path(rest.removesuffix(_FETCH))))
        if common is not None and common not in seen:
            seen.add(common)
            yield name, common


def _path(url: str) -> str:
    """Return the folder that a URL names on this machine; of any other what is nowhere."""
    if url.startswith(_FILE):
        return unquote(url.removeprefix(_FILE))
    return os.devnull if ":" in url.partition("/")[0] else url


def _board_at(path: str) -> str | None:
    """Return the common git dir of the clone at `path`, if it has a board; as git takes a path."""
    for folder in (path, f"{path}.git"):
        if any(os.path.lexists(os.path.join(folder, name)) for name in (".git", "HEAD")):
            found = worktree.of_files(folder)
            if found is not None and found.has_board:
                return os.path.realpath(found.common_dir)
    return None
