"""A private git dir as the place where workers leave signs, each file of it read once a command.

Eight hundred sessions without a pin share one worktree: who of them worked there last is one
question about the worktree, not one about each.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from coord.identity import pin
from coord.liveness import beats, sessionfile, signs

if TYPE_CHECKING:
    from coord.identity.pin import Pin


class Home:
    """What the files of the private git dir `git_dir` say; an error is raised at each question."""

    def __init__(self, git_dir: str) -> None:
        self.git_dir = git_dir
        self._signs: dict[str, list[signs.Sign]] = {}

    @cached_property
    def pinned(self) -> Pin | None:
        """Who is pinned there.

        Raises:
            Unreadable, OSError: the pin cannot be read.
        """
        return pin.read(self.git_dir)

    @cached_property
    def minted(self) -> frozenset[str]:
        """The instances that acted there without a pin."""
        return frozenset(instance for _, instance in beats.minted_in(self.git_dir))

    @cached_property
    def declared(self) -> list[sessionfile.Declared]:
        """The declared sessions, runs and waits.

        Raises:
            OSError: one may not be read.
        """
        return list(sessionfile.every(self.git_dir))

    def signs(self, instance: str) -> list[signs.Sign]:
        """Return what the sessions of an instance have left.

        Raises:
            OSError: it may not be read.
        """
        if instance not in self._signs:
            self._signs[instance] = list(signs.every(self.git_dir, instance))
        return self._signs[instance]

    def beat(self, instance: str) -> float | None:
        """Return the last sign that a version before has left of an instance, in seconds."""
        return mtime(os.path.join(self.git_dir, beats.BEATS, instance))

    def works(self, instance: str) -> bool:
        """Tell whether `instance` is the worker there: pinned, or the last to give a command."""
        return self._last(instance) >= self._newest

    @cached_property
    def _newest(self) -> float:
        return max(map(self._last, self._able), default=0.0)

    @property
    def _able(self) -> frozenset[str]:
        """Who can act there: the pinned one alone, else those minted; none where unreadable."""
        try:
            pinned = self.pinned
        except (pin.Unreadable, OSError):
            return frozenset()
        return self.minted if pinned is None else frozenset((pinned.instance,))

    def _last(self, instance: str) -> float:
        times = [self.beat(instance) or 0.0]
        try:
            times += [one.at for one in self.signs(instance)]
        except OSError:
            pass
        return max(times)


def mtime(path: str) -> float | None:
    """Return when a file was last written, in seconds; None where that cannot be told."""
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return None
