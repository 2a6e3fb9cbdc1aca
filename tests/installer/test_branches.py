"""What branches declare that no worktree has checked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.installer import attributesfile, branches
from coord.repo import worktree

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def test_a_file_that_many_branches_have_is_read_once(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a branch without it, and of one with another, as well; whatever stands in the file."""
    repo.git("branch", "none")
    text = "# a\n[attr]coord-log -merge\n*.tsv coord-log\n"
    repo.commit("declare", {".gitattributes": text})
    for number in range(3):
        repo.git("branch", f"b{number}")
    repo.git("switch", "-q", "-c", "other")
    repo.commit("others", {".gitattributes": f"{text}*.log coord-log\n\n"})
    parsed = []
    rules = attributesfile.rules
    monkeypatch.setattr(
        attributesfile, "rules", lambda text: parsed.append(text) or list(rules(text))
    )

    found = branches.declared(worktree.discover(str(repo.path)), "refs/heads")

    assert {ref: len(lines) for ref, lines in found.items()} == {
        **{f"refs/heads/{name}": 1 for name in ("main", "b0", "b1", "b2")},
        "refs/heads/other": 2,
    }
    assert len(parsed) == len(set(parsed)) == 2
