"""What we lean on in ``git merge-tree --stdin``: a batch that builds on its own results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.rehearse.mergetree import Died, Merger
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness import Repo


@pytest.fixture
def merger(repo: Repo) -> Iterator[Merger]:
    """A batch in a repository with branches one and two, which conflict, and three."""
    for name, text in {"one": "1\n", "two": "2\n", "three": None}.items():
        repo.git("switch", "-q", "-c", name, "main")
        repo.commit(name, {"README": text} if text else {name: "3\n"})
    with Merger(str(repo.path), git.elsewhere()) as made:
        yield made


@pytest.mark.timeout(20)
def test_each_answer_comes_before_the_next_question(repo: Repo, merger: Merger) -> None:
    """Git flushes it while its stdin is still open: clean or not, with messages or without."""
    for theirs, clean in (("three", True), ("two", False), ("three", True), ("one", True)):
        met = merger.merge(repo.git("rev-parse", "one"), repo.git("rev-parse", theirs))

        assert met.clean is clean
        assert sorted(met.stages) == ([] if clean else [b"README"])
        said = [(message.paths, message.conflict) for message in met.messages]
        assert said == ([] if clean else [((b"README",), ""), ((b"README",), "contents")])


def test_it_builds_on_a_commit_that_was_made_after_it_began(repo: Repo, merger: Merger) -> None:
    """So merges chain in one process, which is less than one each."""
    one, two, three = (repo.git("rev-parse", name) for name in ("one", "two", "three"))
    first = merger.merge(one, three)
    commit = repo.git("commit-tree", first.tree, "-p", one, "-p", three, "-m", "both")

    assert not merger.merge(commit, two).clean
    assert merger.merge(commit, three).tree == first.tree


def test_what_git_dies_of_is_told_and_the_next_question_answered(
    repo: Repo, merger: Merger
) -> None:
    """Histories with nothing in common end the whole batch, not the rehearsal."""
    repo.git("switch", "-q", "--orphan", "alien")
    alien = repo.commit("alien")
    one, three = repo.git("rev-parse", "one"), repo.git("rev-parse", "three")
    assert merger.merge(one, three).clean

    with pytest.raises(Died, match="unrelated"):
        merger.merge(one, alien)

    assert merger.merge(one, three).clean


def test_what_drivers_say_is_told_with_their_merge_alone(repo: Repo, merger: Merger) -> None:
    """Their stderr is the batch's, so it is cut by merge."""
    repo.git("config", "merge.loud.driver", "echo said %P >&2; exit 1")
    repo.common("info").mkdir(exist_ok=True)
    repo.common("info/attributes").write_text("README merge=loud\n")
    one, two, three = (repo.git("rev-parse", name) for name in ("one", "two", "three"))

    said = [merger.merge(one, theirs).words for theirs in (two, three, two)]

    assert said == ["said README\n", "", "said README\n"]
