"""The versions of a file that the commit under way is held against, and which others know."""

from __future__ import annotations

import copy
import os

from coord.guard import elsewhere
from coord.guard.normal import Forms
from coord.hooks import lineage, messagefile
from coord.repo import git, underway

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.hooks.lineage import Lineage
    from coord.repo.worktree import Worktree

_REPLAYS = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD")


class Versions:
    """The commits that files are held against.

    Attributes:
        past: what the commit grows from.
        reverted: the commit that it reverts and what that is held against, else None.
        replays: whether what it loses is only said: a revert, or one of several.
        copies: whether it repeats a commit, which was judged when it was made.
    """

    def __init__(self, here: Worktree, past: Lineage, message: str) -> None:
        self._here = here
        self.past = past
        self.reverted = lineage.reverted(messagefile.text(message))
        self.replays = here.has("REVERT_HEAD") or here.has("sequencer")
        self.copies = any(map(here.has, _REPLAYS))
        self._forms: Forms | None = None
        self._shared: list[str] | None = None
        self._staged: dict[bytes, str] | None = None

    @property
    def cwd(self) -> str:
        """Where git is asked."""
        return self._here.cwd

    @property
    def shared(self) -> list[str]:
        """The newest commits of its past that others reach; asked only where something is lost."""
        if self._shared is None:
            parents = self.past.parents
            self._shared = [tip for one in parents for tip in lineage.shared(self._here, one)]
        return self._shared

    def converted(self, path: str) -> Versions | None:
        """Return the same with that path's texts as git would convert them now; None: as they are.

        What git converts is no loss: a merge that renormalizes joins texts that no commit holds.
        """
        forms = Forms(self._here.cwd, git.here(), [path])
        if not forms.converts(path):
            return None
        other = copy.copy(self)
        other._forms = forms  # noqa: SLF001  # of its own class
        return other

    def text(self, commit: str, path: str) -> bytes:
        """Return `path` as it is in `commit`, empty where it is not."""
        return self.staged(path, f"{commit}:{path}") if commit else b""

    def staged(self, path: str, blob: str) -> bytes:
        """Return the bytes of a blob of `path`, empty when there is none."""
        return self._forms.text(path, blob) if self._forms else self.blob(blob)

    def blob(self, name: str) -> bytes:
        """Return the bytes of a blob, empty when there is none.

        Raises:
            Environment: there is one, and git cannot read it.
        """
        done = git.ask("cat-file", "blob", name, cwd=self._here.cwd, env=git.here())
        if done.code == 0 or self._is_none(name):
            return done.out
        return git.tell("cat-file", "blob", name, cwd=self._here.cwd, env=git.here()).out

    def _is_none(self, name: str) -> bool:
        """Tell whether git knows that there is nothing, or a folder."""
        found = git.look(
            "rev-parse", "--verify", "--quiet", name, cwd=self._here.cwd, env=git.here()
        )
        if found.code:
            return True
        kind = git.ask("cat-file", "-t", found.text, cwd=self._here.cwd, env=git.here())
        return kind.text == "tree"

    def replayed(self, path: str) -> list[bytes]:
        """Return `path` as the commits have it that are picked, rebased or taken back to."""
        if not self.copies and not self.replays:
            return []
        return [self.text(rev, path) for rev in underway.brought(self._here)]

    def base(self, other: str) -> str:
        """Return the merge base of HEAD and another parent, empty where there is none."""
        return git.ask("merge-base", "HEAD", other, cwd=self._here.cwd, env=git.here()).text

    def is_elsewhere(self, commit: str, path: str, kind: str, start: bytes | None) -> bool:
        """Tell whether the merge under way keeps the file of a parent under another path."""
        old = self.text(commit, path)
        name = git.ask("rev-parse", f"{commit}:{path}", cwd=self._here.cwd, env=git.here()).text
        return elsewhere.keeps(
            self._tree(),
            os.fsencode(path),
            name,
            lambda blob: elsewhere.holds(kind, start, self.staged(path, blob), old),
        )

    def _tree(self) -> dict[bytes, str]:
        """Return path → blob of what is staged."""
        if self._staged is None:
            ask = ("ls-files", "--stage", "--full-name", "-z", "--", ":/")
            listing = git.tell(*ask, cwd=self._here.cwd, env=git.here()).out
            pairs = (entry.partition(b"\t") for entry in listing.split(b"\0")[:-1])
            self._staged = {path: facts.split(b" ")[1].decode() for facts, _, path in pairs}
        return self._staged
