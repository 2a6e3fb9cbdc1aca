"""What branches have in fact both changed since their merge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.overlap import contact
from coord.overlap.contact import Hunk, Region, shared
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

LINES = [f"line {number}" for number in range(1, 31)]
HUNKS = st.lists(
    st.tuples(st.integers(1, 12), st.integers(0, 4)).map(lambda pair: Hunk(*pair)), max_size=4
)


def text(changes: dict[int, str]) -> str:
    """Return the thirty lines with some of them changed."""
    return "".join(f"{changes.get(at, line)}\n" for at, line in enumerate(LINES, 1))


def found(repo: Repo, *branches: str) -> list[contact.Contact]:
    """Return the contacts of these branches."""
    return contact.contacts(worktree.discover(str(repo.path)), branches)


def branch(repo: Repo, name: str, files: dict[str, str | bytes]) -> None:
    """Commit `files` on a new branch from main."""
    repo.git("switch", "-q", "-c", name, "main")
    repo.commit(name, files)
    repo.git("switch", "-q", "main")


def test_files_and_lines_that_both_have_changed(repo: Repo) -> None:
    """Counted in the merge base; what only one has changed is not told."""
    repo.commit("base", {"f": text({}), "g": text({}), "h": "h\n"})
    branch(repo, "a", {"f": text({3: "a", 4: "a", 20: "a"}), "g": text({1: "a"}), "only a": "x"})
    branch(repo, "b", {"f": text({4: "b", 5: "b", 25: "b"}), "g": text({9: "b"}), "h": "b\n"})

    (one,) = found(repo, "a", "b", "nosuch")
    assert one.branches == ("a", "b")
    assert one.base == repo.git("rev-parse", "main")
    assert [(file.path, file.regions) for file in one.files] == [
        ("f", (Region(4, 4),)),
        ("g", ()),
    ]


def test_a_branch_that_has_the_other_touches_nothing_of_it(repo: Repo) -> None:
    """Merged, fast-forward, or unrelated: no contact."""
    repo.commit("base", {"f": "1\n"})
    branch(repo, "a", {"f": "2\n"})
    branch(repo, "b", {"f": "3\n"})
    repo.git("switch", "-q", "b")
    repo.git("merge", "-q", "-s", "ours", "a", "-m", "m")
    repo.git("switch", "-q", "--orphan", "apart")
    repo.commit("apart", {"f": "4\n"})

    assert found(repo, "main", "a", "b", "apart") == []


def test_names_of_any_bytes_and_of_other_shapes(repo: Repo) -> None:
    """Both added it; binary; globs and magic in the name."""
    odd = {":(top)*": "x\n", "a\nb": "x\n", 'q"é': "x\n", "bin": b"\0\1"}
    branch(repo, "a", odd)
    branch(repo, "b", {**dict.fromkeys(odd, "other\n"), "bin": b"\0\2"})

    (one,) = found(repo, "a", "b")
    assert [file.path for file in one.files] == sorted(odd)
    assert {file.path: file.regions for file in one.files}["a\nb"] == (Region(0, 1),)


def test_lines_are_looked_into_for_a_few_files_only(repo: Repo) -> None:
    """A renamed tree does not cost a diff a file."""
    names = [f"f{number:03}" for number in range(contact.LOOKED_INTO + 5)]
    for name in ("a", "b"):
        branch(repo, name, dict.fromkeys(names, f"{name}\n"))

    (one,) = found(repo, "a", "b")
    assert len(one.files) == len(names)
    assert [file.regions is None for file in one.files].count(True) == 5


@given(HUNKS, HUNKS)
def test_hunks_meet_the_same_from_both_sides(one: list[Hunk], other: list[Hunk]) -> None:
    """And only where both are, or beside one."""
    met = shared(one, other)

    assert met == shared(other, one)
    for found in met:
        for side in (one, other):
            assert any(h.before <= found.start and found.end <= h.after + 1 for h in side)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({5: "a"}, {5: "b"}),
        ({5: "a"}, {6: "b"}),
        ({5: "a"}, {7: "b"}),
        ({5: "line 5\na"}, {6: "b"}),
        ({5: "line 5\na"}, {7: "b"}),
        ({5: "line 5\na"}, {5: "line 5\nb"}),
        ({5: "line 5\na"}, {6: "line 6\nb"}),
        ({5: "same"}, {5: "same"}),
        ({1: "a"}, {30: "b"}),
        ({1: "a\nline 1"}, {1: "b\nline 1"}),
    ],
)
def test_what_git_merges_is_settled_and_nothing_else(
    repo: Repo, mine: dict[int, str], theirs: dict[int, str]
) -> None:
    """Asked of git itself: lines side by side are a conflict, one line between them is enough."""
    repo.commit("base", {"f": text({})})
    branch(repo, "a", {"f": text(mine)})
    branch(repo, "b", {"f": text(theirs)})
    repo.git("switch", "-q", "--detach", "a")
    conflicts = repo.tried("merge", "-q", "b").code != 0

    unsettled = [file.path for some in found(repo, "a", "b") for file in some.unsettled]
    assert unsettled == (["f"] if conflicts else [])


def test_logs_are_left_out_and_other_guarded_files_have_no_lines(repo: Repo) -> None:
    """A driver joins a log; of a derived file it refuses any change of both sides."""
    repo.commit(
        "base",
        {
            ".gitattributes": "log merge=coord-log\nmade merge=coord-derived\n",
            "log": "1\n",
            "made": text({}),
            "bin": b"\0",
        },
    )
    for name, at in (("a", 3), ("b", 20)):
        branch(repo, name, {"log": f"1\n{name}\n", "made": text({at: name}), "bin": f"\0{name}"})

    (one,) = found(repo, "a", "b")
    assert [(file.path, file.regions) for file in one.files] == [("bin", None), ("made", None)]
    assert one.unsettled == list(one.files)
