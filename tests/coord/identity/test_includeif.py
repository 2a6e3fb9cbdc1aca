"""What joins the authors of many worktrees: few lines for each git, in files below each other."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from coord.identity import includeif, pin
from harness.crash import killed_at_every_call
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness import Repo

MANY = [f"w{number}" for number in range(40)]
RULE = pin.Authorship("{actor}", "me+{actor}@example.com")


@pytest.fixture
def joined(repo: Repo) -> Repo:
    """A repository whose config includes the identities file, as the installer leaves it."""
    repo.git("config", "include.path", "coord/identities")
    return repo


def add(repo: Repo, names: Iterable[str]) -> None:
    """Pin worktrees, of which there is what git and we read: a private git dir."""
    for name in names:
        folder = repo.common("worktrees") / name
        folder.mkdir(parents=True)
        (folder / "commondir").write_text("../..\n")
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
        pin.ensure(str(folder), str(repo.common()), name.encode().hex(), RULE)


def authors(repo: Repo, names: Iterable[str]) -> list[str]:
    """Return the author's name that git reads in each worktree."""
    env = {"GIT_WORK_TREE": str(repo.path)}
    return [
        repo.with_env(**env, GIT_DIR=str(repo.common("worktrees") / name))
        .git("config", "author.name")
        .rstrip("\n")
        for name in names
    ]


def pinned(names: Iterable[str]) -> list[str]:
    """Return the name that each worktree of :func:`add` is pinned as."""
    return [name.encode().hex() for name in names]


def read(repo: Repo, name: str) -> int:
    """Return how many lines a git in a worktree resolves."""
    env = {"GIT_WORK_TREE": str(repo.path), "GIT_DIR": str(repo.common("worktrees") / name)}
    return repo.with_env(**env).git("config", "--list").count("includeif.")


def flatten(repo: Repo) -> None:
    """Put all entries into one file, as earlier versions did."""
    entries = includeif.joined(str(repo.common()))
    for name in includeif.files(str(repo.common())):
        (repo.common("coord") / name).unlink()
    repo.common("coord/identities").write_text("".join(entries))


def test_each_of_many_worktrees_reads_its_author_and_few_lines(joined: Repo) -> None:
    """Forty in one file cost every git command of everybody half a millisecond."""
    add(joined, MANY)

    assert authors(joined, MANY) == pinned(MANY)
    assert max(read(joined, name) for name in MANY) <= 2 * includeif.ROOM
    assert joined.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human")


def test_names_that_are_told_apart_by_no_plain_character_have_an_author_too(joined: Repo) -> None:
    """Another alphabet, either case, a name that is the end of others, one character alone."""
    names = [
        "7",
        "a",
        "A7",
        "x-7",
        "x.7",
        "wä",
        "日本",
        "b",
        "B",
        "K",
        "\u212a",
        "a'b",
        '"',
        "7" * 9,
    ]
    names += [f"{one}{number}7" for one in "aB" for number in range(7)]
    add(joined, names)

    assert authors(joined, names) == pinned(names)


def test_one_file_of_an_earlier_version_is_told_apart_by_the_next_pin(joined: Repo) -> None:
    """All keep their authors."""
    add(joined, MANY)
    flatten(joined)
    assert read(joined, "w7") == len(MANY)

    add(joined, ["new"])

    assert authors(joined, [*MANY, "new"]) == pinned([*MANY, "new"])
    assert read(joined, "w7") <= 2 * includeif.ROOM


@pytest.mark.parametrize("left", [5, 30])
def test_an_install_lays_them_out_as_few_or_many_need_it(joined: Repo, left: int) -> None:
    """An old file is told apart, and of few that are left each is in the first file again."""
    joined.install()
    add(joined, MANY)
    for name in MANY[left:]:
        shutil.rmtree(joined.common("worktrees") / name)
    if left > includeif.ROOM:
        flatten(joined)
    joined.install()

    assert authors(joined, MANY[:left]) == pinned(MANY[:left])
    assert read(joined, "w1") <= min(left, 2 * includeif.ROOM)
    before = snapshot(joined.common("coord"))
    joined.install()
    assert snapshot(joined.common("coord")) == before


def test_an_uninstall_takes_every_file_of_many_worktrees_out(repo: Repo) -> None:
    """Byte for byte."""
    for name in MANY[:20]:
        repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / name))
    before = snapshot(repo.common())

    repo.install("--pin-existing")
    assert len(includeif.files(str(repo.common()))) > 1
    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


def test_entries_of_removed_worktrees_go_with_the_next_beside_them(joined: Repo) -> None:
    """Nobody else reads them."""
    add(joined, MANY)
    for name in ("w17", "w27"):
        shutil.rmtree(joined.common("worktrees") / name)

    add(joined, ["x7"])

    text = joined.common("coord/identities-7").read_text()
    assert "worktrees/w37" in text
    assert "worktrees/w17" not in text
    assert "worktrees/w27" not in text


def test_what_is_no_author_is_named_and_taken_out_of_every_file_that_is_read(joined: Repo) -> None:
    """Also a line that would join another file than the one below."""
    add(joined, MANY)
    folder, common = str(joined.common("worktrees/w7")), str(joined.common())
    file = joined.common("coord/identities-7")
    clean = file.read_text()
    door = '[includeIf "gitdir:worktrees/*7"]\n\tpath = "identities-evil"\n'
    file.write_text(clean + "[alias]\n\tx = !true\n" + door)

    assert includeif.foreign(folder, common) == ["[alias]", door.partition("\n")[0]]
    assert includeif.foreign(str(joined.common("worktrees/w8")), common) == []
    includeif.join(folder, common)
    assert includeif.foreign(folder, common) == []
    assert file.read_text() == clean


def test_killed_at_any_call_while_they_are_told_apart_nobody_loses_an_author(
    joined: Repo, env: dict[str, str]
) -> None:
    """The files below are there before the first one names them."""
    names = MANY[: includeif.ROOM + 4]
    add(joined, names)
    flatten(joined)
    body = "includeif.regroup(sys.argv[1])"
    deaths = 0
    for _ in killed_at_every_call(
        "from coord.identity import includeif", body, [str(joined.common())], joined.path, env
    ):
        deaths += 1
        if deaths % 12 == 0:  # each is a git a worktree
            assert authors(joined, names) == pinned(names)

    assert deaths > includeif.ROOM
    assert authors(joined, names) == pinned(names)
    assert len(os.listdir(joined.common("coord"))) > len("0123456789")
