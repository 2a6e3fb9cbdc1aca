"""Declared globs meet as git's pathspecs do: over tracked files, and over those to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Usage
from coord.board.events import Place
from coord.overlap import pathspecs
from coord.overlap.pathspecs import Declared
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

FILES = ("src/a.py", "src/b.md", "src/deep/c.py", "docs/x y.md", 'odd/é"q', "README")


def claim(name: str, branch: str | None, *paths: str) -> Declared:
    """Return a claim on `branch` that declares `paths`."""
    place = Place(name, f"i-{name}", branch, "now", paths=paths)
    return Declared(f"task:{name}", place)


def met(repo: Repo, mine: list[str], theirs: list[str]) -> list[pathspecs.Meeting]:
    """Return where two claims meet."""
    place = worktree.discover(str(repo.path))
    ones = [claim("a", "main", *mine), claim("b", "other", *theirs)]
    return pathspecs.meetings(place, ones)


@pytest.fixture
def tracked(repo: Repo) -> Repo:
    """A repository with files."""
    repo.commit("files", dict.fromkeys(FILES, "x\n"))
    return repo


@pytest.mark.parametrize(
    ("mine", "theirs", "files"),
    [
        (["src/*"], ["src/a.py"], ["src/a.py"]),
        (["*.py"], ["src"], ["src/a.py", "src/deep/c.py"]),
        (["src/*.py"], ["src/*.md"], []),
        (["src/"], ["src/deep/"], ["src/deep/c.py"]),
        ([":(glob)src/*.py"], ["src/deep"], []),
        ([":(glob)src/**/*.py"], ["src/deep"], ["src/deep/c.py"]),
        (["src", ":!src/deep"], ["src/deep"], []),
        (["src", ":(exclude)*.py"], ["*.md"], ["src/b.md"]),
        (["SRC/A.PY"], ["src/*"], []),
        ([":(icase)SRC/A.PY"], ["src/*"], ["src/a.py"]),
        (["docs/x y.md"], ["docs/*"], ["docs/x y.md"]),
        (["odd/*"], [":/odd"], ['odd/é"q']),
        (["src"], ["docs"], []),
        (["new.py"], ["*.py"], ["new.py"]),
        (["new/file.txt"], ["new"], ["new/file.txt"]),
        (["new/file.txt"], ["new/*"], ["new/file.txt"]),
        (["new/file.txt"], ["new/file.txt"], ["new/file.txt"]),
        (["new/file.txt"], ["new/*.md"], []),
        (["src/new.py"], ["src/*.md"], []),
        (["a.c/x", "a.c"], ["a.c"], ["a.c/x"]),
        (["../x", "/abs", ".git/config", ":(nosuch)x"], ["*"], []),
    ],
)
def test_files_that_both_mean(
    tracked: Repo, mine: list[str], theirs: list[str], files: list[str]
) -> None:
    """By git's own matching, from either side."""
    for one, other in ((mine, theirs), (theirs, mine)):
        found = met(tracked, one, other)
        assert [path for meeting in found for path in meeting.files] == files
        assert not [pair for meeting in found for pair in meeting.globs]


@pytest.mark.parametrize(
    ("mine", "theirs", "meet"),
    [
        ("new/*.py", "new/*", True),
        ("new/*.py", "new", True),
        ("new/", "new/deep/*.c", True),
        ("*.py", "new/*", True),
        ("new*", "new/x*", True),
        ("new/*", "newer/*", False),
        ("src/*.py", "src/*.txt", False),
        ("*.c", "*.h", False),
        ("src/new/*", "src/*.md", True),
        (":!new/*", "new/*", False),
    ],
)
def test_globs_that_begin_alike_where_nothing_is_tracked(
    tracked: Repo, mine: str, theirs: str, meet: bool
) -> None:
    """What both may create; where files are there already, these have told."""
    for one, other in ((mine, theirs), (theirs, mine)):
        assert bool(met(tracked, [one], [other])) is meet


def test_files_of_the_others_branch_count(tracked: Repo) -> None:
    """What only that branch has is no less in both claims."""
    tracked.git("switch", "-q", "-c", "other")
    tracked.commit("more", {"src/only-there.py": "x"})
    tracked.git("switch", "-q", "main")

    assert met(tracked, ["src/only*"], ["*.py"])[0].files == ("src/only-there.py",)


def test_a_file_system_that_folds_case_has_one_file_for_both(tracked: Repo) -> None:
    """As git was told by core.ignorecase."""
    tracked.git("config", "core.ignorecase", "true")

    assert met(tracked, ["SRC/A.py"], ["src/a.PY"])[0].files == ("src/a.py",)


def test_one_workers_or_one_branchs_claims_do_not_meet(tracked: Repo) -> None:
    """Overlap is between workers on distinct branches."""
    place = worktree.discover(str(tracked.path))
    mine = claim("a", "main", "src")
    same = Declared("task:z", mine.claim._replace(branch="other"))

    assert pathspecs.meetings(place, [mine, same]) == []
    assert pathspecs.meetings(place, [mine, claim("b", "main", "src")]) == []
    third = claim("c", "third", "src/a.py")
    pairs = pathspecs.meetings(place, [mine, third, claim("d", "d", "README", "src/b.md")], mine)
    assert [(one.first.scope, one.second.scope) for one in pairs] == [
        ("task:a", "task:c"),
        ("task:a", "task:d"),
    ]


@pytest.mark.parametrize(
    ("typed", "rooted"),
    [
        ("*.py", "src/*.py"),
        ("../docs/", "docs/"),
        (":/docs", ":/docs"),
        (":(top)docs", ":(top)docs"),
        (":(icase)A*", ":(icase)src/A*"),
        (":!a.py", ":(exclude)src/a.py"),
        (".", "src"),
    ],
)
def test_a_glob_counts_from_the_folder_it_is_typed_in(
    tracked: Repo, typed: str, rooted: str
) -> None:
    """And is kept as it is said at the top level."""
    place = worktree.discover(str(tracked.path))

    assert pathspecs.rooted(place, str(tracked.path / "src"), [typed]) == (rooted,)


@pytest.mark.parametrize("spec", [":(nosuch)x", "../../out"])
def test_what_git_does_not_take_is_wrong_usage(tracked: Repo, spec: str) -> None:
    """With git's words."""
    place = worktree.discover(str(tracked.path))

    with pytest.raises(Usage, match="git said"):
        pathspecs.rooted(place, str(tracked.path / "src"), [spec])
