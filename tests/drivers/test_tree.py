"""How a document is read: what begins a section, what is an item, what sticks to what."""

from __future__ import annotations

import pytest

from coord.drivers.document import join
from coord.drivers.line import seam
from coord.drivers.tree import Node, Parser, contents, raw


def read(text: str, start: bytes | None = None) -> Node:
    """Return the tree of a text."""
    lines = text.encode().split(b"\n")
    parser = Parser(start)
    parser.feed(lines, 0, len(lines))
    return parser.finish()


def outline(node: Node) -> list[object]:
    """Return the names of what stands in a piece, each followed by what stands in that."""
    out: list[object] = []
    for kid in node.kids:
        out.append(kid.name.decode())
        if kid.kids:
            out.append(outline(kid))
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n## B\n- i\n# C\n", ["# A", ["## B", ["- i"]], "# C"]),
        ("A\n===\n\nB\n---\n- i\n\nC\n===\n", ["A", ["B", ["- i"]], "C"]),
        ("===\nA\n===\n\nB\n---\n- i\n", ["A", ["B", ["- i"]]]),
        (
            "a (2) x; urgency=low\n\n  * i\n\n -- A  Mon\n",
            ["a (2) x; urgency=low", ["  * i", " -- A  Mon"]],
        ),
        ("- a\n  - b\n    - c\n- d\n", ["- a", ["  - b", ["    - c"]], "- d"]),
        ("1. a\n   on\n10) b\n", ["1. a", "10) b"]),
        ("text\ngoes on\n\nanother\n", ["text", "another"]),
        ("[a]: x\n[b]: y\n.. note::\n", ["[a]: x", "[b]: y", ".. note::"]),
        ("- a\n\n  below a\n- b\n", ["- a", ["  below a"], "- b"]),
        ("text\n#hash\n", ["text"]),
        ("####### seven\n", ["####### seven"]),
        ("- a\n---\n", ["- a"]),
        ("text\n\n---\n\nmore\n", ["text", "---", "more"]),
    ],
    ids=[
        *("ATX", "underlined", "overlined", "Debian", "nested items", "numbers", "paragraphs"),
        *("links and directives", "a paragraph of an item", "no blank behind the hash"),
        *("seven hashes", "an item above dashes", "a rule"),
    ],
)
def test_a_text_is_read_as_people_mean_it(text: str, expected: list[object]) -> None:
    """The forms in which logs are kept."""
    assert outline(read(text)) == expected


@pytest.mark.parametrize(
    "code",
    [
        "```\n# no heading\n\n- no item\n```",
        "~~~~\n# no heading\n~~~\n~~~~",
        "```sh\n# no heading\n```",
        "text:\n```\n# no heading\n```",
        "- a\n\n  ```\n# no heading\n  ```",
        "<!--\n# no heading\n\n- no item\n-->",
        "- a\n<!-- from here\n# no heading\n```\nto here -->",
    ],
    ids=[
        *("plain", "longer", "with a language", "below a text", "in an item"),
        *("a comment", "a comment below an item"),
    ],
)
def test_code_between_fences_and_a_comment_are_one_piece(code: str) -> None:
    """A heading in it is none."""
    tree = read(f"# A\n\n{code}\n\n## B\n")

    assert [kid.name for kid in tree.kids[0].kids][-1] == b"## B"
    assert all(b"no heading" not in name for name, _ in map(_named, contents(code.encode(), None)))


def _named(content: tuple[tuple[bytes, ...], bytes]) -> tuple[bytes, bytes]:
    path, line = content
    return b"/".join(path), line


def test_three_backticks_in_a_line_open_no_code() -> None:
    """They close in the same line."""
    assert outline(read("```x``` is a word\n\n# A\n")) == ["```x``` is a word", "# A"]


def test_a_start_line_is_a_section_and_may_be_underlined() -> None:
    """As deep as its hashes say, else as a second heading."""
    tree = read("Version 2\n---------\n\n- a\n\nVersion 1\n---------\n", b"Version ")

    assert outline(tree) == ["Version 2", ["- a"], "Version 1"]
    assert tree.kids[0].glue == [b"---------"]


@pytest.mark.parametrize(
    "text",
    [
        "\n\n# A\n\n\n- a\n  on\n\n   - b\n\n\n## B\n",
        "text\n\n  - a\n\nmore\n\n```\nx\n\ny\n```\n- z",
        "====\nA\n====\n\nB\n---\n- i\n",
    ],
)
def test_what_is_read_is_written_as_it_was(text: str) -> None:
    """Blank lines belong to the place."""
    tree = read(text)

    assert b"\n".join([*raw(tree), *(tree.gap or ())]) == text.encode()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("- a\n- b\n\n## 1\n", 3),
        ("- a\n- b\n## 1\n", 2),
        ("- a\n\nTitle\n-----\n", 2),
        ("- a\n- b\nTitle\n-----\n- c\n", 5),
        ("----\ntext\n## 1\n\n## 2\n", 4),
        ("- a\n", 1),
    ],
    ids=[
        *("behind a blank line", "right below", "a title", "a title that may go on a text"),
        *("what may be overlined", "none"),
    ],
)
def test_a_seam_is_where_a_section_begins_whatever_stands_above(text: str, at: int) -> None:
    """So that what follows is read once for all texts that end with it."""
    assert seam(text.encode().split(b"\n")[:-1], 0, None) == at


def test_a_heading_in_code_that_begins_above_the_common_end_is_none() -> None:
    """The texts are read without a seam then."""
    base = b"```\ncode\n\n# comment\n\nmore\n```\n"
    ours, theirs = b"- o\n\n" + base, base + b"\n- t\n"

    assert join(base, ours, theirs, edits=True) == b"- o\n\n" + base + b"\n- t\n"
    assert join(base, ours, b"- t\n\n" + base, edits=True).endswith(base)
