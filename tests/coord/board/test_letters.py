"""Sending: whole or absent for each recipient, never twice, whenever the sender is killed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from coord.board import inbox, letters, messages
from coord.board.messages import Message, Party
from coord.stores import keys
from coord.stores.directory import Directory
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from pathlib import Path

TO = ("i-b", "i-c", "i-d")
IMPORTS = """
import sys
from coord.board import letters
from coord.stores.directory import Directory
from coord.board.messages import Message, Party
made = [
    Message("0000000000000a-00000001", "help", Party("a", "i-a"), Party("b", to), None, None,
            "text", "now")
    for to in ("i-b", "i-c", "i-d")
]
"""


def texts(root: Path, instance: str) -> list[str]:
    """Return what an instance would read."""
    return [message.text for message in inbox.unread(Directory(str(root)), instance)]


def test_a_sender_killed_at_any_call_sends_whole_messages_once(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """To none, some or all; its next command sends the rest, and nothing twice."""
    body = "letters.send(Directory(sys.argv[1]), 'i-a', made)"
    root, outcomes = tmp_path / "coord" / "board", set()
    for _ in killed_at_every_call(IMPORTS, body, [str(root)], tmp_path, env):
        before = [texts(root, to) for to in TO]
        assert all(found in ([], ["text"]) for found in before)
        half = letters.settle(Directory(str(root)), "i-a")

        after = [texts(root, to) for to in TO]
        assert after in ([[], [], []], [["text"]] * 3)
        assert any(before) <= (after == [["text"]] * 3)
        assert letters.settle(Directory(str(root)), "i-a") == []
        outcomes.add((sum(map(bool, before)), len(half)))
        shutil.rmtree(root, ignore_errors=True)

    assert {(0, 0), (0, 1), (1, 1), (2, 1), (3, 1)} <= outcomes


def test_a_keyed_send_killed_at_any_call_is_sent_once(tmp_path: Path, env: dict[str, str]) -> None:
    """An overlap, an ack: the repeat sends what the first had decided, or nothing."""
    root = tmp_path / "coord" / "board"
    body = "letters.once(Directory(sys.argv[1]), 'posted/pairs/x', lambda: made)"
    for _ in killed_at_every_call(IMPORTS, body, [str(root)], tmp_path, env):
        other = [made._replace(id="b", text="other") for made in _made()]
        new, sent = letters.once(Directory(str(root)), "posted/pairs/x", lambda made=other: made)

        assert [texts(root, to) for to in TO] == [[sent[0].text]] * 3
        assert new == (sent[0].text == "other")
        again, _ = letters.once(Directory(str(root)), "posted/pairs/x", _made)
        assert not again
        assert [texts(root, to) for to in TO] == [[sent[0].text]] * 3
        shutil.rmtree(root, ignore_errors=True)


def _made() -> list[Message]:
    return [
        Message("a", "help", Party("a", "i-a"), Party("b", to), None, None, "text", "now")
        for to in TO
    ]


def test_a_letter_whose_sender_is_at_work_is_left_alone(tmp_path: Path) -> None:
    """Two commands of one worker: the second does not finish the first one's sending."""
    store = Directory(str(tmp_path / "board"))
    made = _made()
    store.create(f"{keys.letters('i-a')}/a", letters._encode(made))

    assert letters.settle(store, "i-a") == []
    assert texts(tmp_path / "board", "i-b") == []


def test_what_is_no_letter_is_passed_over(tmp_path: Path) -> None:
    """Torn or foreign bytes in the outbox stop nobody."""
    store = Directory(str(tmp_path / "board"))
    for name, value in (("a", b"{"), ("b", b"[]"), ("c", b'{"messages": [1]}'), ("d", b"\xff")):
        store.create(f"{keys.letters('i-a')}/{name}", value)

    assert letters.settle(store, "i-a") == []


def test_ids_are_in_the_order_of_time(tmp_path: Path) -> None:
    """By the store's clock, and no two are equal."""
    store = Directory(str(tmp_path / "board"))
    ids = [messages.stamped(store)[0] for _ in range(50)]

    assert len(set(ids)) == 50
    assert [name[:14] for name in ids] == sorted(name[:14] for name in ids)
