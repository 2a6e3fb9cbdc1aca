"""The one judgement: which rule a file is joined by, and what it says of a merge that was made."""

from __future__ import annotations

import time

import pytest

from coord.drivers.clash import EDITED, Clash
from coord.drivers.facts import told
from coord.drivers.join import Refused, Rewritten
from coord.drivers.law import contents, joined, lacking, merged
from coord.drivers.logfile import NotText

BASE = b"# C\n\n## U\n\n- first\n\n## 1\n\n- old\n"
OURS = BASE.replace(b"- first\n", b"- first\n- m\n")
THEIRS = BASE.replace(b"- first\n", b"- first\n- s\n")
JOINED = BASE.replace(b"- first\n", b"- first\n- m\n- s\n")


@pytest.mark.parametrize(("kind", "start"), [("changelog", None), ("log", b"## ")])
def test_a_changelog_and_a_log_of_blocks_are_documents(kind: str, start: bytes | None) -> None:
    """Of which a section that both sides grew stands once."""
    assert joined(kind, start, BASE, OURS, THEIRS) == JOINED


def test_a_log_without_a_start_is_joined_by_its_lines() -> None:
    """As it always was."""
    assert joined("log", None, b"a\n", b"a\nm\n", b"a\ns\n") == b"a\nm\ns\n"


def test_an_edit_is_judged_by_the_kind() -> None:
    """A gate asks what a merge of the parent with the new text would say."""
    new = BASE.replace(b"old", b"older")

    assert joined("changelog", None, BASE, new, BASE) == new
    for start, refusal in ((b"## ", Clash), (None, Rewritten)):
        with pytest.raises(refusal):
            joined("log", start, BASE, new, BASE)


@pytest.mark.parametrize("text", [b"a\0b\n", b"version https://git-lfs.github.com/spec/v1\n"])
@pytest.mark.parametrize("where", range(3))
def test_a_filter_refuses_what_is_no_text(text: bytes, where: int) -> None:
    """Whichever of the three it is."""
    texts = [BASE, OURS, THEIRS]
    texts[where] = text

    with pytest.raises(NotText):
        merged("changelog", None, *texts)
    assert merged("changelog", None, BASE, OURS, THEIRS) == JOINED


def test_a_refusal_can_be_told_without_files() -> None:
    """Rule, side, what and why; the sides go by the names of whoever asks."""
    with pytest.raises(Refused) as lines:
        merged("log", None, b"a\nb\n", b"a\n", b"a\nb\nc\n")
    with pytest.raises(Clash) as blocks:
        merged("log", b"## ", BASE, BASE.replace(b"old", b"older"), THEIRS)

    assert told(lines.value, "log", b"a\nb\n") == ("log-rewritten", "ours", "line 2", '"b"')
    assert blocks.value.reason == EDITED
    assert told(blocks.value, "log") == (
        "log-clash",
        "-",
        "line 9 of the base is edited or gone on {ours}",
        '"- old" below "## 1": a journal only grows; {ours} has "- older", {theirs} has "- old"',
    )


class TestLacking:
    """What a merge that was made should hold and does not."""

    def test_nothing_where_it_is_the_join_in_any_order(self) -> None:
        """People may put it as they like."""
        result = BASE.replace(b"- first\n", b"- s\n- m\n- first\n- by hand\n")

        assert lacking("changelog", None, (BASE, OURS, THEIRS), result) == []

    def test_an_entry_that_is_gone(self) -> None:
        """One side was taken."""
        assert lacking("changelog", None, (BASE, OURS, THEIRS), OURS) == [b"- s"]

    def test_an_entry_below_another_heading(self) -> None:
        """As git's union leaves them after a release."""
        result = OURS.replace(b"- old\n", b"- old\n- s\n")

        assert lacking("changelog", None, (BASE, OURS, THEIRS), result) == [b"- s"]

    def test_a_section_that_is_gone(self) -> None:
        """It is named by its title."""
        theirs = THEIRS + b"\n## 0\n"

        assert lacking("changelog", None, (BASE, OURS, theirs), JOINED) == [b"## 0"]

    def test_where_the_join_is_refused_what_was_added_may_stand_anywhere(self) -> None:
        """A person joined it."""
        renamed = BASE.replace(b"## U", b"## 2")
        moved = renamed.replace(b"- old\n", b"- old\n- s\n")

        assert lacking("changelog", None, (BASE, renamed, THEIRS), moved) == []
        assert lacking("changelog", None, (BASE, renamed, THEIRS), renamed) == [b"- s"]

    def test_a_record_of_lines(self) -> None:
        """Each as often as the join has it."""
        sides = (b"a\n", b"a\nm\n", b"a\na\n")

        assert lacking("log", None, sides, b"a\nm\n") == [b"a"]
        assert lacking("log", None, sides, b"m\na\na\n") == []


def test_contents_name_the_titles_around_a_line() -> None:
    """A line under another heading is another content; an underline is none."""
    text = b"T\n=\n\nTitle\n-----\n\n- a\n  b\n"

    assert contents("changelog", None, text) == [
        ((), b"T"),
        ((), b"="),
        ((b"Title",), b""),
        ((b"Title",), b"- a"),
        ((b"Title",), b"b"),
    ]


@pytest.mark.parametrize("piece", [b"\n", b"-\n", b"- x\n", b"## x\n", b"[", b"a b\n\n"])
@pytest.mark.parametrize(
    ("kind", "start"), [("log", None), ("log", b""), ("log", b"## "), ("changelog", None)]
)
def test_one_piece_repeated_is_joined_in_time(kind: str, start: bytes | None, piece: bytes) -> None:
    """Forty kilobytes of anything that a peer may add; bench/bounds.py has the whole."""
    many = piece * (40_000 // len(piece))
    started = time.process_time()
    try:
        merged(kind, start, BASE, BASE + many + b"\nm\n", BASE + many[:20_000] + b"\ns\n")
    except Refused:
        pass
    assert time.process_time() - started < 1.5
