"""Changelogs and blocks at commit: people edit, merges lose nothing, refusals have a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.hooked import add_hooks
from harness.scenes import diverged

if TYPE_CHECKING:
    from harness import Repo

BASE = "# Changes\n\n## Unreleased\n\n- first\n\n## 1.0\n\n- old\n- older\n"


def grown(name: str) -> str:
    """Return the changelog with one entry more."""
    return BASE.replace("- first\n", f"- first\n- {name}\n")


@pytest.fixture
def hooked(repo: Repo) -> Repo:
    """A repository with a guarded changelog and a guarded log of blocks."""
    add_hooks(repo, "*.md coord-changelog\n*.tsv coord-log\n*.blocks coord-log\n")
    repo.commit("start", {".coord.toml": '[log."*.blocks"]\nstart = "## "\n'})
    return repo


def staged(repo: Repo, name: str, text: str) -> tuple[int, str]:
    """Commit a text; return the exit code and the rule that refused."""
    repo.write(name, text)
    repo.git("add", "-A")
    done = repo.tried("commit", "-q", "-m", "edit")
    return done.code, done.refusal.rule if done.code else done.err


@pytest.mark.parametrize(
    "text",
    [
        BASE.replace("- old\n- older\n", "- older\n- old\n"),
        BASE.replace("- old\n", ""),
        BASE.replace("Unreleased", "1.1"),
        "",
    ],
    ids=["order", "deletion", "release", "emptied"],
)
def test_a_plain_commit_may_edit_a_changelog(hooked: Repo, text: str) -> None:
    """People do; only a merge promises something of what stood there."""
    hooked.commit("base", {"c.md": BASE})
    hooked.git("branch", "seen")

    assert staged(hooked, "c.md", text) == (0, "")


def test_a_merge_that_lacks_an_entry_of_one_side_is_refused(hooked: Repo) -> None:
    """The entry is named by its line in the parent; the printed command settles it."""
    diverged(hooked, {"c.md": tuple(t.encode() for t in (BASE, grown("main"), grown("side")))})
    hooked.git("merge", "-q", "--no-commit", "side")

    assert staged(hooked, "c.md", grown("main") + "- x\n") == (1, "log-rewritten")
    refusal = hooked.tried("commit", "-q", "-m", "edit").refusal
    assert refusal.headline.endswith(": c.md:6")
    assert '"- side"' in refusal.why
    assert hooked.paste(refusal.run).code == 0
    hooked.git("commit", "-q", "-m", "edit")


def test_a_merge_may_hold_more_than_the_join(hooked: Repo) -> None:
    """An entry on the merge itself, in another place of the file."""
    diverged(hooked, {"c.md": tuple(t.encode() for t in (BASE, grown("main"), grown("side")))})
    hooked.git("merge", "-q", "--no-commit", "side")
    joined = hooked.read("c.md")

    assert staged(hooked, "c.md", joined.replace("- old\n", "- old\n- merged\n")) == (0, "")


def test_a_block_grows_before_it_is_shared_and_after(hooked: Repo) -> None:
    """What the driver takes from one side, the gate takes as well; of an edit it names the line."""
    hooked.commit("base", {"a.blocks": "## 1\none\n\n## 2\ntwo\n"})
    hooked.git("branch", "seen")

    assert staged(hooked, "a.blocks", "## 1\none\nmore\n\n## 2\ntwo\n") == (0, "")
    assert staged(hooked, "a.blocks", "## 1\nONE\nmore\n\n## 2\ntwo\n") == (1, "log-rewritten")


def test_a_subtree_merge_is_about_another_file(hooked: Repo) -> None:
    """The other parent's file of the same path lies in a folder now, whole or grown there."""
    hooked.commit("log", {"LOG.tsv": "app\n", "c.md": BASE})
    library = hooked.at(hooked.path.parent / "library")
    library.path.mkdir()
    library.git("init", "-q", "-b", "main")
    library.commit("log", {"LOG.tsv": "lib\n", "c.md": "# Library\n\n- a\n"})
    hooked.git("fetch", "-q", str(library.path), "main:library")
    hooked.git("merge", "-q", "-s", "ours", "--no-commit", "--allow-unrelated-histories", "library")
    hooked.git("read-tree", "--prefix=vendor/lib/", "-u", "library")

    hooked.write("vendor/lib/LOG.tsv", "lib\nours\n")
    assert staged(hooked, "LOG.tsv", "app\nadded\n") == (0, "")
    assert hooked.read("vendor/lib/c.md") == "# Library\n\n- a\n"


QUOTE = "## how\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n"
LEFT = {
    "stash pop": "git stash pop",
    "stash apply": "git stash apply",
    "checkout -m": "git checkout -m other",
    "resolve": "git merge -s resolve other",
    "octopus": "git checkout -q -b third && git commit -q --allow-empty -m third && "
    "git checkout -q main && git merge third other",
    "pick": "git cherry-pick --strategy resolve other",
    "rebase": "git rebase --strategy resolve other",
}


class TestConflicts:
    """New against every parent: refused, whatever left it there."""

    @pytest.mark.parametrize("name", ["a.tsv", "c.md"])
    @pytest.mark.parametrize("how", LEFT)
    def test_of_whatever_did_not_call_the_driver(self, hooked: Repo, name: str, how: str) -> None:
        """Nobody recorded a refusal; the printed command lets the commit through."""
        hooked.common("info/attributes").rename(hooked.common("info/aside"))
        diverged(hooked, {name: (b"- 1\n", b"- 1\n- m\n", b"- 1\n- o\n")})
        hooked.git("branch", "-m", "side", "other")
        if how.startswith("stash"):
            hooked.git("reset", "-q", "--soft", "HEAD~1")
            hooked.git("stash", "-q")
            hooked.git("merge", "-q", "other")
        if how == "checkout -m":
            hooked.git("reset", "-q", "HEAD~1")
        hooked.run("sh", "-c", LEFT[how])
        assert "<<<<<<< " in hooked.read(name)
        hooked.common("info/aside").rename(hooked.common("info/attributes"))
        hooked.git("add", "-A")
        done = hooked.tried("commit", "-q", "-m", "swallowed")

        assert (done.code, done.refusal.rule) == (1, "conflict-markers")
        assert done.refusal.headline.endswith(f": {name}:2")
        editor = hooked.common("editor")
        editor.write_text("#!/bin/sh\nsed -i '/^[<=>]\\{7\\}/d' \"$1\"\n")
        editor.chmod(0o755)
        assert hooked.with_env(EDITOR=str(editor)).paste(done.refusal.run).code == 0
        assert hooked.tried("commit", "-q", "-m", "settled").code == 0
        assert hooked.git("show", f"HEAD:{name}").count("\n") == 2

    @pytest.mark.parametrize("name", ["a.tsv", "c.md", "a.blocks"])
    def test_that_are_quoted_are_records_from_then_on(self, hooked: Repo, name: str) -> None:
        """A reason lets the first one in; then it is text like any other, and may not be lost."""
        hooked.commit("first", {name: "## one\n- text\n"})
        assert staged(hooked, name, f"## one\n- text\n\n{QUOTE}") == (1, "conflict-markers")
        why = hooked.tried("commit", "-q", "-m", "x").refusal.why
        assert hooked.paste(why.partition("say: ")[2]).code == 0
        hooked.git("commit", "-q", "-m", "quoted")
        hooked.git("branch", "seen")

        grown = f"## one\n- text\n\n{QUOTE}- more\n"
        assert staged(hooked, name, grown) == (0, "")
        lossy = grown.replace("a\n=", "A\n=")
        assert staged(hooked, name, lossy) == (1, "conflict-markers")
        edited = grown.replace("- text", "- TEXT")
        if name == "c.md":
            assert staged(hooked, name, edited) == (0, "")
            return
        assert staged(hooked, name, edited) == (1, "log-rewritten")
        run = hooked.tried("commit", "-q", "-m", "x").refusal.run
        assert hooked.paste(run).code == 0
        hooked.git("commit", "-q", "-m", "edited on purpose")


def test_a_large_log_is_judged_by_where_it_differs(hooked: Repo) -> None:
    """Beyond two megabytes git is not asked to compare lines; the rules are the same."""
    old = "".join(f"2026-01-01T00:00Z record {number}\n" for number in range(80_000))
    hooked.commit("log", {"a.tsv": old})
    hooked.git("branch", "seen")

    assert len(old) > 2_000_000
    assert staged(hooked, "a.tsv", f"{old}more\n") == (0, "")
    assert staged(hooked, "a.tsv", old.replace("record 79990\n", "")) == (1, "log-rewritten")
    refusal = hooked.tried("commit", "-q", "-m", "edit").refusal
    assert refusal.headline.endswith(": a.tsv:79991")
    marked = f"{old}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\nmore\n"
    assert staged(hooked, "a.tsv", marked) == (1, "conflict-markers")
