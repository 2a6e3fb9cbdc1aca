"""The file of an identifier, written and read, and given another number."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.ids import claim, claimtext

HERE = b"coordination/ids/HW/HW-0002.toml"
MINE = claim.Claim("HW-0001", "HW", "ada-1f", "in-stance", "n0", "2026-01-01T00:00:00Z")


def test_the_file_is_toml_with_what_there_is() -> None:
    """Who owns nothing has no instance."""
    assert tomllib.loads(MINE.text().decode()) == MINE._asdict()
    assert "instance" not in tomllib.loads(MINE._replace(instance="").text().decode())


def test_what_is_written_is_read_back() -> None:
    """By the rules on claims, too."""
    fields = claim.fields(MINE.text())

    assert (fields["id"], fields["actor"], fields["created"]) == (MINE.id, MINE.actor, MINE.created)
    assert claimtext.has_nonce(MINE.text())
    assert claim.claimant(MINE.text()) == "ada-1f"


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        (b"owner: crew\n", "crew"),
        (b'{\n  "actor": "ada",\n  "id": "7"\n}\n', "ada"),
        (b"\n  ada wrote this\n", "ada wrote this"),
        (b"", "unreadable claim"),
        (b"x" * 100, "x" * 80),
        (b"actor = \xff\n", "\ufffd"),
    ],
)
def test_claims_of_whatever_make_are_read(text: bytes, whose: str) -> None:
    """As the driver names them."""
    assert claim.claimant(text) == whose


def test_another_number_changes_the_id_alone() -> None:
    """So it stays the same claim; a fresh nonce makes it another one."""
    moved = claim.renamed(MINE.text(), "HW-0002")

    assert moved == MINE._replace(id="HW-0002").text()
    assert claimtext.claim_of(moved) == claimtext.claim_of(MINE.text())
    fresh = claim.renamed(MINE.text(), "HW-0002", "n1")
    assert fresh == MINE._replace(id="HW-0002", nonce="n1").text()


def test_a_claim_without_a_nonce_is_given_one_at_its_end() -> None:
    """Also where the last line is not ended; it is still known for what it was."""
    bare = b'id = "1"\nactor = "ada"'
    moved = claim.renamed(bare, "2", "n1")

    assert moved == b'id = "2"\nactor = "ada"\nnonce = "n1"\n'
    assert claimtext.has_moved_to(HERE, moved, claimtext.claim_of(bare))
    assert not claimtext.has_moved_to(HERE, moved, claimtext.claim_of(b'id = "1"\nactor = "lin"'))


def test_what_one_actor_says_of_two_numbers_is_no_proof() -> None:
    """Only a nonce is; a document outside the folder is known by its bytes."""
    one, two = b'id = "1"\nactor = "ada"\n', b'id = "2"\nactor = "ada"\n'

    assert not claimtext.has_moved_to(HERE, two, claimtext.claim_of(one))
    assert claimtext.has_moved_to(b"adr/0002-why.md", b"# why\n", claimtext.claim_of(b"# why\n"))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_claim_of_somebody(text: bytes) -> None:
    """Nothing that is committed there stops a command."""
    assert claim.claimant(text)
    assert claimtext.has_nonce(claim.renamed(text, "HW-0002", "n1"))
