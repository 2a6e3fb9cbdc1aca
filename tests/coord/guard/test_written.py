"""How a file is written, told from its text: the table of what can be declared."""

from __future__ import annotations

import pytest

from coord.guard import written

STAMP = "2026-01-0{}T00:00Z"
LINES = {
    "empty": b"",
    "stamped": b"2026-01-01T00:00Z a\n2026-01-02T00:00Z b\n",
    "stamped below a header": b"when what\n2026-01-01T00:00Z a\n2026-01-02T00:00Z b\n",
    "fields": b"at\twho\n1\tada\n2\tbob\n",
    "objects": b'{"a": 1}\n{"a": 2}\n',
    "plain": b"one\ntwo\n",
    "crlf": b"one\r\ntwo\r\n",
}
BLOCKS = {
    "stamped": (b"## 2026-01-01T00:00Z\na\n\n## 2026-01-02 10:00\nb\n", "## "),
    "repeated": (b"# Log\n\n## alice\n\n- a\n\n## bob\n\n- b\n\n## alice\n\n- c\n", "## "),
}
CHANGELOGS = {
    "keep a changelog": b"# Log\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [1.0.0]\n\n- b\n",
    "versions": b"## 1.1\n\n- a\n\n## 1.0\n\n- b\n",
    "setext": b"Version 2.0\n===========\n\n* a\n\nVersion 1.0\n===========\n\n* b\n",
    "restructured": b"=======\nHistory\n=======\n\n1.0 (2026)\n----------\n\n* a\n",
    "debian": b"coord (1.0-1) unstable; urgency=low\n\n  * a\n\n -- A <a@b>  Mon, 1 Jan 2026\n",
    "dates": b"# Changes\n\n## 2026-01-02\n\n- a\n\n## 2026-01-01\n\n- b\n",
}
NEITHER = {
    "sphinx": b".. change::\n    :tags: a\n\n    text\n",
    "indented": b"v1:\n   text of\n   several lines\n",
    "paragraphs": b"one thing\nof two lines\n\nanother thing\n",
    "binary": b"a\0b\n",
}


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    """Each line is a record: stamped, or as many fields as the others, or at least alone."""
    found = written.how(LINES[name])

    assert (found.kind, found.start) == ("log", None)


def test_the_direction_is_told() -> None:
    """As it is found, whichever line comes first."""
    up = b"".join(f"2026-01-0{day}T00:00Z x\n".encode() for day in (1, 2, 3))
    down = b"".join(f"2026-01-0{day}T00:00Z x\n".encode() for day in (3, 2, 1))

    assert written.how(up).why.endswith("the newest last")
    assert written.how(down).why.endswith("the newest first")


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(name: str) -> None:
    """A log that only grows has another instant in each heading, or names that repeat."""
    text, start = BLOCKS[name]

    assert written.how(text)[:2] == ("log", start)


@pytest.mark.parametrize("name", CHANGELOGS)
def test_changelogs(name: str) -> None:
    """However a heading is written; and it is said that a plain commit may delete."""
    found = written.how(CHANGELOGS[name])

    assert (found.kind, found.start) == ("changelog", None)
    assert "delete" in found.unpromised


@pytest.mark.parametrize("name", NEITHER)
def test_what_no_line_of_is_a_record(name: str) -> None:
    """Git's own merge stops there, which is better than a join that guesses."""
    assert written.how(NEITHER[name]).kind == ""
