"""The inbox: what is unread is shown, what is read stays so, and nothing is trusted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.board import claims, events, handover, inbox, messages
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.board.offer import Offer
from coord.identity.whoami import Identity
from coord.stores import keys
from coord.stores.directory import Directory

if TYPE_CHECKING:
    from pathlib import Path

# What a worker can have typed: UTF-8, or bytes that are none; a NUL ends an argument.
TYPED = st.characters(codec="utf-8", exclude_characters="\0") | st.characters(
    min_codepoint=0xDC80, max_codepoint=0xDCFF
)
TEXT = st.text(TYPED, max_size=30)
PARTIES = st.builds(Party, TEXT, TEXT, *(st.none() | TEXT for _ in range(3)))
MESSAGES = st.builds(
    Message,
    id=TEXT,
    kind=st.sampled_from(messages.KINDS),
    sender=PARTIES,
    to=PARTIES,
    scope=st.none() | TEXT,
    generation=st.none() | st.integers(0, 1 << 40),
    text=TEXT,
    sent_at=TEXT,
    read=st.just(False),  # told by the receipts, not by the record
    offer=st.just(False),
)


@pytest.fixture
def store(tmp_path: Path) -> Directory:
    """An empty board."""
    return Directory(str(tmp_path / "board"))


def put(store: Directory, name: str, text: str = "text", to: str = "i-me") -> Message:
    """Put a message into an inbox."""
    made = Message(name, "help", Party("a", "i-a"), Party("me", to), None, None, text, name)
    store.create(f"{keys.messages(to)}/{name}", messages.encode(made))
    return made


def ids(found: list[Message]) -> list[str]:
    """Return the ids, in order."""
    return [message.id for message in found]


@given(MESSAGES)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    """Whatever its texts hold; one line of JSON."""
    value = messages.encode(message)

    assert value.count(b"\n") == 1
    assert messages.decode(value) == message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(MESSAGES, st.data())
def test_a_record_with_one_wrong_field_is_none_or_a_message(
    message: Message, data: st.DataObject
) -> None:
    """Any JSON in any field: never another exception."""
    document: Any = json.loads(messages.encode(message))
    spot = data.draw(st.sampled_from([document, document["from"], document["to"]]))
    spot[data.draw(st.sampled_from(sorted(spot)))] = data.draw(JSON)

    found = messages.decode(json.dumps(document).encode())
    assert found is None or messages.encode(found)


@given(st.binary(max_size=100))
def test_other_bytes_are_no_message(value: bytes) -> None:
    """Empty, torn, binary."""
    assert messages.decode(value) is None


def test_what_was_read_is_not_unread_again(store: Directory) -> None:
    """Looking marks nothing; the mark is per message and per instance."""
    put(store, "b")
    put(store, "a")
    put(store, "a", to="i-other")
    assert ids(inbox.unread(store, "i-me")) == ["a", "b"]
    assert ids(inbox.unread(store, Identity("me", "i-me", "pinned", 2))) == ["a", "b"]

    inbox.mark_read(store, "i-me", inbox.unread(store, "i-me"))

    assert inbox.unread(store, "i-me") == []
    assert ids(inbox.unread(store, "i-other")) == ["a"]
    assert [(one.id, one.read) for one in inbox.every(store, "i-me")] == [("a", True), ("b", True)]


def test_a_late_message_with_an_old_id_is_unread(store: Directory) -> None:
    """Its sender was stopped for an hour before it published: no mark in time passes it by."""
    put(store, "2")
    inbox.mark_read(store, "i-me", inbox.unread(store, "i-me"))
    put(store, "1")

    assert ids(inbox.unread(store, "i-me")) == ["1"]


def test_an_inbox_without_an_instance_is_empty(store: Directory) -> None:
    """An inferred identity owns nothing, so nothing is sent to it."""
    assert inbox.unread(store, None) == []
    assert inbox.unread(store, Identity("me", None, "inferred", 2)) == []


def test_many_receipts_become_few_and_none_is_lost(store: Directory) -> None:
    """A look a message, a hundred times over."""
    for number in range(100):
        put(store, f"{number:03}")
        inbox.mark_read(store, "i-me", inbox.unread(store, "i-me"))

    assert inbox.unread(store, "i-me") == []
    assert len(inbox.read_ids(store, "i-me")) == 100
    assert len(list(store.list(keys.read("i-me"), values=False))) <= 33


def test_what_is_no_message_is_passed_over(store: Directory) -> None:
    """Torn, foreign, under another's name: the others are shown."""
    put(store, "good")
    prefix = keys.messages("i-me")
    store.create(f"{prefix}/torn", b'{"schema": 1, "id"')
    store.create(f"{prefix}/copy", messages.encode(put(store, "other", to="i-x")))
    store.create(f"{keys.read('i-me')}/torn", b'{"ids": 1}')

    assert ids(inbox.unread(store, "i-me")) == ["good"]


def test_an_offer_is_a_message_as_long_as_it_stands(store: Directory) -> None:
    """Read or not; out of the scope's own record, at its generation."""
    me = Identity("a", "i-a", "pinned", 2)
    mine = Place("a", "i-a", "feat", "2026-01-01T00:00:00Z")
    made = Offer("0f", ("i-me",), "me", "take it", "2026-01-02T00:00:00Z", "pinned")
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))
    claims.change(store, "task:x", me, lambda at: handover.offered(at, made))

    (found,) = inbox.unread(store, "i-me")
    assert (found.id, found.kind, found.scope, found.generation) == ("0f", "handoff", "task:x", 1)
    assert (found.sender, found.text) == (Party("a", "i-a", "feat", "pinned"), "take it")
    inbox.mark_read(store, "i-me", [found])
    assert [(one.id, one.read) for one in inbox.unread(store, "i-me")] == [("0f", True)]

    claims.change(store, "task:x", me, lambda at: events.left(at, lambda _: True, lambda _: False))
    assert inbox.unread(store, "i-me") == []


def test_an_id_is_named_by_itself_or_an_end_of_it(store: Directory) -> None:
    """Four characters at least; itself outranks what it begins."""
    for name in ("0001-aaaa", "0001-bbbb", "0001"):
        put(store, name)

    assert inbox.named(store, "i-me", "0001") == ["0001"]
    assert inbox.named(store, "i-me", "bbbb") == ["0001-bbbb"]
    assert inbox.named(store, "i-me", "0001-") == ["0001-aaaa", "0001-bbbb"]
    assert inbox.named(store, "i-me", "bbb") == []
