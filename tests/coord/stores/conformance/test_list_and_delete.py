"""Listing sees what was created before it; deleting takes exactly what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Maker

    from coord.stores.store import Store


def test_an_absent_record_is_none_and_an_absent_folder_empty(store: Store) -> None:
    """Before the first create there is nothing, and no error."""
    assert store.read("actors/a-x") is None
    assert list(store.list("actors")) == []
    assert list(store.list("claims/s-x")) == []


def test_a_list_is_sorted_whole_and_has_each_record_once(store: Store, maker: Maker) -> None:
    """Over every boundary at which a store may page."""
    many = maker.times(1101)
    names = [f"claims/s-{number % 7}/{number:08d}" for number in range(1, many + 1)]
    for name in reversed(names):
        store.create(name, name.encode())

    found = list(store.list("claims"))

    assert [rec.key for rec in found] == sorted(names)
    assert all(rec.value == rec.key.encode() for rec in found)


def test_a_list_is_sorted_by_parts_of_a_key_not_by_its_bytes(store: Store) -> None:
    """``-`` comes before ``/``, and yet what lies below ``s-a`` stands before ``s-a-b``."""
    names = [f"claims/{scope}/00000001" for scope in ("s-a", "s-a-b", "s-a-b-c", "s-ab")]
    for name in reversed(names):
        store.create(name, b"x")

    assert [rec.key for rec in store.list("claims")] == names
    assert [rec.key for rec in store.last("claims")] == names


def test_a_list_without_values_names_the_same_keys(store: Store) -> None:
    """The keys alone are cheaper."""
    for name in ("claims/s-a/00000001", "claims/s-b/00000001"):
        store.create(name, b"x")

    found = list(store.list("claims", values=False))

    assert [rec.key for rec in found] == [rec.key for rec in store.list("claims")]
    assert all(rec.value == b"" for rec in found)


def test_the_last_of_each_folder_is_found_in_one_look(store: Store) -> None:
    """The state of every scope, without its history."""
    store.create("claims/s-long/99999999", b"below")
    store.create("claims/s-long/100000000", b"above")
    for folder, count in (("s-b", 3), ("s-a", 12), ("s-ab", 1)):
        for number in range(1, count + 1):
            store.create(f"claims/{folder}/{number:08d}", f"{folder} {number}".encode())

    found = [(rec.key, rec.value) for rec in store.last("claims")]

    assert found == [
        ("claims/s-a/00000012", b"s-a 12"),
        ("claims/s-ab/00000001", b"s-ab 1"),
        ("claims/s-b/00000003", b"s-b 3"),
        ("claims/s-long/100000000", b"above"),
    ]
    assert list(store.last("messages")) == []


def test_of_the_last_records_those_that_say_nothing_may_be_left_out(store: Store) -> None:
    """However often it is asked; others are there, also of a folder that said nothing before."""
    for name, value in (("s-a", b"free"), ("s-b", b"held"), ("s-c", b"free")):
        store.create(f"claims/{name}/00000001", value)

    def told() -> list[str]:
        found = store.last("claims", but=lambda rec: rec.value == b"free")
        return [rec.key for rec in found if rec.value != b"free"]

    assert told() == told() == ["claims/s-b/00000001"]
    store.create("claims/s-a/00000002", b"held")
    store.create("claims/s-b/00000002", b"free")
    assert told() == ["claims/s-a/00000002"]


def test_a_prefix_is_whole_parts_of_a_key(store: Store) -> None:
    """``a`` does not leak ``ab``, nor a file ``a`` a folder ``a``."""
    store.create("claims/s-a/00000001", b"1")
    store.create("claims/s-ab/00000001", b"2")
    store.create("actors/a-x", b"3")

    assert [rec.value for rec in store.list("claims/s-a")] == [b"1"]
    assert [rec.value for rec in store.list("actors")] == [b"3"]


def _create_and_list(number: int, maker: Maker) -> bool:
    store = maker.open()
    store.create(f"actors/a-{number}", b"x")
    return f"actors/a-{number}" in {rec.key for rec in store.list("actors")}


def test_a_list_sees_every_create_that_ended_before_it(
    maker: Maker, race: Callable[..., list[object]]
) -> None:
    """One's own, and in the end everybody's."""
    assert all(race(16, _create_and_list, maker))
    assert len(list(maker.open().list("actors"))) == 16


def test_a_delete_of_other_bytes_takes_nothing(store: Store) -> None:
    """Compare-and-delete."""
    store.create("actors/a-x", b"mine")

    assert store.delete("actors/a-x", b"other") is False
    assert store.delete("actors/a-y", b"mine") is False
    assert store.read("actors/a-x") is not None


def test_after_a_delete_the_key_is_free(store: Store) -> None:
    """Absent to reads and lists, and to be created anew."""
    store.create("actors/a-x", b"1")

    assert store.delete("actors/a-x", b"1") is True
    assert store.read("actors/a-x") is None
    assert list(store.list("actors")) == []
    assert store.create("actors/a-x", b"2").value == b"2"


def _delete(_: int, maker: Maker) -> bool:
    return maker.open().delete("actors/a-x", b"x")


def test_of_racing_deleters_one_is_told_true(
    maker: Maker, race: Callable[..., list[object]]
) -> None:
    """Else two would each go on as the one who ended it."""
    for _ in range(maker.times(20)):
        maker.open().create("actors/a-x", b"x")

        many = maker.racers(8)
        assert sorted(map(bool, race(many, _delete, maker))) == [False] * (many - 1) + [True]


def _churn(number: int, maker: Maker) -> int:
    """Create and delete one key against others; return how often the record taken was not ours."""
    store, wrong = maker.open(), 0
    for turn in range(maker.times(50)):
        mine = f"{number} {turn}".encode()
        if store.create("actors/a-x", mine).value == mine:
            wrong += not store.delete("actors/a-x", mine)
    return wrong


def test_a_deleter_never_takes_what_was_created_in_between(
    maker: Maker, race: Callable[..., list[object]]
) -> None:
    """Between the look and the deletion the record may have become another's."""
    assert race(maker.racers(8), _churn, maker) == [0] * maker.racers(8)


def test_two_boards_do_not_see_each_other(maker: Maker) -> None:
    """Two repositories in one place of stores."""
    other = maker._replace(place=maker.place + "-2").open()
    maker.open().create("actors/a-x", b"1")

    assert other.read("actors/a-x") is None
    assert list(other.list("actors")) == []


def test_a_closed_store_is_opened_again_by_the_next_call(store: Store) -> None:
    """Whoever is done says so; who was not notices nothing."""
    store.create("actors/a-x", b"1")
    store.close()

    assert [rec.value for rec in store.list("actors")] == [b"1"]
    store.close()


def test_a_store_is_used_by_both_sides_of_a_fork(
    store: Store, maker: Maker, race: Callable[..., object]
) -> None:
    """Neither reads what the other was answered."""
    many = maker.times(20, 2)
    store.create("actors/a-x", b"1")

    def work(number: int) -> list[bool]:
        return [
            store.create(f"actors/a-{number}-{turn}", b"%d" % turn).value == b"%d" % turn
            for turn in range(many)
        ]

    assert race(4, work) == [[True] * many] * 4
    assert len(list(store.list("actors"))) == 4 * many + 1


def test_what_is_forgotten_is_there_for_nobody_after_the_command(maker: Maker) -> None:
    """For who forgets it at once, whatever else it does by then."""
    store, other = maker.open(), maker.open()
    told = [store.create(f"notices/a-x/{number}", b"x") for number in range(3)]

    store.forget(told[:2])

    assert [rec.key for rec in store.list("notices")] == [told[2].key]
    assert store.read(told[0].key) is None
    store.close()
    assert [rec.key for rec in other.list("notices")] == [told[2].key]
    other.close()


def test_several_are_created_in_one_step_or_not_at_all(maker: Maker) -> None:
    """Where a store cannot, it creates nothing; again with the same bytes says the same."""
    store = maker.open()
    made = [(f"messages/a-{number}/1", b"x") for number in range(3)]

    done = store.together(made)

    assert done is store.caps.hosts
    assert [rec.key for rec in store.list("messages")] == [key for key, _ in made if done]
    assert store.together(made) is done
    assert store.together([("messages/a-9/1", b"y"), ("messages/a-1/1", b"y")]) is False
    assert store.read("messages/a-9/1") is None
    store.close()
