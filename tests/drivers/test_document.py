"""The laws of the join of documents, and what its table demands of each kind of change."""

from __future__ import annotations

from itertools import permutations
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coord.drivers import document, tree
from coord.drivers.clash import APART, EDITED, GROWN, MOVED, PLACE, TEXTS, Clash
from coord.drivers.document import join
from coord.drivers.tree import Node, Parser
from harness.documents import contents, documents, written

both_modes = pytest.mark.parametrize("edits", [False, True], ids=["journal", "changelog"])
SOUP = [
    *(b"# C", b"## 1.0", b"## 1.1", b"### A", b"- a", b"- b", b"  - n", b"  more", b"text", b""),
    *(b"", b"```", b"~~~~", b"Title", b"=====", b"-----", b"1. one", b".. note::", b"[x]: y"),
    *(b"- a ", b"\t- t", b"a (1) b; urgency=low", b"\xff\x00"),
]


def outcome(base: bytes, ours: bytes, theirs: bytes, *, edits: bool) -> bytes | None:
    """Return the join, None where it is refused."""
    try:
        return join(base, ours, theirs, edits=edits)
    except Clash:
        return None


def of_grown(base: bytes, ours: bytes, theirs: bytes, *, edits: bool) -> bytes:
    """Return the join of sides that grew: refused where both put an entry apart."""
    try:
        return join(base, ours, theirs, edits=edits)
    except Clash as clash:
        left, right, old = contents(ours), contents(theirs), contents(base)
        apart = [
            {path for path, line in side - old if line.strip() == clash.name}
            for side in (left, right)
        ]
        if not edits or clash.reason != APART or not (apart[0] - apart[1] and apart[1] - apart[0]):
            raise
        assume(False)
        raise


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

        result = of_grown(base, ours, theirs, edits=edits)

        assert contents(result) == contents(ours) | contents(theirs)

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
        rest = iter(written(of_grown(base, ours, theirs, edits=edits)))

        assert all(line in rest for line in written(base))

    @both_modes
    @given(data=st.data())
    def test_three_branches_of_one_base_give_one_text_in_all_six_orders(
        self, edits: bool, data: st.DataObject
    ) -> None:
        """Whoever lands first."""
        base, sides = data.draw(documents("apart", sides=3))
        results = set()
        for one, two, three in permutations(sides):
            results.add(join(base, join(base, one, two, edits=edits), three, edits=edits))

        assert len(results) == 1

    @given(data=st.data())
    def test_any_lines_are_joined_symmetrically_or_refused(self, data: st.DataObject) -> None:
        """No text of a peer breaks it, and what either side alone wrote stands."""
        lines = data.draw(st.lists(st.sampled_from(SOUP), max_size=12))
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
                new = (set(written(ours)) | set(written(theirs))) - set(written(base))
                assert new <= set(written(result)) <= new | set(written(base))
                assert result == b"" or result.endswith(b"\n")


# Each row: base, ours, theirs; what a journal makes of it, what a changelog does. None or a reason
# where it is refused. `@` stands for a line end.
UNRELEASED = "# Changes@@## Unreleased@@- first@@## 1.0@@- old@"
LINKS = f"{UNRELEASED}@[Unreleased]: x/v1...HEAD@[1.0]: x/v1@"
PALLETS = "Version 2@---------@@Unreleased@@-   one@@Version 1@---------@@-   old@"
DEBIAN = (
    "apt (2) UNRELEASED; urgency=low@@  * one@@ -- A <a>  Mon@@"
    "apt (1) unstable; urgency=low@@  * zero@@ -- A <a>  Sun@"
)
TWICE = "## U@@- a@@## U@@- b@"
STAMPED = "## 2026-01-02T00:00Z@two@@## 2026-01-01T00:00Z@one@"


def turned(text: str, *pairs: str) -> str:
    """Return a text with some parts of it replaced: old, new, old, new."""
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return text


ROWS = {
    "both sides add an item to one section": (
        UNRELEASED,
        turned(UNRELEASED, "first@", "first@- a@"),
        turned(UNRELEASED, "first@", "first@- b@"),
        turned(UNRELEASED, "first@", "first@- a@- b@"),
        turned(UNRELEASED, "first@", "first@- a@- b@"),
    ),
    "a release as a split, the other side grew what was unreleased": (
        UNRELEASED,
        turned(UNRELEASED, "## Unreleased@", "## Unreleased@@## 1.2@"),
        turned(UNRELEASED, "first@", "first@- b@"),
        EDITED,
        turned(UNRELEASED, "## Unreleased@@- first@", "## Unreleased@@- b@@## 1.2@@- first@"),
    ),
    "a release as a renamed section, the other side grew it": (
        UNRELEASED,
        turned(UNRELEASED, "## Unreleased", "## 1.2"),
        turned(UNRELEASED, "first@", "first@- b@"),
        EDITED,
        GROWN,
    ),
    "a release, the other side grew another section": (
        UNRELEASED,
        turned(UNRELEASED, "## Unreleased", "## 1.2"),
        turned(UNRELEASED, "old@", "old@- b@"),
        EDITED,
        turned(UNRELEASED, "## Unreleased", "## 1.2", "old@", "old@- b@"),
    ),
    "both sides changed one link": (
        LINKS,
        turned(LINKS, "v1...HEAD@", "v2...HEAD@[2]: x/v2@"),
        turned(LINKS, "v1...HEAD@", "v3...HEAD@"),
        PLACE,
        PLACE,
    ),
    "both sides added a link": (
        LINKS,
        LINKS + "[a]: u@",
        LINKS + "[b]: v@",
        LINKS + "[a]: u@[b]: v@",
        LINKS + "[a]: u@[b]: v@",
    ),
    "an item is woven before a new subsection, behind which it would sink": (
        "## U@@### Fixed@@- f@@## 1@@### Fixed@@- o@",
        "## U@@- direct@@### Fixed@@- f@@## 1@@### Fixed@@- o@",
        "## U@@### Added@@- new@@### Fixed@@- f@  - nest@@## 1@@### Fixed@@- o@",
        "## U@@- direct@@### Added@@- new@@### Fixed@@- f@  - nest@@## 1@@### Fixed@@- o@",
        "## U@@- direct@@### Added@@- new@@### Fixed@@- f@  - nest@@## 1@@### Fixed@@- o@",
    ),
    "one side wraps a text on": (
        "- Fix the@  parser@",
        "- Fix the@  parser@  (A)@",
        "- Fix the@  parser@- b@",
        "- Fix the@  parser@  (A)@- b@",
        "- Fix the@  parser@  (A)@- b@",
    ),
    "both sides wrap a text on": (
        "- Fix the@  parser@",
        "- Fix the@  parser@  (A)@",
        "- Fix the@  parser@  and lexer@",
        TEXTS,
        TEXTS,
    ),
    "both sides add an item of one first line, and go on otherwise": (
        "- x@",
        "- x@- Fix a bug in@  parser@",
        "- x@- Fix a bug in@  lexer@",
        TEXTS,
        TEXTS,
    ),
    "a name that stands twice is grown on one side": (
        TWICE,
        turned(TWICE, "- a@", "- a@- c@"),
        TWICE + "@## V@@- v@",
        EDITED,
        "## U@@- a@- c@@## U@@- b@@## V@@- v@",
    ),
    "a name that stands twice is grown on both sides": (
        TWICE,
        turned(TWICE, "- a@", "- a@- c@"),
        turned(TWICE, "- b@", "- b@- d@"),
        EDITED,
        PLACE,
    ),
    "a name that stands twice is left alone": (
        TWICE + "@## 1@@- o@",
        TWICE + "@## 1@@- o@- p@",
        TWICE + "@## 1@@- o@- q@",
        TWICE + "@## 1@@- o@- p@- q@",
        TWICE + "@## 1@@- o@- p@- q@",
    ),
    "underlined titles, a line edited on one side": (
        PALLETS,
        turned(PALLETS, "Unreleased", "Released 2026-01-01"),
        turned(PALLETS, "one@", "one@-   two@"),
        EDITED,
        turned(PALLETS, "Unreleased", "Released 2026-01-01", "one@", "one@-   two@"),
    ),
    "a changelog of Debian": (
        DEBIAN,
        turned(DEBIAN, "one@", "one@  * two@"),
        turned(DEBIAN, "one@", "one@  * three@    more@"),
        turned(DEBIAN, "one@", "one@  * three@    more@  * two@"),
        turned(DEBIAN, "one@", "one@  * three@    more@  * two@"),
    ),
    "both sides signed a release of Debian": (
        DEBIAN,
        turned(DEBIAN, "Mon", "Tue"),
        turned(DEBIAN, "Mon", "Wed"),
        PLACE,
        PLACE,
    ),
    "versions go by their numbers, the way the base has them": (
        "# C@@## 1.9.0@@- x@@## 1.8@@- y@",
        "# C@@## 2.0@@- n@@## 1.9.0@@- x@@## 1.8@@- y@",
        "# C@@## 1.10@@- m@@## 1.9.0@@- x@@## 1.8@@- y@",
        "# C@@## 2.0@@- n@@## 1.10@@- m@@## 1.9.0@@- x@@## 1.8@@- y@",
        "# C@@## 2.0@@- n@@## 1.10@@- m@@## 1.9.0@@- x@@## 1.8@@- y@",
    ),
    "versions at the end of a document that is oldest first": (
        "# C@@## 1.8@@- y@@## 1.9@@- x@",
        "# C@@## 1.8@@- y@@## 1.9@@- x@@## 2.0@@- n@",
        "# C@@## 1.8@@- y@@## 1.9@@- x@@## 1.10@@- m@",
        "# C@@## 1.8@@- y@@## 1.9@@- x@@## 1.10@@- m@@## 2.0@@- n@",
        "# C@@## 1.8@@- y@@## 1.9@@- x@@## 1.10@@- m@@## 2.0@@- n@",
    ),
    "stamped blocks, newest first": (
        STAMPED,
        f"## 2026-01-03T00:00Z@3@@{STAMPED}",
        f"## 2026-01-04T00:00Z@4@@{STAMPED}",
        f"## 2026-01-04T00:00Z@4@@## 2026-01-03T00:00Z@3@@{STAMPED}",
        f"## 2026-01-04T00:00Z@4@@## 2026-01-03T00:00Z@3@@{STAMPED}",
    ),
    "blocks of one name on both sides of a journal": (
        "## al@@x@",
        "## al@@x@@## al@@y@",
        "## al@@x@@## al@@z@",
        "## al@@x@@## al@@y@@## al@@z@",
        "## al@@x@@## al@@y@@## al@@z@",
    ),
    "pieces in another order on one side": (
        "- a@- b@- c@",
        "- b@- a@- c@",
        "- a@- b@- c@- d@",
        MOVED,
        MOVED,
    ),
    "a text and its indented list swapped": (
        "text@@  - a@@more@",
        "  - a@@text@@more@",
        "text@@  - a@@more@@last@",
        EDITED,
        "  - a@@text@@more@@last@",
    ),
    "an item removed on one side": (
        "- a@- b@- c@",
        "- a@- c@",
        "- a@- b@- c@- d@",
        EDITED,
        "- a@- c@- d@",
    ),
    "an item removed on one side, grown on the other": (
        "- a@- b@- c@",
        "- a@- c@",
        "- a@- b@  - n@- c@",
        EDITED,
        GROWN,
    ),
    "an item removed on both sides": ("- a@- b@", "- a@- x@", "- a@- y@", PLACE, PLACE),
    "an item removed on both sides, and nothing put there": (
        "- a@- b@@# E@",
        "- a@@# E@@- x@",
        "- a@@# E@@- y@",
        "- a@@# E@@- x@- y@",
        "- a@@# E@@- x@- y@",
    ),
    "one item on both sides, with a blank behind it on one": (
        "- a@",
        "- a@- b @",
        "- a@- b@",
        "- a@- b@",
        "- a@- b@",
    ),
    "what looks like a heading in code": (
        "# C@@```@# comment@```@",
        "# C@@- x@@```@# comment@```@",
        "# C@@```@# comment@```@@- y@",
        "# C@@- x@@```@# comment@```@@- y@",
        "# C@@- x@@```@# comment@```@@- y@",
    ),
    "code that one side opens and does not close": (
        "# C@@- x@@# D@",
        "# C@@- x@@```@code@@# D@",
        "# C@@- x@@# D@@- y@",
        EDITED,
        GROWN,
    ),
    "a comment that one side puts around an item": (
        "## U@- a@",
        "## U@<!--@- a@-->@",
        "## U@- n@- a@",
        EDITED,
        "## U@- n@@<!--@- a@-->@",
    ),
    "titles between two lines": (
        "====@Logs@====@@- a@",
        "====@Logs@====@@- a@@----@Two@----@@- t@",
        "====@Logs@====@@- a@@-----@Three@-----@@- u@",
        "====@Logs@====@@- a@@-----@Three@-----@@- u@@----@Two@----@@- t@",
        "====@Logs@====@@- a@@-----@Three@-----@@- u@@----@Two@----@@- t@",
    ),
    "a paragraph below an item, which it would go on without a blank line": (
        "# C@@- a@",
        "# C@@text@@- a@",
        "# C@@- b@- a@",
        "# C@@text@@- b@@- a@",
        "# C@@text@@- b@@- a@",
    ),
    "a file that both sides add": (
        "",
        "# C@@## 1@@- a@",
        "# C@@## 2@@- b@",
        "# C@@## 1@@- a@@## 2@@- b@",
        "# C@@## 1@@- a@@## 2@@- b@",
    ),
}


class TestRows:
    """What each kind of change comes to."""

    @pytest.mark.parametrize("edits", [False, True], ids=["journal", "changelog"])
    @pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
    def test_a_change_comes_to_what_the_table_says(
        self, row: tuple[str, str, str, str, str], edits: bool
    ) -> None:
        """From either side."""
        base, ours, theirs = (text.replace("@", "\n").encode() for text in row[:3])
        expected = row[3 + edits]
        for one, other in ((ours, theirs), (theirs, ours)):
            if "@" in expected:
                assert join(base, one, other, edits=edits).decode().replace("\n", "@") == expected
                continue
            with pytest.raises(Clash) as caught:
                join(base, one, other, edits=edits)
            assert caught.value.reason == expected

    def test_line_ends_are_those_of_most_of_the_base_and_the_last_line_has_one(self) -> None:
        """A CR is no part of a line, and an append must not be glued to the last one."""
        result = join(
            b"## U\r\n\r\n- a", b"## U\r\n\r\n- a\r\n- b", b"## U\n\n- a\n- c", edits=True
        )

        assert result == b"## U\r\n\r\n- a\r\n- b\r\n- c\r\n"

    def test_a_refusal_names_the_line_and_both_texts(self) -> None:
        """As values: who explains it needs no parser."""
        base = UNRELEASED.replace("@", "\n").encode()
        with pytest.raises(Clash) as caught:
            join(
                base,
                base.replace(b"- first", b"- first\n  of all"),
                base.replace(b"- first", b"- first\n  of them"),
                edits=True,
            )
        clash = caught.value

        assert (clash.reason, clash.name, clash.line, clash.of) == (TEXTS, b"- first", 5, "base")
        assert (clash.ours, clash.theirs) == (
            (b"- first", b"  of all"),
            (b"- first", b"  of them"),
        )

    def test_records_of_json_are_told_by_all_they_hold(self) -> None:
        """The brace that each begins with names none of them."""
        base = b"h\n"
        ours, theirs = (base + b'{\n  "k": 1,\n  "%b": 1\n}\n' % who for who in (b"m", b"s"))
        result = join(base, ours, theirs, b"{", edits=False)

        assert result == ours + theirs[2:]

    def test_a_start_line_begins_a_section(self) -> None:
        """Where no other rule would see one."""
        base = b"On Monday\n- a\nOn Sunday\n- b\n"
        ours, theirs = base.replace(b"- a", b"- a\n- m"), base.replace(b"- b", b"- b\n- s")

        assert join(base, ours, theirs, b"On ", edits=False) == (
            b"On Monday\n- a\n- m\nOn Sunday\n- b\n- s\n"
        )


SPLIT = "## U@@- a@- b@@## 1@@- z@"
RELEASED = "apt (3) u; urgency=low@@  * %s@@ -- A <a>  %s@@" + DEBIAN
DIRECTIVE = "text@@.. code-block:: py@@   %s@"
TORN = "## 1@@- a@@See also: X.@"

#: Base, ours, theirs, and the reason for which both kinds refuse them, or the two reasons.
APARTS = {
    "an entry removed by one side, released by the other": (
        SPLIT,
        turned(SPLIT, "- b@", ""),
        turned(SPLIT, "## U@", "## U@@## 2@"),
        (EDITED, APART),
    ),
    "an entry removed by one side, put below another by the other": (
        SPLIT,
        turned(SPLIT, "- b@", ""),
        turned(SPLIT, "- b@", "  - b@"),
        (APART, APART),
    ),
    "a release of the same entries by both": (
        SPLIT,
        turned(SPLIT, "## U@", "## U@@## 2@"),
        turned(SPLIT, "## U@", "## U@@## 3@"),
        (APART, APART),
    ),
    "an entry moved to two parts": (
        SPLIT,
        turned(SPLIT, "- b@", "", "- z@", "- z@- b@"),
        turned(SPLIT, "- b@", "@### Added@@- b@"),
        (PLACE, PLACE),
    ),
    "a text that one side moved below a new section, and the other went on behind": (
        TORN,
        turned(TORN, "See", "## 2@@- n@@See"),
        TORN + "@And: Y.@",
        (EDITED, GROWN),
    ),
    "two releases of Debian of one version, signed by each": (
        DEBIAN,
        RELEASED % ("o", "Mon"),
        RELEASED % ("t", "Tue"),
        (TEXTS, TEXTS),
    ),
    "a label that means two links": (LINKS, LINKS + "[2]: o@", LINKS + "[2]: t@", (TEXTS, TEXTS)),
    "a footnote of two texts": (LINKS, LINKS + "[^a]: o@", LINKS + "[^A]: t@", (TEXTS, TEXTS)),
    "a target of reST in two places": (
        "text@@more@",
        "text@@.. _x: o@@more@",
        "text@@more@@.. _x: t@",
        (TEXTS, TEXTS),
    ),
    "two directives of one name": ("text@", DIRECTIVE % "o", DIRECTIVE % "t", (TEXTS, TEXTS)),
    "a directive that both sides go on": (
        DIRECTIVE % "x",
        DIRECTIVE % "x@@   o",
        DIRECTIVE % "x@@   t",
        (TEXTS, TEXTS),
    ),
}


class TestApart:
    """What stands in one place only, and would stand in two, or in one where it was removed."""

    @pytest.mark.parametrize("edits", [False, True], ids=["journal", "changelog"])
    @pytest.mark.parametrize("row", APARTS.values(), ids=APARTS)
    def test_what_was_moved_apart_is_refused(
        self, row: tuple[str, str, str, tuple[str, str]], edits: bool
    ) -> None:
        """All places tell where each side has it."""
        base, ours, theirs = (text.replace("@", "\n").encode() for text in row[:3])
        for one, other in ((ours, theirs), (theirs, ours)):
            with pytest.raises(Clash) as caught:
                join(base, one, other, edits=edits)
            assert caught.value.reason == row[3][edits]

    def test_a_move_that_both_sides_made_alike_is_one(self) -> None:
        """In a changelog; a journal's history does not move."""
        base = b"## U\n- a\n- b\n## 1\n- z\n"
        moved = b"## U\n- a\n## 1\n- z\n- b\n"
        sides = moved + b"- o\n", moved + b"- t\n"

        assert join(base, *sides, edits=True) == moved + b"- o\n- t\n"
        with pytest.raises(Clash):
            join(base, *sides, edits=False)

    def test_an_entry_that_both_sides_bring_under_two_titles_is_refused(self) -> None:
        """It is one entry of a changelog; blocks of a journal may say the same."""
        base = b"## U\n- a\n## 1\n- z\n"
        sides = base.replace(b"- a\n", b"- a\n- n\n"), base + b"- n\n"
        with pytest.raises(Clash) as caught:
            join(base, *sides, edits=True)

        assert (caught.value.reason, caught.value.name) == (APART, b"- n")
        assert join(base, *sides, edits=False) == b"## U\n- a\n- n\n## 1\n- z\n- n\n"

    def test_a_line_that_two_new_releases_share_stands_in_both(self) -> None:
        """A fix is released twice, from two branches."""
        base = b"# C\n\n## 1\n\n- z\n"
        sides = [base.replace(b"## 1", b"## %s\n\n- n\n\n## 1" % name) for name in (b"2", b"3")]

        assert join(base, *sides, edits=True).count(b"- n\n") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## 1.2.0-beta.2", "## 1.2.0"),
        ("## 1.2.0-beta.2", "## 1.2.0-beta.10"),
        ("## 1.2.0-alpha", "## 1.2.0-beta.1"),
        ("## 1.1-rc1", "## 1.1"),
        ("## 1.1", "## 1.1.1-rc1"),
        ("## [1.2.0-beta.2] - 2020-01-01", "## [1.2.0] - 2020-02-01"),
        ("## v1.2a1", "## v1.2"),
        ("## 1.2.dev3", "## 1.2rc1"),
        ("apt (1.2~rc1) u; urgency=low", "apt (1.2) u; urgency=low"),
        ("apt (10.0) u; urgency=low", "apt (1:0.5) u; urgency=low"),
    ],
)
def test_a_version_is_newer_than_what_came_before_it(old: str, new: str) -> None:
    """A preview comes before its release, and an epoch of Debian before all numbers."""
    base = b"## 1.0\n\n- b\n\n## 0.9\n\n- a\n"
    if old.startswith("apt"):
        base = base.replace(b"## 1.0", b"apt (1.0) u; urgency=low")
        base = base.replace(b"## 0.9", b"apt (0.9) u; urgency=low")
    sides = [f"{title}\n\n- {title}\n\n".encode() + base for title in (old, new)]
    result = join(base, *sides, edits=True)

    assert result.index(f"{new}\n".encode()) < result.index(f"{old}\n".encode())


class TestCosts:
    """Linear, whatever a peer writes."""

    @pytest.mark.parametrize("where", ["at the top", "at the end", "at both ends"])
    def test_what_all_texts_share_is_parsed_once(
        self, monkeypatch: pytest.MonkeyPatch, where: str
    ) -> None:
        """Changelogs grow at the top, journals at the end."""
        fed = []

        def spied(self: Parser, lines: list[bytes], at: int, end: int, offset: int = 0) -> int:
            fed.append(end - at)
            return feed(self, lines, at, end, offset)

        feed = Parser.feed
        monkeypatch.setattr(Parser, "feed", spied)
        base = b"# C\n\n" + b"".join(b"## 0.%d\n\n- x\n\n" % n for n in range(1000, 0, -1))
        texts = []
        for name in (b"2.0", b"2.1"):
            top = b"## %s\n\n- n\n\n" % name if where != "at the end" else b""
            end = b"## %s\n\n- n\n" % name[::-1] if where != "at the top" else b""
            texts.append(base[:5] + top + base[5:] + end)
        join(base, *texts, edits=True)

        assert sum(fed) < 4100

    def test_below_a_title_that_both_edited_alike_what_differs_is_read(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All sections are new below it, and the same."""
        unfolded = []

        def spied(node: Node) -> Node:
            unfolded.append(node.folded)
            return unfold(node)

        unfold = tree.unfolded
        monkeypatch.setattr(document, "unfolded", spied)
        base = b"# C\n\n" + b"".join(b"## 0.%d\n\n- x\n- y\n\n" % n for n in range(99, 0, -1))
        new = base.replace(b"# C\n", b"# Changes\n")
        sides = [new.replace(b"- x", b"- %s\n- x" % who, 1) for who in (b"a", b"b")]
        joined = join(base, *sides, edits=True)

        assert joined == new.replace(b"- x", b"- a\n- b\n- x", 1)
        assert sum(one is not None for one in unfolded) < 9

    def test_two_thousand_levels_are_joined(self) -> None:
        """No recursion."""
        deep = b"".join(b" " * level + b"- i\n" for level in range(2000))
        result = join(b"x\n\n" + deep, b"x\n\ny\n\n" + deep, b"x\n\n" + deep + b"- z\n", edits=True)

        assert result == b"x\n\ny\n\n" + deep + b"- z\n"

    def test_a_long_piece_is_not_read_again_for_each_that_is_woven_with_it(self) -> None:
        """A minute for 230 KB, where every comparison and every look-up did."""
        base = b"- x\n"
        ours = base + b"\n```\n" + b"line\n" * 16000 + b"```\n"
        theirs = base + b"".join(b"- %d\n" % number for number in range(16000))
        begin = process_time()
        join(base, ours, theirs, edits=True)

        assert process_time() - begin < 3  # of 0.4 where nothing else runs

    def test_numbers_of_many_digits_are_compared(self) -> None:
        """Python reads no int of more than 4,300."""
        big = b"9" * 5000
        base = b"## 2\n\n- b\n\n## 1\n\n- a\n"
        result = join(base, b"## %s\n\n- o\n\n" % big + base, b"## 3\n\n- t\n\n" + base, edits=True)

        assert [line for line in written(result) if line.startswith(b"##")] == [
            b"## " + big,
            b"## 3",
            b"## 2",
            b"## 1",
        ]


@pytest.mark.parametrize("piece", ["-\n", "- x\n", "# \n", "## a\n"])
def test_pieces_that_all_begin_with_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """A megabyte of the same bullet costs what reading it costs, however often it stands there."""
    asked: list[int] = []
    joined = document._Place._piece

    def counted(self: document._Place, key: bytes) -> object:
        asked[-1] += 1
        return joined(self, key)

    monkeypatch.setattr(document._Place, "_piece", counted)
    for times in (20, 200):
        asked.append(0)
        base = piece * times
        sides = [text.encode() for text in (base, f"{base}# one\n", f"{base}# two\n")]
        assert join(sides[0], sides[1], sides[2], edits=True) == (f"{base}# one\n# two\n".encode())

    assert asked[0] == asked[1]
