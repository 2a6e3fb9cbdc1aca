"""Who is pinned, how, and whether git writes what is pinned."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from harness.clinic import diagnosis, findings, healthy, mended, notes, rules

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_pinned_worktrees_and_an_unpinned_main_one_are_healthy(installed: Repo, side: Repo) -> None:
    """The main worktree stays its user's own: said, and no finding."""
    assert healthy(side)
    assert f"{installed.path} is the main worktree" in notes(side)
    command = notes(side).partition("to sign off there: ")[2].split("\n")[0]
    assert side.paste(command).code == 0
    assert "is the main worktree" not in notes(side)


def test_any_number_of_unpinned_worktrees_ends_in_one_command(
    installed: Repo, tmp_path: Path
) -> None:
    """Each is named, and all name the same command."""
    trees = [tmp_path / f"w{n}" for n in range(4)]
    for tree in trees:
        installed.git("worktree", "add", "-q", "--no-checkout", "--detach", str(tree))

    found = findings(installed)

    assert {one.rule for one in found} == {"identity-inferred"}
    assert [one.worktree for one in found] == list(map(str, trees))
    (command,) = {one.run for one in found}
    assert installed.paste(command).code == 0
    assert healthy(installed)


def test_a_broken_pin_is_never_taken_for_none(installed: Repo, side: Repo) -> None:
    """It is replaced, from wherever the command is pasted."""
    side.private("coord-identity.toml").write_text("junk\n")

    found = mended(installed, "pin-unreadable")

    assert found.worktree == str(side.path)
    assert "identity-inferred" not in rules(installed)


def test_a_copied_pin_makes_two_workers_one(installed: Repo, side: Repo, tmp_path: Path) -> None:
    """Ownership is keyed by the instance: the second worktree with it gets its own."""
    other = installed.worktree(tmp_path / "zz", "zz")
    shutil.copy(side.private("coord-identity.toml"), other.private())

    found = mended(installed, "pin-copied")

    assert found.worktree == str(other.path)
    assert str(side.path) in found.message
    assert healthy(installed)


@pytest.mark.parametrize(
    "harm",
    [
        lambda side: side.private("coord.config").unlink(),
        lambda side: side.common("coord/identities").write_text(""),
        lambda side: side.private("coord.config").write_text('[author]\n\temail = "x@x"\n'),
    ],
    ids=["author deleted", "includeIf gone", "author edited"],
)
def test_a_pinned_author_that_git_does_not_read_comes_back(
    installed: Repo, side: Repo, harm: object
) -> None:
    """The finding says what git would write, and what is pinned."""
    assert callable(harm)
    harm(side)

    found = mended(installed, "author-mismatch")

    assert found.worktree == str(side.path)
    assert "ada+side-" in found.message
    assert healthy(installed)


@pytest.mark.parametrize("key", ["author.email", "committer.name"])
def test_a_worktrees_own_config_that_outranks_the_pin_is_named(
    installed: Repo, side: Repo, key: str
) -> None:
    """``config.worktree`` is read last; ``git worktree add`` even copies it."""
    installed.git("config", "extensions.worktreeConfig", "true")
    side.git("config", "--worktree", key, "peer@example.com")

    found = mended(installed, "author-mismatch")

    assert f"{key} in {side.private('config.worktree')} wins" in found.message
    assert found.worktree == str(side.path)


def test_a_shared_author_that_outranks_every_pin_ends_in_one_command(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``git config author.email`` lands below our include, in the file all worktrees share."""
    installed.worktree(tmp_path / "other", "other")
    installed.git("config", "author.email", "peer@example.com")

    found = findings(installed, "author-mismatch")

    assert len(found) == 2
    (command,) = {one.run for one in found}
    assert side.paste(command).code == 0
    assert healthy(installed)


def test_a_user_in_config_worktree_does_not_win(installed: Repo, side: Repo) -> None:
    """The pin sets author and committer, which outrank ``user.*``: no finding, a remark."""
    installed.git("config", "extensions.worktreeConfig", "true")
    side.git("config", "--worktree", "user.email", "peer@example.com")

    assert healthy(installed)
    assert "copies config.worktree" in notes(installed)


@pytest.mark.parametrize(
    "settings",
    [
        {"user.email": "a@x"},
        {"user.name": "hopper"},
        {"user.name": "hopper", "user.email": "hopper@agents"},
    ],
    ids=["email", "name", "both"],
)
def test_an_identity_that_one_worktree_gave_to_all_is_named(
    installed: Repo, side: Repo, settings: dict[str, str]
) -> None:
    """``git config user.email`` in a linked worktree writes the shared file."""
    for key, value in settings.items():
        side.git("config", key, value)

    found = mended(installed, "shared-identity")

    assert found.worktree == str(installed.common())
    assert all(f"{key} = {value}" in found.message for key, value in settings.items())
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")
    assert healthy(installed)


def test_the_name_of_a_pinned_actor_in_the_shared_config_is_a_workers(
    installed: Repo, side: Repo, home: Path
) -> None:
    """Even where the user has no name of their own to differ from."""
    (home / ".gitconfig").write_text("[user]\n\temail = ada@example.com\n")
    actor = next(view.pin.actor for view in diagnosis(side).views if view.pin)
    side.git("config", "user.name", actor)

    assert mended(installed, "shared-identity").message.startswith(f"user.name = {actor}")


def test_a_users_own_shared_identity_is_no_fault(repo: Repo, tmp_path: Path) -> None:
    """Set before the install, it is what the pins are made from."""
    repo.git("config", "user.name", "Ada at Work")
    repo.git("config", "user.email", "ada@work.example")
    repo.install()
    repo.worktree(tmp_path / "w", "w")

    assert healthy(repo)


def test_a_shared_identity_without_any_pin_is_the_users_choice(installed: Repo) -> None:
    """There is nobody whom it could contradict."""
    installed.git("config", "user.email", "a@x")

    assert healthy(installed)


def test_kept_authors_are_not_judged(repo: Repo, tmp_path: Path) -> None:
    """``author = "keep"``: git's own author is meant, whatever the pin says."""
    repo.commit("keep", {".coord.toml": '[identity]\nauthor = "keep"\n'})
    repo.install()
    repo.worktree(tmp_path / "w", "w").git("config", "user.email", "other@example.com")

    assert healthy(repo)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GIT_AUTHOR_EMAIL", "leaked@example.com"),
        ("GIT_COMMITTER_NAME", "Leaked"),
        ("COORD_ACTOR", "somebody-else"),
    ],
)
def test_what_this_shell_exports_against_the_pin_is_unset_by_the_command(
    side: Repo, variable: str, value: str
) -> None:
    """Judged for the current worktree only: the variable belongs to this shell."""
    poisoned = side.with_env(**{variable: value})

    (found,) = findings(poisoned)

    assert found.worktree == str(side.path)
    assert variable in found.message
    assert poisoned.paste(f"{found.run} && git coord doctor").code == 0


def test_an_author_in_the_environment_of_an_unpinned_worktree_is_its_users(
    installed: Repo, side: Repo
) -> None:
    """The same variable in the main worktree contradicts nobody."""
    assert findings(installed.with_env(GIT_AUTHOR_NAME="Me Myself")) == []
    assert findings(side.with_env(GIT_AUTHOR_NAME="Me Myself")) != []


def test_a_leaked_git_dir_is_named_and_the_folder_decides(installed: Repo, side: Repo) -> None:
    """Inside a hook or ``rebase --exec`` of another worktree."""
    leaked = installed.with_env(GIT_DIR=str(side.private()))

    (found,) = findings(leaked)

    assert (found.rule, found.worktree) == ("identity-conflict", str(installed.path))
    assert str(side.private()) in found.message
    assert leaked.paste(f"{found.run} && git coord doctor").code == 0
    assert findings(side.with_env(GIT_DIR=str(side.private()))) == []
