"""The decisions on a scope's state: pure, and held to their laws."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coord.board import events
from coord.board.events import Place, State

INSTANCES = st.integers(0, 4).map(lambda number: f"i{number}")
BRANCHES = st.sampled_from(["main", "feat", None])


def place(instance: str, branch: str | None = "main", **more: object) -> Place:
    """Return a place; all actors share one name."""
    return Place("claude", instance, branch, "2026-01-01T00:00:00Z")._replace(**more)  # type: ignore[arg-type]


def alive(_: Place) -> bool:
    """Nobody is dead."""
    return False


def run(instance: str, nonce: str, *within: str, **more: object) -> Place:
    """Return a place of ``run``, started from the command of those `within`."""
    return place(instance, run=True, nonce=nonce, within=within, **more)


def after(state: State, change: events.Change | None) -> State:
    """Return the state a decision leads to."""
    return state if change is None else change.state


def line(*instances: str) -> State:
    """Return a state with these in line."""
    state = State()
    for instance in instances:
        state = after(state, events.joined(state, place(instance), alive))
    return state


def who(state: State) -> list[str | None]:
    """Return the instances in line."""
    return [one.instance for one in state.line]


NONCES = st.integers(0, 5).map(lambda number: f"n{number}")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), INSTANCES, BRANCHES, st.booleans()),
        st.tuples(st.just("run"), INSTANCES, BRANCHES, NONCES, st.sets(NONCES)),
        st.tuples(st.just("end"), NONCES, st.sets(INSTANCES)),
        st.tuples(st.just("leave"), INSTANCES, st.sets(INSTANCES)),
        st.tuples(st.just("take"), INSTANCES, BRANCHES),
        st.tuples(st.just("give"), INSTANCES, BRANCHES),
        st.tuples(st.just("tear")),
    ),
    max_size=30,
)


def played(state: State, kind: str, *args: Any) -> State:  # noqa: ANN401  # a step a kind
    """Return `state` after a step."""
    if kind == "join":
        instance, branch, behalf = args
        mine = place(instance, branch, on_behalf=behalf)
        state = after(state, events.joined(state, mine, alive))
        assert any(events.is_same(one, mine) for one in state.line)
    elif kind == "run":
        instance, branch, nonce, within = args
        if all(one.nonce != nonce for one in state.line):
            there = {one.nonce for one in state.line if one.instance == instance}
            mine = run(instance, nonce, *sorted(within & there), branch=branch)
            state = after(state, events.queued(state, mine, alive))
            assert mine in state.line
    elif kind == "end":
        nonce, silent = args
        state = after(state, events.left(state, lambda one: one.nonce == nonce, alive, _in(silent)))
    elif kind == "leave":
        instance, silent = args
        gone = [one for one in state.line if one.instance == instance and not one.run]
        state = after(state, events.left(state, lambda one: one in gone, alive, _in(silent)))
        assert all(one.run for one in state.places_of(instance))
    elif kind == "take":
        state = after(state, events.taken(state, place(*args), "because"))
        assert state.holder is None or who(state)[0] == args[0]
    elif kind == "give" and state.line:
        state = events.given(state, place(*args))
    elif kind == "tear":
        state = events.unknown("now", state)
    return state


@given(STEPS)
def test_random_events_keep_the_line_invariants(steps: list[tuple[Any, ...]]) -> None:
    """Nobody is lost or doubled but by a decision that says so; generations count the holders."""
    state = State()
    for step in steps:
        before, state = state, played(state, *step)
        kind = step[0]
        keys = [(one.instance, one.branch, one.nonce) for one in state.line if one.instance]
        assert len(keys) == len(set(keys))
        plain = [
            one.instance for one in state.line if one.instance and not one.on_behalf and not one.run
        ]
        assert len(plain) == len(set(plain))
        moved = _owner(state) != _owner(before) and state.holder is not None
        least = before.generation + (1 if moved or kind == "tear" else 0)
        assert least <= state.generation <= before.generation + 1
        gone = {one.nonce for one in before.line} - {one.nonce for one in state.line} - {None}
        assert kind in {"end", "take"} or not gone


@given(STEPS)
def test_what_runs_excludes_all_that_it_does_not_stand_on(steps: list[tuple[Any, ...]]) -> None:
    """Two runs have their turn at once only one within the other, and lose it to a take-over."""
    state = State()
    for step in steps:
        before, state = state, played(state, *step)
        working = state.at_work()
        for at, one in enumerate(working):
            assert one.instance == who(state)[0]
            assert all(other.nonce in one.within for other in working[:at])
        if step[0] not in {"take", "tear"}:
            kept = [one for one in before.at_work() if one in state.line]
            assert [one for one in working if one in kept] == kept
            assert step[0] == "end" or kept == before.at_work()


def _of(instance: object) -> events.Callable[[Place], bool]:  # type: ignore[name-defined]
    return lambda one: one.instance == instance


def _in(dead: object) -> events.Callable[[Place], int]:  # type: ignore[name-defined]
    return lambda one: one.instance in dead  # type: ignore[operator]


def _owner(state: State) -> object:
    return None if state.holder is None else state.holder.instance


def _is_subsequence(some: tuple[Place, ...], of: tuple[Place, ...]) -> bool:
    rest = iter(of)
    return all(one in rest for one in some)


def test_the_first_holds_and_later_ones_wait_in_order() -> None:
    """And the waiting record says on whom."""
    state = line("a", "b")
    change = events.joined(state, place("c"), alive)

    assert change is not None
    assert change.kind == "wait"
    assert who(change.state) == ["a", "b", "c"]
    assert change.details["waits_on"]["instance"] == "a"  # type: ignore[index]


def test_the_same_instance_and_branch_again_changes_nothing() -> None:
    """Idempotent, for holders and for those who wait."""
    state = line("a", "b")

    assert events.joined(state, place("a"), alive) is None
    assert events.joined(state, place("b"), alive) is None


def test_a_place_follows_its_worker_to_another_branch() -> None:
    """Of holders and of those who wait: no second place, no change of holder."""
    state = line("a", "b")
    for instance, index in (("a", 0), ("b", 1)):
        for branch in ("next", None):
            change = events.joined(state, place(instance, branch), alive)

            assert change is not None
            assert change.kind == "update"
            state = change.state
            assert who(state) == ["a", "b"]
            assert state.line[index].branch == branch
    assert state.generation == 1


def test_claims_on_behalf_of_two_branches_are_two_places() -> None:
    """And neither is the worker's own, which is a third."""
    state = State()
    for mine in (place("a", "x", on_behalf=True), place("a", "y", on_behalf=True), place("a")):
        change = events.joined(state, mine, alive)
        assert change is not None
        state = change.state
        assert events.joined(state, mine, alive) is None
    assert [one.branch for one in state.line] == ["x", "y", "main"]

    there = after(state, events.joined(state, place("a", "y"), alive))
    assert [(one.branch, one.on_behalf) for one in there.line] == [("x", True), ("y", False)]


def test_a_place_for_a_finished_branch_stays_with_it() -> None:
    """Work on the next branch is a place of its own, behind; and each is claimed again as such."""

    def stays(one: Place) -> bool:
        return one.branch == "main"

    state = line("a")
    change = events.joined(state, place("a", "next"), alive, stays)
    assert change is not None
    assert change.kind == "wait"
    for branch in ("main", "next"):
        assert events.joined(change.state, place("a", branch), alive, stays) is None
    moved = events.joined(change.state, place("a", "third"), alive, stays)
    assert [one.branch for one in after(change.state, moved).line] == ["main", "third"]


def test_a_take_over_drops_the_takers_own_places() -> None:
    """Whatever branch it was taken on; not those on behalf of others."""
    state = line("a", "b")
    state = after(state, events.joined(state, place("b", "feat", on_behalf=True), alive))
    change = events.taken(state, place("b", "next"), "because")

    assert [one.branch for one in after(state, change).line] == ["next", "feat"]


def test_one_name_one_machine_and_one_branch_are_two_owners() -> None:
    """Ownership is the instance's alone."""
    state = line("a")
    change = events.joined(state, place("b"), alive)

    assert change is not None
    assert change.kind == "wait"


def test_a_repeated_claim_that_says_more_is_recorded() -> None:
    """A new intent takes the old one's place; what is not said stays."""
    state = after(State(), events.joined(State(), place("a", issue=7, intent="old"), alive))
    change = events.joined(state, place("a", intent="new"), alive)

    assert change is not None
    assert change.kind == "update"
    assert change.state.line[0].intent == "new"
    assert change.state.line[0].issue == 7
    assert change.state.generation == state.generation


def test_a_claim_on_behalf_passes_to_the_branchs_worker() -> None:
    """The coordinator's place becomes the worker's, with what was said; a generation higher."""
    kept = place("coordinator", "feat", on_behalf=True, issue=12)
    state = after(State(), events.joined(State(), kept, alive))
    change = events.joined(state, place("worker", "feat"), alive)

    assert change is not None
    assert change.kind == "adopt"
    assert who(change.state) == ["worker"]
    assert change.state.line[0].issue == 12
    assert not change.state.line[0].on_behalf
    assert change.state.generation == 2


def test_a_claim_of_ones_own_does_not_pass_to_another_worker() -> None:
    """Only what was claimed on behalf; and not by another coordinator."""
    own = after(State(), events.joined(State(), place("a", "feat"), alive))
    kept = after(State(), events.joined(State(), place("a", "feat", on_behalf=True), alive))

    assert who(after(own, events.joined(own, place("b", "feat"), alive))) == ["a", "b"]
    second = events.joined(kept, place("b", "feat", on_behalf=True), alive)
    assert who(after(kept, second)) == ["a", "b"]


def test_waits_of_the_dead_are_passed_over() -> None:
    """The first in line that lives becomes holder."""
    state = line("a", "b", "c")
    change = events.left(state, _of("a"), _in({"b"}))

    assert change is not None
    assert who(change.state) == ["c"]
    assert change.details["passed_over"][0]["instance"] == "b"  # type: ignore[index]
    assert change.details["to"]["instance"] == "c"  # type: ignore[index]


def test_a_dead_holder_keeps_its_claim() -> None:
    """Death is shown; it frees nothing."""
    state = line("a", "b")

    assert who(after(state, events.left(state, _of("b"), _in({"a"})))) == ["a"]


def test_a_take_over_leaves_the_line_in_order() -> None:
    """The taker leaves its place in the line for the head of it; the former holder is out."""
    state = line("a", "b", "c")
    change = events.taken(state, place("c"), "because")

    assert change is not None
    assert who(change.state) == ["c", "b"]
    assert change.state.generation == 2
    assert change.details["reason"] == "because"
    assert change.details["from"]["instance"] == "a"  # type: ignore[index]
    assert events.taken(change.state, place("c"), "again") is None


def queue(state: State, *runs: Place) -> State:
    """Return `state` with these runs in line, as far as they are not dead already."""
    for one in runs:
        state = after(state, events.queued(state, one, alive))
    return state


def ended(state: State, nonce: str) -> State:
    """Return `state` after the end of a run."""
    return after(state, events.left(state, lambda one: one.nonce == nonce, alive))


def test_two_runs_of_one_worker_exclude_each_other() -> None:
    """One instance, two commands; what a killed one left is taken up by the next."""
    first, second, third = run("a", "1"), run("a", "2"), run("a", "3")
    state = queue(State(), first)
    waiting = events.queued(state, second, alive)
    assert waiting is not None
    assert waiting.kind == "wait"
    assert waiting.state.at_work() == [first]
    assert ended(waiting.state, "1").at_work() == [second]

    for line in ((second,), (second, third)):  # one that comes now, and one that waits already
        killed = events.queued(queue(state, *line[1:]), second, lambda one: one == first)
        assert killed is not None
        assert killed.state.at_work() == [second]
        assert killed.state.generation == 1
    late = events.queued(queue(state, second), second, lambda one: one == first)
    assert late is not None
    assert late.state.line == (second,)


def test_runs_stand_on_their_workers_claim_and_outlive_it() -> None:
    """Whatever comes first; others keep their places behind them."""
    claimed_first = queue(line("a", "b"), run("a", "1"), run("a", "2"))
    state = queue(State(), run("a", "1"))
    state = after(state, events.joined(state, place("b"), alive))
    state = queue(state, run("a", "2"))
    claimed_later = after(state, events.joined(state, place("a"), alive))

    for state in (claimed_first, claimed_later):
        assert [one.nonce for one in state.line] == [None, "1", "2", None]
        assert who(state) == ["a", "a", "a", "b"]
        assert [one.nonce for one in state.at_work()] == ["1"]
        assert state.generation == 1
        change = events.left(state, lambda one: one.instance == "a" and not one.run, alive)
        assert change is not None
        assert [one.nonce for one in change.state.at_work()] == ["1"]
        assert change.state.generation == 1
        rest = ended(change.state, "1")
        assert [one.nonce for one in rest.at_work()] == ["2"]
        assert who(ended(rest, "2")) == ["b"]


def test_a_run_within_another_goes_at_once_and_excludes_its_siblings() -> None:
    """Also before another run that waits; and holds on when the outer one ends first."""
    state = queue(State(), run("a", "1"), run("a", "2"), run("a", "1.1", "1"))
    assert [one.nonce for one in state.at_work()] == ["1", "1.1"]
    state = queue(state, run("a", "1.2", "1"), run("a", "1.1.1", "1", "1.1"))
    assert [one.nonce for one in state.line] == ["1", "1.1", "1.1.1", "1.2", "2"]
    assert [one.nonce for one in state.at_work()] == ["1", "1.1", "1.1.1"]

    assert [one.nonce for one in ended(state, "1").at_work()] == ["1.1", "1.1.1"]
    assert [one.nonce for one in ended(ended(state, "1.1.1"), "1.1").at_work()] == ["1", "1.2"]


def test_who_is_given_a_scope_comes_after_what_runs_there() -> None:
    """An accepted offer, a claim made on another's behalf; a take-over ends the run's hold."""
    state = queue(line("a", "b"), run("a", "1"))
    given = events.given(state, place("c"))
    assert [(one.instance, one.nonce) for one in given.line] == [
        ("a", "1"), ("c", None), ("b", None),
    ]  # fmt: skip
    assert (given.generation, ended(given, "1").generation) == (1, 2)

    taken = after(state, events.taken(queue(state, run("a", "2")), place("b"), "why"))
    assert [(one.instance, one.nonce) for one in taken.line] == [("b", None), ("a", "2")]


def test_a_release_calls_first_whom_the_rank_prefers() -> None:
    """With what its worker has beside it; those before it keep their places."""
    state = queue(line("h", "a", "b"), run("b", "1"))
    change = events.left(state, _of("h"), alive, lambda one: 0 if one.run else 2)

    assert change is not None
    assert [(one.instance, one.nonce) for one in change.state.line] == [
        ("b", None), ("b", "1"), ("a", None),
    ]  # fmt: skip
