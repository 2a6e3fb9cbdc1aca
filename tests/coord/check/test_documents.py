"""Changelogs and logs of blocks in a history: judged, and mended, as they are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import DECLARED, branch, found, problems, server_merge

if TYPE_CHECKING:
    from harness import Repo

BASE = "# Changes\n\n## Unreleased\n\n- first\n\n## 1.0\n\n- old\n"


def grown(*names: str, to: str = BASE) -> str:
    """Return the changelog with entries more."""
    return to.replace("- first\n", "".join(f"- {name}\n" for name in ("first", *names)))


@pytest.fixture
def guarded(installed: Repo) -> Repo:
    """An installed repository with a changelog ``c.md`` and a log of blocks ``b.log``."""
    declared = f"[attr]coord-changelog -merge\n{DECLARED}*.md coord-changelog\n"
    config = '[log."b.log"]\nstart = "## "\n'
    files = {".gitattributes": declared, ".coord.toml": config, "c.md": BASE, "b.log": BASE}
    installed.commit("declare", {**files, "a.log": "one\n"})
    installed.git("tag", "shared")
    return installed


def bare(repo: Repo) -> Repo:
    """Return `repo` where no hook runs, as libgit2 and hosting servers commit."""
    without = {"GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}
    return repo.with_env(GIT_CONFIG_COUNT="1", **without)


def forked(repo: Repo, name: str, main: str, side: str) -> None:
    """Commit one text on main and another on the branch ``side``."""
    branch(bare(repo), "side", "side", {name: side})
    bare(repo).commit("main", {name: main})


@pytest.mark.parametrize("name", ["c.md", "b.log"])
def test_a_merge_of_two_additions_is_fine_and_one_that_dropped_one_is_not(
    guarded: Repo, name: str
) -> None:
    """It is named with its line and parent; mended it is as the driver joins."""
    forked(guarded, name, grown("main"), grown("side"))
    guarded.git("merge", "-q", "--no-edit", "side")
    joined = guarded.read(name)
    assert found(guarded, "shared..HEAD") == []
    guarded.git("reset", "-q", "--hard", "HEAD^")
    server_merge(guarded, "side", {name: grown("main")})

    [problem] = problems(guarded, "shared..HEAD")
    assert problem.message.startswith('the merge lacks line 6, "- side" of its parent ')
    assert guarded.paste(problem.run).code == 0
    assert guarded.read(name) == joined
    assert found(guarded, "shared..HEAD") == []


def test_a_changelog_is_edited_and_released(guarded: Repo) -> None:
    """Plain commits to it are free, deletions as well; a log of blocks is strict."""
    edited = BASE.replace("- old\n", "- older\n").replace("## Unreleased", "## 1.1")
    bare(guarded).commit("edit", {"c.md": edited, "b.log": edited})

    assert found(guarded, "shared..HEAD") == [("log-rewritten", "b.log")]


def test_what_one_side_edited_is_no_loss_of_the_merge(guarded: Repo) -> None:
    """The join takes it."""
    forked(guarded, "c.md", grown("main"), BASE.replace("- old\n", "- older\n"))
    guarded.git("merge", "-q", "--no-edit", "side")

    assert "- older\n" in guarded.read("c.md")
    assert found(guarded, "shared..HEAD") == []


@pytest.mark.parametrize("name", ["c.md", "b.log"])
def test_where_no_join_tells_a_person_has_to(guarded: Repo, name: str) -> None:
    """Both extended one entry, and one text is gone: nothing is written, the command accepts."""
    texts = [BASE.replace("first\n", f"first\n  {side}\n") for side in ("main", "side")]
    forked(guarded, name, *texts)
    server_merge(guarded, "side", {name: texts[0]})
    [problem] = problems(guarded, "shared..HEAD")

    assert '"side"' in problem.message
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"
    assert guarded.paste(problem.run).code == 0
    assert guarded.read(name) == texts[0]
    assert found(guarded, "shared..HEAD") == []


def test_what_stands_elsewhere_in_the_file_is_not_written_again(guarded: Repo) -> None:
    """The merge put the entry under the heading of the release that it became part of."""
    forked(guarded, "c.md", grown("main"), grown("side"))
    released = grown("main").replace("- old\n", "- old\n- side\n")
    server_merge(guarded, "side", {"c.md": released})

    assert found(guarded, "shared..HEAD") == [("log-rewritten", "c.md")]
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"
    assert guarded.read("c.md") == released


def test_a_deleted_block_comes_back_in_its_place(guarded: Repo) -> None:
    """What came since stays; an edited one is left to a person."""
    bare(guarded).commit("lose", {"b.log": BASE.replace("- first\n", "").replace("- old", "- new")})
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"
    bare(guarded).git("reset", "-q", "--hard", "shared")
    bare(guarded).commit("lose", {"b.log": BASE.replace("## 1.0\n\n- old\n", "")})
    bare(guarded).commit("more", {"b.log": guarded.read("b.log").replace("first", "first\n- x")})

    assert guarded.coord("check", "--mend", "shared..HEAD").code == 0

    assert guarded.read("b.log").rstrip("\n") == grown("x").rstrip("\n")
    assert found(guarded, "shared..HEAD") == []


QUOTED = "\n## how\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n"


@pytest.mark.parametrize("name", ["c.md", "b.log", "a.log"])
def test_a_quoted_conflict_is_a_record_once_it_is_said(guarded: Repo, name: str) -> None:
    """By the trailer of ``resolve``; a merge behind it is fine, and nothing doubles."""
    text = guarded.read(name) + QUOTED
    guarded.write(name, text)
    guarded.git("add", "-A")
    resolved = guarded.coord("resolve", name, "--take", "worktree", "--reason", "it quotes one")
    assert resolved.code == 0, resolved.err
    guarded.git("commit", "-q", "-m", "quote")
    forked(guarded, name, text + "\n## main\n", text + "\n## side\n")
    guarded.git("merge", "-q", "--no-edit", "side")

    assert found(guarded, "shared..HEAD") == []
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"
    assert guarded.read(name).count("<<<<<<< HEAD") == 1


@pytest.mark.parametrize("name", ["c.md", "b.log"])
def test_a_conflict_that_was_committed_is_joined_or_left_to_a_person(
    guarded: Repo, name: str
) -> None:
    """Two entries are; two texts of one entry are not."""
    marked = "<<<<<<< HEAD\n- main\n=======\n- side\n>>>>>>> side\n"
    bare(guarded).commit("swallowed", {name: BASE.replace("- first\n", f"- first\n{marked}")})
    assert found(guarded, "shared..HEAD") == [("conflict-markers", name)]
    assert guarded.coord("check", "--mend", "shared..HEAD").code == 0
    assert sorted(guarded.read(name).split("\n")) == sorted(grown("main", "side").split("\n"))
    assert found(guarded, "shared..HEAD") == []
    bare(guarded).git("reset", "-q", "--hard", "shared")

    marked = "<<<<<<< HEAD\n  main\n=======\n  side\n>>>>>>> side\n"
    bare(guarded).commit("swallowed", {name: BASE.replace("- first\n", f"- first\n{marked}")})
    [problem] = problems(guarded, "shared..HEAD")
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"
    assert guarded.paste(problem.run).code == 0
    assert found(guarded, "shared..HEAD") == []


@pytest.mark.parametrize("grows", [False, True], ids=["whole", "grown there"])
def test_a_library_in_a_subtree_is_another_file(guarded: Repo, grows: bool) -> None:
    """Its log and changelog have the paths of ours, and lie in a folder now."""
    library = guarded.at(guarded.path.parent / "library")
    library.path.mkdir()
    library.git("init", "-q", "-b", "main")
    library.commit("log", {"a.log": "lib\n", "b.log": "## lib\n\n- a\n", "c.md": "# Lib\n\n- a\n"})
    guarded.git("fetch", "-q", str(library.path), "main:library")
    guarded.git(
        "merge", "-q", "-s", "ours", "--no-commit", "--allow-unrelated-histories", "library"
    )
    guarded.git("read-tree", "--prefix=vendor/lib/", "-u", "library")
    if grows:
        guarded.write("vendor/lib/a.log", "lib\nours\n")
        guarded.write("vendor/lib/c.md", "# Lib\n\n- a\n- ours\n")
    guarded.commit("subtree", {"a.log": "one\nmore\n"})

    assert found(guarded, "shared..HEAD") == []
    assert guarded.coord("check", "--mend", "shared..HEAD").out == "nothing to put back\n"


def test_a_log_that_was_moved_is_judged_where_it_is_declared_now(guarded: Repo) -> None:
    """An installed clone remembers the old line in ``info/attributes``: a cache, no declaration."""
    assert guarded.coord("track", "log", "LOG").code == 0
    guarded.commit("log", {"LOG": "1\n"})
    guarded.git("mv", "LOG", "MOVED")
    lines = guarded.read(".gitattributes").replace("LOG coord-log", "MOVED coord-log")
    guarded.commit("move", {".gitattributes": lines})
    assert "LOG coord-log" in guarded.common("info/attributes").read_text()

    assert found(guarded, "HEAD^..HEAD") == []
    assert guarded.coord("check", "--mend", "HEAD^..HEAD").out == "nothing to put back\n"


def test_a_log_with_its_newest_record_first_stays_so(guarded: Repo) -> None:
    """Joined among older ones it is no rewrite, and what is put back stands where it stood."""
    lines = [f"2026-01-0{day}T00:00Z {day}\n" for day in (5, 4, 3, 2, 1)]
    guarded.commit("log", {"n.log": "".join(lines[2:])})
    guarded.git("tag", "start")
    guarded.commit("more", {"n.log": "".join([lines[0], *lines[2:]])})
    bare(guarded).commit("squash", {"n.log": "".join(lines)})
    assert found(guarded, "start..HEAD") == []
    bare(guarded).commit("lose", {"n.log": "".join(lines[:2] + lines[3:])})

    assert guarded.coord("check", "--mend", "start..HEAD").code == 0

    assert guarded.read("n.log") == "".join(lines)
    assert found(guarded, "start..HEAD") == []
