"""Paths as people type them, and what the index and the working tree hold there."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.base.errors import Environment, Refused
from coord.base.names import operand
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.repo.worktree import Worktree

_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>")


class Entry(NamedTuple):
    """What one stage of the index holds for a path."""

    mode: str
    blob: str


@dataclass(frozen=True)
class Spot:
    """Where the user stands.

    Attributes:
        here: the worktree.
        top: its top level.
        cwd: the folder the user is in.
    """

    here: Worktree
    top: str
    cwd: str

    def spellings(self, word: str) -> list[str]:
        """Return the paths, relative to the top level, that `word` may mean; the likelier first.

        As git's own pathspecs it is relative to the folder, as a driver prints it to the top level.
        """
        if os.path.isabs(word):
            folder, name = os.path.split(os.path.normpath(word))
            found = [os.path.relpath(os.path.join(os.path.realpath(folder), name), self.top)]
        else:
            here = os.path.relpath(os.path.realpath(self.cwd), self.top)
            found = [os.path.normpath(os.path.join(here, word)), os.path.normpath(word)]
        inside = [path for path in found if path.split(os.sep)[0] != os.pardir]
        return list(dict.fromkeys(inside))

    def full(self, path: str) -> str:
        """Return the absolute form of a path that is relative to the top level."""
        return os.path.join(self.top, path)

    def require_inside(self, path: str) -> None:
        """Refuse a path that a symlink would lead out of the worktree.

        Raises:
            Refused: a folder above it has been replaced by a link.
        """
        folder = self.top
        for part in path.split(os.sep)[:-1]:
            folder = os.path.join(folder, part)
            if os.path.islink(folder):
                link = os.path.relpath(folder, self.top)
                raise Refused(
                    "symlink-in-the-way",
                    f"{link} is a symlink, and git has a folder there",
                    where=path,
                    why=f"it leads to {os.path.realpath(folder)}, where nothing is ours to write",
                    run=f"rm {self.typed(link)}",
                )

    def typed(self, *paths: str) -> str:
        """Return paths as words of a command that is pasted where the user stands."""
        here = os.path.realpath(self.cwd)
        return " ".join(operand(os.path.relpath(self.full(path), here)) for path in paths)


def spot(here: Worktree, cwd: str, verb: str) -> Spot:
    """Return where the user stands.

    Raises:
        Environment: a bare repository, or a git dir, has no files to settle.
    """
    if here.top is not None:
        return Spot(here, here.top, cwd)
    raise Environment(
        "no-worktree",
        f"{verb} needs a working tree",
        where=here.git_dir,
        why="this is a bare repository or a git dir: there is no file to write",
        run="git worktree list",
    )


def matching(path: str, among: Iterable[str]) -> list[str]:
    """Return those of `among` that `path` is, or that lie below it when it names a folder."""
    below = "" if path == os.curdir else path + os.sep
    return [other for other in among if other == path or other.startswith(below)]


def stages(here: Worktree, path: str, option: str = "--stage") -> dict[str, Entry]:
    """Return what the index holds for `path`, by stage (``--resolve-undo``: held in a conflict)."""
    listing = git.tell("ls-files", "-z", option, "--", f":(top,literal){path}", cwd=here.cwd)
    found: dict[str, Entry] = {}
    for field in listing.fields:  # MODE BLOB STAGE<tab>PATH
        mode, blob, stage = field.partition("\t")[0].split(" ")
        found[stage] = Entry(mode, blob)
    return found


def unmerged(here: Worktree, option: str = "--unmerged") -> set[str]:
    """Return the paths that have conflict stages (``--resolve-undo``: that had them)."""
    listing = git.tell("ls-files", "-z", option, "--full-name", ":(top)", cwd=here.cwd)
    return {field.partition("\t")[2] for field in listing.fields}


def stage_files(here: Worktree, paths: Sequence[str]) -> dict[str, str]:
    """Stage files of the working tree in one step and return their blobs."""
    env = {**git.elsewhere(), "GIT_LITERAL_PATHSPECS": "1"}
    listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    read = ("--pathspec-from-file=-", "--pathspec-file-nul")
    # --sparse: a refused file is in the working tree even outside a sparse checkout's cone.
    git.tell("add", "--sparse", *read, cwd=here.cwd, env=env, stdin=listed)
    listing = git.tell("ls-files", "-z", "--stage", "--", *paths, cwd=here.cwd, env=env)
    pairs = [field.partition("\t") for field in listing.fields]
    return {path: facts.split(" ")[1] for facts, _, path in pairs}


def stage_blob(here: Worktree, path: str, entry: Entry) -> str:
    """Write a blob to the working tree, as git checks files out, add it, and return what is staged.

    That is another blob where a side was committed before git converted its file: staged as it is,
    it would stand there as modified, and no rebase goes on so. Git never writes through a symlink:
    it puts the file in the link's place.
    """
    named = os.fsencode(path) + b"\0"
    line = f"{entry.mode} {entry.blob} 0\t".encode() + named
    git.tell("update-index", "-z", "--index-info", cwd=here.cwd, stdin=line)
    git.tell("checkout-index", "-f", "-q", "-z", "--stdin", cwd=here.cwd, stdin=named)
    return stage_files(here, [path])[path]


def stage_removal(here: Worktree, path: str) -> None:
    """Stage that `path` is gone; a file in the working tree stays."""
    env = {**git.elsewhere(), "GIT_LITERAL_PATHSPECS": "1"}
    quiet = ("--cached", "--quiet", "--force", "--sparse", "--ignore-unmatch")
    git.tell("rm", *quiet, "--", path, cwd=here.cwd, env=env)


def marker_line(full: str) -> int:
    """Return the line where a file's first conflict block begins, 0 when it has none."""
    if not os.path.lexists(full) or not stat.S_ISREG(os.lstat(full).st_mode):
        return 0
    begin = wanted = 0
    for number, line in enumerate(peerfile.read(full, peerfile.WHOLE).split(b"\n"), 1):
        if line.startswith(_MARKERS[wanted]):
            begin = begin if wanted else number
            wanted += 1
            if wanted == len(_MARKERS):
                return begin
    return 0
