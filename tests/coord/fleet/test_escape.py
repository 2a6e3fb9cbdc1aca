"""Fields of a ledger: any text is one harmless line, and comes back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coord.base.names import shown
from coord.fleet.escape import escaped, unescaped

HOSTILE = st.text(
    st.sampled_from("ab\\\t\n\r\0\x1b\x7f\x9b\u2028\u202exu0041 é\udc80\ud800\U0001f600")
)


@given(st.text() | HOSTILE)
def test_escaping_round_trips(text: str) -> None:
    """Controls, backslashes that look like escapes, lone surrogates: all of it comes back."""
    assert unescaped(escaped(text)) == text


@given(st.text() | HOSTILE)
@example("a\U000e0100")
@example("\u3164")
def test_a_field_is_one_line_that_can_be_shown_as_it_is(text: str) -> None:
    """No tab, no line end, no control, nothing that is not UTF-8."""
    field = escaped(text)

    assert not set(field) & set("\t\n\r")
    assert shown(field) == field
    assert field.encode().decode() == field


@given(st.text() | HOSTILE)
def test_reading_what_a_stranger_wrote_never_fails(field: str) -> None:
    """A backslash that begins no escape stands for itself."""
    assert isinstance(unescaped(field), str)


@pytest.mark.parametrize(
    ("text", "field"),
    [("a\tb", "a\\tb"), ("a\nb", "a\\nb"), ("\\n", "\\\\n"), ("\x1b[2J", "\\x1b[2J"), ("é", "é")],
)
def test_what_people_type_is_legible(text: str, field: str) -> None:
    """The ledger is read on the tree, too."""
    assert escaped(text) == field


def test_a_foreign_backslash_stands_for_itself() -> None:
    """A path of another system, in a stranger's tool, is not cut."""
    assert unescaped("\\q \\xZZ \\u12 \\") == "\\q \\xZZ \\u12 \\"


@pytest.mark.parametrize("field", ["\\Ubaaaaaaa", "\\U00110000", "\\Uffffffff"])
def test_an_escape_beyond_unicode_is_none(field: str) -> None:
    """One such field in a committed ledger ended every verb that reads it."""
    assert unescaped(field) == field
    assert unescaped("\\U0010ffff\\U000e0041") == "\U0010ffff\U000e0041"
