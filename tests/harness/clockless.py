"""A board that stamps nothing, on a real etcd; and machines whose clocks show what a test says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.liveness import machine
from coord.stores import firstseen
from coord.stores.cluster import Cluster

if TYPE_CHECKING:
    import pytest

    from coord.etcd.wire import End

YEAR = 365 * 86400.0


class Clockless(Cluster):
    """What a remote of git is to its users: it orders writes, and knows no time.

    It stands for one so that what is built on it is held to that law on a server that answers in a
    millisecond. What a writer stamps is its own clock's, `skewed` by as much as a test likes.
    """

    caps = Cluster.caps._replace(clock=False)
    skewed = 0.0

    def now(self) -> float | None:
        """There is no clock."""

    @property
    def ahead(self) -> float | None:
        """There is no clock."""

    @ahead.setter
    def ahead(self, seconds: float | None) -> None:
        raise AssertionError(seconds)

    def _time(self, end: End) -> float:
        return super()._time(end) + self.skewed


class Machine:
    """A machine as one process after another finds it: what its clocks show, and since when."""

    def __init__(self, world: World, skewed: float = 0.0) -> None:
        self._world = world
        self.skewed = skewed  # of the clock that can be set
        self._booted = world.passed
        self._boots = 0

    def reboot(self, off: float) -> None:
        """Be switched off for some seconds."""
        self._world.passed += off
        self._booted = self._world.passed
        self._boots += 1

    @property
    def uptime(self) -> tuple[str, float]:
        """The clock that cannot be set."""
        return f"{id(self)}-{self._boots}", self._world.passed - self._booted + 10.0

    @property
    def time(self) -> float:
        """The one that can."""
        return 1_800_000_000.0 + self._world.passed + self.skewed


class World:
    """True time, and the machine at which something is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = 0.0
        self.at = Machine(self)
        monkeypatch.setattr(machine, "uptime", lambda: self.at.uptime)
        monkeypatch.setattr(firstseen, "time", self)

    def time(self) -> float:
        """Stand for :func:`time.time`."""
        return self.at.time
