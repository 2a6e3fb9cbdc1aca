"""``git merge-tree`` as one child that merges pair after pair.

A batch can build on its own results: between two questions we write the commit that the next one
names. Git flushes an answer's last bytes only with the next answer (2.39), so each question is
followed by an empty one, whose answer says that the first is whole.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, NamedTuple, Self

from coord.rehearse.trees import Entry
from coord.repo.batch import Child, Ended

if TYPE_CHECKING:
    from collections.abc import Mapping


class Message(NamedTuple):
    """One message of git's: the paths it is about, and its type, which is never translated."""

    paths: tuple[bytes, ...]
    type: str

    @property
    def conflict(self) -> str:
        """What kind of conflict it tells of, empty when it tells of none."""
        named = self.type.removeprefix("CONFLICT (")
        return named.removesuffix(")") if named != self.type else ""


class Merge(NamedTuple):
    """How two commits merge.

    Attributes:
        clean: whether git calls the merge clean.
        tree: the result; where it is not clean, with the files as they would lie in the worktree.
        stages: {path: {stage: entry}} of what is unmerged.
        messages: what git says about it.
        words: what git and the drivers said on stderr.
    """

    clean: bool
    tree: str
    stages: Mapping[bytes, Mapping[str, Entry]]
    messages: tuple[Message, ...]
    words: str


class Died(Exception):
    """Git could not merge at all; the argument is what it said."""


class Merger:
    """Merges commits in one child; a context manager that ends it."""

    def __init__(self, cwd: str, env: Mapping[str, str]) -> None:
        self._cwd, self._env = cwd, env
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as we do
        self._heard = 0
        self._child: Child | None = None
        self._pending = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.renew()
        self._words.close()

    def renew(self) -> None:
        """End the child: the next one reads attributes anew."""
        if self._child is not None:
            self._child.end()
        self._child, self._pending = None, False

    def merge(self, ours: str, theirs: str) -> Merge:
        """Merge commit `theirs` into commit `ours`.

        Raises:
            Died: git gave no answer.
        """
        self._heard = self._spoken()
        try:
            return self._answer(ours, theirs)
        except Ended as error:
            self.renew()
            raise Died(self._words_now()) from error

    def _answer(self, ours: str, theirs: str) -> Merge:
        child = self._running()
        child.send(f"{ours} {theirs}\n{ours} {ours}\n".encode())
        if self._pending:  # the end of the empty answer before
            child.field()
        clean, tree = child.field() == b"1", child.field().decode()
        stages = _stages(child)
        messages = _messages(child)
        for _ in ("1", "tree", "no stages"):
            child.field()
        self._pending = True
        return Merge(clean, tree, stages, messages, self._words_now())

    def _running(self) -> Child:
        if self._child is None:
            args = ("merge-tree", "--stdin", "-z", "--messages")
            self._child = Child(*args, cwd=self._cwd, env=self._env, words=self._words)
        return self._child

    def _spoken(self) -> int:
        return os.fstat(self._words.fileno()).st_size

    def _words_now(self) -> str:
        fresh = self._spoken() - self._heard
        return os.fsdecode(os.pread(self._words.fileno(), fresh, self._heard))


def _stages(child: Child) -> dict[bytes, dict[str, Entry]]:
    """Read ``MODE BLOB STAGE<tab>PATH`` up to an empty field."""
    found: dict[bytes, dict[str, Entry]] = {}
    while field := child.field():
        facts, _, path = field.partition(b"\t")
        mode, blob, stage = facts.split(b" ")
        found.setdefault(path, {})[stage.decode()] = Entry(mode, blob.decode())
    return found


def _messages(child: Child) -> tuple[Message, ...]:
    """Read COUNT, that many paths, a type and a text, over and over up to another field.

    That is an empty one, or git's advice on submodules, which it prints there without an end.
    """
    found = []
    while (count := child.field()).isdigit():
        paths = tuple(child.field() for _ in range(int(count)))
        found.append(Message(paths, child.field().decode()))
        child.field()
    return tuple(found)
