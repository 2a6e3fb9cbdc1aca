"""Names of branches, where a tag, a remote or a word of git's has the short one too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.repo.heads import checked_out, spelled

if TYPE_CHECKING:
    from harness import Repo


@pytest.mark.parametrize("other", ["refs/tags/feat/b", "refs/remotes/feat/b", "refs/feat/b"])
def test_the_branch_that_is_checked_out_has_its_own_name(repo: Repo, other: str) -> None:
    """``symbolic-ref --short`` says ``heads/feat/b`` there."""
    repo.git("switch", "-q", "-c", "feat/b")
    repo.git("update-ref", other, "HEAD")

    assert checked_out(str(repo.path)) == "feat/b"


def test_a_detached_head_is_on_no_branch(repo: Repo) -> None:
    """Its ref is itself."""
    repo.git("switch", "-q", "--detach")

    assert checked_out(str(repo.path)) == ""


@pytest.mark.parametrize("name", ["HEAD", "@", "-x", "f" * 40, "both", "far/both"])
def test_a_name_that_means_something_else_too_is_spelled_in_full(repo: Repo, name: str) -> None:
    """What is spelled is that branch to git; and whatever is no branch here has no spelling."""
    tip = repo.git("rev-parse", "HEAD")
    repo.commit("later", {"later": "1\n"})
    for ref in ("refs/tags/both", "refs/remotes/far/both", "refs/heads/plain"):
        repo.git("update-ref", ref, "HEAD")
    ref = f"refs/heads/{name}"
    repo.git("update-ref", ref, tip)

    found = spelled(str(repo.path), ref, "refs/heads/plain", "refs/heads/none", "refs/remotes/far")

    assert found == {ref: ref, "refs/heads/plain": "plain"}
    assert repo.git("rev-parse", "--verify", ref) == tip


def test_a_setting_does_not_make_names_plain(repo: Repo) -> None:
    """Without its warnings git calls a branch by a name that a remote has too."""
    repo.git("config", "core.warnAmbiguousRefs", "false")
    for ref in ("refs/heads/far/b", "refs/remotes/far/b"):
        repo.git("update-ref", ref, "HEAD")

    assert spelled(str(repo.path), "refs/heads/far/b") == {"refs/heads/far/b": "refs/heads/far/b"}
