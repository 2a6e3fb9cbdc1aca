"""Sections that texts have alike between what differs are left out of a join: it is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coord.drivers import between, document, passage
from coord.drivers.tree import Parser
from harness.journal import TIMES, block, outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

ODD = ["## alice", "## 1.2", "# Other", "# Log", "Title\n---", "```", "- x", "", "<!-- on", "## "]
HEADS = ["", "# Log\n\n", "Log\n===\n\n", "text\n", "```\n## no\n```\n\n", "<!-- a\n## no\n-->\n\n"]


# where a side puts something, counted in blocks, and what
change = st.tuples(
    st.integers(0, 16),
    st.one_of(
        st.integers(1, 99).map(lambda day: block(day, "- late")),
        st.sampled_from(ODD).map("{}\n".format),
        st.none(),
    ),
)
changes = st.lists(change, max_size=3)


def changed(blocks: list[str], made: list[tuple[int, str | None]]) -> str:
    """Return blocks with changes: None takes one out."""
    out = list(blocks)
    for at, text in made:
        out[at : at + (text is None)] = [] if text is None else [text]
    return "".join(out)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(HEADS),
    st.permutations(range(16)) | st.just(list(range(16))),
    st.tuples(changes, changes),
    st.tuples(st.sampled_from([None, b"## "]), st.booleans()),
    st.tuples(st.sampled_from([0, 128]), st.lists(st.integers(0, 2), min_size=16, max_size=16)),
)
def test_a_join_is_the_same_without_what_all_have_between(
    title: str,
    days: list[int],
    made: tuple[list[tuple[int, str | None]], list[tuple[int, str | None]]],
    law: tuple[bytes | None, bool],
    sizes: tuple[int, list[int]],
) -> None:
    """Also what is refused, which line it names, and how many blank lines are usual."""
    probe, gaps = sizes
    blocks = [block(day) + gap * "\n" for day, gap in zip(days, gaps, strict=True)]
    texts = [title + changed(blocks, one) for one in ([], *made)]
    sides = [text.encode() for text in texts]
    found = []
    for least in (1, 1 << 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(passage, "LEAST", 1 << 30)
            patch.setattr(between, "LEAST", least)
            patch.setattr(between, "_PROBE", probe)
            found.append(outcome(sides, law[0], edits=law[1]))

    assert found[0] == found[1]


@pytest.mark.parametrize("middle", ["", "# Part\n\n"])
@pytest.mark.parametrize("head", HEADS)
def test_of_a_long_journal_what_differs_is_read(
    monkeypatch: pytest.MonkeyPatch, head: str, middle: str
) -> None:
    """A section more between two places is not a line more to parse, whatever stands above."""
    read: list[int] = []
    feed = Parser.feed

    def counted(self: Parser, lines: Sequence[bytes], at: int, end: int, offset: int = 0) -> int:
        read[-1] += end - at
        return feed(self, lines, at, end, offset)

    monkeypatch.setattr(Parser, "feed", counted)
    monkeypatch.setattr(passage, "LEAST", 100)
    monkeypatch.setattr(between, "LEAST", 100)
    for days in (TIMES // 10, TIMES):
        read.append(0)
        half = "".join(map(block, range(days))), "".join(map(block, range(days, 2 * days)))
        base = f"{head}{half[0]}{middle}{half[1]}"
        ours = f"{head}{block(0, '- o')}{half[0]}{middle}{half[1]}{block(2 * days, '- o')}"
        theirs = f"{head}{half[0]}{middle}{block(days, '- t')}{half[1]}{block(2 * days, '- t')}"
        sides = [text.encode() for text in (base, ours, theirs)]
        joined = document.join(sides[0], sides[1], sides[2], b"## ", edits=False)
        assert joined[len(head) :].count(b"\n## ") == 2 * days + 2

    assert read[0] == read[1]


def test_what_is_kept_of_a_run_names_its_line() -> None:
    """A block that stands twice stays; the second copy, gone from one side, is told by its line."""
    base = "".join(map(block, range(1000)))
    twice = base + "".join(map(block, range(1000, 1100))) + block(7)
    assert len(twice) > between.LEAST // 2
    sides = [twice * 2, block(2000) + twice * 2, (twice * 2).replace(block(9), "", 1)]
    reason, name, _, of, line, _ = outcome([side.encode() for side in sides], b"## ", edits=False)  # type: ignore[misc]

    assert (reason, of) == ("edited", "base")
    assert name == sides[0].encode().split(b"\n")[line - 1]


def test_blank_lines_that_nobody_read_are_usual_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that was the first gets the blank lines of most, wherever these stand."""
    monkeypatch.setattr(between, "LEAST", 1)
    monkeypatch.setattr(passage, "LEAST", 1 << 30)
    base = f"{block(1)}{block(2)}{''.join(block(day) + chr(10) for day in range(3, 20))}{block(20)}"
    sides = [f"{block(day)}{base}".encode() for day in (30, 31)]
    whole = document.join(base.encode(), *sides, b"## ", edits=False)
    monkeypatch.setattr(between, "LEAST", 1 << 30)

    assert whole == document.join(base.encode(), *sides, b"## ", edits=False)
    assert whole.count(b"\n\n\n## ") == 18
