"""A current folder that was removed, as by `git worktree remove` from elsewhere: one refusal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest

from coord.cli.main import main
from coord.drivers.registered import DRIVERS
from harness.refusal import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Repo
    from harness.repo import Done

# Stands in a folder that it then removes; PWD is left as the shell had set it.
STAND = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
# What these verbs insist on before they look around.
MORE = {
    "reauthor": ["--outgoing"],
    "put-down": ["X", "--reason", "stale"],
    "take-over": ["--reason", "X"],
    "send": ["question", "X", "X"],
    "ship": ["fix", "X"],
    "use": ["local"],
}
# They print what the package holds, in any folder.
ANYWHERE = (["agents"], ["completion", "bash"])
HOOKS = (
    "applypatch-msg", "commit-msg", "post-checkout", "post-rewrite", "pre-applypatch", "pre-push",
    "prepare-commit-msg",
)  # fmt: skip


def calls(command: click.Command, name: str) -> Iterator[list[str]]:
    """Yield one call that click accepts for each verb below `command`."""
    if isinstance(command, click.Group):
        for verb in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), verb)
            assert below is not None
            yield from ([verb, *words] for words in calls(below, verb))
        return
    yield [*(word for given in command.params for word in _words(given)), *MORE.get(name, [])]


def _words(given: click.Parameter) -> list[str]:
    """Return what a call must say for a parameter: nothing for one that may be left out."""
    if not given.required:
        return []
    word = given.type.choices[0] if isinstance(given.type, click.Choice) else "X"
    return [given.opts[0], word] if isinstance(given, click.Option) else [word]


CALLS = [words for words in calls(main, "git-coord") if words not in ANYWHERE]


def standing(repo: Repo, *words: str) -> Done:
    """Run a command in a folder of the worktree that is gone."""
    folder = repo.path / "gone"
    folder.mkdir()
    return repo.run("sh", "-c", STAND, "sh", str(folder), *words)


def test_every_verb_is_called() -> None:
    """The calls below are those of the whole group, verbs with verbs of their own included."""
    assert {words[0] for words in (*CALLS, *ANYWHERE)} == set(
        main.list_commands(click.Context(main))
    )
    assert ["track", "derived", "X", "--regenerate", "X"] in CALLS


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_every_verb_says_that_the_folder_is_gone(installed: Repo, words: list[str]) -> None:
    """Exit 3 and one refusal, whatever the verb would have asked first."""
    done = standing(installed, "git-coord", *words)

    assert done.code == 3, done.err
    assert "Traceback" not in done.err
    assert done.refusal.rule == "folder-gone"
    assert done.refusal.headline.endswith(str(installed.path / "gone"))
    assert done.refusal.run == f"cd {installed.path}"


def test_its_cd_leads_back(installed: Repo) -> None:
    """As it is printed, from where nobody can stand."""
    done = standing(installed, "git-coord", "whoami")

    assert installed.paste(f"{done.refusal.run} && git coord whoami").code == 0


@pytest.mark.parametrize("options", [[], ["--check"], ["--dry-run"], ["--uninstall"], ["--fleet"]])
def test_the_installer_says_so_too(installed: Repo, options: list[str]) -> None:
    """Whichever of its jobs is asked for."""
    done = standing(installed, "coord-install", *options)

    assert (done.code, done.refusal.rule) == (3, "folder-gone")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("program", ["git-coord", "coord-install"])
def test_help_and_version_need_no_folder(installed: Repo, program: str) -> None:
    """They are the same wherever they are asked for."""
    for option in ("--help", "--version"):
        done = standing(installed, program, option)
        assert (done.code, done.err) == (0, "")


def test_scripts_get_the_refusal_as_a_document(installed: Repo) -> None:
    """As for every other refusal."""
    done = standing(installed, "git-coord", "board", "--json")

    assert done.code == 3
    assert json.loads(done.out)["error"]["rule"] == "folder-gone"


def test_the_command_goes_back_into_a_folder_made_anew(installed: Repo) -> None:
    """A worktree removed and added again has the old path, and the shell stands in the old one."""
    folder = installed.path / "gone"
    folder.mkdir()
    anew = 'cd "$1" && rmdir "$1" && mkdir "$1" && exec git-coord whoami'
    done = installed.run("sh", "-c", anew, "sh", str(folder))

    assert done.refusal.run == f"cd {folder}"


def test_without_a_name_for_the_folder_there_is_still_one_command(installed: Repo) -> None:
    """PWD is a shell's; who was started by none has none."""
    done = standing(installed, "env", "-u", "PWD", "git-coord", "whoami")

    assert (done.code, done.refusal.run) == (3, "cd /")


@pytest.mark.parametrize("event", HOOKS)
def test_a_hook_lets_git_go_on(installed: Repo, tmp_path: Path, event: str) -> None:
    """The surroundings are no rule that says no: one refusal at most, and exit 0."""
    side = installed.worktree(tmp_path / "side", "side")
    message = tmp_path / "message"
    message.write_text("work\n\nSigned-off-by: Somebody <s@example.com>\n")
    hook = installed.common(f"hooks/{event}")
    # git has set the variable; it may have set it for a worktree that is gone by now.
    done = standing(
        side, "env", f"GIT_DIR={side.private()}", str(hook), str(message), "0" * 40, "1"
    )

    assert done.code == 0
    assert "Traceback" not in done.err
    assert [one.rule for one in refusals(done.err)] in ([], ["folder-gone"])


def test_a_hook_that_has_to_judge_says_why_it_cannot(installed: Repo, tmp_path: Path) -> None:
    """No fault of ours is spoken of."""
    side = installed.worktree(tmp_path / "side", "side")
    message = tmp_path / "message"
    message.write_text("work\n\nSigned-off-by: Somebody <s@example.com>\n")
    hook = side.common("hooks/commit-msg")
    done = standing(side, "env", f"GIT_DIR={side.private()}", str(hook), str(message))

    assert (done.code, done.refusal.rule) == (0, "folder-gone")


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_a_driver_ends_as_a_conflict(installed: Repo, name: str) -> None:
    """The only answer that git takes for one, and no traceback."""
    sides = [installed.write(side, f"{side}\n") for side in ("base", "ours", "theirs")]
    line = DRIVERS[name].command
    for sign, word in zip("OAB", sides, strict=True):
        line = line.replace(f"%{sign}", str(word))
    for sign, word in (("L", "7"), ("P", "moves.log"), ("X", "ours"), ("Y", "theirs")):
        line = line.replace(f"%{sign}", word)
    done = standing(installed, "env", f"GIT_DIR={installed.common()}", "sh", "-c", line)

    assert done.code == 1, done.err
    assert "Traceback" not in done.err


def test_a_worktree_removed_from_elsewhere(installed: Repo, tmp_path: Path) -> None:
    """The usual way to get there: the refusal names the folder next to it that is left."""
    side = installed.worktree(tmp_path / "side", "side")
    leave = f'cd "$1" && git -C {installed.path} worktree remove "$1" && exec git-coord claim x'
    done = side.run("sh", "-c", leave, "sh", str(side.path))

    assert (done.code, done.refusal.rule) == (3, "folder-gone")
    assert done.refusal.run == f"cd {tmp_path}"
