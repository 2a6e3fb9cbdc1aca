"""A line in many records: what no writer of ours would have written is foreign, at little cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from coord.board import eventjson, linejson
from coord.board.events import Event, Place, State
from coord.board.linejson import Page
from coord.stores import keys

FOLDER = keys.claim("task:x")
LINE = tuple(Place(f"a{number}", f"i{number}", None, "now") for number in range(6))
PAGES = {1: Page("n1", LINE[:3]), 2: Page("n2", LINE[3:5]), 3: Page("n3", ())}


def _record(items: list[Any], drawn: object) -> bytes:
    event = Event(9, "n9", "n8", "wait", "task:x", "a", "i", "now", State(1))
    document = json.loads(eventjson.encode(event))
    document["state"] |= {"line": items, "drawn": drawn}
    return json.dumps(document).encode()


def _drawn(*nonces: str) -> int:
    return linejson._drawn([linejson.Part(nonce=nonce) for nonce in nonces])


def _read(items: list[Any], drawn: object) -> Event:
    return eventjson.decode(_record(items, drawn), FOLDER, 9, PAGES.get)


def test_numbers_stand_for_what_other_records_hold() -> None:
    """All of it, or from one to another; and what the record holds itself in between."""
    own = linejson.place(LINE[5])

    found = _read([[2, 1, 2], own, 1], _drawn("n2", "n1"))

    assert found.state.line == (LINE[4], LINE[5], *LINE[:3])
    assert [(part.seq, part.start, part.stop) for part in found.parts] == [
        (2, 1, 2),
        (9, 0, 1),
        (1, 0, 3),
    ]
    assert found.is_whole()


@pytest.mark.parametrize(
    "items",
    [
        [1, 1],
        [[1, 0, 2], [1, 1, 3]],
        [[1, 0, 4]],
        [[1, -1, 1]],
        [[1, 2, 2]],
        [[1, 0, 1.0]],
        [[1, 0]],
        [[1, 0, 1, 1]],
        ["1"],
        [True],
        [None],
        [[]],
        [0],
        [-1],
        [9],
        [10],
        [3],
    ],
)
def test_names_that_no_writer_of_ours_gives_are_foreign(items: list[Any]) -> None:
    """A place twice, none, more than there are, one of a record that is not below."""
    nonces = [PAGES[1].nonce] * len(items)

    with pytest.raises(eventjson.Foreign):
        _read(items, _drawn(*nonces))


@pytest.mark.parametrize("drawn", [None, 0, "x", _drawn("n1", "n1")])
def test_a_record_that_was_created_again_is_not_the_one_that_is_named(drawn: object) -> None:
    """The sum of nonces tells them apart."""
    with pytest.raises(eventjson.Foreign):
        _read([1], drawn)


def test_a_line_made_of_one_record_named_for_ever_costs_nothing() -> None:
    """A forged record cannot make a line of billions out of a megabyte."""
    with pytest.raises(eventjson.Foreign):
        _read([1] * 100_000, 0)


def test_each_record_that_cannot_be_read_is_one_place_of_nobodys() -> None:
    """Where it was in the line; the others are read."""
    found = _read([5, 2, [6, 0, 3]], 0)

    assert [place.instance for place in found.state.line] == [None, "i3", "i4", None]
    assert not found.is_whole()


def test_what_a_record_holds_itself_is_read_without_others() -> None:
    """A page names no page that is needed for it."""
    value = _record([1, linejson.place(LINE[5])], 0)

    assert eventjson.held(value, FOLDER, 9) == Page("n9", LINE[5:])
    with pytest.raises(eventjson.Foreign):
        eventjson.held(value, FOLDER, 8)
    with pytest.raises(eventjson.Foreign):
        eventjson.held(b"{}", FOLDER, 9)
