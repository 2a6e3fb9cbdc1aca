"""Offers and pauses as decisions on a scope's state: pure, and held to their laws."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from coord.board import claims, events, handover, inbox, notices
from coord.board.events import Place, State
from coord.board.offer import Offer
from coord.identity.whoami import Identity
from coord.stores.directory import Directory
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from pathlib import Path

INSTANCES = st.integers(0, 3).map(lambda number: f"i{number}")


def place(instance: str, branch: str | None = "main", **more: object) -> Place:
    """Return a place; all actors share one name."""
    return Place("claude", instance, branch, "2026-01-01T00:00:00Z")._replace(**more)  # type: ignore[arg-type]


def offer(number: int, *to: str, note: str = "") -> Offer:
    """Return an offer to these."""
    return Offer(f"o{number}", to, "claude", note, "2026-01-01T00:00:00Z", "pinned")


def alive(_: Place) -> bool:
    """Nobody is dead."""
    return False


def after(state: State, change: events.Change | None) -> State:
    """Return the state a decision leads to."""
    return state if change is None else change.state


def held(*instances: str) -> State:
    """Return a state with these in line."""
    state = State()
    for instance in instances:
        state = after(state, events.joined(state, place(instance), alive))
    return state


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), INSTANCES, st.booleans()),
        st.tuples(st.just("leave"), INSTANCES),
        st.tuples(st.just("take"), INSTANCES),
        st.tuples(st.just("offer"), st.sets(INSTANCES, min_size=1)),
        st.tuples(st.just("ack"), INSTANCES, st.integers(0, 3)),
        st.tuples(st.just("pause"), INSTANCES),
        st.tuples(st.just("resume"), INSTANCES),
    ),
    max_size=30,
)


@given(STEPS)
def test_only_an_offered_instance_at_the_offers_generation_takes_it_up(
    steps: list[tuple[object, ...]],
) -> None:
    """Whatever happens before: an ack counts one generation up, and voids every other offer."""
    state, made = State(), {}
    for number, (kind, *args) in enumerate(steps):
        before = state
        if kind == "offer" and state.holder is not None:
            to = tuple(sorted(args[0]))  # type: ignore[call-overload]
            change = handover.offered(state, offer(number, *to))
            made[f"o{number}"] = (to, state.generation, change is not None)
            state = after(state, change)
            assert state.line == before.line
        elif kind == "ack":
            # One of the last that were made: as often stale as not.
            name, mine = [*made, "none"][-1 - int(str(args[1])) :][0], place(str(args[0]))
            change = handover.accepted(state, name, mine)
            to, generation, stands = made.get(name, ((), 0, False))
            if change is not None:
                assert stands
                assert mine.instance in to
                assert generation == before.generation
                assert change.state.generation == before.generation + 1
                assert change.state.line[0].instance == mine.instance
            state = after(state, change)
        else:
            state = after(state, _other(state, str(kind), args))
        if state.generation != before.generation:
            assert not state.offers
            assert state.paused_at is None
        assert not any(
            one.to == two.to for one in state.offers for two in state.offers if one != two
        )


def _other(state: State, kind: str, args: list[object]) -> events.Change | None:
    me = str(args[0])
    if kind == "join":
        return events.joined(state, place(me, on_behalf=args[1]), alive)
    if kind == "leave":
        return events.left(state, lambda one: one.instance == me, alive)
    if kind == "take":
        return events.taken(state, place(me), "because")
    if kind == "pause":
        return handover.paused(state, me, "now", "because")
    return handover.resumed(state, me) if kind == "resume" else None


def test_a_taken_up_offer_brings_what_was_said_of_the_work() -> None:
    """Issue, intent and paths go with it; place in line, branch and process are the new owner's."""
    holder = place("a", "feat-a", issue=7, intent="do it", paths=("src/*",))
    state = after(State(), events.joined(State(), holder, alive))
    state = after(state, events.joined(state, place("c"), alive))
    state = after(state, events.joined(state, place("b", "feat-b"), alive))
    state = after(state, handover.offered(state, offer(1, "b", note="all yours")))

    change = handover.accepted(state, "o1", place("b", "feat-b"))

    assert change is not None
    first, *rest = change.state.line
    assert (first.instance, first.branch, first.issue, first.intent) == ("b", "feat-b", 7, "do it")
    assert first.paths == ("src/*",)
    assert [one.instance for one in rest] == ["c"]
    assert change.details["from"]["instance"] == "a"  # type: ignore[index]


def test_nobody_else_takes_an_offer_up() -> None:
    """Neither a third, nor the holder, nor by an id that is none."""
    state = after(held("a"), handover.offered(held("a"), offer(1, "b", "d")))

    assert handover.accepted(state, "o1", place("c")) is None
    assert handover.accepted(state, "o1", place("a")) is None
    assert handover.accepted(state, "o2", place("b")) is None
    for taker in ("b", "d"):
        taken = after(state, handover.accepted(state, "o1", place(taker)))
        assert (taken.generation, taken.offers, len(taken.line)) == (2, (), 1)
        assert taken.line[0].instance == taker


def test_several_offers_stand_and_the_same_one_again_is_one() -> None:
    """Another note replaces it, under a new id: what was read first is not what is taken up."""
    state = after(held("a"), handover.offered(held("a"), offer(1, "b")))
    state = after(state, handover.offered(state, offer(2, "c")))

    assert handover.offered(state, offer(3, "b")) is None
    changed = after(state, handover.offered(state, offer(4, "b", note="new")))
    assert [one.id for one in changed.offers] == ["o2", "o4"]
    assert handover.accepted(changed, "o1", place("b")) is None


def test_an_offer_outlives_what_changes_no_holder() -> None:
    """Somebody queues, the holder says more, pauses and resumes."""
    state = after(held("a"), handover.offered(held("a"), offer(1, "b")))
    state = after(state, events.joined(state, place("d"), alive))
    state = after(state, events.joined(state, place("a", session="another"), alive))
    state = after(state, handover.paused(state, "a", "now", ""))
    state = after(state, handover.resumed(state, "a"))
    state = after(state, events.left(state, lambda one: one.instance == "d", alive))

    assert state.generation == 1
    assert handover.accepted(state, "o1", place("b")) is not None


def test_a_pause_marks_and_a_resume_unmarks_the_holders_claim_alone() -> None:
    """Line and generation stay; twice is once; who waits pauses nothing."""
    state = held("a", "b")
    marked = after(state, handover.paused(state, "a", "t1", "lunch"))

    assert marked == state._replace(paused_at="t1", paused_why="lunch")
    again = after(marked, handover.paused(marked, "a", "t2", "tea"))
    assert again == marked._replace(paused_why="tea")
    assert handover.paused(marked, "a", "t2", "") is None
    assert handover.paused(state, "b", "t1", "") is None
    assert handover.resumed(marked, "b") is None
    assert after(marked, handover.resumed(marked, "a")) == state
    assert handover.resumed(state, "a") is None


IMPORTS = """
import sys
from coord.board import claims, handover
from coord.stores.directory import Directory
from coord.board.events import Place
from coord.identity.whoami import Identity
"""
BODY = """
me, mine = Identity("b", "b", "pinned", 2), Place("b", "b", "feat", "now")
claims.change(Directory(sys.argv[1]), "task:x", me, lambda at: handover.accepted(at, "o1", mine))
"""


def test_an_ack_killed_at_any_call_has_happened_or_not(tmp_path: Path, env: dict[str, str]) -> None:
    """The offer stands or is taken up; the holder is told of the second, and only then."""
    root, outcomes = tmp_path / "coord" / "board", set()
    _offered(root)
    for _ in killed_at_every_call(IMPORTS, BODY, [str(root)], tmp_path, env):
        store = Directory(str(root))
        state = claims.state(store, "task:x")
        assert state.holder is not None
        outcomes.add(state.holder.instance)
        told = [notice.kind for notice in notices.unread(store, "a")]
        standing = [message.id for message in inbox.unread(store, "b")]
        if state.holder.instance == "b":
            assert (state.generation, told, standing) == (2, ["accepted"], [])
        else:
            assert (state.generation, told, standing) == (1, [], ["o1"])
        shutil.rmtree(root)
        _offered(root)

    assert outcomes == {"a", "b"}


def _offered(root: Path) -> None:
    store, me = Directory(str(root)), Identity("a", "a", "pinned", 2)
    claims.change(store, "task:x", me, lambda at: events.joined(at, place("a"), alive))
    claims.change(store, "task:x", me, lambda at: handover.offered(at, offer(1, "b")))
