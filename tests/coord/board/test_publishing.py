"""What is published late does what it was to do, though the clock was set in between."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, eventjson, events, publishing
from coord.board.events import Event, Place
from coord.identity.whoami import Identity
from coord.stores import keys
from coord.stores.directory import Directory
from coord.stores.outbox import Entry
from coord.stores.store import Pending

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from coord.board.events import Change, State
    from coord.stores.store import Store

YESTERDAY, TODAY = "2026-01-01T00:00:00.000000Z", "2027-01-01T00:00:00.000000Z"
ROLL = SimpleNamespace(
    is_dead=lambda _: False, is_finished=lambda _: False, rank=lambda _: lambda _: 0
)


def _claim(store: Store, who: str, branch: str, since: str) -> None:
    me = Identity(who, f"i-{who}", "pinned", 2)
    mine = _place(who, branch, since)
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))


def _pending(store: Store, at: str, decide: Callable[[State], Change | None]) -> Entry:
    """Return what `a` decides by now, written down at `at` and not published."""
    before = claims.top(store, "task:x")
    assert before is not None
    change = decide(before.state)
    assert change is not None
    made = Event(
        before.seq + 1, "n", before.nonce, change.kind, "task:x", "a", "i-a", at, change.state
    )
    value, folder = eventjson.encode(made, before), keys.claim("task:x")
    pending = Pending(keys.event(folder, made.seq), value, keys.event(folder, before.seq), ())
    return Entry("", pending, "", "a", "i-a", "x", 0.0, sent=False)


def _release(state: State) -> Change | None:
    return events.left(state, lambda one: one.instance == "i-a", lambda _: False)


def _place(who: str, branch: str, since: str) -> Place:
    return Place(who, f"i-{who}", branch, since, on_behalf=True)


@pytest.mark.parametrize("at", [YESTERDAY, TODAY])
@pytest.mark.parametrize("later", [YESTERDAY, TODAY])
def test_a_release_that_others_have_overtaken_gives_up_what_there_was(
    tmp_path: Path, at: str, later: str
) -> None:
    """And no place that was taken later, whatever the clock showed when."""
    store = Directory(str(tmp_path / "coord" / "board"))
    _claim(store, "a", "one", "2026-06-01T00:00:00.000000Z")
    entry = _pending(store, at, _release)
    _claim(store, "b", "two", TODAY)
    _claim(store, "a", "three", later)

    publishing.settle(store, ROLL, entry)  # type: ignore[arg-type]

    line = claims.state(store, "task:x").line
    assert [(one.actor, one.branch) for one in line] == [("b", "two"), ("a", "three")]


@pytest.mark.parametrize("at", [YESTERDAY, TODAY])
def test_a_claim_that_others_have_overtaken_is_made_for_what_it_was(
    tmp_path: Path, at: str
) -> None:
    """Not for what its worker had before, by a clock that was set back since."""
    store = Directory(str(tmp_path / "coord" / "board"))
    _claim(store, "a", "one", "2026-06-01T00:00:00.000000Z")
    mine = _place("a", "two", at)
    entry = _pending(store, at, lambda state: events.joined(state, mine, lambda _: False))
    _claim(store, "b", "two", TODAY)

    publishing.settle(store, ROLL, entry)  # type: ignore[arg-type]

    line = claims.state(store, "task:x").line
    assert [(one.actor, one.branch) for one in line] == [("a", "one"), ("b", "two"), ("a", "two")]
