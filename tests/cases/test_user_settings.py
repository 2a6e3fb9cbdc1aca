"""Public reports about settings, and files as others save them, each tried as it was reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.clinic import healthy, mended

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

BOM = b"\xef\xbb\xbf"
SIGNS = "git var GIT_COMMITTER_IDENT | sed 's/> .*/>/'"


@pytest.fixture
def resolving(installed: Repo) -> Repo:
    """A repository in which the edit of a log is settled and waits for its commit."""
    assert installed.coord("track", "log", "LOG").code == 0
    installed.git("add", "-A")
    installed.commit("log", {"LOG": "one\ntwo\n"})
    installed.git("branch", "shared")
    installed.write("LOG", "ONE\ntwo\n")
    reason = ("--take", "worktree", "--reason", "a typo")
    assert installed.coord("resolve", "LOG", *reason).code == 0
    return installed


def test_a_mark_of_utf8_in_front_changes_nothing(installed: Repo) -> None:
    """Notepad saves one; git skips it in its config and attributes files (Gito#315, tomli#304)."""
    installed.commit("made", {"in": "x\n", "out": "x\n"})
    assert installed.coord("track", "derived", "out", "--regenerate", "cp in out").code == 0
    assert installed.coord("track", "log", "LOG", "--start", "## ").code == 0
    for name in (".coord.toml", ".gitattributes"):
        path = installed.path / name
        path.write_bytes(BOM + path.read_bytes())
    installed.git("add", "-A")
    installed.commit("saved by Notepad", {"LOG": "## a\n"})

    assert installed.coord("regenerate", "out").code == 0
    assert installed.coord("check").code == 0
    assert installed.coord("id", "list").code == 0
    assert installed.coord("track", "derived", "new", "--regenerate", "cp in new").code == 0
    assert installed.coord("untrack", "new").code == 0
    assert installed.coord("untrack", "out").code == 0
    assert (installed.path / ".coord.toml").read_bytes().count(BOM) <= 1
    assert "out coord-derived" not in installed.read(".gitattributes")
    installed.git("commit", "-q", "-a", "-m", "less")
    assert healthy(installed)


def test_no_setting_of_trailers_changes_ours(resolving: Repo) -> None:
    """The manual's own example signs off; other separators make ours no trailer elsewhere."""
    resolving.git("config", "trailer.sign.key", "Signed-off-by: ")
    resolving.git("config", "trailer.sign.command", SIGNS)
    resolving.git("config", "trailer.separators", "=:")

    resolving.git("commit", "-q", "-a", "-m", "edit")

    assert resolving.git("log", "-1", "--format=%B").split("\n\n")[1:] == [
        "Coord-Resolved: LOG a typo\n"
    ]
    assert resolving.coord("check", "shared..").code == 0
    resolving.git("config", "--unset", "trailer.separators")
    assert resolving.coord("check", "shared..").code == 0


def test_check_mends_without_the_settings_of_trailers(resolving: Repo) -> None:
    """``git commit --trailer`` obeys them too, in what we run and in what we print."""
    resolving.git("config", "trailer.sign.key", "Signed-off-by: ")
    resolving.git("config", "trailer.sign.command", SIGNS)
    resolving.git("config", "trailer.separators", "=")
    resolving.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "edit")

    assert resolving.coord("check", "--mend", "shared..").code == 0

    assert "Signed-off-by" not in resolving.git("log", "-1", "--format=%B")
    assert resolving.coord("check", "shared..").code == 0


def test_the_trailer_that_explains_a_revert_obeys_no_setting(resolving: Repo) -> None:
    """It is printed as a command, and no sign-off may come of it (git-interpret-trailers)."""
    resolving.git("checkout", "-q", "HEAD", "--", "LOG")
    resolving.commit("brought", {"LOG": "one\ntwo\nthree\n"})
    resolving.git("config", "trailer.sign.key", "Signed-off-by: ")
    resolving.git("config", "trailer.sign.command", SIGNS)
    resolving.git("config", "trailer.separators", "=")

    said = resolving.tried("revert", "--no-edit", "HEAD").err
    assert resolving.paste(said.partition("explains it: ")[2]).code == 0

    message = resolving.git("log", "-1", "--format=%B")
    assert message.startswith('Revert "brought"')
    assert message.rstrip().endswith("\n\nCoord-Resolved: LOG reverted on purpose")
    assert "Signed-off-by" not in message
    assert resolving.coord("check", "HEAD~1..").code == 0


@pytest.mark.parametrize("char", [";", "%"])
def test_other_comments_than_gits_own_change_nothing(resolving: Repo, char: str) -> None:
    """What ends a message as its comments is told by the user's own ``core.commentChar``."""
    resolving.git("config", "core.commentChar", char)

    resolving.git("commit", "-q", "-a", "-e", "-v", "-m", "edit")

    body = resolving.git("log", "-1", "--format=%B")
    assert body == "edit\n\nCoord-Resolved: LOG a typo\n"
    assert resolving.coord("check", "shared..").code == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.logAllRefUpdates", "false"),
        ("core.logAllRefUpdates", "0"),
        ("gc.reflogExpire", "now"),
        ("gc.reflogExpireUnreachable", "now"),
    ],
)
def test_reflogs_that_are_not_kept_are_named(
    installed: Repo, tmp_path: Path, key: str, value: str
) -> None:
    """Without them nobody can tell who made a commit, and the doctor said that nothing is wrong.

    libgit2/libgit2#2194, contributor-toolkit#366.
    """
    installed.git("config", key, value)
    side = installed.worktree(tmp_path / "side", "side")

    mended(side, "reflog-off")

    side.with_env(GIT_AUTHOR_NAME="root").commit("x")
    installed.git("init", "-q", "--bare", str(tmp_path / "remote"))
    assert "author-mismatch" in side.tried("push", str(tmp_path / "remote"), "side").err
    assert healthy(side)


def test_reflogs_that_are_always_kept_are_no_finding(installed: Repo, tmp_path: Path) -> None:
    """``always`` is no truth value, but one of git's own."""
    installed.git("config", "core.logAllRefUpdates", "always")
    installed.worktree(tmp_path / "side", "side")

    assert healthy(installed)
