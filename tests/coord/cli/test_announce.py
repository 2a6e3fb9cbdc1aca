"""``announce`` and ``overlap``: what a branch is about; advice, told once a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.board import answer, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def start(repo: Repo) -> Repo:
    """A repository with some files."""
    repo.commit("files", {"src/a.py": "1\n2\n3\n", "src/b.py": "b\n", "docs/x.md": "x\n"})
    return repo


@pytest.fixture
def one(tmp_path: Path, start: Repo) -> Repo:
    """A worker."""
    return worker(start, tmp_path / "one", "feat-one", "one-0001")


@pytest.fixture
def two(tmp_path: Path, start: Repo) -> Repo:
    """Another one."""
    return worker(start, tmp_path / "two", "feat-two", "two-0002")


def overlaps(repo: Repo) -> list[dict[str, Any]]:
    """Return the overlap messages that a worker has not read."""
    return [m for m in answer(repo, "inbox")["messages"] if m["kind"] == "overlap"]


def test_an_announcement_is_a_claim_on_the_branch(one: Repo, two: Repo) -> None:
    """With intent, paths and session; visible to all, and no event when it says nothing new."""
    made = answer(
        one, "announce", "--intent", "split\nit", "--path", "src/*", "--path", "docs", "--session=s"
    )
    again = answer(one, "announce", "--intent", "split\nit", "--path", "src/*", "--path", "docs")

    (claim,) = made["claims"]
    assert (claim["scope"], claim["state"], claim["branch"]) == (
        "branch:feat-one",
        "held",
        "feat-one",
    )
    assert (claim["intent"], claim["paths"]) == ("split\nit", ["src/*", "docs"])
    assert made["overlaps"] == []
    assert again == made
    assert scope(two, "branch:feat-one")["holder"]["session"] == "s"


def test_declared_paths_that_meet_are_told_to_the_other_once(one: Repo, two: Repo) -> None:
    """Whoever announces later or again: one message a pair, and nobody is kept from anything.

    Who announces reads it in the answer, and gets no message from itself.
    """
    answer(one, "announce", "--path", "src/*")
    (met,) = answer(two, "announce", "--path", "src/a.py", "--path", "new")["overlaps"]

    assert met["files"] == ["src/a.py"]
    assert [c["actor"] for c in met["claims"]] == ["one-0001", "two-0002"]
    assert scope(one, "branch:feat-two")["state"] == "held"
    (found,) = overlaps(one)
    assert found["from"] == "two-0002"
    assert found["text"] == (
        "feat-one (one-0001) and feat-two (two-0002) both mean to touch src/a.py"
    )
    assert overlaps(two) == []
    for repo in (one, two, one):
        assert len(answer(repo, "announce", "--path", "src", "--session=2")["overlaps"]) == 1
    assert overlaps(one) == overlaps(two) == []


def test_a_new_claim_makes_a_new_pair(one: Repo, two: Repo) -> None:
    """Released and announced again is told again."""
    answer(one, "announce", "--path", "src/*")
    answer(two, "announce", "--path", "src/*")
    assert len(overlaps(one)) == 1
    answer(two, "release")
    answer(two, "announce", "--path", "src/*")

    assert len(overlaps(one)) == 1


def test_three_that_meet_are_three_pairs(tmp_path: Path, start: Repo, one: Repo, two: Repo) -> None:
    """Each is told of those who come later, and read of the others in its answer; a line each."""
    three = worker(start, tmp_path / "three", "feat-three", "three-0003")
    said = [repo.coord("announce", "--path", "src/*").out for repo in (one, two, three)]

    assert [text.count("means to touch the same: src/a.py, src/b.py\n") for text in said] == [
        0,
        1,
        2,
    ]
    listed = one.coord("inbox").out
    assert "2 overlaps, each carries no authority\n" in listed
    assert listed.count("both mean to touch src/a.py, src/b.py\n") == 2
    assert [len(overlaps(repo)) for repo in (two, three)] == [1, 0]


def test_claims_of_one_worker_for_one_branch_are_one_overlap(one: Repo, two: Repo) -> None:
    """However many of them meet; a path that was told is not told again for another claim."""
    for scope_ in ("a", "b", "c"):
        answer(one, "claim", scope_, "--path", "src/*")
    done = two.coord("claim", "y", "--path", "src/a.py")
    answer(two, "claim", "z", "--path", "src/a.py")

    assert done.err.count("means to touch the same") == 1
    assert len(overlaps(one)) == 1
    answer(two, "claim", "w", "--path", "src/b.py")
    (new,) = overlaps(one)
    assert new["text"].endswith("both mean to touch src/b.py")


def test_a_log_that_all_append_to_is_no_overlap(start: Repo, one: Repo, two: Repo) -> None:
    """Its driver joins them."""
    start.commit("log", {".gitattributes": "docs/x.md merge=coord-log\n"})
    for repo in (one, two):
        repo.git("merge", "-q", "main")
    answer(one, "announce", "--path", "docs/x.md", "--path", "src/a.py")
    (met,) = answer(two, "announce", "--path", "docs/*", "--path", "src/*")["overlaps"]
    for repo, text in ((one, "x\none\n"), (two, "x\ntwo\n")):
        repo.commit("log", {"docs/x.md": text})

    assert met["files"] == ["src/a.py"]
    assert answer(one, "overlap")["actual"] == []


def test_a_branch_that_has_landed_overlaps_with_nobody(start: Repo, one: Repo, two: Repo) -> None:
    """What is left to do is to follow the main branch, and its worker can do nothing there."""
    answer(one, "announce", "--path", "src/*")
    one.commit("one", {"src/a.py": "one\n"})
    two.commit("two", {"src/a.py": "two\n"})
    answer(one, "finish")
    assert [met["branches"] for met in answer(two, "overlap")["actual"]] == [
        ["feat-one", "feat-two"]
    ]
    start.git("merge", "-q", "--no-ff", "-m", "land", "feat-one")

    assert answer(two, "announce", "--path", "src/*")["overlaps"] == []
    assert overlaps(one) == []
    found = answer(two, "overlap")
    assert (found["declared"], found["actual"]) == ([], [])


def test_paths_of_any_claim_count(one: Repo, two: Repo) -> None:
    """A task's too; what others wrote is marked."""
    answer(one, "claim", "x", "--path", "src/*")
    done = two.coord("claim", "y", "--path", "src/b.py")

    assert done.code == 0
    assert "coord: feat-one (one-0001) means to touch the same: src/b.py\n" in done.err
    assert (len(overlaps(one)), len(overlaps(two))) == (1, 0)


def test_claims_of_removed_worktrees_cause_no_overlap(start: Repo, one: Repo, two: Repo) -> None:
    """Live claims only."""
    answer(one, "announce", "--path", "src/*")
    start.git("worktree", "remove", "--force", str(one.path))

    assert answer(two, "announce", "--path", "src/*")["overlaps"] == []


def test_a_glob_counts_from_where_it_is_typed(one: Repo) -> None:
    """As everywhere in git."""
    sub = one.at(one.path / "src")
    claim = answer(sub, "announce", "--path", "*.py", "--path", "../docs")["claims"][0]

    assert claim["paths"] == ["src/*.py", "docs"]


def test_what_git_does_not_take_is_wrong_usage(one: Repo) -> None:
    """Exit 2, nothing claimed."""
    for words in (["announce"], ["claim", "x"]):
        done = one.coord(*words, "--path", ":(nosuch)x")
        assert done.code == 2
        assert "git said" in done.refusal.why
    assert answer(one, "board")["claims"] == []


def test_without_a_branch_there_is_nothing_to_announce(one: Repo) -> None:
    """Detached: exit 1, nothing claimed."""
    one.git("checkout", "-q", "--detach")
    done = one.coord("announce", "--intent", "x")

    assert (done.code, done.refusal.rule) == (1, "no-branch")
    assert one.paste(done.refusal.run).code == 0
    assert answer(one, "board")["claims"] == []


@pytest.mark.usefixtures("one")
def test_an_inferred_identity_announces_nothing(start: Repo) -> None:
    """Its branch may be a peer's."""
    assert start.coord("announce").refusal.rule == "identity-inferred"


def test_overlap_shows_what_is_declared_and_what_was_changed(one: Repo, two: Repo) -> None:
    """Of branches that somebody works on; lines as they are in the merge base."""
    answer(one, "announce", "--path", "docs")
    answer(two, "announce", "--path", "docs/x.md")
    one.commit("one", {"src/a.py": "1\n2\none\n", "src/b.py": "one\n"})
    two.commit("two", {"src/a.py": "1\n2\ntwo\n", "docs/x.md": "two\n"})

    found = answer(one, "overlap")
    assert [met["files"] for met in found["declared"]] == [["docs/x.md"]]
    (contact,) = found["actual"]
    assert contact["branches"] == ["feat-one", "feat-two"]
    assert contact["files"] == [{"path": "src/a.py", "regions": [{"start": 3, "end": 3}]}]
    shown = two.coord("overlap").out
    assert "feat-one (one-0001) means to touch the same: docs/x.md\n" in shown
    assert "feat-one has changed the same since " in shown
    assert shown.endswith(": src/a.py lines 3\n")


def test_where_others_meet_is_a_line_a_file(start: Repo, one: Repo, two: Repo) -> None:
    """Not a line a pair, of which there are soon too many to read."""
    start.coord("pin", "--self")
    for repo, text in ((one, "one\n"), (two, "two\n")):
        answer(repo, "announce", "--path", "docs")
        repo.commit("work", {"src/a.py": text})

    assert start.coord("overlap").out.splitlines() == [
        "docs/x.md: declared by feat-one (one-0001), feat-two (two-0002)",
        "src/a.py: changed by feat-one, feat-two",
    ]


def test_overlap_without_common_files_says_so(one: Repo) -> None:
    """Exit 0: it is an answer."""
    done = one.coord("overlap")

    assert (done.code, done.out) == (0, "nothing that is declared or changed meets\n")


def test_a_declared_path_is_escaped_in_messages(one: Repo, two: Repo) -> None:
    """A file's name is its author's word."""
    name = "src/a\n\x1bcoord: x"
    answer(one, "announce", "--path", name)
    done = two.coord("announce", "--path", "src/*")

    assert "the same: 'src/a\\x0a\\x1bcoord: x'\n" in done.out
    for repo in (one, two):
        assert "\x1b" not in repo.coord("inbox").out
