"""The ground a rehearsal stands on: what is built so far, and what it declares."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from coord.base.errors import Usage
from coord.base.names import quote
from coord.guard.guarded import KINDS, attribute
from coord.rehearse import trees
from coord.rehearse.loose import Objects
from coord.rehearse.mergetree import Died, Merge, Merger
from coord.rehearse.scratch import Scratch
from coord.repo import git
from coord.repo.batch import Child

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.repo.worktree import Worktree

_TREES = 256  # of the last step, most are read again for the next
_NOBODY = "git-coord <rehearsal@localhost>"


class Stage:
    """A commit that grows by merges; a context manager that leaves nothing behind.

    Attributes:
        scratch: where all of it is written.
        base: the commit it began with.
        commit: the commit that is built on.
        tree: its tree.
    """

    def __init__(self, here: Worktree, onto: str, base: str | None = None) -> None:
        self._cwd = here.cwd
        with ExitStack() as kept:
            self.scratch = kept.enter_context(Scratch(here))
            top, env = self.scratch.top, self.scratch.env
            self._objects = kept.enter_context(Objects(top, env, self.scratch.objects))
            self._known: dict[str, trees.Level] = {}
            self._merger = kept.enter_context(Merger(top, env))
            self._kinds: Child | None = None
            kept.callback(self._forget_kinds)
            self.base = self.commit = base or self._onto(here, onto)
            self.tree = _tree(*self._objects.read([self.commit]))
            self._lay_out_all()
            self._date = int(time.time())  # a merge is never older than its parents
            self._kept = kept.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._kept.close()

    def tips(self, branches: Sequence[str]) -> list[str | None]:
        """Return the commit each branch of this repository, or of a remote, stands at."""
        heads, remotes = (
            self._objects.find([f"refs/{kind}/{branch}^{{commit}}" for branch in branches])
            for kind in ("heads", "remotes")
        )
        return [head or remote for head, remote in zip(heads, remotes, strict=True)]

    def merge(self, tip: str) -> Merge | None:
        """Merge a commit into what is built so far, without building on it.

        None where the two have no history in common.

        Raises:
            GitError: git could not merge them for any other reason.
        """
        try:
            return self._merger.merge(self.commit, tip)
        except Died as died:
            asked = ("merge-base", self.commit, tip)
            if git.ask(*asked, cwd=self.scratch.top, env=self.scratch.env).code == 1:
                return None
            raise git.GitError(("merge-tree",), 128, str(died), self._cwd) from died

    def kind(self, path: bytes) -> str | None:
        """Return how a path is guarded by what is built on, None where it is not."""
        if self._kinds is None:
            asked = ("check-attr", "--stdin", "-z", "merge")
            self._kinds = Child(*asked, cwd=self.scratch.top, env=self.scratch.env)
        self._kinds.send(path + b"\0")
        *_, driver = (self._kinds.field() for _ in ("path", "merge", "driver"))
        return _DRIVEN.get(driver)

    def with_ours(self, merge: Merge, paths: Iterable[bytes]) -> str:
        """Return a merge's tree in which `paths` are as the commit that is built on has them."""
        tree = merge.tree
        for path in paths:
            tree = trees.replaced(self._levels, self._write, tree, path, merge.stages[path]["2"])
        return tree

    def merged(self, tree: str, tip: str) -> str:
        """Store the commit that merges `tip` into what is built so far, and return its id."""
        stamp = f"{_NOBODY} {self._date} +0000"
        text = (
            f"tree {tree}\nparent {self.commit}\nparent {tip}\n"
            f"author {stamp}\ncommitter {stamp}\n\nRehearsed merge\n"
        )
        return self._write("commit", text.encode())

    def build_on(self, commit: str, tree: str) -> None:
        """Let the next merges go on top of `commit`, under what its `tree` declares."""
        changes = list(trees.declarations(self._levels, self.tree, tree))
        for path, blob in changes:
            self._lay_out(path, blob)
        if changes:  # both children have read them already
            self._merger.renew()
            self._forget_kinds()
        self.commit, self.tree = commit, tree

    def _levels(self, ids: Sequence[str]) -> Mapping[str, trees.Level]:
        fresh = [tree for tree in dict.fromkeys(ids) if tree not in self._known]
        if len(self._known) > _TREES:
            fresh, self._known = list(dict.fromkeys(ids)), {}
        for tree, data in zip(fresh, self._objects.read(fresh), strict=True):
            self._known[tree] = trees.entries(data, len(tree))
        return self._known

    def _write(self, kind: str, data: bytes) -> str:
        return self._objects.write(kind, data, like=self.base)

    def _onto(self, here: Worktree, onto: str) -> str:
        for found in self._objects.find([f"refs/heads/{onto}^{{commit}}", f"{onto}^{{commit}}"]):
            if found is not None:
                return found
        raise Usage(
            "revision-unknown",
            "no commit to merge onto",
            where=onto,
            why="git finds no branch and no commit of that name here",
            run=f"git -C {quote(here.cwd)} branch --all",
        )

    def _lay_out_all(self) -> None:
        """Lay out what the first tree declares; of all its folders git reads faster than we do."""
        listing = git.tell(
            "ls-tree",
            "-r",
            "-z",
            "--full-tree",
            self.tree,
            cwd=self.scratch.top,
            env=self.scratch.env,
        )
        for field in listing.out.split(b"\0"):  # MODE TYPE OBJECT<tab>PATH
            if not field.endswith(trees.NAMES):
                continue
            facts, _, path = field.partition(b"\t")
            mode, _, blob = facts.split(b" ")
            if trees.is_declaration(path) and trees.is_file(mode):
                self._lay_out(path, blob.decode())

    def _lay_out(self, path: bytes, blob: str | None) -> None:
        texts = self._objects.read([blob] if blob else [])
        self.scratch.lay_out(path, texts[0] if texts else None)

    def _forget_kinds(self) -> None:
        if self._kinds is not None:
            self._kinds.end()
        self._kinds = None


_DRIVEN = {os.fsencode(attribute(kind)): kind for kind in KINDS}


def _tree(commit: bytes) -> str:
    """Return the tree of a raw commit, whose first line is ``tree ID``."""
    return commit.partition(b"\n")[0].removeprefix(b"tree ").decode()
