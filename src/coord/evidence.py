"""What git says about a refused path, from which ``coord.refusal`` tells whether it still binds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord import git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from coord.worktree import Place

_PICKS = ("CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD")
_REPLAYS = ("rebase-merge", "rebase-apply", "sequencer")


@dataclass(frozen=True)
class Facts:
    """What git says now about one refused path.

    Attributes:
        head: HEAD's commit, ``unborn`` before the first.
        unmerged: the path has conflict stages.
        brought: the operation in progress brings *theirs* in.
        undone: blobs of stages 2 and 3 in the index's resolve-undo list, for this path.
        unfinished: SQUASH_MSG, MERGE_MSG or rebase-apply/ says that something awaits its commit.
        stashed: *theirs* is staged, and the stash holds it.
        staged: blob to be committed; empty when the path is not there, or when a partial commit
            (``git commit PATH``) leaves it as HEAD has it and so swallows nothing.
        busy: any operation is in progress in this worktree.
    """

    head: str
    unmerged: bool
    brought: bool
    undone: tuple[str, str] | None
    unfinished: bool
    stashed: bool
    staged: str
    busy: bool


def gather(place: Place, path: str, theirs: str, environ: Mapping[str, str]) -> Facts:
    """Ask git what the rule needs to know about `path`, where blob `theirs` was refused.

    In a hook `environ` is ``git.here()``: the index git is about to commit counts.
    """
    ask = _Questions(place, path, theirs, environ)
    whole = _whole_index(environ)
    stages = ask.stages("--stage", whole)
    undo = ask.stages("--resolve-undo", whole)
    staged = stages.get("0", "") if whole is environ else ask.partly_staged()
    return Facts(
        head=ask.rev("HEAD") or "unborn",
        unmerged=any(stage in stages for stage in "123"),
        brought=ask.is_brought(),
        undone=(undo["2"], undo["3"]) if {"2", "3"} <= undo.keys() else None,
        unfinished=any(map(ask.has, ("SQUASH_MSG", "MERGE_MSG", "rebase-apply"))),
        stashed=staged == theirs and any(map(ask.holds, ask.stashes())),
        staged=staged,
        busy=any(map(ask.has, ("MERGE_HEAD", *_PICKS, *_REPLAYS))),
    )


def is_replaying(git_dir: str) -> bool:
    """Tell whether a rebase, am or sequence of picks is in progress."""
    return any(os.path.isdir(os.path.join(git_dir, name)) for name in _REPLAYS)


def _whole_index(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return `environ` without the scratch index of a partial commit, which has no conflicts."""
    if not os.path.basename(environ.get("GIT_INDEX_FILE", "")).startswith("next-index-"):
        return environ
    return {key: text for key, text in environ.items() if key != "GIT_INDEX_FILE"}


class _Questions:
    """Questions to git about one refused path, all in one worktree and environment."""

    def __init__(self, place: Place, path: str, theirs: str, environ: Mapping[str, str]) -> None:
        self._place = place
        self._path = path
        self._theirs = theirs
        self._environ = environ

    def has(self, name: str) -> bool:
        """See :meth:`coord.worktree.Place.has`."""
        return self._place.has(name)

    def rev(self, name: str) -> str:
        """Return the object `name` stands for, empty when there is none."""
        return self._ask("rev-parse", "--verify", "--quiet", name).text

    def stages(self, option: str, environ: Mapping[str, str]) -> dict[str, str]:
        """Return {stage: blob} of the path from ``ls-files`` (``MODE BLOB STAGE<tab>PATH``)."""
        pathspec = f":(top,literal){self._path}"
        done = git.tell("ls-files", "-z", option, "--", pathspec, cwd=self._place.cwd, env=environ)
        entries = [field.partition("\t")[0].split(" ") for field in done.fields]
        return {stage: blob for _, blob, stage in entries}

    def partly_staged(self) -> str:
        """Return the blob a partial commit sets, empty when it leaves the path alone."""
        staged = self.stages("--stage", self._environ).get("0", "")
        return "" if staged == self.rev(f"HEAD:{self._path}") else staged

    def is_brought(self) -> bool:
        """Tell whether an operation in progress brings *theirs* in.

        A pick brings only what its commit changed: after a skip, the next commit still holds the
        blob. Undoing one brings what its parent had. ``rebase --quit`` leaves REBASE_HEAD behind.
        """
        if self.has("MERGE_HEAD") and self.holds("MERGE_HEAD"):
            return True
        rebasing = self.has("rebase-merge") or self.has("rebase-apply")
        picks = ["CHERRY_PICK_HEAD", "REBASE_HEAD"] if rebasing else ["CHERRY_PICK_HEAD"]
        if any(self.has(pick) and self._changes_to(pick) for pick in picks):
            return True
        return self.has("REVERT_HEAD") and self._changes_from("REVERT_HEAD")

    def stashes(self) -> list[str]:
        """Return the stash entries, newest first."""
        return self._ask(
            "rev-list", "--walk-reflogs", "--ignore-missing", "refs/stash"
        ).text.split()

    def holds(self, rev: str) -> bool:
        """Tell whether commit `rev` holds *theirs*: at the path, or anywhere after a rename."""
        if self.rev(f"{rev}:{self._path}") == self._theirs:
            return True
        tree = self._ask("ls-tree", "-r", "-z", "--full-tree", rev).out
        return f" {self._theirs}\t".encode() in tree

    def _changes_to(self, commit: str) -> bool:
        return self.holds(commit) and not self._parents_hold(commit, all)

    def _changes_from(self, commit: str) -> bool:
        return self._parents_hold(commit, any) and not self.holds(commit)

    def _parents_hold(self, commit: str, quantify: Callable[[Iterable[bool]], bool]) -> bool:
        parents = self._ask("rev-parse", f"{commit}^@").text.split()
        return bool(parents) and quantify(self.holds(parent) for parent in parents)

    def _ask(self, *args: str) -> git.Output:
        return git.ask(*args, cwd=self._place.cwd, env=self._environ)
