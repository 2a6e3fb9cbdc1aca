"""The laws of the join, and what each row of its specification demands."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coord.drivers.join import (
    Refused,
    Rewritten,
    TwoHeaders,
    both,
    merge,
    require_containment,
)
from coord.drivers.records import split
from harness.logs import MODES, Mode, logs, records_of

modes = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
timed = pytest.mark.parametrize(
    "mode", [mode for mode in MODES.values() if mode.stamped], ids=["time", "stamped blocks"]
)


def outcome(base: bytes, ours: bytes, theirs: bytes, mode: Mode) -> bytes | None:
    """Return the join, None where it is refused."""
    try:
        return merge(base, ours, theirs, mode.start)
    except Refused:
        return None


@modes
@given(data=st.data())
def test_swapping_the_sides_changes_no_byte(mode: Mode, data: st.DataObject) -> None:
    """Commutative, and the refusal symmetric."""
    base, (ours, theirs) = data.draw(logs(mode, "rewritten"))

    assert outcome(base, ours, theirs, mode) == outcome(base, theirs, ours, mode)


@modes
@given(data=st.data())
def test_a_refusal_names_the_same_record_and_the_other_side(
    mode: Mode, data: st.DataObject
) -> None:
    """Who is "ours" turns round in a rebase; the fault does not."""
    base, (ours, theirs) = data.draw(logs(mode, "rewritten"))
    faults = []
    assume(outcome(base, ours, theirs, mode) is None)
    for left, right in ((ours, theirs), (theirs, ours)):
        with pytest.raises(Rewritten) as caught:
            merge(base, left, right, mode.start)
        faults.append((caught.value.side, caught.value.index))

    assert faults[0][1] == faults[1][1]
    assert {faults[0][0], faults[1][0]} in ({"ours", "theirs"}, {"both"})


@modes
@given(data=st.data())
def test_the_same_on_both_sides_is_that(mode: Mode, data: st.DataObject) -> None:
    """Idempotent in bytes, whatever the base says; only a missing last line end is added."""
    base, (side,) = data.draw(logs(mode, "rewritten", sides=1))
    result = merge(base, side, side, mode.start)

    assert result.removesuffix(b"\n").removesuffix(b"\r") in {
        side,
        side.removesuffix(b"\n").removesuffix(b"\r"),
    }
    assert result == b"" or result.endswith(b"\n")


@modes
@given(data=st.data())
def test_a_side_that_did_nothing_adds_nothing(mode: Mode, data: st.DataObject) -> None:
    """merge(O, A, O) holds what A holds."""
    base, (side,) = data.draw(logs(mode, "grown", sides=1))

    assert records_of(merge(base, side, base, mode.start), mode) == records_of(side, mode)


@modes
@given(data=st.data())
def test_the_result_holds_the_larger_number_of_each_record(mode: Mode, data: st.DataObject) -> None:
    """Nothing lost, doubled or invented, in all that is not refused."""
    base, (ours, theirs) = data.draw(logs(mode, "rewritten"))
    result = outcome(base, ours, theirs, mode)
    assume(result is not None)

    assert result is not None
    assert records_of(result, mode) == records_of(ours, mode) | records_of(theirs, mode)


@modes
@given(data=st.data())
def test_a_side_that_grew_is_never_refused(mode: Mode, data: st.DataObject) -> None:
    """Wherever records were added: "the base is a byte prefix" is not the test."""
    base, (ours, theirs) = data.draw(logs(mode, "grown"))
    try:
        result = merge(base, ours, theirs, mode.start)
    except TwoHeaders:
        return  # only where both sides added the file

    assert records_of(result, mode) >= records_of(base, mode)


@modes
@given(data=st.data())
def test_the_common_beginning_stays_byte_for_byte(mode: Mode, data: st.DataObject) -> None:
    """Lines that all three begin with are not touched, whatever their ends."""
    base, (ours, theirs) = data.draw(logs(mode, "grown"))
    assume(base)
    result = outcome(base, ours, theirs, mode)
    common = []
    for lines in zip(
        *(text.splitlines(keepends=True) for text in (base, ours, theirs)), strict=False
    ):
        if len(set(lines)) > 1 or not lines[0].endswith(b"\n"):
            break
        common.append(lines[0])

    if mode.start is None:
        assert result is not None
        assert result.startswith(b"".join(common))


@modes
@given(data=st.data())
def test_the_common_records_stay_first(mode: Mode, data: st.DataObject) -> None:
    """The longest common record prefix keeps its order."""
    base, (ours, theirs) = data.draw(logs(mode, "grown"))
    assume(base)
    keys = [split(text, mode.start).keys for text in (base, ours, theirs)]
    result = split(merge(base, ours, theirs, mode.start), mode.start).keys
    kept = 0
    while all(kept < len(side) for side in keys) and len({side[kept] for side in keys}) == 1:
        kept += 1

    assert result[:kept] == keys[0][:kept]


@modes
@given(data=st.data())
def test_joining_three_holds_the_same_in_any_grouping(mode: Mode, data: st.DataObject) -> None:
    """Associative as a multiset, always."""
    base, (one, two, three) = data.draw(logs(mode, "grown", sides=3))
    left = outcome(base, outcome(base, one, two, mode) or b"", three, mode)
    right = outcome(base, one, outcome(base, two, three, mode) or b"", mode)
    assume(left is not None and right is not None)

    assert left is not None
    assert right is not None
    assert records_of(left, mode) == records_of(right, mode)


@timed
@given(data=st.data())
def test_joining_stamped_sides_in_any_order_gives_the_same_bytes(
    mode: Mode, data: st.DataObject
) -> None:
    """Associative in bytes where time orders the records; woven order is not, and says so."""
    base, sides = data.draw(logs(mode, "appended", sides=3))
    assume(base)
    results = set()
    for order in permutations(sides):
        result = order[0]
        for side in order[1:]:
            result = merge(base, result, side, mode.start)
        results.add(result)
    one, two, three = sides
    results.add(merge(base, one, merge(base, two, three, mode.start), mode.start))

    assert len(results) == 1


@modes
@given(data=st.data())
def test_each_input_may_be_a_later_base(mode: Mode, data: st.DataObject) -> None:
    """The next merge will find them contained."""
    base, (ours, theirs) = data.draw(logs(mode, "grown"))
    result = outcome(base, ours, theirs, mode)
    assume(result is not None)

    assert result is not None
    for side in (base, ours, theirs):
        keys = split(side, mode.start).keys
        require_containment(keys, split(result, mode.start).keys, keys)


@modes
@given(data=st.data())
def test_a_result_ends_with_a_line_end(mode: Mode, data: st.DataObject) -> None:
    """Or the next append is glued to its last record."""
    base, (ours, theirs) = data.draw(logs(mode, "rewritten"))
    result = outcome(base, ours, theirs, mode)

    assert not result or result.endswith(b"\n")


@modes
@given(data=st.data())
def test_what_is_taken_from_both_keeps_ours_and_adds_theirs(
    mode: Mode, data: st.DataObject
) -> None:
    """A + (B - O), in which what A added itself counts; and it never refuses."""
    base, (ours, theirs) = data.draw(logs(mode, "rewritten"))
    old, left, right = (records_of(text, mode) for text in (base, ours, theirs))
    result = both(base, ours, theirs, mode.start)
    keys = split(result, mode.start).keys
    ours_keys = split(ours, mode.start).keys

    assert records_of(result, mode) == left + ((right - old) - (left - old))
    assert keys[: len(ours_keys)] == ours_keys
    assert not result or result.endswith(b"\n")


@modes
@given(data=st.data())
def test_both_is_the_join_where_nothing_was_lost(mode: Mode, data: st.DataObject) -> None:
    """The way out of a refusal is not another semantics."""
    base, (ours, theirs) = data.draw(logs(mode, "grown"))
    result = outcome(base, ours, theirs, mode)
    assume(result is not None)

    assert result is not None
    assert records_of(both(base, ours, theirs, mode.start), mode) == records_of(result, mode)


STAMPS = [b"2026-01-0%dT00:00Z %d" % (day, day) for day in range(10)]


def stamped(*days: int) -> bytes:
    """Return a log of one record a day."""
    return b"".join(STAMPS[day] + b"\n" for day in days)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ((2, 1), (5, 3, 2, 1), (4, 2, 1), (5, 4, 3, 2, 1)),
        ((1,), (5, 3, 1), (4, 1), (5, 4, 3, 1)),
        ((1, 2), (1, 2, 3, 5), (1, 2, 4), (1, 2, 3, 4, 5)),
        ((1, 4), (1, 2, 4), (1, 3, 4), (1, 2, 3, 4)),
        ((3, 1, 2), (4, 3, 1, 2), (5, 3, 1, 2), (4, 5, 3, 1, 2)),
    ],
    ids=[
        *("newest first", "one record", "oldest first", "inserted", "in no order"),
    ],
)
@pytest.mark.parametrize("title", [b"", b"# Log\n"], ids=["bare", "titled"])
def test_a_log_keeps_its_direction_and_the_order_of_its_records(
    base: tuple[int, ...],
    ours: tuple[int, ...],
    theirs: tuple[int, ...],
    expected: tuple[int, ...],
    title: bytes,
) -> None:
    """A log that is written newest first is not turned over (alaveteli#9436, emogrifier#40)."""
    texts = [title + stamped(*days) for days in (base, ours, theirs)]
    for one, other in (texts[1:], texts[:0:-1]):
        assert merge(texts[0], one, other) == title + stamped(*expected)


def test_an_edit_of_a_log_that_is_newest_first_is_refused() -> None:
    """As of any other."""
    with pytest.raises(Rewritten):
        merge(stamped(2, 1), stamped(3, 2, 1), stamped(4, 1))
