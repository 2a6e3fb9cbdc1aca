"""The one door to git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment
from coord.repo import git

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_the_list_of_local_variables_is_gits_own(repo: Repo) -> None:
    """Whatever git calls local to a repository is dropped for another one."""
    assert set(repo.git("rev-parse", "--local-env-vars").split()) <= set(git.LOCAL_VARIABLES)


def test_elsewhere_forgets_a_leaked_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR beats both cwd and -C (beads#3311, lefthook#1265), so it is dropped."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "victim"))

    assert git.tell("rev-parse", "--show-toplevel", cwd=str(repo.path)).text == str(repo.path)


def test_here_keeps_the_index_git_gave_us() -> None:
    """Under ``commit -a`` the index is another file; dropping it meets index.lock."""
    env = git.here({"GIT_INDEX_FILE": "x", "GIT_PREFIX": "sub/", "GIT_LITERAL_PATHSPECS": "1"})

    assert env == {"GIT_INDEX_FILE": "x"}


def test_config_handed_over_in_the_environment_is_dropped_elsewhere() -> None:
    """``git -c`` travels in numbered variables, which name another repository's wishes."""
    env = git.elsewhere(
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c", "HOME": "h"}
    )

    assert env == {"HOME": "h"}


def test_a_failure_carries_gits_own_words(repo: Repo) -> None:
    """The reason is what git said, folded to one line."""
    with pytest.raises(git.GitError) as caught:
        git.tell("rev-parse", "--verify", "nowhere", cwd=str(repo.path))

    assert "Needed a single revision" in caught.value.why
    assert caught.value.exit_code == 3
    assert caught.value.code == 128


def test_no_child_of_ours_fires_a_hook(repo: Repo) -> None:
    """A hook that calls git must not call itself (beads#1841)."""
    hook = repo.common("hooks") / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch fired\n")
    hook.chmod(0o755)

    git.tell("checkout", "-q", "-b", "other", cwd=str(repo.path))

    assert not (repo.path / "fired").exists()


def test_a_missing_git_is_named(repo: Repo) -> None:
    """No git on PATH ends in one refusal of exit 3, not in a traceback."""
    with pytest.raises(Environment) as caught:
        git.ask("--version", cwd=str(repo.path), env={"PATH": "/nowhere"})

    assert caught.value.rule == "git-missing"


def test_a_folder_that_is_gone_is_named_and_not_git(repo: Repo, tmp_path: Path) -> None:
    """A worktree that was removed while a verb looked at all of them."""
    with pytest.raises(Environment) as caught:
        git.ask("status", cwd=str(tmp_path / "gone" / "deeper"))

    assert (caught.value.rule, caught.value.where) == ("folder-gone", f"{tmp_path}/gone/deeper")
    assert repo.paste(f"{caught.value.run} && pwd").out == f"{tmp_path}\n"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("git version 2.39.5", (2, 39, 5)),
        ("git version 2.39.5 (Apple Git-154)", (2, 39, 5)),
        ("git version 2.55.0.rc1.12.gabc", (2, 55, 0)),
        ("nonsense", ()),
    ],
)
def test_versions_are_read_from_every_vendor(text: str, numbers: tuple[int, ...]) -> None:
    """Only the leading numbers count."""
    assert git.version(text) == numbers


def test_a_git_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest git the drivers are tested on is 2.39."""
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\necho git version 2.38.1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    with pytest.raises(Environment) as caught:
        git.require_version(str(tmp_path))

    assert caught.value.rule == "git-too-old"


def test_a_lock_of_gits_is_named_with_its_age_and_never_deleted(repo: Repo) -> None:
    """The index lock of a killed git: exit 3, and the command that removes it."""
    lock = repo.private("index.lock")
    lock.touch()

    with pytest.raises(Environment) as caught:
        git.tell("add", "README", cwd=str(repo.path))

    assert caught.value.rule == "locked"
    assert caught.value.where == str(lock)
    assert lock.exists()
    assert repo.paste(caught.value.run).code == 0
    git.tell("add", "README", cwd=str(repo.path))
