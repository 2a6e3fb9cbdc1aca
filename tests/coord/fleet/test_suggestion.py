"""One suggestion: an overdue lane, spread over those who wake; else the kind going cold."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from coord.board.events import Place
from coord.fleet.lanes import Row
from coord.fleet.mirror import Kind, Mirror
from coord.fleet.suggestion import suggest
from coord.settings.config import Lane

if TYPE_CHECKING:
    from coord.fleet.suggestion import Suggestion

COLD = Mirror(12, 12, (Kind("new", 12, "2026-01-01T00:00:00Z"), Kind("infra", 0, None)), whole=True)
MIXED = Mirror(12, 12, (Kind("new", 12, "2026-01-01T00:00:00Z"),), whole=True)
HOLDER = Place("a", "i", None, "")
LANES = ("social", "docs", "care")


def late(name: str, holder: Place | None = None) -> Row:
    """Return a lane that was never tended."""
    return Row(Lane(name, 86400.0), None, None, holder)


def told(rows: list[Row], mirror: Mirror | None = COLD, who: str = "i-1") -> Suggestion | None:
    """Return what is suggested now."""
    return suggest(rows, mirror, who, time.time())


def test_an_overdue_lane_comes_first() -> None:
    """With the command that takes it."""
    found = told([late("social"), late("docs", HOLDER)])

    assert found is not None
    assert (found.kind, found.name) == ("lane", "social")
    assert found.run == "git coord claim lane:social"


def test_without_overdue_lanes_the_coldest_kind_is_suggested() -> None:
    """Claimed lanes and tended ones are nobody's business."""
    tended = Row(Lane("docs", 86400.0), None, 5.0, None)

    found = told([late("social", HOLDER), tended])

    assert found is not None
    assert (found.kind, found.name, found.run) == ("move", "infra", None)


def test_without_lanes_or_cold_kinds_nothing_is_suggested() -> None:
    """A healthy mix, or no ledger at all."""
    assert told([], MIXED) is None
    assert told([], None) is None


def test_twenty_wakers_are_spread_over_three_lanes() -> None:
    """No lane gets nobody, none gets them all; the same instance gets the same lane again."""
    rows = [late(name) for name in LANES]
    sent = {who: told(rows, who=who) for who in map(str, range(20))}

    counts = Counter(found.name for found in sent.values() if found)
    assert set(counts) == set(LANES)
    assert max(counts.values()) <= 12
    assert sent == {who: told(rows[::-1], who=who) for who in sent}


@given(st.lists(st.uuids(), min_size=1, max_size=20, unique=True), st.sampled_from(LANES))
def test_a_claimed_lane_moves_only_those_who_were_sent_to_it(who: list[object], taken: str) -> None:
    """Nobody else changes their mind: the others' choice does not depend on it."""
    before = [late(name) for name in LANES]
    after = [late(name, HOLDER if name == taken else None) for name in LANES]

    for instance in map(str, who):
        first, second = told(before, who=instance), told(after, who=instance)
        assert first is not None
        assert second is not None
        assert second.name != taken
        assert first.name in {taken, second.name}


def test_an_odd_name_is_quoted() -> None:
    """The command is pasted."""
    found = told([late("it's; ours")])

    assert found is not None
    assert found.run == "git coord claim 'lane:it'\\''s; ours'"


def test_a_cold_kind_says_plainly_since_when() -> None:
    """Never, long ago, or before what was read."""
    new = Kind("new", 12, "2026-01-01T00:00:00Z")
    old = Mirror(12, 12, (new, Kind("infra", 0, "2026-01-01T00:00:00Z")), whole=True)
    far = Mirror(12, 12, (new, Kind("infra", 0, None)), whole=False)

    reasons = [found.reason for found in map(told, ([],) * 3, (COLD, old, far)) if found]

    assert reasons[0] == "never shipped"
    assert reasons[1].startswith("last shipped ")
    assert reasons[1].endswith(" ago, none of the last 12 moves")
    assert reasons[2] == "not in the part of the ledger that was read"
