"""Sections that all three texts begin with are left out of a join, and it is the same join."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coord.drivers import document, passage
from coord.drivers.tree import Parser
from harness.journal import TIMES, block, outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

SECTIONS = [
    *(f"## 2026-01-{day:02}T03:04:05Z ada" for day in range(1, 9)),
    "## 2026-01-03",
    *("## alice", "## alice ", "## 1.2", "## 1.10", "# Other"),
]
LINES = ["- x", "- y", "  on", "text", "", "", "### deeper", "```", "---", "## alice", "# Log"]


sections = st.tuples(st.sampled_from(SECTIONS), st.lists(st.sampled_from(LINES), max_size=3)).map(
    lambda pair: "".join(f"{line}\n" for line in (pair[0], *pair[1]))
)
texts = st.lists(sections, max_size=3).map("".join)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["", "# Log\n\n", "Log\n===\n\n", "```\n## no\n```\n\n", "```\n## 1\n"]),
    st.lists(sections, min_size=5, max_size=12).map("".join),
    st.tuples(texts, texts, texts),
    st.sampled_from([None, b"## "]),
    st.booleans(),
)
def test_a_join_is_the_same_without_what_all_begin_with(
    title: str,
    head: str,
    behind: tuple[str, str, str],
    start: bytes | None,
    edits: bool,
) -> None:
    """Also what is refused, and which line it names."""
    sides = [f"{title}{head}{tail}".encode() for tail in behind]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage, "LEAST", 1)
        found = outcome(sides, start, edits=edits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage, "LEAST", 1 << 30)
        assert found == outcome(sides, start, edits=edits)


def test_of_a_long_journal_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A section more of what all begin with is not a line more to parse."""
    read: list[int] = []
    feed = Parser.feed

    def counted(self: Parser, lines: Sequence[bytes], at: int, end: int, offset: int = 0) -> int:
        read[-1] += end - at
        return feed(self, lines, at, end, offset)

    monkeypatch.setattr(Parser, "feed", counted)
    monkeypatch.setattr(passage, "LEAST", 1)
    for days in (TIMES // 10, TIMES):
        read.append(0)
        base = "".join(map(block, range(days)))
        ours, theirs = base + block(days + 1), base + block(days, "- else")
        sides = [text.encode() for text in (base, ours, theirs)]
        joined = document.join(sides[0], sides[1], sides[2], b"## ", edits=False)
        assert joined == (base + block(days, "- else") + block(days + 1)).rstrip("\n").encode() + (
            b"\n\n"
        )

    assert read[0] == read[1]


@pytest.mark.parametrize(
    "odd",
    ["```\n## no section\n```\n", "<!--\n## none\n-->\n", "Title\n---\n", "# Above\n", "\r\n"],
    ids=["code", "comment", "title", "above", "line end"],
)
def test_a_run_that_may_read_otherwise_is_read(odd: str) -> None:
    """A heading in code is none, and one of less depth ends what a run stands in."""
    plain = "".join(map(block, range(TIMES * 10)))
    assert len(plain) > passage.LEAST
    texts = [plain.encode()] * 3
    assert passage.find(texts, b"## ") is not None
    half = len(plain) // 2
    at = plain.index("\n## ", half) + 1

    assert passage.find([f"{plain[:at]}{odd}{plain[at:]}".encode()] * 3, b"## ") is None


def test_what_stands_behind_the_last_title_is_left_out() -> None:
    """A title in code is none."""
    plain = "".join(map(block, range(TIMES * 10)))
    at = plain.index("\n## ", 1000) + 1
    code = block(1, "```\n# no\n```\n\n-")
    text = f"```\n## no\n```\n\n# Log\n\n{plain[:at]}# Part\n\n{plain[at:]}{code}{plain[at:]}"
    run = passage.find([text.encode()] * 3, None)

    assert run is not None
    assert text.index("# Part") < run.above < text.index("# Part") + 200
    assert run.end > len(text) - 200


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_of_what_was_left_out_counts(
    monkeypatch: pytest.MonkeyPatch, *, turned: bool
) -> None:
    """A journal that is written newest first stays so, though nobody read that."""
    monkeypatch.setattr(passage, "LEAST", 1)
    days = range(20, 0, -1) if turned else range(1, 21)
    base = "".join(map(block, days))
    ours, theirs = base + block(40, "- a"), base + block(50, "- b")
    joined = document.join(*(text.encode() for text in (base, ours, theirs)), b"## ", edits=False)
    first = joined.index(b"- b") < joined.index(b"- a")

    assert first is turned


@pytest.mark.parametrize(
    "odd", ["```\n# no\n```\n", "<!-- a\n-->\n", "Part\n^^^^\n", "\n---\n\n- x\n"]
)
def test_a_section_with_code_of_its_own_is_left_out_too(
    monkeypatch: pytest.MonkeyPatch, odd: str
) -> None:
    """What is whole inside a section tells of no other one."""
    half = "".join(map(block, range(TIMES)))
    base = f"{half}{odd}\n{''.join(map(block, range(TIMES, 2 * TIMES)))}"
    texts = base, base + block(2 * TIMES), base + block(2 * TIMES, "- else")
    sides = [text.encode() for text in texts]
    monkeypatch.setattr(passage, "LEAST", 1)
    run = passage.find(sides, b"## ")
    assert run is not None
    assert run.end - run.above > len(base) - 1000
    joined = outcome(sides, b"## ", edits=False)
    monkeypatch.setattr(passage, "LEAST", 1 << 30)

    assert joined == outcome(sides, b"## ", edits=False)
