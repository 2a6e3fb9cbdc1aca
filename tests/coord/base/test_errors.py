"""The three lines every refusal has."""

from __future__ import annotations

from coord.base.errors import CoordError, Environment, Refused, Usage
from harness import refusals


def made(kind: type[CoordError] = Refused) -> CoordError:
    """Build a refusal with a hostile path in it."""
    return kind("log-rewritten", "a record was edited", where="a\nb", why="line 3", run="git x")


def test_a_refusal_is_three_lines_whatever_it_is_about() -> None:
    """Newlines in a path are escaped: three lines stay three lines."""
    assert made().lines() == (
        "coord: log-rewritten: a record was edited: a\\x0ab\n  why: line 3\n  run: git x\n"
    )


def test_the_printed_form_is_read_back_by_rule() -> None:
    """Tests, scripts and people find rule, why and run in the same places."""
    assert refusals(made().lines())[0].run == "git x"


def test_exit_codes_say_whose_turn_it_is() -> None:
    """1 a rule says no, 2 the call is wrong, 3 the surroundings."""
    assert [kind.exit_code for kind in (Refused, Usage, Environment)] == [1, 2, 3]


def test_the_document_has_the_contract_keys() -> None:
    """Scripts read rule, what, where, why, run."""
    error = made().document()["error"]

    assert isinstance(error, dict)
    assert sorted(error) == ["rule", "run", "what", "where", "why"]
