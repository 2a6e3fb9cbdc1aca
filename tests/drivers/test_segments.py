"""A stamped log whose sides differ early: what all three have alike is not taken apart."""

from __future__ import annotations

import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers import join, segments

if TYPE_CHECKING:
    from collections.abc import Callable


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


JOINED = segments.joined


def told(*sides: bytes, segments: Callable[[bytes, bytes, bytes], bytes | None]) -> object:
    """Return the join of three texts, or why there is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("coord.drivers.segments.joined", segments)
        try:
            return join.merge(*sides)
        except join.Refused as error:
            return type(error), error.args


def grown(base: list[bytes], growth: list[tuple[int, bytes]]) -> bytes:
    """Return the text of a log that grew in some places."""
    records = list(base)
    for place, record in growth:
        records.insert(place, record)
    return text(records)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "base",
    [
        BASE,
        BASE[::-1],
        [*BASE[10:], *BASE[:10]],
        [b"record %d" % number for number in range(60)],
        [b"2026-01-%02d day" % (40 - number) for number in range(10, 40)],
    ],
    ids=["newest last", "newest first", "in no order", "without stamps", "of days"],
)
def test_the_join_is_that_of_records_taken_apart(base: list[bytes]) -> None:
    """With an early record, an odd one, and copies of what is there."""
    known = []

    def cut(one: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        known.append(JOINED(one, ours, theirs))
        return known[-1]

    @given(GROWTH, GROWTH)
    def same(left: list[tuple[int, bytes]], right: list[tuple[int, bytes]]) -> None:
        sides = text(base), grown(base, left), grown(base, right)
        assert told(*sides, segments=cut) == told(*sides, segments=lambda *_: None)

    same()
    assert any(known) or base[0].endswith(b"day")


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("ours", "why"),
    [
        (text([BASE[1], *BASE[3:]]), "a record of the base is gone"),
        (text(BASE[:20]), "the end is gone"),
        (text([b"- " + stamped(1), *BASE]), "a stamp is of another form"),
        (text([b"odd", *BASE, b"odd"]), "what is woven stands in two places"),
        (text([b"odd", BASE[9], *BASE]), "what is woven stands in what is alike"),
        (text([b"  torn", *BASE]), "lines are no records"),
    ],
)
def test_what_is_not_proved_is_left_to_the_records(ours: bytes, why: str) -> None:
    """It answers what it can tell from the lines besides those alike, and nothing else."""
    theirs = text([b"{", b"  theirs", *BASE]) if b"torn" in ours else text([stamped(1), *BASE])
    ours = text([b"{"]) + ours if b"torn" in ours else ours

    assert segments.joined(text(BASE), ours, theirs) is None, why


@pytest.mark.parametrize(
    "form", [stamped, lambda number, who="": b"%d %b" % (number, who.encode())]
)
def test_two_megabytes_behind_an_early_record_are_not_taken_apart(
    form: Callable[[int, str], bytes],
) -> None:
    """Once twenty times the file; three versions and the join are four, of which one is new."""
    base = [form(second, "x" * 100) for second in range(16_000)]
    sides = [text([form(0, who), *base, form(20_000, who)]) for who in ("ours", "theirs")]
    whole = text(base)
    started = time.process_time()
    tracemalloc.start()
    try:
        joined = join.join_tails(whole, *sides, None, b"\n", whole=True, head=bytes)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert sorted(joined.split(b"\n")) == sorted({*sides[0].split(b"\n"), *sides[1].split(b"\n")})
    assert held < 2 * len(whole)
    assert time.process_time() - started < 1.5


@pytest.mark.usefixtures("short")
def test_line_ends_of_two_kinds_are_made_one_by_the_records() -> None:
    """What is alike may hold some that the join writes otherwise."""
    base = text(BASE[:16]) + text(BASE[16:]).replace(b"\n", b"\r\n")
    sides = base, text([stamped(1, "o")]) + base, text([stamped(1, "t")]) + base

    assert segments.joined(*sides) is None
    assert b"\r" not in join.merge(*sides)


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
