"""The stores that are held to the contract: a new one adds its line to STORES and nothing else."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, NamedTuple

import pytest

from coord.board.directory import Directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from coord.board.store import Store


class Maker(NamedTuple):
    """Opens one and the same store from any process."""

    kind: Callable[[str], Store]
    place: str

    def open(self) -> Store:
        """Return a fresh client of the store."""
        return self.kind(self.place)


STORES = {"directory": Directory}


@pytest.fixture(params=sorted(STORES))
def maker(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    """A store nobody has written to yet."""
    return Maker(STORES[request.param], str(tmp_path / "coord" / "board"))


@pytest.fixture
def store(maker: Maker) -> Store:
    """A client of that store."""
    return maker.open()


@pytest.fixture
def race() -> Callable[..., list[object]]:
    """Run a function in many processes that start together; return their results, unordered."""

    def run(racers: int, work: Callable[..., object], *args: object) -> list[object]:
        context = multiprocessing.get_context("fork")
        start, results = context.Barrier(racers), context.SimpleQueue()

        def body(number: int) -> None:
            start.wait()
            try:
                results.put(work(number, *args))
            except BaseException as error:
                results.put(error)
                raise

        processes = [context.Process(target=body, args=(number,)) for number in range(racers)]
        for process in processes:
            process.start()
        found = [results.get() for _ in processes]
        for error in found:
            if isinstance(error, BaseException):
                raise error
        for process in processes:
            process.join()
            assert process.exitcode == 0
        return found

    return run
