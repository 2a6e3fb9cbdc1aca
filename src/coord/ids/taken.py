"""``id check``: proof that no identifier of this clone has two claimants, in any branch.

A driver sees two claims only when they are merged, and none where both sides wrote the same bytes.
Here every branch, also of remotes, is held against every other one. A claim that was given another
number contests its old one no more, though branches that have not merged that yet still hold it.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import quote, shown
from coord.guard import refusal
from coord.history.blobs import Blobs
from coord.history.door import Door
from coord.history.problem import Problem, printed
from coord.ids import claim, claimed, claimtext, said
from coord.ids.sources import HERE, Source, survey
from coord.repo import worktree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coord.ids.sources import Survey
    from coord.repo.worktree import Worktree

RULE = "id-taken"


class Report(NamedTuple):
    """What was found, in how many identifiers and branches."""

    problems: list[Problem]
    ids: int
    sources: int


def judge(here: Worktree) -> Report:
    """Judge all identifiers that this clone knows.

    Raises:
        GitError: git cannot read the repository.
    """
    seen = survey(here, claim.FOLDER)
    with Blobs(Door(here.cwd)) as blobs:
        found = _Judge(here, seen, blobs)
        unique: dict[str, Problem] = {}
        for problem in found.problems():
            unique.setdefault(problem.path, problem)  # one number mends whatever is wrong with it
    return Report([unique[path] for path in sorted(unique)], len(seen.paths()), len(seen.sources))


class _Judge:
    """One look at all identifiers, and the rules on it."""

    def __init__(self, here: Worktree, seen: Survey, blobs: Blobs) -> None:
        self._here = here
        self._seen = seen
        self._blobs = blobs
        self._pairs = dict.fromkeys(seen.held())
        for source in seen.sources:
            self._pairs.update(dict.fromkeys(source.theirs.items()))
        self._said = said.read(blobs, (blob for _, blob in self._pairs), here.common_dir)
        nonces = self._said.nonce
        self._nonces = [nonces[blob] for _, blob in self._pairs]

    def _held(self, path: bytes) -> dict[str, list[Source]]:
        """Return blob → the sources that have a path so; of many paths this is asked for few."""
        found: dict[str, list[Source]] = defaultdict(list)
        for source in self._seen.sources:
            if path in source.files:
                found[source.files[path]].append(source)
            if path in source.theirs:
                found[source.theirs[path]].extend(())  # claimed, though on no branch known here
        return found

    def problems(self) -> Iterator[Problem]:
        """Yield every broken rule, the plainest first."""
        for rule in (self._contested, self._alike, self._misnamed, self._copied, self._doubled):
            for path, message in rule():
                yield Problem(RULE, printed(path), None, message, self._run(path))

    @cached_property
    def _proven(self) -> dict[str | None, list[tuple[bytes, str]]]:
        """Return nonce → the (path, blob) of each file that holds it."""
        found: dict[str | None, list[tuple[bytes, str]]] = defaultdict(list)
        for pair, nonce in zip(self._pairs, self._nonces, strict=True):
            found[nonce].append(pair)
        return found

    @cached_property
    def _given(self) -> dict[bytes, list[tuple[bytes, str]]]:
        """Return a claim that has no nonce → the (path, blob) of each file that has got one."""
        found: dict[bytes, list[tuple[bytes, str]]] = defaultdict(list)
        mine = {blob for _, blob in self._pairs if self._said.nonce[blob] is not None}
        texts = self._blobs.read_small(mine)
        for path, blob in self._pairs:
            if blob in mine:
                found[claimtext.bare(texts[blob])].append((path, blob))
        return found

    def _claim(self, blob: str) -> bytes:
        """Return what makes a claim the same one under any number."""
        nonce = self._said.nonce[blob]
        if nonce is None:
            return claimtext.bare(self._blobs.read(blob))
        return b"nonce " + nonce.encode("utf-8", "surrogateescape")

    def _contested(self) -> Iterator[tuple[bytes, str]]:
        """Yield the paths that two branches hold for two claimants."""
        versions = Counter(path for path, _ in self._pairs)
        for path in [path for path, count in versions.items() if count > 1]:
            first = {self._claim(blob): blob for blob in self._held(path)}
            rivals = list(first.values()) if len(first) > 1 else []
            rivals = [blob for blob in rivals if not self._is_renumbered(path, blob)]
            if len(rivals) > 1:
                one, other = sorted(rivals, key=lambda blob: self._told(path, blob))[:2]
                yield path, f"claimed by {self._told(path, one)} and by {self._told(path, other)}"

    def _is_renumbered(self, path: bytes, blob: str) -> bool:
        """Tell whether some branch has this claim under another number, and at `path` no more."""
        what, folder = self._claim(blob), path.rpartition(b"/")[0]
        nonce = self._said.nonce[blob]
        proven = self._given.get(what, ()) if nonce is None else self._proven[nonce]
        others = [
            (other, there)
            for other, there in proven
            if other != path and other.rpartition(b"/")[0] == folder
        ]
        return any(
            source.files.get(other) == there and not self._holds(source.files, path, what)
            for source in (self._seen.sources if others else ())
            for other, there in others
        )

    def _is_live(self, path: bytes) -> bool:
        held = self._held(path)
        return not held or not all(self._is_renumbered(path, blob) for blob in held)

    def _alike(self) -> Iterator[tuple[bytes, str]]:
        """Yield the paths that a file system, or a person, takes for another one."""
        first: dict[str, bytes] = {}
        paths = self._seen.paths()
        for path in [] if claimtext.are_apart(paths) else sorted(paths):
            before = first.setdefault(claimtext.folded(path), path)
            if before != path and self._is_live(path) and self._is_live(before):
                where = self._name(next(iter(self._held(before).values()), []))
                yield path, f"the same identifier as {printed(before)}{where}"

    def _misnamed(self) -> Iterator[tuple[bytes, str]]:
        ids = self._said.id
        for path, blob in self._pairs:
            name = ids[blob]
            if name is None or path.rpartition(b"/")[2] == f"{name}{claim.SUFFIX}".encode():
                continue  # as nearly all do
            stem = claimtext.stem(path)
            if name == os.fsdecode(stem) or self._is_renumbered(path, blob):
                continue
            if not self._blobs.read(blob).startswith(b'id = "%s"\n' % stem):
                where = self._name(self._held(path)[blob])
                yield path, f"its file says it is {shown(name)}{where}"

    def _copied(self) -> Iterator[tuple[bytes, str]]:
        """Yield the paths that hold the nonce of another one of the same branch."""
        if len(set(self._nonces)) == len(self._nonces):
            return
        first: dict[str, bytes] = {}
        shared: dict[str, set[bytes]] = defaultdict(set)
        for nonce, (path, _) in zip(self._nonces, self._pairs, strict=True):
            if nonce is not None and (before := first.setdefault(nonce, path)) != path:
                shared[nonce] |= {before, path}
        for nonce, paths in shared.items():
            what = b"nonce " + nonce.encode("utf-8", "surrogateescape")
            for source in self._seen.sources:
                own = [path for path in sorted(paths) if self._holds(source.files, path, what)]
                for path in own[1:]:
                    yield path, f"a copy of {printed(own[0])}: both hold one nonce"

    def _holds(self, files: Mapping[bytes, str], path: bytes, what: bytes) -> bool:
        return path in files and self._claim(files[path]) == what

    def _doubled(self) -> Iterator[tuple[bytes, str]]:
        """Yield the paths that two people claimed with the same bytes, which no merge notices."""
        held = zip(self._pairs, self._nonces, strict=True)
        bare = {path: blob for (path, blob), nonce in held if nonce is None}
        door = Door(self._here.cwd)
        tips = [source.rev for source in self._seen.sources if source.rev]
        tips += ["HEAD"] if door.ask("rev-parse", "--quiet", "--verify", "HEAD").out else []
        for (path, blob), makers in claimed.additions(door, tips, bare).items():
            alone = len(makers) == 1 or bare[path] != blob
            if not alone and self._copies(path, blob) < len(makers):
                names = " and ".join(sorted(f"{one.author[0]} in {one.id[:12]}" for one in makers))
                yield path, f"claimed with the same bytes by {shown(names)}"

    def _copies(self, path: bytes, blob: str) -> int:
        """Return how many numbers this has here that people claimed with the same bytes."""
        files = self._seen.sources[0].files if self._seen.sources else {}
        texts = {name: self._texts[other] for name, other in files.items()}
        return claimed.holders(texts, path, self._claim(blob))

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """Return blob → text of what the first source has."""
        return self._blobs.read_small(self._seen.sources[0].files.values())

    def _told(self, path: bytes, blob: str) -> str:
        return f"{shown(self._said.claimant[blob])}{self._name(self._held(path)[blob])}"

    def _name(self, sources: list[Source]) -> str:
        if not sources:
            return ""
        names = sorted(source.name for source in sources)
        return f" on {shown(names[0])}" if names[0] != HERE else " here"

    def _run(self, path: bytes) -> str:
        """Return the command that mends `path` where it is checked out, nearest first."""
        command = refusal.command("once", os.fsdecode(path))
        held = self._held(path).values()
        sources = {source.name: source for found in held for source in found}
        if HERE in sources or not sources:
            return command
        for there in worktree.siblings(self._here):
            if there.counts and there.branch in sources:
                return command.replace("git ", f"git -C {quote(there.path)} ", 1)
        local = [one for one in sources.values() if one.rev.startswith("refs/heads/")]
        one = min(local or sources.values(), key=lambda one: one.name)
        where = quote(one.name) if local and one.name[0] != "-" else f"--detach {quote(one.rev)}"
        return f"git switch {where} && {command}"
