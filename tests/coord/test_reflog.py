"""What a reflog says was made here: pure, on its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.reflog import Entry, Made, entries, made

ME = ("Me", "me@example.com")


def entry(message: str, new: str = "b", old: str = "a") -> Entry:
    """Return an entry of mine."""
    return Entry(old, new, ME, 1700000000, message)


def test_a_line_is_two_ids_an_identity_a_time_and_a_message() -> None:
    """Names may hold spaces, be empty, or be no UTF-8; messages may hold tabs."""
    log = (
        b"0" * 40 + b" " + b"1" * 40 + b" Ada H. <ada@x> 1700000000 +0100\tcommit (initial): a\tb\n"
        b"1 2 <> 1700000001 -0000\tcommit: c\n"
        b"2 3 caf\xe9 <a b@x> 1700000002 +0000\n"
        b"rubbish\n"
    )

    assert entries(log) == [
        Entry("0" * 40, "1" * 40, ("Ada H.", "ada@x"), 1700000000, "commit (initial): a\tb"),
        Entry("1", "2", ("", ""), 1700000001, "commit: c"),
        Entry("2", "3", ("caf\udce9", "a b@x"), 1700000002, ""),
    ]


@pytest.mark.parametrize(
    "message",
    [
        "commit: x",
        "commit (initial): x",
        "commit (merge): x",
        "merge topic: Merge made by the 'ort' strategy.",
        "pull origin main: Merge made by the 'ort' strategy.",
        'revert: Revert "x"',
    ],
)
def test_these_choose_author_and_committer(message: str) -> None:
    """New content, signed by whoever ran the command."""
    assert made([entry(message)]) == {"b": Made(ME, 1700000000, author=True)}


@pytest.mark.parametrize(
    "message",
    [
        "cherry-pick: x",
        "commit (cherry-pick): x",
        "commit (rebase): x",
        "commit (amend): of what was not made here",
        "rebase (pick): x",
        "rebase (reword): x",
        "rebase (squash): x",
        "rebase (fixup): x",
        "rebase (continue): x",
        "rebase (merge): x",
        "rebase (reset): 'onto': x",
        "rebase -i (pick): x",
        "pull --rebase (pick): x",
        "pull --rebase origin main (pick): x",
        "am: x",
    ],
)
def test_these_choose_the_committer_alone(message: str) -> None:
    """The author came with what was copied."""
    assert made([entry(message)]) == {"b": Made(ME, 1700000000, author=False)}


@pytest.mark.parametrize(
    "message",
    [
        "",
        "checkout: moving from a to b",
        "reset: moving to HEAD^",
        "clone: from x",
        "Branch: renamed refs/heads/a to refs/heads/b",
        "merge topic: Fast-forward",
        "pull: Fast-forward",
        "cherry-pick: fast-forward",
        "rebase: fast-forward",
        "rebase (start): checkout main",
        "rebase (finish): returning to refs/heads/x",
        "rebase (abort): returning to refs/heads/x",
        "pull --rebase (start): checkout 1234",
        "reauthor: 2 mended",
    ],
)
def test_these_make_nothing(message: str) -> None:
    """They move HEAD to what was there before."""
    assert made([entry(message)]) == {}


def test_an_action_of_unknown_name_made_something() -> None:
    """GIT_REFLOG_ACTION hides whether that was a commit or a copy."""
    assert made([entry("sometool: x")]) == {"b": Made(ME, 1700000000, author=None)}


def test_an_amended_commit_is_judged_as_the_one_it_replaces() -> None:
    """Amending one's own commit chooses nothing new; amending a colleague's takes theirs over."""
    own = [entry("commit: x", "b"), entry("commit (amend): y", "c", "b")]
    picked = [entry("cherry-pick: x", "b"), entry("commit (amend): y", "c", "b")]

    assert made(own)["c"].author is True
    assert made(picked)["c"].author is False


def test_only_the_first_entry_of_a_commit_can_have_made_it() -> None:
    """What one first checked out was there before, whatever moved to it later."""
    log = [entry("checkout: moving from a to b"), entry("sometool: x"), entry("commit: x")]

    assert made(log) == {}


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(log: bytes) -> None:
    """A damaged reflog must not stop a push."""
    made(entries(log))
