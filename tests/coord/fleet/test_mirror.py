"""The mirror: what was shipped lately, and what is going cold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.documents.mirror import document
from coord.fleet import ledgerfile
from coord.fleet.mirror import Mirror, reflect
from harness.moves import ledger, moved

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from coord.fleet.ledger import Move

KINDS = ("new", "improve", "infra")


def seen(top: Path, moves: list[Move], window: int = 3) -> Mirror:
    """Return the mirror of a ledger."""
    return reflect(ledger(top, moves).newest(), KINDS, window)


def test_the_last_moves_are_counted_and_no_earlier_one(tmp_path: Path) -> None:
    """Most frequent first."""
    found = seen(tmp_path, [moved("new", 3), *(moved("improve"),) * 2, moved("infra")])

    assert (found.window, found.shipped) == (3, 3)
    assert [(kind.name, kind.times) for kind in found.kinds] == [
        ("improve", 2),
        ("infra", 1),
        ("new", 0),
    ]


def test_the_cold_kind_is_the_one_that_was_shipped_longest_ago(tmp_path: Path) -> None:
    """With the time of its last move."""
    old, older = moved("new", 5), moved("infra", 9)

    found = seen(tmp_path, [older, old, *(moved("improve"),) * 3])

    assert [kind.name for kind in found.cold] == ["infra", "new"]
    assert document(found)["cold"] == {"kind": "infra", "last_shipped": older.at}


def test_what_was_never_shipped_is_colder_still(tmp_path: Path) -> None:
    """It has no time."""
    found = seen(tmp_path, [moved("new", 5), *(moved("improve"),) * 3])

    assert document(found)["cold"] == {"kind": "infra", "last_shipped": None}


def test_nothing_goes_cold_in_a_mix_or_before_the_first_move(tmp_path: Path) -> None:
    """Nor is a kind that is not declared any more ever asked for."""
    assert not seen(tmp_path, [moved(kind) for kind in KINDS]).cold
    assert document(seen(tmp_path, []))["cold"] is None
    assert document(seen(tmp_path, []))["kinds"] == {}
    assert not seen(tmp_path, [moved("gone"), *(moved(kind) for kind in KINDS)]).cold


def test_a_kind_beyond_what_was_read_is_not_called_never_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger of a million records is read at its end only."""
    moves = [moved("infra", 9), *(moved("new"), moved("improve")) * 50]
    whole = seen(tmp_path, moves)
    monkeypatch.setattr(ledgerfile, "_BLOCK", 512)

    cut = reflect(ledger(tmp_path, moves).newest(2000), KINDS, 3)

    assert whole.whole
    assert whole.cold[0].last_shipped == moves[0].at
    assert not cut.whole
    assert cut.cold[0].last_shipped is None


def test_no_more_is_read_than_it_takes(tmp_path: Path) -> None:
    """All kinds are among the last few: the rest of the file is left alone."""
    newest = ledger(tmp_path, [moved("new", 1)] * 5 + [moved(kind) for kind in KINDS]).newest()
    iterator = iter(newest)

    reflect(iterator, KINDS, 3)  # type: ignore[arg-type]  # what is left of it is looked at

    assert len(list(iterator)) == 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(KINDS), max_size=30), st.integers(1, 15))
def test_it_agrees_with_counting(tmp_path: Path, kinds: list[str], window: int) -> None:
    """The window is the end of the ledger, and every declared kind is in or cold."""
    found = seen(tmp_path, [moved(kind) for kind in kinds], window)

    counted = Counter(kinds[-window:])
    assert {kind.name: kind.times for kind in found.kinds if kind.times} == counted
    assert {kind.name for kind in found.cold} == (set(KINDS) - set(counted) if kinds else set())
