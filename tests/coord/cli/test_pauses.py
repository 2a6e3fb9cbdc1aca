"""``pause`` and ``resume``: a mark and a word; nothing is released, no file is touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.board import answer, scope, silence, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker who holds task:x and task:y, with work that is not committed."""
    made = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    answer(made, "claim", "x", "y")
    made.write("README", "changed\n")
    made.write("staged", b"\0\xff")
    made.git("add", "staged")
    made.write("wip/new file", "half a thought")
    return made


@pytest.fixture
def two(tmp_path: Path, repo: Repo) -> Repo:
    """Somebody else, who is here."""
    made = worker(repo, tmp_path / "two", "feat-two", "two-0002")
    answer(made, "claim", "x")
    return made


def tree(repo: Repo) -> dict[str, bytes]:
    """Return every file of a worktree and its index."""
    files = {
        os.path.relpath(os.path.join(folder, name), repo.path): _bytes(folder, name)
        for folder, _, names in os.walk(repo.path)
        for name in names
    }
    return {**files, "index": repo.private("index").read_bytes()}


def _bytes(folder: str, name: str) -> bytes:
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def test_a_pause_marks_claims_and_tells_who_is_here(one: Repo, two: Repo) -> None:
    """Still held, at the same generation; one help to each peer, with the reason."""
    told = answer(one, "pause", "--reason", "stuck\nin the lexer")

    assert [p["scope"] for p in told["paused"]] == ["task:x", "task:y"]
    assert [p["actor"] for p in told["told"]] == ["two-0002"]
    row = scope(two, "task:x")
    assert (row["paused"], row["holder"]["actor"], row["generation"]) == (True, "one-0001", 1)
    assert row["paused_at"] == told["paused"][0]["paused_at"]
    assert [c["actor"] for c in row["claimants"]] == ["one-0001", "two-0002"]
    (found,) = answer(two, "inbox")["messages"]
    assert (found["kind"], found["from"]) == ("help", "one-0001")
    assert "has paused" in found["text"]
    assert "stuck\nin the lexer" in found["text"]
    assert "paused" in two.coord("board").out


def test_paused_twice_is_told_once(one: Repo, two: Repo) -> None:
    """A retry is safe."""
    answer(one, "pause")
    answer(one, "pause")

    assert len(answer(two, "inbox")["messages"]) == 1
    assert [e["kind"] for e in answer(one, "log", "y")["events"]] == ["claim", "pause"]


def test_a_resume_undoes_it(one: Repo, two: Repo) -> None:
    """The claims are as they were; the next pause is told again."""
    before = scope(two, "task:y")
    answer(one, "pause")
    done = answer(one, "resume")

    assert [r["scope"] for r in done["resumed"]] == ["task:x", "task:y"]
    assert scope(two, "task:y") == before
    assert answer(one, "resume")["resumed"] == []
    answer(one, "pause")
    assert len(answer(two, "inbox")["messages"]) == 2


@pytest.mark.usefixtures("two")
def test_no_byte_of_the_worktree_changes(one: Repo) -> None:
    """Index included."""
    before = tree(one)
    for words in (("pause", "--reason", "r"), ("handoff", "two-0002"), ("resume",)):
        answer(one, *words)
        assert tree(one) == before


def test_who_waits_pauses_nothing(one: Repo, two: Repo) -> None:
    """The mark is the holder's; the word goes out all the same."""
    told = answer(two, "pause")

    assert told["paused"] == []
    assert scope(one, "task:x")["paused"] is False
    assert [m["text"] for m in answer(one, "inbox")["messages"]] == ["two-0002 has paused"]


def test_a_paused_owner_is_recovered_without_losing_its_work(one: Repo, two: Repo) -> None:
    """Silent for an hour, taken over: the mark goes with the old holder, its files stay."""
    answer(one, "pause", "--reason", "out of tokens")
    before = tree(one)
    silence(one, 3600)

    claim = answer(two, "take-over", "x", "--reason", "it is urgent")["claims"][0]

    assert (claim["state"], claim["generation"]) == ("held", 2)
    assert scope(two, "task:x")["paused"] is False
    assert tree(one) == before
    assert "two-0002 took it over" in one.coord("resume").err
    assert scope(two, "task:y")["paused"] is False
    assert tree(one) == before


def test_pause_without_other_workers_tells_nobody(one: Repo) -> None:
    """Said, and no failure."""
    done = one.coord("pause")

    assert done.code == 0
    assert "nobody is here to be told" in done.out
    assert "task:x is paused, and still yours" in done.out


def test_a_new_reason_is_recorded_and_sent(one: Repo, two: Repo) -> None:
    """The same again says that nothing was; an old reason said anew is new; since when stays."""
    since = answer(one, "pause", "--reason", "A")["paused"][0]["paused_at"]
    for reason, new in (("A", False), ("B", True), ("B", False), ("A", True)):
        told = answer(one, "pause", "--reason", reason)
        assert (told["new"], told["paused"][0]["paused_why"]) == (new, reason)
        assert told["paused"][0]["paused_at"] == since

    again = one.coord("pause", "--reason", "A").out
    assert "nothing new was sent; told before: two-0002" in again
    texts = [m["text"].split("\n")[-1] for m in answer(two, "inbox")["messages"]]
    assert texts == ["A", "B", "A"]
    row = scope(two, "task:x")
    assert (row["paused_why"], row["paused_at"]) == ("A", since)
    answer(one, "resume")
    assert scope(two, "task:x")["paused_why"] is None


def test_who_claims_what_is_paused_is_told_why(one: Repo, two: Repo) -> None:
    """In the holder's words."""
    answer(one, "pause", "--reason", "out of tokens\nuntil May")
    done = two.coord("claim", "y")

    assert "coord: one-0001 has paused task:y since " in done.err
    assert "| out of tokens\n| until May\n" in done.err
    claim = answer(two, "claim", "y")["claims"][0]
    assert claim["paused_why"] == "out of tokens\nuntil May"
    assert claim["paused_at"] == scope(two, "task:y")["paused_at"]


def test_a_take_over_of_what_is_paused_offers_the_way(one: Repo, two: Repo) -> None:
    """Waiting might never end: the printed command takes it, with the reason that was given."""
    answer(one, "pause", "--reason", 'ask "me" first\nplease')
    done = two.coord("take-over", "y", "--reason", "it's due")

    assert (done.code, done.refusal.rule) == (1, "holder-present")
    assert "paused since " in done.refusal.why
    assert "saying \"ask 'me' first\"" in done.refusal.why
    assert two.paste(done.refusal.run).code == 0
    assert scope(two, "task:y")["holder"]["actor"] == "two-0002"
    assert "| it's due" in one.coord("whoami").err


def test_who_waits_for_what_is_paused_is_told_so(one: Repo, two: Repo) -> None:
    """The wait may be long."""
    since = answer(one, "pause")["paused"][0]["paused_at"]
    for words in (("wait", "y", "--timeout", "0s"), ("run", "y", "--no-wait", "--", "true")):
        done = two.coord(*words)
        assert done.refusal.rule == "still-held"
        assert f"who has paused it since {since[:19]}Z" in done.refusal.headline
