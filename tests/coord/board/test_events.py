"""The decisions on a scope's state: pure, and held to their laws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coord.board import events
from coord.board.events import Place, State
from coord.liveness.process import Process

INSTANCES = st.integers(0, 4).map(lambda number: f"i{number}")
BRANCHES = st.sampled_from(["main", "feat", None])


def place(instance: str, branch: str | None = "main", **more: object) -> Place:
    """Return a place; all actors share one name."""
    return Place("claude", instance, branch, "2026-01-01T00:00:00Z")._replace(**more)  # type: ignore[arg-type]


def alive(_: Place) -> bool:
    """Nobody is dead."""
    return False


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


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), INSTANCES, BRANCHES, st.booleans()),
        st.tuples(st.just("leave"), INSTANCES, st.sets(INSTANCES)),
        st.tuples(st.just("take"), INSTANCES, BRANCHES),
        st.tuples(st.just("tear")),
    ),
    max_size=30,
)


@given(STEPS)
def test_random_events_keep_the_line_invariants(steps: list[tuple[object, ...]]) -> None:
    """Nobody is lost or doubled but by a decision that says so; generations count the holders."""
    state = State()
    for kind, *args in steps:
        before = state
        if kind == "join":
            instance, branch, behalf = args
            mine = place(str(instance), branch, on_behalf=behalf)  # type: ignore[arg-type]
            state = after(state, events.joined(state, mine, alive))
            assert any(events.is_same(one, mine, alive) for one in state.line)
        elif kind == "leave":
            instance, dead = args
            state = after(state, events.left(state, _of(instance), _in(dead)))
            assert not state.places_of(str(instance))
            assert _is_subsequence(state.line, before.line)
        elif kind == "take":
            mine = place(str(args[0]), args[1])  # type: ignore[arg-type]
            state = after(state, events.taken(state, mine, "because"))
            assert before.holder is None or who(state)[0] == args[0]
        else:
            state = events.unknown("now", state)
        keys = [(one.instance, one.branch) for one in state.line if one.instance]
        assert len(keys) == len(set(keys))
        plain = [one.instance for one in state.line if one.instance and not one.on_behalf]
        assert len(plain) == len(set(plain))
        moved = _owner(state) != _owner(before) and state.holder is not None
        assert state.generation == before.generation + (1 if moved or kind == "tear" else 0)


def _of(instance: object) -> events.Callable[[Place], bool]:  # type: ignore[name-defined]
    return lambda one: one.instance == instance


def _in(dead: object) -> events.Callable[[Place], bool]:  # type: ignore[name-defined]
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


def test_two_runs_of_one_worker_exclude_each_other() -> None:
    """One instance, two commands; what a killed one left is taken up by the next."""
    first = place("a", run=True, process=Process("h", "b", 1, "1", "git-coord"))
    second = place("a", run=True, process=Process("h", "b", 2, "2", "git-coord"))
    state = after(State(), events.joined(State(), first, alive))

    waiting = events.joined(state, second, alive)
    assert waiting is not None
    assert waiting.kind == "wait"
    taken_up = events.joined(state, second, lambda one: one.process == first.process)
    assert taken_up is not None
    assert taken_up.state.line == (second,)


def test_a_run_stands_in_the_place_its_worker_has_claimed() -> None:
    """And a claim during a run outlives it."""
    run = place("a", run=True, process=Process("h", "b", 1, "1", "git-coord"))
    claimed = line("a")

    assert events.joined(claimed, run, alive) is None
    running = after(State(), events.joined(State(), run, alive))
    kept = after(running, events.joined(running, place("a"), alive))
    assert not kept.line[0].run
