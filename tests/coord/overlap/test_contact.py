"""What branches have in fact both changed since their merge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from coord.overlap import contact
from coord.overlap.contact import Branches, Region, region, shared
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

LINES = [f"line {number}" for number in range(1, 31)]
REGIONS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda pair: region(*pair)), max_size=4
)


def text(changes: dict[int, str]) -> str:
    """Return the thirty lines with some of them changed."""
    return "".join(f"{changes.get(at, line)}\n" for at, line in enumerate(LINES, 1))


def found(repo: Repo, *branches: str) -> list[contact.Contact]:
    """Return the contacts of these branches."""
    return Branches(worktree.discover(str(repo.path))).contacts(branches)


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


@given(REGIONS, REGIONS)
def test_regions_meet_the_same_from_both_sides(one: list[Region], other: list[Region]) -> None:
    """And only where both are."""
    met = shared(one, other)

    assert met == shared(other, one)
    for found in met:
        assert any(a.start <= found.start and found.end <= a.end for a in one)
        assert any(b.start <= found.start and found.end <= b.end for b in other)
    assert all(any(a == m for m in shared(one, [a])) for a in one)
