"""Any name as one safe component: injective, plain ASCII, short, and never decoded."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.stores import keys

if TYPE_CHECKING:
    from harness import Repo

TEXT = st.text(st.characters(codec=None), max_size=300)
LONG = st.builds(
    lambda start, middle, times: start + middle * times,
    st.text(max_size=5),
    st.text(min_size=1, max_size=4),
    st.integers(1, 1000),
)
NASTY = [
    "", ".", "..", "../..", "/", "a/b", "a//b", "a", "A", "con", "CON", "nul.txt", "com1", "a.",
    "a ", " a", "a:b", "*", "?", "<a>", "|", "~", "%", "=", "=h", "=61", "a=61", "a=h", "-", "--",
    "@{", "x.lock", "\0", "\n", "\x1b[31m", "\u202e", "\ufeff", "é", "e\u0301", "É", "ß",
    "\u1e9e", "ss", "\u017f", "\u0131", "i", "\u0130", "\ud800", "\udcff", "😀", "a" * 100,
    "a" * 101, "A" * 34, "A" * 33, "é" * 2000, "x" * 4000, "\U0010ffff",
]  # fmt: skip


def _safe(component: str) -> bool:
    return (
        len(component) <= 102
        and keys.is_part(component)
        and component.casefold() == component
        and unicodedata.normalize("NFD", component) == component
    )


@given(TEXT, TEXT)
def test_equal_keys_mean_equal_names_up_to_nfc(one: str, other: str) -> None:
    """Injective, also after a file system has folded case or normalised: the alphabet has none."""
    first, second = keys.escaped(keys.SCOPE, one), keys.escaped(keys.SCOPE, other)

    assert _safe(first)
    assert (first == second) is (keys.normal(one) == keys.normal(other))


@given(LONG, LONG)
def test_long_names_stay_apart(one: str, other: str) -> None:
    """The cut is sealed with a hash, and a cut key is never a whole one."""
    first, second = keys.escaped(keys.SCOPE, one), keys.escaped(keys.SCOPE, other)

    assert _safe(first)
    assert (first == second) is (keys.normal(one) == keys.normal(other))


def test_the_fixed_nasty_list_stays_apart() -> None:
    """Reserved names, case pairs, dots, slashes, controls, surrogates, lengths at the cut."""
    names = {keys.normal(name) for name in NASTY}
    found = {keys.escaped(keys.SCOPE, name) for name in NASTY}

    assert len(found) == len(names)
    assert all(_safe(component) for component in found)


def test_composed_and_decomposed_are_one_name() -> None:
    """What looks equal and is typed on two systems must not be two claims."""
    assert keys.claim("task:caf\u00e9") == keys.claim("task:cafe\u0301")


@pytest.mark.parametrize("name", ["x.lock", "a..b", "@{", "CON", "\0", "é" * 2000, ""])
def test_git_accepts_every_key_as_a_ref(repo: Repo, name: str) -> None:
    """The git store will keep records as refs."""
    key = keys.event(keys.claim(name), 1)

    assert repo.tried("check-ref-format", f"refs/coord/{key}").code == 0


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_short_name_can_be_guessed_from_its_key(name: str) -> None:
    """For showing a scope whose record is torn."""
    component = keys.escaped(keys.SCOPE, name)
    guess = keys.guessed(component)

    assert guess == keys.normal(name) or guess.endswith("…")


@given(st.text(max_size=50))
def test_a_guess_never_fails(component: str) -> None:
    """Folders may be named by anybody."""
    assert isinstance(keys.guessed(component), str)


def test_numbers_sort_as_text_and_read_back() -> None:
    """A list of keys is in order; foreign files are no events."""
    folder = keys.claim("task:x")
    numbers = [1, 9, 10, 99_999, 99_999_999]
    found = [keys.event(folder, number) for number in numbers]

    assert found == sorted(found)
    assert [keys.seq_of(key) for key in found] == numbers
    for name in ("x", "1", "0000000a", "\u0660" * 8, "00000001.tmp", ""):
        assert keys.seq_of(f"{folder}/{name}") == 0


def test_numbers_of_a_series_have_one_key_each() -> None:
    """Series that a file system takes for one share their numbers."""
    series = keys.series("coordination/ids/HW/HW-#")

    assert series == keys.series("coordination/ids/hw/hw-#")
    assert series != keys.series("coordination/ids/HW/HW-#-draft")
    assert [keys.number_of(keys.number(series, n)) for n in (1, 54, 10**9)] == [1, 54, 10**9]
    assert keys.number_of(f"{series}/litter") == -1
    keys.require(keys.number(series, 1))
