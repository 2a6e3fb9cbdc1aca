"""Write-once files on real histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import branch, found, problems, server_merge

if TYPE_CHECKING:
    from harness import Repo

FIRST = "coordination/ids/adr/0001.toml"
SECOND = "coordination/ids/adr/0002.toml"


def test_a_new_file_is_fine(guarded: Repo) -> None:
    """That is what the folder is for."""
    guarded.commit("claim", {SECOND: 'nonce = "2"\n'})

    assert not problems(guarded)


def test_a_change_is_named_with_its_commit(guarded: Repo) -> None:
    """Also without a hook that could have refused it."""
    guarded.write(FIRST, "other\n")
    guarded.git("commit", "-q", "--no-verify", "-am", "change")

    [problem] = problems(guarded)

    assert (problem.rule, problem.path) == ("once-changed", FIRST)
    assert problem.commit == guarded.git("rev-parse", "HEAD")
    assert problem.message == "written once, then changed"


def test_a_deletion_and_a_rename_are_named(guarded: Repo) -> None:
    """A claim is never taken back by taking it away."""
    guarded.git("mv", FIRST, SECOND)
    guarded.commit("rename")
    assert [each.message for each in problems(guarded)] == [
        f"written once, then renamed to {SECOND}"
    ]
    guarded.git("rm", "-q", SECOND)
    guarded.commit("delete")

    assert [each.message for each in problems(guarded, "HEAD^..HEAD")] == [
        "written once, then deleted"
    ]


def test_a_file_that_is_back_is_no_problem(guarded: Repo) -> None:
    """The commit that brings it back says so in a trailer, for it changes the file too."""
    guarded.commit("change", {FIRST: "other\n"})
    guarded.git("checkout", "-q", "HEAD^", "--", FIRST)
    guarded.commit(f"restore\n\nCoord-Resolved: {FIRST} as it was written")

    assert not problems(guarded)


def test_a_trailer_excuses_its_path_in_its_commit(guarded: Repo) -> None:
    """A claimant may settle a mistake, and say so."""
    guarded.commit(f"change\n\nCoord-Resolved: {FIRST} the owner was misspelt", {FIRST: "other\n"})

    assert not problems(guarded)


def test_a_one_sided_change_is_laid_at_its_own_commit(guarded: Repo) -> None:
    """The merge takes it without asking; it is not blamed."""
    bad = branch(guarded, "side", "change", {FIRST: "other\n"})
    guarded.commit("elsewhere", {"x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert [(each.rule, each.commit) for each in problems(guarded)] == [("once-changed", bad)]
    [carried] = problems(guarded, "side..HEAD")
    assert (carried.rule, carried.commit) == ("once-changed", guarded.git("rev-parse", "HEAD"))
    assert carried.message.endswith(f"taken over from {bad[:12]}")


def test_two_claims_of_one_path_are_taken(guarded: Repo) -> None:
    """A merge made elsewhere keeps one of them."""
    branch(guarded, "side", "claim", {SECOND: 'actor = "lovelace"\n'})
    guarded.commit("claim", {SECOND: 'actor = "hopper"\n'})
    made = server_merge(guarded, "side", {SECOND: 'actor = "hopper"\n'})

    [problem] = problems(guarded)

    assert (problem.rule, problem.path, problem.commit) == ("id-taken", SECOND, made)
    assert problem.run == f"git coord id renumber {SECOND}"


@pytest.mark.parametrize(
    "other",
    [
        {"GIT_AUTHOR_NAME": "Peer", "GIT_AUTHOR_EMAIL": "peer@example.com"},
        {"GIT_AUTHOR_DATE": "@1700000000 +0000"},
    ],
)
def test_identical_claims_are_taken(guarded: Repo, other: dict[str, str]) -> None:
    """Git finds nothing to merge, and both own it: two people, or one at two times."""
    branch(guarded.with_env(**other), "side", "claim", {SECOND: "claimed\n"})
    guarded.commit("claim", {SECOND: "claimed\n", "x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    [problem] = problems(guarded)

    assert (problem.rule, problem.path) == ("id-taken", SECOND)
    assert "also claimed by" in problem.message
    guarded.commit(f"agree\n\nCoord-Resolved: {SECOND} it is Peer's")
    assert not problems(guarded)


def test_an_identical_claim_that_was_settled_is_no_problem(guarded: Repo) -> None:
    """What counts is the end of the range."""
    branch(guarded.with_env(GIT_AUTHOR_NAME="Peer"), "side", "claim", {SECOND: "claimed\n"})
    guarded.commit("claim", {SECOND: "claimed\n", "x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")
    made = guarded.commit("settle", {SECOND: "Peer's\n"})
    guarded.commit(f"agree\n\nCoord-Resolved: {made} it is Peer's")

    assert not problems(guarded)


def test_a_copied_claim_is_one_claim(guarded: Repo) -> None:
    """A pick keeps author, date and subject; where a squash does not, the nonce tells."""
    made = branch(guarded, "side", "claim", {SECOND: "claimed\n"})
    guarded.git("cherry-pick", made)
    guarded.git("merge", "-q", "--no-edit", "side")
    branch(guarded, "more", "claim", {"coordination/ids/adr/0003.toml": 'nonce = "3"\n'})
    guarded.git("merge", "-q", "--squash", "more")
    guarded.commit("squashed")
    guarded.git("merge", "-q", "--no-edit", "more")

    assert not problems(guarded)


def test_an_octopus_that_loses_a_file_is_named(guarded: Repo) -> None:
    """Every parent is asked."""
    branch(guarded, "first", "first", {SECOND: 'nonce = "2"\n'})
    branch(guarded, "second", "second", {"coordination/ids/adr/0003.toml": 'nonce = "3"\n'})
    guarded.git("merge", "-q", "--no-edit", "first", "second")
    assert not problems(guarded)
    guarded.git("rm", "-q", SECOND)
    guarded.git("commit", "-q", "--amend", "--no-edit")

    assert found(guarded) == [("once-changed", SECOND)]


@pytest.mark.parametrize("text", ['nonce = "l"\nactor = "lin"\n', 'actor = "lin"\n'])
def test_a_dropped_claim_that_has_another_number_now_is_no_problem(
    guarded: Repo, text: str
) -> None:
    """The same nonce; without one what it says, with a nonce that was added when it moved."""
    branch(guarded, "side", "lin", {SECOND: f'id = "0002"\n{text}'})
    guarded.commit("ada", {SECOND: 'id = "0002"\nactor = "ada"\nnonce = "a"\n'})
    server_merge(guarded, "side", {SECOND: guarded.read(SECOND)})
    assert found(guarded) == [("id-taken", SECOND)]

    beside = SECOND.replace("2", "3")
    guarded.commit("another", {SECOND.replace("2", "5"): 'id = "0005"\nactor = "lin"\n'})
    assert found(guarded) == [("id-taken", SECOND)]
    fresh = "" if "nonce" in text else 'nonce = "f"\n'
    guarded.commit("moved", {beside: f'id = "0003"\n{text}{fresh}'})

    assert found(guarded) == []
