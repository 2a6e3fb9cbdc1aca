"""Public reports about logs and changelogs that a merge turned over, doubled or swallowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import found
from harness.scenes import diverged

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

CHANGES = b"# Changes\n\n## Unreleased\n\n- first\n\n## 1.0\n\n- old\n"
BLOCKS = b"## 2026-01-02T00:00Z\ntwo\n\n## 2026-01-01T00:00Z\none\n"


def tracked(repo: Repo, *words: str) -> None:
    """Declare a file and commit that."""
    done = repo.coord("track", *words)
    assert done.code == 0, done.err
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "guard")


@pytest.mark.parametrize("mode", ["changelog", "log"])
def test_two_entries_below_one_heading_stand_below_one_heading(installed: Repo, mode: str) -> None:
    """Both branches add a line to what is unreleased; as a log by blocks it once stood twice."""
    start = ("--start", "## ") if mode == "log" else ()
    tracked(installed, mode, "CHANGES.md", *start)
    sides = [CHANGES.replace(b"first", b"first\n- from " + name) for name in (b"a", b"b")]
    diverged(installed, {"CHANGES.md": (CHANGES, sides[0], sides[1])})
    installed.git("merge", "-q", "--no-edit", "side")

    text = installed.read("CHANGES.md")
    assert [text.count(word) for word in ("Unreleased", "- first", "- from")] == [1, 1, 2]
    assert found(installed, "HEAD~2..HEAD") == []
    assert installed.coord("check", "--mend", "HEAD~2..HEAD").out == "nothing to put back\n"


def test_a_subtree_merge_loses_no_log_and_mends_nothing(installed: Repo, tmp_path: Path) -> None:
    """commitlint-github-action#743, csi-release-tools#305, progit2#153."""
    tracked(installed, "log", "LOG")
    installed.commit("log", {"LOG": "2026-01-01T00:00Z app\n"})
    library = installed.at(tmp_path / "library")
    library.path.mkdir()
    library.git("init", "-q", "-b", "main")
    library.commit("one", {"LOG": "2025-01-01T00:00Z lib\n"})
    installed.git("fetch", "-q", str(library.path), "main")
    ours = ("-s", "ours", "--no-commit", "--allow-unrelated-histories")
    installed.git("merge", "-q", *ours, "FETCH_HEAD")
    installed.git("read-tree", "--prefix=vendor/lib/", "-u", "FETCH_HEAD")
    installed.git("commit", "-q", "-m", "add the library")
    library.commit("two", {"LOG": "2025-01-01T00:00Z lib\n2025-02-01T00:00Z lib2\n"})
    installed.git("fetch", "-q", str(library.path), "main")
    shift = ("-X", "subtree=vendor/lib", "--no-commit", "--no-ff")
    installed.git("merge", "-q", *shift, "FETCH_HEAD")
    installed.write("LOG", "2026-01-01T00:00Z app\n2026-02-01T00:00Z lib updated\n")
    installed.git("commit", "-q", "-a", "-m", "update")

    assert "lib2" in installed.read("vendor/lib/LOG")
    assert found(installed) == []
    assert installed.coord("check", "--mend").out == "nothing to put back\n"
    assert "lib\n" not in installed.read("LOG")


def test_a_log_with_the_newest_first_is_not_turned_over(installed: Repo) -> None:
    """alaveteli#9436, emogrifier#40."""
    tracked(installed, "log", "LOG", "--start", "## ")
    three, four = (b"## 2026-01-0%dT00:00Z\nnew\n\n" % day for day in (3, 4))
    diverged(installed, {"LOG": (BLOCKS, four + BLOCKS, three + BLOCKS)})
    installed.git("merge", "-q", "--no-edit", "side")

    titles = [line for line in installed.read("LOG").split("\n") if line.startswith("## ")]
    assert [title[12] for title in titles] == ["4", "3", "2", "1"]
    assert found(installed) == []


def test_a_conflict_of_a_popped_stash_is_not_committed(installed: Repo) -> None:
    """FerroEHR#657, headroom#1497, agitrack#13."""
    installed.commit("log", {"LOG": "one\n"})
    tracked(installed, "log", "LOG")
    installed.write("LOG", "ONE\n")
    installed.git("stash", "-q")
    installed.commit("more", {"LOG": "one\nmore\n"})
    installed.tried("stash", "pop")
    installed.git("add", "-A")
    done = installed.tried("commit", "-q", "-m", "popped")

    assert (done.code, done.refusal.rule) == (1, "conflict-markers")
    assert "<<<<<<<" not in installed.git("show", "HEAD:LOG")


def test_a_moved_log_is_judged_alike_with_and_without_an_install(
    installed: Repo, tmp_path: Path
) -> None:
    """sf-git-merge-driver#82: lines of an install outlive the declaration."""
    installed.commit("log", {"LOG": "1\n2\n3\n"})
    tracked(installed, "log", "LOG")
    clone = installed.at(tmp_path / "clone")
    installed.git("clone", "-q", ".", str(clone.path))
    clone.install()
    installed.git("mv", "LOG", "MOVED")
    assert installed.coord("untrack", "LOG").code == 0
    tracked(installed, "log", "MOVED")
    clone.git("pull", "-q")

    for place in (installed, clone):
        assert found(place, "HEAD") == []
        assert place.coord("check", "--mend", "HEAD").out == "nothing to put back\n"
    assert "MOVED" in clone.git("ls-files")


def test_a_record_that_quotes_a_conflict_is_a_record(installed: Repo) -> None:
    """ai-agents#4092, #4164: not doubled by a repair, and no command that refuses itself."""
    installed.commit("log", {"LOG": "## one\ntext\n"})
    tracked(installed, "log", "LOG", "--start", "## ")
    quote = "\n## how\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
    installed.write("LOG", f"## one\ntext\n{quote}")
    stopped = installed.tried("commit", "-q", "-a", "-m", "quote")
    assert installed.paste(stopped.refusal.why.partition("say: ")[2]).code == 0
    installed.git("commit", "-q", "-m", "quote")
    installed.git("branch", "shared")

    assert found(installed) == []
    assert installed.coord("check", "--mend").out == "nothing to put back\n"
    installed.write("LOG", f"## one\nTEXT\n{quote}")
    stopped = installed.tried("commit", "-q", "-a", "-m", "edit")
    assert stopped.refusal.rule == "log-rewritten"
    assert installed.paste(stopped.refusal.run).code == 0
    assert installed.tried("commit", "-q", "-a", "-m", "edit").code == 0
    assert installed.read("LOG").count("## how") == 1
