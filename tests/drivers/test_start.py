"""Where the records of a log begin, as declared in ``.coord.toml``."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.drivers.start import Invalid, matching, start_of

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def here(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The worktree's top level as cwd, as git starts a driver."""
    monkeypatch.chdir(repo.path)
    return repo


def test_without_a_declaration_a_line_is_a_record(here: Repo) -> None:
    """No file, or one that says nothing of logs."""
    assert start_of("a.log") is None

    here.write(".coord.toml", '[derived."x"]\nregenerate = "make start"\n')
    assert start_of("a.log") is None


@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("notes.md", b"## "),
        ("sub/notes.md", b"## "),
        ("journal/2026.md", b"### "),
        ("journal/old/x.md", b"### "),
        ("plain.md", None),
        ("a b.log", b"--- "),
        ("other.log", None),
    ],
)
def test_the_last_pattern_that_matches_decides(here: Repo, path: str, start: bytes | None) -> None:
    """As in gitattributes; one without a start takes it back."""
    here.write(
        ".coord.toml",
        '[log."*.md"]\nstart = "## "\n[log."journal/**"]\nstart = "### "\n'
        '[log."/plain.md"]\n[log."a b.log"]\nstart = "--- "\n',
    )

    assert start_of(path) == start


@pytest.mark.parametrize(
    "pattern", ["*.log", "a/*/c.log", "**/c.log", "a/**", "/c.log", "[ab].log", 'q"q.log', "é.log"]
)
@pytest.mark.parametrize("path", ["c.log", "a/b/c.log", "x/c.log", "a.log", 'q"q.log', "é.log"])
def test_patterns_mean_what_they_mean_in_gitattributes(here: Repo, pattern: str, path: str) -> None:
    """The same answer as a real attributes file with the pattern in it."""
    escaped = pattern.replace('"', '\\"')
    here.write(".gitattributes", f'"{escaped}" probe\n')
    real = here.git("check-attr", "-z", "probe", "--", path).split("\0")[2] == "set"

    assert (matching([pattern], path) == pattern) == real


def test_a_pattern_with_no_match_leaves_lines(here: Repo) -> None:
    """Declared for other files."""
    here.write(".coord.toml", '[log."*.md"]\nstart = "## "\n')

    assert start_of("x.log") is None


@pytest.mark.parametrize(
    "text",
    [
        '[log."*.md"]\nstart = \n',
        '[log."*.md"]\nstart = 3\n',
        '[log."*.md"]\nstart = "a\\nb"\n',
        'log = "start"\n',
        '[log."*.md"]\nstart = "\xff"\n',
    ],
)
def test_a_declaration_that_cannot_be_read_is_no_declaration(here: Repo, text: str) -> None:
    """Joining lines where blocks were declared would tear them: the driver refuses."""
    here.write(".coord.toml", text.encode("latin-1"))

    with pytest.raises(Invalid, match=r"\.coord\.toml"):
        start_of("x.md")


def test_a_symlink_is_not_followed(here: Repo) -> None:
    """A committed link must not lead a driver out of the worktree."""
    here.write("elsewhere", '[log."*.md"]\nstart = "## "\n')
    (here.path / ".coord.toml").symlink_to("elsewhere")

    with pytest.raises(Invalid, match="cannot be read"):
        start_of("x.md")


def test_a_bare_repository_reads_head(here: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no worktree to read; the declaration is committed."""
    here.commit("declare", {".coord.toml": '[log."*.md"]\nstart = "## "\n'})
    here.git("clone", "-q", "--bare", ".", str(here.path / "bare.git"))
    monkeypatch.chdir(here.path / "bare.git")
    monkeypatch.setenv("GIT_DIR", ".")

    # posix.environ is read once, at start
    program = "from coord.drivers.start import start_of; print(start_of('x.md'))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "b'## '\n"


def test_toml_is_read_only_where_it_can_matter(here: Repo) -> None:
    """Its parser costs twice the start of a driver."""
    here.write(".coord.toml", '[derived."x"]\nregenerate = "make x"\n')
    program = (
        "import sys; from coord.drivers.start import start_of; start_of('x.log'); "
        "print('tomllib' in sys.modules)"
    )
    done = here.run(sys.executable, "-c", program)

    assert done.out == "False\n"
