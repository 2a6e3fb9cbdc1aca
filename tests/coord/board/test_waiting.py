"""Waiting: the end of the scope, the time, or a death above; with one clock nobody steps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from coord.board import waiting

if TYPE_CHECKING:
    from collections.abc import Callable


class Above:
    """The processes above, as a test wants them."""

    def __init__(self, broken: Callable[[], bool] = lambda: False) -> None:
        self.is_broken = broken


def _until(is_open: Callable[[], bool], above: Above, timeout: float | None = 5) -> bool:
    return waiting.until(is_open, above, timeout, lambda: None, 60)  # type: ignore[arg-type]


def test_what_is_open_is_not_waited_for() -> None:
    """Not even for a look at the processes above."""
    assert _until(lambda: True, Above(lambda: True), 0)


def test_a_wait_ends_when_the_scope_does() -> None:
    """At the next look."""
    looks = iter([False, False, True])

    assert _until(lambda: next(looks), Above())


def test_a_wait_ends_at_its_time() -> None:
    """Neither much sooner nor much later."""
    start = time.monotonic()

    assert not _until(lambda: False, Above(), 0.4)
    assert 0.4 <= time.monotonic() - start < 2


def test_a_wait_ends_with_the_worker() -> None:
    """Nobody is left to be told."""
    with pytest.raises(waiting.Orphaned):
        _until(lambda: False, Above(lambda: True), None)


def test_who_waits_gives_signs_of_life() -> None:
    """A long wait is not silence."""
    beaten: list[float] = []
    waiting.until(
        lambda: len(beaten) > 1,
        Above(),  # type: ignore[arg-type]
        5,
        lambda: beaten.append(time.monotonic()),
        0.1,
    )

    assert len(beaten) == 2


def test_a_step_of_the_clock_ends_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wall time may jump by a day."""
    monkeypatch.setattr(time, "time", lambda: 0.0)
    looks = iter([False, True])

    assert _until(lambda: next(looks), Above())


def test_a_watch_of_this_process_is_complete() -> None:
    """The chain above a test run is alive, and has a worker."""
    watch = waiting.Watch()

    assert not watch.is_broken()
    assert watch.worker is not None
