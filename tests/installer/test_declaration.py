"""Sections of .coord.toml as text: put in, changed, taken out; every other byte stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.base.errors import Refused
from coord.installer import declaration

PIECES = [
    b"# a comment\n",
    b"\n",
    b'[log."x.tsv"]\nstart = "## "\n',
    b'[derived.other]\n# why\nregenerate = """\nmake\n[no section]\n"""\ninputs = [\n "a",\n]\n',
    b'[identity]\nauthor = "keep"\n',
    b"[[lane]]\nx = 1\n",
]
TEXTS = st.builds(
    lambda pieces, end: b"".join(pieces).removesuffix(b"\n") + end,
    st.lists(st.sampled_from(PIECES), unique=True),
    st.sampled_from([b"", b"\n"]),
)
NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)
VALUES = st.fixed_dictionaries(
    {"regenerate": NAMES}, optional={"inputs": st.lists(NAMES, min_size=1)}
).map(lambda values: dict(sorted(values.items(), reverse=True)))


@given(st.none() | TEXTS, NAMES, VALUES)
def test_declaring_and_undeclaring_is_identity(
    old: bytes | None, pattern: str, values: dict[str, declaration.Value]
) -> None:
    """Comments, strings over many lines and a missing final newline included."""
    new = declaration.declared(old, "derived", pattern, values)

    assert tomllib.loads((new or b"").decode())["derived"][pattern] == values
    assert declaration.undeclared(new or b"", "derived", pattern) == old


@given(TEXTS, NAMES, VALUES, VALUES)
def test_declaring_again_changes_the_section_alone(
    old: bytes,
    pattern: str,
    first: dict[str, declaration.Value],
    second: dict[str, declaration.Value],
) -> None:
    """The text after two declarations is the text after the second."""
    once = declaration.declared(old, "derived", pattern, first)
    twice = declaration.declared(once, "derived", pattern, second)

    assert twice == declaration.declared(old, "derived", pattern, second)


def test_comments_in_a_section_survive_a_change() -> None:
    """They say why the command is what it is."""
    old = b'[derived."x"]\n# needs protoc\nregenerate = "make"\n# end\n\n[push]\n'

    new = declaration.declared(old, "derived", "x", {"regenerate": "make x"})

    assert new == old.replace(
        b'# needs protoc\nregenerate = "make"\n', (b'regenerate = "make x"\n# needs protoc\n')
    )


def test_an_empty_section_of_another_subject_is_no_obstacle() -> None:
    """`[push]` with nothing in it says nothing, and stays."""
    new = declaration.declared(b"[push]\n", "log", "x", {"start": "## "})

    assert new == b'[push]\n\n[log.x]\nstart = "## "\n'


@pytest.mark.parametrize(
    "old",
    [
        b'derived.x.regenerate = "make"\n',
        b'[derived]\nx = { regenerate = "make" }\n',
        b'[derived.x]\nregenerate = "make"\n[derived.x.y]\nz = 1\n',
    ],
)
def test_a_layout_that_cannot_be_edited_as_text_is_left_alone(old: bytes) -> None:
    """Better an editor than a guess; nothing was written."""
    with pytest.raises(Refused) as refused:
        declaration.declared(old, "derived", "x", {"regenerate": "other"})

    assert refused.value.rule == "config-by-hand"


def test_an_inline_table_takes_no_further_section() -> None:
    """TOML closes it; the answer is a refusal, not a broken file."""
    with pytest.raises(Refused):
        declaration.declared(b"derived = {}\nx = 1\n", "derived", "x", {"regenerate": "make"})
