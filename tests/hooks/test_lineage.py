"""What a commit grows from: parents, shared history, the reverted commit, and ``--amend``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.hooks import lineage
from coord.repo.worktree import discover

if TYPE_CHECKING:
    from harness import Repo


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b'Revert "x"\n\nThis reverts commit 0123abcd.\n', ("0123abcd", "0123abcd^")),
        (
            b"Revert\n\nThis reverts commit 0123abcd, reversing\nchanges made to 4567ef.\n",
            ("0123abcd", "4567ef"),
        ),
        (b"This reverts commit --all.\n", None),
        (b"nothing of the kind\n", None),
        (b"This reverts commit ", None),
        (b"This reverts commit \xff\xfe", None),
    ],
)
def test_a_revert_is_read_from_its_message(
    message: bytes, expected: tuple[str, str] | None
) -> None:
    """The commit, and what it is held against: its parent, or the mainline of a merge."""
    assert lineage.reverted(message) == expected


def test_shared_history_ends_where_others_stop(repo: Repo) -> None:
    """The newest commits that another ref reaches; all of it where there is no other."""
    place = discover(str(repo.path), repo.env)
    base = repo.git("rev-parse", "HEAD")
    assert lineage.shared(place, base) == [base]
    repo.git("branch", "peer")
    assert lineage.shared(place, base) == [base]
    tip = repo.commit("mine")
    assert lineage.shared(place, tip) == [base]
    repo.git("tag", "v1")
    assert lineage.shared(place, tip) == [tip]
    repo.git("tag", "-d", "v1")
    repo.git("checkout", "-q", "--orphan", "fresh")
    root = repo.commit("root")
    assert lineage.shared(place, root) == []


@pytest.mark.parametrize("kind", ["loose", "nested", "packed", "tag", "remote"])
def test_another_ref_is_seen_without_reading_them_all(repo: Repo, kind: str) -> None:
    """Git would open every file of every ref, and be asked a second time by `shared`."""
    place = discover(str(repo.path), repo.env)
    name = {"nested": "heads/a/b/c", "tag": "tags/v1", "remote": "remotes/o/main"}
    repo.git("update-ref", f"refs/{name.get(kind, 'heads/peer')}", "HEAD")
    if kind == "packed":
        repo.git("pack-refs", "--all")

    assert lineage._has_another(place.common_dir, "refs/heads/main")
    assert not lineage.is_alone(place)


def test_what_is_no_ref_of_others_is_no_company(repo: Repo) -> None:
    """A lock, a remote's HEAD that leads nowhere, what holds no name, a ref of our own."""
    place = discover(str(repo.path), repo.env)
    commit = repo.git("rev-parse", "HEAD")
    repo.git("update-ref", "refs/notes/x", commit)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    for path, text in {
        "heads/peer.lock": commit,
        "tags/torn": "",
        "tags/short": commit[:20],
        "tags/zero": "0" * 40,
    }.items():
        repo.common(f"refs/{path}").write_text(text + "\n")

    assert not lineage._has_another(place.common_dir, "refs/heads/main")
    repo.git("pack-refs", "--all", "--no-prune")
    assert not lineage._has_another(place.common_dir, "refs/heads/main")
    assert lineage.is_alone(place)


def test_a_detached_head_leaves_no_branch_out(repo: Repo) -> None:
    """Every branch is another ref there."""
    tip = repo.commit("mine")
    repo.git("checkout", "-q", "--detach")
    above = repo.commit("above")

    assert lineage.shared(discover(str(repo.path), repo.env), above) == [tip]


def test_a_merge_has_parents_and_a_base(repo: Repo) -> None:
    """MERGE_HEAD lists every commit that is merged in."""
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side")
    repo.git("checkout", "-q", "main")
    main = repo.commit("main")
    repo.git("merge", "-q", "--no-commit", "side")

    found = lineage.of(discover(str(repo.path), repo.env), ["m", "merge"])
    assert found == lineage.Lineage([main, side], base, [])
