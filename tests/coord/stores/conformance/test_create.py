"""Create-only: one winner, never an empty record, and a repeated call that changes nothing."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Maker

    from coord.stores.store import Rec, Store

RACERS = 16


def _value(number: int) -> bytes:
    return f"racer {number} {os.urandom(8).hex()}\n".encode() * 20


def _compete(number: int, maker: Maker, shuffled: bool) -> list[tuple[str, bytes, bytes, bytes]]:
    """Try to create every key; return what was tried, what came back, what is read then."""
    store, found = maker.open(), []
    keys = [f"claims/s-race/{key:08d}" for key in range(1, maker.times(50, 2) + 1)]
    if shuffled:
        random.Random(number).shuffle(keys)  # noqa: S311  # an order, no secret
    for key in keys:
        mine = _value(number)
        got = store.create(key, mine)
        read = store.read(key)
        found.append((key, mine, got.value, read.value if read else b""))
    return found


@pytest.mark.parametrize("shuffled", [False, True], ids=["in-order", "shuffled"])
def test_of_many_creators_one_wins_and_all_see_its_bytes(
    maker: Maker,
    race: Callable[..., list[list[tuple[str, bytes, bytes, bytes]]]],
    *,
    shuffled: bool,
) -> None:
    """A loser reads the winner's whole record from the same call; nobody reads an empty one."""
    results = [
        row for rows in race(maker.racers(RACERS), _compete, maker, shuffled) for row in rows
    ]

    for key in {row[0] for row in results}:
        rows = [row for row in results if row[0] == key]
        winners = {mine for _, mine, got, _ in rows if got == mine}
        assert len(winners) == 1
        assert {got for _, _, got, _ in rows} | {read for *_, read in rows} == winners


def _poll(number: int, maker: Maker) -> bool:
    """As racer 0, look on while the others create; tell whether all that was seen was whole."""
    store, key = maker.open(), "actors/a-polled"
    if number:
        store.create(key, b"x" * 50_000)
        return True
    while (found := store.read(key)) is None:
        pass
    return found.value == b"x" * 50_000


def test_a_reader_never_sees_a_part_of_a_record(
    maker: Maker, race: Callable[..., list[object]]
) -> None:
    """Absent, then whole."""
    for _ in range(maker.times(5)):
        assert all(race(3, _poll, maker))
        maker.open().delete("actors/a-polled", b"x" * 50_000)


def test_the_same_call_again_wins_again(store: Store) -> None:
    """A retry after a lost answer must not lose to itself."""
    first = store.create("actors/a-x", b"mine")
    again = store.create("actors/a-x", b"mine")

    assert first.value == again.value == b"mine"


def test_another_writer_with_another_nonce_loses(store: Store) -> None:
    """Equality of bytes is identity: the nonce tells two writers of one payload apart."""
    store.create("actors/a-x", b"payload, nonce 1")

    assert store.create("actors/a-x", b"payload, nonce 2").value == b"payload, nonce 1"


def test_what_belongs_to_a_record_is_created_with_it(store: Store) -> None:
    """And again, after a lost answer, it is all there."""
    also = [("notices/a-x/n1", b"one"), ("notices/a-y/n1", b"two")]
    for _ in range(2):
        made = store.append("claims/s-x/00000001", b"1", None, also)
        assert _there(made).value == b"1"

    assert [_there(store.read(key)).value for key, _ in also] == [b"one", b"two"]
    follower = store.append("claims/s-x/00000002", b"2", "claims/s-x/00000001", [])
    assert _there(follower).value == b"2"


def test_what_belongs_to_a_record_that_another_made_is_not_created(store: Store) -> None:
    """The winner's record comes back, and nobody is told of what was not to be."""
    store.create("claims/s-x/00000001", b"another's")

    lost = store.append("claims/s-x/00000001", b"1", None, [("notices/a-x/n1", b"one")])

    assert _there(lost).value == b"another's"
    assert list(store.list("notices")) == []


def test_more_may_belong_to_a_record_than_fits_one_step(store: Store) -> None:
    """An offer to everybody tells everybody; lost, it tells nobody."""
    also = [(f"notices/a-{number}/n1", b"x") for number in range(150)]
    store.append("claims/s-x/00000001", b"1", None, also)
    assert len(list(store.list("notices"))) == 150
    others = [(f"notices/b-{number}/n1", b"x") for number in range(150)]

    lost = store.append("claims/s-x/00000001", b"2", None, others)

    assert _there(lost).value == b"1"
    assert len(list(store.list("notices"))) == 150


def _append(number: int, maker: Maker) -> bool:
    store, mine = maker.open(), _value(number)
    got = store.append("claims/s-x/00000001", mine, None, [(f"notices/a-{number}/n1", b"x")])
    return got is not None and got.value == mine


def test_of_racing_appends_one_stands_with_what_belongs_to_it(
    maker: Maker, race: Callable[..., list[bool]]
) -> None:
    """Of the others nothing is left."""
    won = race(RACERS, _append, maker)

    assert sum(won) == 1
    assert len(list(maker.open().list("notices"))) == 1


@pytest.mark.parametrize(
    "value", [b"1", b"\0\xff\xfe", b"x" * 65536, b"\n\n"], ids=["one", "odd", "64K", "newlines"]
)
def test_any_bytes_come_back(store: Store, value: bytes) -> None:
    """NUL, no UTF-8, long ones."""
    store.create("actors/a-x", value)

    assert _there(store.read("actors/a-x")).value == value


def test_the_longest_value_is_kept_and_a_longer_one_refused(store: Store) -> None:
    """The limit is stated and holds; an empty record would say nothing."""
    longest = b"x" * store.caps.max_value
    store.create("actors/a-x", longest)

    assert _there(store.read("actors/a-x")).value == longest
    for value in (longest + b"x", b""):
        with pytest.raises(ValueError, match=str(len(value))):
            store.create("actors/a-y", value)
    assert store.read("actors/a-y") is None


def test_a_created_record_is_stamped_by_the_stores_clock(store: Store) -> None:
    """Age is counted by one clock, whatever the writer's says."""
    if not store.caps.clock:
        pytest.skip("this store has no clock")
    before = store.now()
    made = store.create("actors/a-x", b"1")
    after = store.now()

    assert before is not None
    assert after is not None
    assert made.at is not None
    assert before <= made.at <= after
    assert _there(store.read("actors/a-x")).at == made.at


@pytest.mark.parametrize(
    "key",
    [
        "",
        "a",
        "/a",
        "a/",
        "a//b",
        "../a",
        "a/..",
        "a/.x",
        "a/b/c/d",
        "a/B",
        "a/b c",
        "a/é",
        "a/b\n",
    ],
)
def test_an_ill_formed_key_is_refused(store: Store, key: str) -> None:
    """Nothing that could leave the store, fold, or be taken for a temporary file."""
    with pytest.raises(ValueError, match="not a key"):
        store.create(key, b"x")
    with pytest.raises(ValueError, match="not a key"):
        store.read(key)


def _there(rec: Rec | None) -> Rec:
    assert rec is not None
    return rec
