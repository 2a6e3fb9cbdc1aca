"""A damaged config file of ours ends every git command; what brings git back is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.clinic import findings, healthy

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.mark.parametrize("name", ["coord/identities", "hooks/coord/config"])
@pytest.mark.parametrize("text", ["[broken\n", None], ids=["garbage", "a folder"])
@pytest.mark.parametrize("command", [("coord-install",), ("git-coord", "doctor")])
def test_a_damaged_file_is_named_and_written_again(
    installed: Repo, tmp_path: Path, name: str, text: str | None, command: tuple[str, ...]
) -> None:
    """No git command works, so git is not asked; authors follow their pins again."""
    side = installed.worktree(tmp_path / "side", "side")
    author = side.git("var", "GIT_AUTHOR_IDENT").partition(">")[0]
    file = installed.common(name)
    file.unlink()
    file.mkdir() if text is None else file.write_text(text)
    assert side.tried("status").code == 128
    done = side.run(*command)

    assert (done.code, done.refusal.rule) == (3, "repository-unreadable")
    assert done.refusal.headline.endswith(f": {file}")
    assert side.paste(done.refusal.run).code == 0
    assert side.git("var", "GIT_AUTHOR_IDENT").partition(">")[0] == author
    assert healthy(installed)


def test_a_damaged_author_of_one_worktree_is_named_from_another(
    installed: Repo, tmp_path: Path
) -> None:
    """It ends git in that worktree alone."""
    side = installed.worktree(tmp_path / "side", "side")
    author = side.git("var", "GIT_AUTHOR_IDENT").partition(">")[0]
    side.private("coord.config").write_text("[broken\n")

    (found,) = findings(installed, "worktree-broken")

    assert side.started("coord-install").refusal.run == found.run
    assert installed.paste(found.run).code == 0
    assert side.git("var", "GIT_AUTHOR_IDENT").partition(">")[0] == author
    assert healthy(installed)


def test_what_git_itself_says_stays_where_our_files_are_whole(installed: Repo) -> None:
    """The repository's own config is the user's to mend."""
    installed.common("config").write_text("[broken\n")

    done = installed.started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "repository-unreadable")
    assert "bad config line 1 in file .git/config" in done.refusal.why
