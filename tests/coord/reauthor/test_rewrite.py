"""Commits rebuilt byte by byte: what changes, and that nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.identity.outgoing import Commit
from coord.reauthor.rewrite import Change, affected, is_signed, rewritten, subject

ME = ("Zoé", "zoe@example.com")
NOTHING, ALL = Change(), Change(author=True, committer=True)
WHO = ("A", "a@x")
RAW = (
    b"tree " + b"1" * 40 + b"\nparent " + b"2" * 40 + b"\nparent " + b"3" * 40 + b"\n"
    b"author Ada <ada@x> 1700000000 +0130\ncommitter Bob <b@x> 1700000001 -0000\n"
    b"mergetag object " + b"3" * 40 + b"\n type commit\n author not a header\n"
    b"x-unheard-of\nencoding ISO-8859-1\n"
    b"\nsubject caf\xe9\n\nauthor in the body <x@y> 1 +0000\n"
)


def test_both_signatures_change_and_dates_stay() -> None:
    """The name is written in the encoding that the commit declares."""
    lines = rewritten(RAW, {}, ME, ALL).split(b"\n")

    assert lines[3] == b"author Zo\xe9 <zoe@example.com> 1700000000 +0130"
    assert lines[4] == b"committer Zo\xe9 <zoe@example.com> 1700000001 -0000"
    assert [*lines[:3], *lines[5:]] == [*RAW.split(b"\n")[:3], *RAW.split(b"\n")[5:]]


@pytest.mark.parametrize("codec", [b"no-such-codec", b"us-ascii", b"\xff"])
def test_a_name_the_encoding_cannot_hold_is_utf_8(codec: bytes) -> None:
    """Better a readable name than none."""
    raw = RAW.replace(b"ISO-8859-1", codec)

    assert "author Zoé <".encode() in rewritten(raw, {}, ME, ALL)


def test_one_signature_may_change_alone() -> None:
    """A picked commit keeps its author."""
    done = rewritten(RAW, {}, ME, Change(committer=True))

    assert b"\nauthor Ada <ada@x> 1700000000 +0130\n" in done
    assert b"\ncommitter Zo\xe9 " in done


def test_parents_are_mapped_in_their_order() -> None:
    """A merge stays a merge."""
    done = rewritten(RAW, {"2" * 40: "4" * 40}, ME, NOTHING)

    assert done == RAW.replace(b"parent " + b"2" * 40, b"parent " + b"4" * 40)


def test_a_signature_over_the_old_bytes_goes() -> None:
    """With all its lines, of either hash; the rest stays."""
    signed = RAW.replace(
        b"x-unheard-of\n",
        b"gpgsig -----BEGIN\n \n gpgsig\n -----END\ngpgsig-sha256 x\n y\nx-unheard-of\n",
    )

    assert is_signed(signed)
    assert not is_signed(RAW)
    assert rewritten(signed, {}, ME, NOTHING) == RAW


def test_a_damaged_signature_line_is_no_obstacle() -> None:
    """Old tools wrote commits without an e-mail or a date."""
    assert b"\nauthor Zo\xc3\xa9 <zoe@example.com>\n" in rewritten(
        b"tree x\nauthor nobody>\ncommitter nobody\n\nm", {}, ME, ALL
    )


def test_the_subject_is_the_first_line_of_the_message() -> None:
    """Empty messages have none."""
    assert subject(RAW) == "subject caf\udce9"
    assert subject(b"tree x\n\n") == ""


@given(st.binary(max_size=200), st.binary(max_size=50))
def test_without_a_change_every_byte_stays(message: bytes, header: bytes) -> None:
    """Whatever stands in message and unknown headers."""
    extra = b"x-" + header.replace(b"\n", b"\n ") + b"\n"
    raw = b"tree 1\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n" + extra + b"\n" + message

    assert rewritten(raw, {}, ME, NOTHING) == raw


def test_what_descends_from_a_change_is_affected_in_order() -> None:
    """Parents first; side branches that hold no change stay."""
    chain = [
        Commit("root", [], WHO, WHO),
        Commit("side", ["root"], WHO, WHO),
        Commit("changed", ["root"], WHO, WHO),
        Commit("child", ["changed"], WHO, WHO),
        Commit("merge", ["side", "child"], WHO, WHO),
    ]

    assert affected(chain, ["changed"]) == ["changed", "child", "merge"]
    assert affected(chain, []) == []
