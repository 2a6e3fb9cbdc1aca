"""The stores that are held to the contract: a new one adds its line to STORES and nothing else.

A server's own fixture is asked for by its name, once a run, and only where its store is tested.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, NamedTuple

import pytest

from coord.etcd import address
from coord.remote import address as remote
from coord.stores.chain import Chain
from coord.stores.cluster import Cluster
from coord.stores.directory import Directory
from coord.stores.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from coord.stores.store import Store


_DEAR = 10


class Maker(NamedTuple):
    """Opens one and the same store from any process.

    Attributes:
        kind: opens what `place` names.
        place: a folder, or a URL.
        fewer: by how much what costs a push each is tried less often than where it costs a file.
    """

    kind: Callable[[str], Store]
    place: str
    fewer: int

    def open(self) -> Store:
        """Return a fresh client of the store."""
        return self.kind(self.place)

    def times(self, most: int, least: int = 1) -> int:
        """Return how often to try what is tried `most` times on files."""
        return max(least, most // self.fewer)

    def racers(self, most: int) -> int:
        """Return how many race where on files `most` do."""
        return most if self.fewer < _DEAR else most // 2


class Kind(NamedTuple):
    """A store: how it is opened, its server if it has one, and the sizes that it is tried with."""

    opened: Callable[[str], Store]
    server: str | None
    fewer: int


def _host(place: str) -> Replica:
    """Open a chain as a host that nobody has been on."""
    home = tempfile.mkdtemp(dir=os.path.dirname(place))
    return Replica(Chain(remote.parsed(f"git+{_bare(place)}"), home), fresh=0)


def _clone(place: str) -> Replica:
    """Open a chain as a process of the one clone that there is."""
    return Replica(Chain(remote.parsed(f"git+{_bare(place)}"), f"{place}.home"), fresh=0)


def _bare(place: str) -> str:
    if not os.path.exists(place):
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    return place


STORES = {
    "directory": Kind(Directory, None, 1),
    "etcd": Kind(lambda url: Cluster(address.parsed(url)), "etcd", 2),
    # Racers on hosts of their own race to push; those of one clone are pushed for by one of them.
    "git": Kind(_host, "bare", 20),
    "git-clone": Kind(_clone, "bare", 20),
    # A copy that is never fresh enough: each read brings it up to date, as each command's first.
    "replica": Kind(lambda url: Replica(Cluster(address.parsed(url)), fresh=0), "etcd", 4),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out on a git remote what is the same on every store, and costs a push a record there.

    How a long line is written; and within one clone, all but races.
    """
    items[:] = [item for item in items if _is_its_own(item)]


def _is_its_own(item: pytest.Item) -> bool:
    if "[git" not in item.name:
        return True
    races = "race" in getattr(item, "fixturenames", ())
    return "test_long_lines" not in item.nodeid and (races or "[git-clone" not in item.name)


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A folder of bare repositories."""
    return str(tmp_path)


@pytest.fixture(params=sorted(STORES))
def maker(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    """A store nobody has written to yet."""
    kind = STORES[request.param]
    if kind.server is None:
        place = str(tmp_path / "coord" / "board")
    else:
        place = f"{request.getfixturevalue(kind.server)}/{os.urandom(6).hex()}"
        if kind.server == "bare":
            _bare(place)
    return Maker(kind.opened, place, kind.fewer)


@pytest.fixture
def store(maker: Maker) -> Iterator[Store]:
    """A client of that store."""
    made = maker.open()
    yield made
    made.close()


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
