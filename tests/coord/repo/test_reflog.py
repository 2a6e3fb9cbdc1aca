"""What a reflog says was made here: pure, on its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.repo.reflog import Log, Made

ME = ("Me", "me@example.com")


def entry(message: str, new: str = "b", old: str = "a") -> str:
    """Return an entry of mine."""
    return f"{old} {new} {ME[0]} <{ME[1]}> 1700000000 +0000\t{message}\n"


def made(log: list[str], commit: str = "b") -> Made | None:
    """Return how these entries made a commit."""
    return Log("".join(log).encode()).made(commit)


def test_a_line_is_two_ids_an_identity_a_time_and_a_message() -> None:
    """Names may hold spaces, be empty, or be no UTF-8; messages may hold tabs."""
    log = Log(
        b"0" * 40 + b" " + b"1" * 40 + b" Ada H. <ada@x> 1700000000 +0100\tcommit (initial): a\tb\n"
        b"1 2 <> 1700000001 -0000\tcommit: c\n"
        b"2 3 caf\xe9 <a b@x> 1700000002 +0000\tam: d\n"
        b"rubbish\n"
        b"3 4 no time <a@x> \xb2\tcommit: e\n"
    )

    assert log.made("1" * 40) == Made(("Ada H.", "ada@x"), 1700000000, author=True)
    assert log.made("2") == Made(("", ""), 1700000001, author=True)
    assert log.made("3") == Made(("caf\udce9", "a b@x"), 1700000002, author=False)
    assert log.made("4") is log.made("5") is log.made("") is None


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
def test_actions_that_make_commits_choose_author_and_committer(message: str) -> None:
    """New content, signed by whoever ran the command."""
    assert made([entry(message)]) == Made(ME, 1700000000, author=True)


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
def test_actions_that_copy_commits_choose_the_committer(message: str) -> None:
    """The author came with what was copied."""
    assert made([entry(message)]) == Made(ME, 1700000000, author=False)


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
def test_actions_that_make_no_commit_are_ignored(message: str) -> None:
    """They move HEAD to what was there before."""
    assert made([entry(message)]) is None


def test_an_action_of_unknown_name_made_something() -> None:
    """GIT_REFLOG_ACTION hides whether that was a commit or a copy."""
    assert made([entry("sometool: x")]) == Made(ME, 1700000000, author=None)


def test_an_amended_commit_is_judged_as_the_one_it_replaces() -> None:
    """Amending one's own commit chooses nothing new; amending a colleague's takes theirs over."""
    own = [entry("commit: x", "b"), entry("commit (amend): y", "c", "b")]
    picked = [entry("cherry-pick: x", "b"), entry("commit (amend): y", "c", "b")]

    assert made(own, "c") == Made(ME, 1700000000, author=True)
    assert made(picked, "c") == Made(ME, 1700000000, author=False)
    assert made([*own, entry("commit (amend): z", "d", "c")], "d") == made(own, "c")


def test_a_long_or_circular_chain_of_amends_comes_to_an_end() -> None:
    """A worker may amend a thousand times; a log that was cut may go round."""
    chain = [entry("commit: x", "0")]
    chain += [entry("commit (amend): x", str(n + 1), str(n)) for n in range(2000)]
    circle = [entry("commit (amend): x", "b", "c"), entry("commit (amend): x", "c", "b")]

    assert made(chain, "2000") == Made(ME, 1700000000, author=True)
    assert made(circle) == Made(ME, 1700000000, author=False)


def test_a_rebuilt_commit_is_the_one_it_was() -> None:
    """However often ``reauthor`` rebuilt it without mending it."""
    log = Log(entry("commit: x").encode(), b"c b\nd c\n")

    assert log.made("d") == log.made("b") == log.made("d")
    assert log.made("d") is not None


def test_only_the_first_entry_of_a_commit_can_have_made_it() -> None:
    """What one first checked out was there before, whatever moved to it later."""
    log = [entry("checkout: moving from a to b"), entry("sometool: x"), entry("commit: x")]

    assert made(log) is None


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(log: bytes) -> None:
    """A damaged reflog must not stop a push."""
    Log(log, log).made("b")
    for line in log.split(b"\n"):
        Log(log).made(line.partition(b" ")[2].partition(b" ")[0].decode("latin-1"))
