"""What every branch and worktree has in one folder: the ground on which identifiers are judged.

A branch counts as it was last fetched or committed; the one that is checked out here as it is
staged, because that is what its next commit will be. Files that nobody has committed count too, in
every worktree of this repository.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from coord.history.door import Door
from coord.ids import folders
from coord.repo import git, worktree

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from coord.repo.worktree import Sibling, Worktree

HERE = ""


class Source(NamedTuple):
    """Where files were seen.

    Attributes:
        name: short name of the branch, as git prints it; `HERE` for what is staged here.
        rev: its full name; empty for what is staged here.
        files: path from the top level → blob. Both sides of an open conflict: see `theirs`.
        theirs: path → blob of the other side of a conflict that is open here.
    """

    name: str
    rev: str
    files: Mapping[bytes, str]
    theirs: Mapping[bytes, str] = {}


class Survey(NamedTuple):
    """All that was seen of one folder.

    Attributes:
        sources: the branches, what is staged here first.
        loose: path → the worktree that has it, for files that are in no branch yet.
    """

    sources: list[Source]
    loose: Mapping[bytes, str]

    def held(self) -> dict[tuple[bytes, str], tuple[int, ...]]:
        """Return (path, blob) → where in `sources` it is so, in order.

        Of both sides of a conflict, ours. Sources of one tree share its files, and are counted
        together; where all have the same, no file costs more than its entry.
        """
        found: dict[tuple[bytes, str], tuple[int, ...]] = {}
        for files, places in self._alike():
            if not found:
                found = dict.fromkeys(files.items(), places)
                continue
            # By identity: the tuples of hundreds of branches are as long.
            after: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
            for pair in files.items():
                before = found.get(pair, ())
                if (known := after.get(id(before))) is None:
                    known = after[id(before)] = before, tuple(sorted((*before, *places)))
                found[pair] = known[1]
        return found

    def _alike(self) -> Iterator[tuple[Mapping[bytes, str], tuple[int, ...]]]:
        places: dict[int, list[int]] = {}
        for place, source in enumerate(self.sources):
            places.setdefault(id(source.files), []).append(place)
        for group in places.values():
            yield self.sources[group[0]].files, tuple(group)

    def paths(self) -> set[bytes]:
        """Return every path that somebody uses."""
        found = set(self.loose)
        for source in self.sources:
            found.update(source.files)
        return found


def survey(here: Worktree, folder: str, *, deep: bool = True) -> Survey:
    """Look into `folder` everywhere.

    Args:
        here: where to look from.
        folder: path from the top level, empty for that level.
        deep: whether files of subfolders count.

    Raises:
        GitError: git cannot read the repository.
    """
    door, raw = Door(here.cwd), os.fsencode(folder)
    siblings = worktree.siblings(here)
    own = _here(door, here)
    revs = {rev: name for rev, name in _branches(door) if rev != own}
    revs |= dict(_detached(siblings, here))
    seen = folders.below(door, list(revs), raw, deep=deep)
    sources = [Source(revs[rev], rev, files) for rev, files in seen.items()]
    if here.top is not None:
        sources.insert(0, staged(here, folder, deep=deep))
    known = set[bytes]().union(*(source.files for source in sources))
    loose = {
        path: there.path
        for there in siblings
        if there.counts
        for path in _on_disk(there.path, folder, known, deep=deep)
    }
    return Survey(sources, loose)


def _here(door: Door, here: Worktree) -> str:
    """Return the branch that is checked out here; a bare repository stages nothing."""
    return door.ask("symbolic-ref", "--quiet", "HEAD").text if here.top is not None else ""


def _branches(door: Door) -> Iterator[tuple[str, str]]:
    asked = ("--format=%(refname)%00%(symref)", "refs/heads", "refs/remotes")
    for line in door.tell("for-each-ref", *asked).text.split("\n"):
        rev, _, alias = line.partition("\0")
        if rev and not alias:  # origin/HEAD is another name of one that is listed
            yield rev, rev.split("/", 2)[2]


def _detached(siblings: list[Sibling], here: Worktree) -> Iterator[tuple[str, str]]:
    """Yield the HEADs that are on no branch, of other worktrees."""
    for there in siblings:
        if there.branch is None and there.counts and there.git_dir not in {"", here.git_dir}:
            main = there.git_dir == here.common_dir
            name = os.path.basename(there.git_dir)
            yield "main-worktree/HEAD" if main else f"worktrees/{name}/HEAD", there.path


def staged(here: Worktree, folder: str, *, deep: bool = False) -> Source:
    """Return what the index of a worktree has in `folder`.

    Raises:
        GitError: git cannot read it.
    """
    pathspec = f":(top,literal){folder}" if folder else ":(top)"
    ask = ("ls-files", "-z", "--stage", "--full-name", "--", pathspec)
    listing = git.tell(*ask, cwd=here.cwd).out
    depth = folder.count("/") + bool(folder)
    files: dict[bytes, str] = {}
    sides = {b"0": files, b"1": {}, b"2": files, b"3": {}}
    for entry in listing.split(b"\0"):  # ``MODE BLOB STAGE TAB PATH``
        what, _, path = entry.partition(b"\t")
        if what.startswith(b"100") and (deep or path.count(b"/") <= depth):  # a regular file
            sides[what[-1:]][path] = what[7:-2].decode()
    return Source(HERE, "", files, sides[b"3"])


def _on_disk(top: str, folder: str, known: Container[bytes], *, deep: bool) -> Iterator[bytes]:
    """Yield the regular files in a folder of a worktree, no symlink, that are not `known`."""
    start = os.path.join(os.path.realpath(top), folder)
    pending = [os.fsencode(folder)] if os.path.realpath(start) == start.rstrip("/") else []
    while pending:
        inner = pending.pop()
        try:
            names = os.listdir(os.path.join(os.fsencode(top), inner))
        except OSError:
            continue
        before = inner + b"/" if inner else b""
        for name in names:  # of mostly known files: nothing else is done about them
            if (path := before + name) in known:
                continue
            kind = _kind(os.path.join(os.fsencode(top), path))
            if stat.S_ISREG(kind):
                yield path
            elif deep and stat.S_ISDIR(kind) and name != b".git":
                pending.append(path)


def _kind(path: bytes) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0
