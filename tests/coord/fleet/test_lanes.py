"""Lanes: overdue, tended or held."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coord.board.events import Place
from coord.documents.lanes import lane as document
from coord.fleet.lanes import Row, survey
from coord.settings.config import Lane
from harness.moves import ledger, moved

if TYPE_CHECKING:
    from pathlib import Path

    from coord.fleet.ledger import Move

DAY = 86400.0
SOCIAL, DOCS, CARE = Lane("social", DAY, "answer"), Lane("docs", 7 * DAY), Lane("care", DAY)
HOLDER = Place("liskov-9d20", "i-2", "fix", "2026-01-01T00:00:00.000000Z")


def rows(
    top: Path, moves: list[Move], *lanes: Lane, holders: dict[str, Place] | None = None
) -> list[Row]:
    """Return how lanes stand by a ledger."""
    return survey(lanes, [ledger(top, moves).newest()], holders or {}, time.time())


def states(found: list[Row]) -> list[tuple[str, str]]:
    """Return (name, state) of each."""
    return [(row.lane.name, row.state) for row in found]


def test_a_lane_is_overdue_past_its_age(tmp_path: Path) -> None:
    """And only then."""
    moves = [moved("reach", 2, lane="social"), moved("reach", 2, lane="docs")]

    assert states(rows(tmp_path, moves, SOCIAL, DOCS)) == [
        ("social", "overdue"),
        ("docs", "tended"),
    ]


def test_the_last_tending_counts(tmp_path: Path) -> None:
    """Moves of other lanes, or of none, do not."""
    moves = [
        moved("reach", 9, lane="social"),
        moved("reach", 0.5, lane="social"),
        moved("new", 0.1),
        moved("reach", 0.1, lane="care"),
    ]

    (row,) = rows(tmp_path, moves, SOCIAL)

    assert row.state == "tended"
    assert row.tended == moves[1]
    assert abs((row.age or 0.0) - DAY / 2) < 60


def test_a_lane_that_was_never_tended_is_the_most_overdue(tmp_path: Path) -> None:
    """Before those that are late."""
    moves = [moved("reach", 9, lane="social"), moved("reach", 3, lane="docs")]

    assert states(rows(tmp_path, moves, DOCS, SOCIAL, CARE)) == [
        ("care", "overdue"),
        ("social", "overdue"),
        ("docs", "tended"),
    ]


def test_a_claimed_lane_is_off_the_list_at_once(tmp_path: Path) -> None:
    """However late it is."""
    found = rows(tmp_path, [], SOCIAL, CARE, holders={"lane:social": HOLDER})

    assert states(found) == [("care", "overdue"), ("social", "held")]
    assert document(found[1])["holder"] == {
        "actor": "liskov-9d20",
        "instance": "i-2",
        "branch": "fix",
        "since": HOLDER.since,
    }


def test_what_a_peer_has_tended_on_its_branch_is_tended(tmp_path: Path) -> None:
    """Before it is merged; the later of two counts."""
    for name in ("own", "peer"):
        (tmp_path / name).mkdir()
    own = ledger(tmp_path / "own", [moved("reach", 9, lane="social")])
    peer = ledger(tmp_path / "peer", [moved("reach", 0.2, lane="social")])

    for ledgers in ([own, peer], [peer, own]):
        (row,) = survey([SOCIAL], [one.newest() for one in ledgers], {}, time.time())
        assert row.state == "tended"


def test_a_time_in_the_future_is_no_negative_age(tmp_path: Path) -> None:
    """Another machine's clock is ahead."""
    (row,) = rows(tmp_path, [moved("reach", -1, lane="social")], SOCIAL)

    assert (row.age, row.state) == (0.0, "tended")


def test_the_document_says_what_is_declared(tmp_path: Path) -> None:
    """Durations as they are typed."""
    (row,) = rows(tmp_path, [], SOCIAL)

    assert document(row) == {
        "lane": "social",
        "scope": "lane:social",
        "state": "overdue",
        "every": "1d",
        "about": "answer",
        "last_tended": None,
        "tended_by": None,
        "age": None,
        "overdue": True,
        "holder": None,
    }
