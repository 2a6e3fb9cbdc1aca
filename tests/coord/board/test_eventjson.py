"""Events as bytes: back as they were, or foreign; never a crash."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.board import eventjson
from coord.board.events import Event, Place, State
from coord.board.offer import Offer
from coord.liveness.process import Process
from coord.stores import keys

# What a worker can have typed: UTF-8, or bytes that are none; a NUL ends an argument.
TYPED = st.characters(codec="utf-8", exclude_characters="\0") | st.characters(
    min_codepoint=0xDC80, max_codepoint=0xDCFF
)
TEXT = st.text(TYPED, max_size=20)
PROCESSES = st.builds(Process, TEXT, TEXT, st.integers(0, 1 << 22), TEXT, TEXT)
PLACES = st.builds(
    Place,
    actor=TEXT,
    instance=TEXT,
    branch=st.none() | TEXT,
    since=TEXT,
    issue=st.none() | st.integers(1) | TEXT.filter(bool),
    session=st.none() | TEXT.filter(bool),
    intent=st.none() | TEXT.filter(bool),
    paths=st.lists(TEXT, max_size=3).map(tuple),
    process=st.none() | PROCESSES,
    run=st.booleans(),
    on_behalf=st.booleans(),
)
OFFERS = st.builds(
    Offer, TEXT, st.lists(TEXT, min_size=1, max_size=3).map(tuple), TEXT, TEXT, TEXT, TEXT
)
STATES = st.builds(
    State,
    generation=st.integers(0, 1 << 40),
    line=st.lists(PLACES, max_size=3).map(tuple),
    paused_at=st.none() | TEXT,
    finished_at=st.none() | TEXT,
    finished_tip=st.none() | TEXT,
    offers=st.lists(OFFERS, max_size=2).map(tuple),
)
EVENTS = st.builds(
    Event,
    seq=st.integers(1, 99_999_999),
    nonce=TEXT,
    after=st.none() | TEXT,
    kind=TEXT,
    scope=TEXT,
    actor=TEXT,
    instance=st.none() | TEXT,
    at=TEXT,
    state=STATES,
    details=st.just({}) | st.fixed_dictionaries({"reason": TEXT}),
)


@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    """Whatever its texts hold, lone surrogates too; one line of JSON."""
    event = event._replace(scope=keys.normal(event.scope))
    value = eventjson.encode(event)

    assert value.count(b"\n") == 1
    assert eventjson.decode(value, keys.claim(event.scope), event.seq) == event


@given(st.binary(max_size=200))
def test_other_bytes_are_foreign(value: bytes) -> None:
    """Empty, torn, binary."""
    with pytest.raises(eventjson.Foreign):
        eventjson.decode(value, keys.claim("task:x"), 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(EVENTS, st.data())
def test_a_record_with_one_wrong_field_is_foreign_or_an_event(
    event: Event, data: st.DataObject
) -> None:
    """Any JSON in any field: told apart, never another exception."""
    document: Any = json.loads(eventjson.encode(event))
    spots = [document, document["state"], *document["state"]["line"]]
    spot = data.draw(st.sampled_from(spots))
    spot[data.draw(st.sampled_from(sorted(spot)))] = data.draw(JSON)
    value = json.dumps(document).encode()

    try:
        found = eventjson.decode(value, keys.claim(event.scope), event.seq)
    except eventjson.Foreign:
        return
    assert eventjson.encode(found)


@given(EVENTS, st.data())
def test_a_torn_record_is_foreign(event: Event, data: st.DataObject) -> None:
    """Every proper prefix that lacks more than the newline."""
    value = eventjson.encode(event)
    cut = data.draw(st.integers(0, len(value) - 2))

    with pytest.raises(eventjson.Foreign):
        eventjson.decode(value[:cut], keys.claim(event.scope), event.seq)


def test_a_record_in_the_wrong_place_is_foreign() -> None:
    """Its number and its scope are part of what it says."""
    event = Event(3, "n", None, "claim", "task:x", "a", "i", "now", State())
    value = eventjson.encode(event)

    for folder, seq in ((keys.claim("task:x"), 4), (keys.claim("task:y"), 3)):
        with pytest.raises(eventjson.Foreign):
            eventjson.decode(value, folder, seq)
