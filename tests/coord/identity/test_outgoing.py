"""The judgement of outgoing commits: pure, on commits and a reflog."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coord.identity.outgoing import Commit, cleaned, commits, reachable, suspects, wrong
from coord.repo.reflog import Log

WHO = st.sampled_from([("Me", "me@x"), ("Ada", "ada@x"), ("Peer", "peer@x")])
ME = ("Me", "me@x")
IDS = [f"{number:040x}" for number in range(1, 8)]
COMMITS = st.tuples(WHO, WHO)
ACTIONS = st.sampled_from(
    [
        "commit: x",
        "commit (amend): x",
        "merge x: Merge made by the 'ort' strategy.",
        "merge x: Fast-forward",
        "cherry-pick: x",
        "rebase (pick): x",
        "checkout: moving from a to b",
        "reset: moving to x",
        "tool: x",
    ]
)
LOGS = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), WHO, ACTIONS))


def reflog(entries: list[tuple[str, str, tuple[str, str], str]]) -> Log:
    """Return entries of (old, new, who, message) as a reflog."""
    lines = [
        f"{old} {new} {name} <{email}> 1 +0000\t{message}\n"
        for old, new, (name, email), message in entries
    ]
    return Log("".join(lines).encode())


def listing(signatures: list[tuple[tuple[str, str], tuple[str, str]]]) -> list[Commit]:
    """Return a line of commits with these signatures."""
    return [
        Commit(commit, IDS[number + 1 : number + 2], *pair)
        for number, (commit, pair) in enumerate(zip(IDS, signatures, strict=False))
    ]


@given(st.lists(COMMITS, max_size=7), LOGS)
def test_a_commit_is_blamed_only_if_this_worktree_made_it(
    signatures: list[tuple[tuple[str, str], tuple[str, str]]],
    log: list[tuple[str, str, tuple[str, str], str]],
) -> None:
    """An entry of the own reflog names it first, as its committer, in an action that makes."""
    for item in wrong(listing(signatures), reflog(log), ME):
        first = next(entry for entry in log if entry[1] == item.commit.id)
        assert first[2] == item.commit.committer
        assert not first[3].startswith(("checkout", "reset", "merge x: Fast"))


@given(st.lists(COMMITS, max_size=7), LOGS)
def test_what_is_blamed_is_not_as_pinned(
    signatures: list[tuple[tuple[str, str], tuple[str, str]]],
    log: list[tuple[str, str, tuple[str, str], str]],
) -> None:
    """Each named signature differs from the pin, and an author only where it was chosen here."""
    for item in wrong(listing(signatures), reflog(log), ME):
        assert item.author or item.committer
        assert item.committer == (item.commit.committer != ME)
        assert item.author == (item.made.author is True and item.commit.author != ME)


@given(st.lists(COMMITS, max_size=7))
def test_every_commit_of_ones_own_is_judged(
    signatures: list[tuple[tuple[str, str], tuple[str, str]]],
) -> None:
    """With an entry `commit:` for each, those not wholly mine are the wrong ones."""
    line = listing(signatures)
    log = [("0", commit.id, commit.committer, "commit: x") for commit in line]

    found = [item.commit for item in wrong(line, reflog(log), ME)]

    assert found == [one for one in line if (one.author, one.committer) != (ME, ME)]


def test_stops_and_quotes_at_the_ends_are_gits_to_strip() -> None:
    """A pinned "Ada H." is written as "Ada H"; that is nobody else."""
    assert cleaned(("Ada H.", " a@x ")) == ("Ada H", "a@x")


def test_a_listing_is_read_as_git_prints_it() -> None:
    """Ids and parents, then the four texts between NULs; any byte may stand in a name."""
    text = b"b a1 a2\0N\xe9\0e@x\0\0\na1 \0A\0a@x\0A\0a@x\n"

    assert commits(text) == [
        Commit("b", ["a1", "a2"], ("N\udce9", "e@x"), ("", "")),
        Commit("a1", [], ("A", "a@x"), ("A", "a@x")),
    ]


def test_commits_in_order_are_not_even_parsed() -> None:
    """Of ten thousand outgoing commits most are; what differs in any of four texts is looked at."""
    right = b"a \0Me\0me@x\0Me\0me@x\n"
    others = [b"b \0You\0me@x\0Me\0me@x\n", b"c \0Me\0me@x\0Me\0you@x\n"]

    found = suspects(right + b"".join(others), ("Me.", "me@x"))

    assert [commit.id for commit in found] == ["b", "c"]


def test_reachable_stays_within_the_listing() -> None:
    """Parents that were published are not part of it."""
    line = listing([(ME, ME)] * 3)

    assert reachable(line, [IDS[1], "unknown"]) == {IDS[1], IDS[2]}
