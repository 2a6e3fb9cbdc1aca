"""A stamped log whose sides differ early: what all three have alike is not taken apart."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers import join, segments


def stamped(second: int, words: str = "") -> bytes:
    """Return a record of an instant."""
    return time.strftime(f"%Y-%m-%dT%H:%M:%SZ {words}", time.gmtime(1.7e9 + second)).encode()


def text(records: list[bytes]) -> bytes:
    """Return the text of these records."""
    return b"".join(record + b"\n" for record in records)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for what is alike pays from a few records on."""
    monkeypatch.setattr(join, "LEAST", 60)
    monkeypatch.setattr(segments, "LEAST", 60)


BASE = [stamped(second) for second in range(0, 60, 2)]
ODD = st.sampled_from([b"odd", b"", b"- " + stamped(3), b"2026-02-31T00:00:00Z day of no month"])
RECORDS = st.one_of(
    st.builds(stamped, st.integers(0, 60), st.sampled_from(["", "ours", "theirs"])),
    st.sampled_from(BASE),
)
PLACES = st.one_of(st.integers(0, 4), st.just(len(BASE)))
GROWTH = st.lists(st.tuples(PLACES, st.one_of(RECORDS, RECORDS, RECORDS, ODD)), max_size=4)


def grown(base: list[bytes], growth: list[tuple[int, bytes]]) -> bytes:
    """Return the text of a log that grew in some places."""
    records = list(base)
    for place, record in growth:
        records.insert(place, record)
    return text(records)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("down", [False, True])
def test_the_join_is_that_of_records_taken_apart(down: bool) -> None:
    """Newest last or first, with an early record, an odd one, and copies of what is there."""
    base = BASE[::-1] if down else BASE
    known = []

    @given(GROWTH, GROWTH)
    def same(left: list[tuple[int, bytes]], right: list[tuple[int, bytes]]) -> None:
        ours, theirs = grown(base, left), grown(base, right)
        fast = segments.joined(text(base), ours, theirs)
        known.append(fast is not None and ours != theirs)
        if fast is not None and ours != theirs:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(join, "LEAST", 1 << 30)
                assert fast == join.merge(text(base), ours, theirs)

    same()
    assert any(known)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("ours", "why"),
    [
        (text([BASE[1], *BASE[3:]]), "a record of the base is gone"),
        (text([b"odd", *BASE]), "a record has no stamp"),
        (text(BASE[:20]), "the end is gone"),
    ],
)
def test_what_is_refused_or_woven_is_left_to_the_records(ours: bytes, why: str) -> None:
    """It answers what it can prove from the lines besides those alike, and nothing else."""
    assert segments.joined(text(BASE), ours, text([stamped(1), *BASE])) is None, why


@pytest.mark.usefixtures("short")
def test_a_base_in_no_order_is_left_to_the_records() -> None:
    """Such a log is not put in order: its records are woven."""
    base = [BASE[9], *BASE[:9], *BASE[10:]]
    ours, theirs = text([stamped(1, "o"), *base]), text([stamped(1, "t"), *base])

    assert segments.joined(text(base), ours, theirs) is None


def test_two_megabytes_behind_an_early_record_are_not_taken_apart() -> None:
    """Once twenty times the file; three versions and the join are four, of which one is new."""
    base = [stamped(second, "x" * 100) for second in range(16_000)]
    sides = [text([stamped(0, who), *base, stamped(20_000, who)]) for who in ("ours", "theirs")]
    whole = text(base)
    started = time.process_time()
    tracemalloc.start()
    try:
        joined = join.join_tails(whole, *sides, None, b"\n", whole=True, head=bytes)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert joined == text(sorted({*sides[0].split(b"\n"), *sides[1].split(b"\n")} - {b""}))
    assert held < 2 * len(whole)
    assert time.process_time() - started < 1.5


@pytest.mark.usefixtures("short")
def test_what_texts_have_besides_is_told_of_any_number_of_them() -> None:
    """The commit gate counts no more than that: what all have is nowhere lost."""
    odd, late = text([b"odd"]), text([b"late"])
    whole = text(BASE)

    assert segments.besides([odd + whole + late, whole, odd + odd + whole]) == [
        odd + late,
        b"",
        odd + odd,
    ]
    assert segments.besides([odd, whole]) == [odd, whole]
