"""Who made and who signed the commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import problems

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def worker(installed: Repo, tmp_path: Path) -> Repo:
    """A pinned worktree."""
    return installed.worktree(tmp_path / "worker tree", "worker")


def test_commits_made_under_another_identity_than_the_pin_are_named(
    installed: Repo, worker: Repo
) -> None:
    """From whichever worktree they are looked at; the printed command mends them there."""
    worker.commit("right")
    wrong = worker.with_env(
        GIT_AUTHOR_NAME="peer", GIT_AUTHOR_EMAIL="peer@x",
        GIT_COMMITTER_NAME="peer", GIT_COMMITTER_EMAIL="peer@x",
    ).commit("wrong")  # fmt: skip
    more = worker.with_env(GIT_AUTHOR_NAME="peer", GIT_AUTHOR_EMAIL="peer@x").commit("half")

    named = problems(installed, "worker")

    assert [(each.rule, each.commit) for each in named] == [
        ("author-mismatch", wrong),
        ("author-mismatch", more),
    ]
    assert named[0].message.startswith("author and committer peer, but made in the worktree pinned")
    assert named[1].message.startswith("author peer")
    assert installed.paste(named[0].run).code == 0
    assert not problems(installed, "worker")


def test_the_command_is_plain_in_the_worktree_itself(worker: Repo) -> None:
    """There is nowhere to go."""
    worker.with_env(GIT_AUTHOR_NAME="peer", GIT_AUTHOR_EMAIL="peer@x").commit("wrong")

    [problem] = problems(worker)

    assert problem.run.startswith("git coord reauthor ")


def test_a_humans_commits_in_the_main_worktree_are_not_judged(
    installed: Repo, worker: Repo
) -> None:
    """Only a pin says who should have made a commit."""
    installed.commit("human")
    worker.git("merge", "-q", "main")

    assert not problems(worker, "HEAD")


def test_a_clone_without_pins_has_nothing_to_say(
    installed: Repo, worker: Repo, tmp_path: Path
) -> None:
    """As in CI."""
    worker.with_env(GIT_AUTHOR_NAME="peer", GIT_AUTHOR_EMAIL="peer@x").commit("wrong")
    installed.git("clone", "-q", str(installed.path), str(tmp_path / "ci"))

    assert not problems(installed.at(tmp_path / "ci"), "origin/worker")


@pytest.mark.parametrize(
    ("trailers", "named"),
    [
        ("Signed-off-by: Ada Human <ada@example.com>", False),
        ("Signed-off-by: ada human <ADA@example.com>", False),
        ("Signed-off-by: Ada Human <other@example.com>", False),
        ("Signed-off-by: Peer <peer@example.com>", True),
        ("signed-off-by: Peer <peer@example.com>", True),
        ("Signed-off-by: Peer <peer@x>\nSigned-off-by: Ada Human <ada@example.com>", False),
        ("Signed-off-by: Ada Human <ada@example.com>\nSigned-off-by: Peer <peer@x>", True),
        ("Co-authored-by: Peer <peer@x>\nSigned-off-by: Peer <peer@x>", False),
    ],
)
def test_a_sign_off_closes_with_the_author_or_the_committer(
    repo: Repo, trailers: str, *, named: bool
) -> None:
    """Whoever committed closes the chain; a peer's name at its end is a false one."""
    made = repo.commit(f"change\n\n{trailers}")

    found = [(each.rule, each.commit) for each in problems(repo)]

    assert found == ([("author-mismatch", made)] if named else [])


def test_actors_who_share_an_address_are_told_apart_by_name(repo: Repo) -> None:
    """``[identity] email`` may give all actors one address."""
    worker = repo.with_env(
        GIT_AUTHOR_NAME="hopper-a71f", GIT_AUTHOR_EMAIL="bots@x",
        GIT_COMMITTER_NAME="hopper-a71f", GIT_COMMITTER_EMAIL="bots@x",
    )  # fmt: skip
    worker.commit("mine\n\nSigned-off-by: hopper-a71f <bots@x>")
    made = worker.commit("theirs\n\nSigned-off-by: lovelace-0b2c <bots@x>")

    assert [each.commit for each in problems(repo)] == [made]


def test_a_word_in_the_body_is_no_sign_off(repo: Repo) -> None:
    """Git says what a trailer is."""
    repo.commit("change\n\nSigned-off-by: Peer <peer@x>\n\nis what it should not say.\n")

    assert not problems(repo)


def test_the_printed_command_disowns_a_published_sign_off(repo: Repo) -> None:
    """It cannot be unsaid, so that it was false is said beside it."""
    repo.commit("change\n\nSigned-off-by: Peer <peer@example.com>")
    [problem] = problems(repo)

    assert repo.paste(problem.run).code == 0

    assert not problems(repo)
