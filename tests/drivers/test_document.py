"""The laws of the join of documents, and what its table demands of each kind of change."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coord.drivers.document import Clash, join
from harness.documents import contents, documents, written

if TYPE_CHECKING:
    from collections.abc import Sequence

both_modes = pytest.mark.parametrize("edits", [False, True], ids=["journal", "changelog"])

def outcome(base: bytes, ours: bytes, theirs: bytes, *, edits: bool) -> bytes | None:
    """Return the join, None where it is refused."""
    try:
        return join(base, ours, theirs, edits=edits)
    except Clash:
        return None


class TestLaws:
    """What holds of every base and every two sides."""

    @both_modes
    @given(data=st.data())
    def test_swapping_the_sides_changes_no_byte(self, edits: bool, data: st.DataObject) -> None:
        """Commutative, and the refusal symmetric."""
        base, (ours, theirs) = data.draw(documents("edited"))

        assert outcome(base, ours, theirs, edits=edits) == outcome(base, theirs, ours, edits=edits)

    @given(data=st.data())
    def test_a_refusal_names_the_same_piece_and_the_other_side(self, data: st.DataObject) -> None:
        """Who is "ours" turns round in a rebase; the fault does not."""
        base, (ours, theirs) = data.draw(documents("edited"))
        assume(outcome(base, ours, theirs, edits=True) is None)
        with pytest.raises(Clash) as one:
            join(base, ours, theirs, edits=True)
        with pytest.raises(Clash) as two:
            join(base, theirs, ours, edits=True)

        left, right = one.value, two.value
        assert (left.reason, left.name, left.ours, left.theirs) == (
            right.reason,
            right.name,
            right.theirs,
            right.ours,
        )
        assert {left.side, right.side} in ({"ours", "theirs"}, {"both"})

    @both_modes
    @given(data=st.data())
    def test_a_side_that_did_nothing_changes_nothing(
        self, edits: bool, data: st.DataObject
    ) -> None:
        """join(b, o, b) is o, byte for byte: what a gate asks of a commit."""
        base, (side,) = data.draw(documents("edited" if edits else "grown", sides=1))
        result = outcome(base, side, base, edits=edits)
        assume(not edits or result is not None)

        assert result == side

    @both_modes
    @given(data=st.data())
    def test_a_join_holds_what_it_was_joined_from(self, edits: bool, data: st.DataObject) -> None:
        """Absorption: joined with one of its sides again, it is as it was."""
        base, (ours, theirs) = data.draw(documents("edited"))
        result = outcome(base, ours, theirs, edits=edits)
        assume(result is not None)

        assert result is not None
        for side in (ours, theirs):
            again = outcome(side, result, side, edits=True)
            assert again in (None, result)
        assert outcome(base, ours, result, edits=edits) in (None, result)

    @both_modes
    @given(data=st.data())
    def test_sides_that_grew_are_joined_and_nothing_is_lost_doubled_invented_or_misplaced(
        self, edits: bool, data: st.DataObject
    ) -> None:
        """Below each title stands each line of either side, as often as in the one with more."""
        base, (ours, theirs) = data.draw(documents("grown"))

        assert contents(join(base, ours, theirs, edits=edits)) == contents(ours) | contents(theirs)

    @given(data=st.data())
    def test_nothing_is_doubled_invented_or_misplaced_where_pieces_were_edited(
        self, data: st.DataObject
    ) -> None:
        """Every line of a changelog's join stands in a side, below the same titles."""
        base, (ours, theirs) = data.draw(documents("edited"))
        result = outcome(base, ours, theirs, edits=True)
        assume(result is not None)

        assert result is not None
        left, right, old = contents(ours), contents(theirs), contents(base)
        assert contents(result) <= left | right
        assert contents(result) >= (left - old) | (right - old) | (left & right & old)

    @both_modes
    @given(data=st.data())
    def test_lines_of_the_base_keep_their_order(self, edits: bool, data: st.DataObject) -> None:
        """A merge step, never a sort."""
        base, (ours, theirs) = data.draw(documents("grown"))
        rest = iter(written(join(base, ours, theirs, edits=edits)))

        assert all(line in rest for line in written(base))

    @both_modes
    @given(data=st.data())
    def test_three_branches_of_one_base_give_one_text_in_all_six_orders(
        self, edits: bool, data: st.DataObject
    ) -> None:
        """Whoever lands first."""
        base, sides = data.draw(documents("grown", sides=3))
        results = set()
        for one, two, three in permutations(sides):
            results.add(join(base, join(base, one, two, edits=edits), three, edits=edits))

        assert len(results) == 1

    @given(st.lists(st.sampled_from(SOUP := [
        b"# C", b"## 1.0", b"## 1.1", b"### A", b"- a", b"- b", b"  - n", b"  more", b"text", b"",
        b"", b"```", b"~~~~", b"Title", b"=====", b"-----", b"1. one", b".. note::", b"[x]: y",
        b"- a ", b"\t- t", b"a (1) b; urgency=low", b"\xff\x00",
    ]), max_size=12), st.data())
    def test_any_lines_are_joined_symmetrically_or_refused(
        self, lines: list[bytes], data: st.DataObject
    ) -> None:
        """No text of a peer breaks it, and what is taken has every line of both that the base lacks."""
        sides = []
        for _ in range(2):
            side = list(lines)
            for line in data.draw(st.lists(st.sampled_from(SOUP), max_size=3)):
                side.insert(data.draw(st.integers(0, len(side))), line)
            sides.append(b"\n".join(side))
        base, (ours, theirs) = b"\n".join(lines), sides
        for edits in (False, True):
            result = outcome(base, ours, theirs, edits=edits)
            assert result == outcome(base, theirs, ours, edits=edits)
            if result is not None:
                stands = set(written(result))
                assert stands >= set(written(ours)) - set(written(base))
                assert stands >= set(written(theirs)) - set(written(base))
                assert result == b"" or result.endswith(b"\n")
