"""What a transaction costs that lost a race, and what is told of it: two clones, one repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.remote import address, queue, transport
from coord.stores.chain import Chain
from coord.stores.replica import Replica
from harness.remotes import Bare

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ann(tmp_path: Path) -> Chain:
    """A clone that knows the tip."""
    Bare(tmp_path / "board.git")
    made = _clone(tmp_path, "ann")
    made.create("claims/s-ann/00000001", b"first")
    return made


def _clone(tmp_path: Path, name: str) -> Chain:
    return Chain(address.parsed(f"git+{tmp_path}/board.git"), str(tmp_path / name))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The fetches and pushes there are from now on."""
    found: list[str] = []
    for name in ("fetch", "push"):
        act = getattr(transport, name)

        def noted(*args: object, name: str = name, act: object = act) -> object:
            found.append(name)
            return act(*args)  # type: ignore[operator]

        monkeypatch.setattr(transport, name, noted)
    return found


def test_a_push_on_the_known_tip_costs_no_fetch(ann: Chain, asked: list[str]) -> None:
    """It is refused where that is not the tip any more."""
    ann.create("claims/s-ann/00000002", b"second")

    assert asked == ["push"]


def test_a_race_that_was_lost_costs_one_push_more_and_what_is_taken_is_taken_once(
    ann: Chain, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for an answer lies in the queue until it has one, and is not pushed twice over."""
    _clone(tmp_path, "bob").create("claims/s-bob/00000001", b"other")
    asked.clear()
    twice: list[object] = []
    monkeypatch.setattr(queue, "put_back", twice.append)

    ann.create("claims/s-ann/00000002", b"second")

    assert asked.count("push") == 2
    assert 1 <= asked.count("fetch") <= 2
    assert twice == []


def test_a_record_that_another_clone_has_deleted_before_is_told_to_be_gone(
    ann: Chain, tmp_path: Path
) -> None:
    """Not that nobody knows: the push that lost the race was answered."""
    bob = _clone(tmp_path, "bob")
    there = ann.create("claims/s-all/00000001", b"mine")
    assert bob.delete_at(there.key, there.rev or 0)

    assert not ann.delete_at(there.key, there.rev or 0)


@pytest.mark.usefixtures("ann")
def test_who_keeps_watch_reads_what_that_has_fetched(tmp_path: Path, asked: list[str]) -> None:
    """Twenty that wait in a clone would each fetch what one fetch has brought."""
    store = Replica(Chain(address.parsed(f"git+{tmp_path}/board.git"), str(tmp_path / "ann")))
    store.refresh()
    _clone(tmp_path, "bob").create("claims/s-bob/00000001", b"news")
    asked.clear()

    assert store.watch("claims", store.place(), 30)
    store.heard()

    assert store.read("claims/s-bob/00000001") is not None
    assert asked == ["fetch"]
