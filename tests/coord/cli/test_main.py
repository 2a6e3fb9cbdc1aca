"""The entry: one handler, lazy verbs, three lines, JSON errors."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_an_unknown_verb_is_wrong_usage(repo: Repo) -> None:
    """Exit 2, three lines, and the way to the list."""
    done = repo.run("git-coord", "frobnicate")

    assert done.code == 2
    assert done.refusal.rule == "usage"
    assert repo.paste(done.refusal.run.replace("git coord", "git-coord")).code == 0


def test_an_error_under_json_is_one_document(tmp_path: Path, repo: Repo) -> None:
    """Scripts get the refusal on stdout, people on stderr; the exit code is the same."""
    done = repo.at(tmp_path).run("git-coord", "whoami", "--json")

    assert done.code == 3
    assert json.loads(done.out)["error"]["rule"] == "not-a-repository"
    assert json.loads(done.out)["schema"] == 1
    assert done.refusal.rule == "not-a-repository"


def test_a_fault_of_ours_is_one_refusal_and_a_traceback_on_request(repo: Repo) -> None:
    """Exit 3 and how to see more; COORD_DEBUG=1 shows it."""
    code = "import coord.cli.main as m; m.VERBS['whoami'] = ('nowhere', ''); m.run()"

    done = repo.run(sys.executable, "-c", code, "whoami")
    debug = repo.with_env(COORD_DEBUG="1").run(sys.executable, "-c", code, "whoami")

    assert done.code == 3
    assert done.refusal.rule == "internal-error"
    assert "COORD_DEBUG=1" in done.refusal.run
    assert "Traceback" not in done.err
    assert "Traceback" in debug.err


def test_a_verb_imports_only_its_own_module() -> None:
    """Every import is felt at each prompt."""
    done = subprocess.run(
        [sys.executable, "-c", "import coord.cli.main, sys; print(*sys.modules)"],
        capture_output=True,
        check=True,
        text=True,
    )

    loaded = set(done.stdout.split())
    assert {"pygit2", "tomllib", "coord.cli.who", "coord.settings.config"}.isdisjoint(loaded)


def test_a_reader_that_leaves_is_no_fault(repo: Repo) -> None:
    """``git coord … | true`` says nothing."""
    done = repo.run("sh", "-c", "git-coord -h | true; git-coord whoami --json | true")

    assert done.err == ""


def test_the_version_is_the_packages(repo: Repo) -> None:
    """One place holds it."""
    assert repo.run("git-coord", "--version").out.startswith("git-coord 0.")


def test_without_a_verb_the_help_is_shown_as_wrong_usage(repo: Repo) -> None:
    """Exit 2, like git's own, and the help as a page, not squeezed into a reason."""
    done = repo.run("git-coord")

    assert done.code == 2
    assert done.err.startswith("Usage: git coord")


def test_a_group_without_a_verb_names_its_verbs(installed: Repo) -> None:
    """In a line, and the command for the rest: a page of help would bury that."""
    done = installed.coord("id")

    assert (done.code, done.refusal.run) == (2, "git coord id -h")
    assert done.refusal.why == "It needs one of these commands: check, list, next, renumber."


@pytest.mark.parametrize(
    ("word", "verb"), [("signoff", "sign-off"), ("putdown", "put-down"), ("whoiam", "whoami")]
)
def test_the_nearest_verb_is_named(repo: Repo, word: str, verb: str) -> None:
    """Before somebody reads the whole list."""
    refusal = repo.run("git-coord", word).refusal

    assert f"Did you mean {verb}?" in refusal.why
    assert refusal.run == f"git coord {verb} -h"
    assert "Did you mean" not in repo.run("git-coord", "frobnicate").refusal.why


@pytest.mark.parametrize("before", [(), ("--as", "ada")])
def test_an_option_without_its_value_is_the_verbs_fault(
    installed: Repo, before: tuple[str, ...]
) -> None:
    """Click does not say whose option it was; the printed command shows the verb's help."""
    done = installed.coord(*before, "announce", "--path")

    assert done.code == 2
    assert done.refusal.headline == "wrong usage: git coord announce"
    assert installed.paste(done.refusal.run).out.startswith("Usage: git coord announce")


@pytest.mark.parametrize("words", ["whoami", "board --json", "check HEAD"])
def test_an_answer_that_cannot_be_written_is_said_once(installed: Repo, words: str) -> None:
    """A full disk behind `>file`: exit 3 naming stdout, and nothing of Python's own."""
    done = installed.run("sh", "-c", f"git coord {words} >/dev/full")

    assert (done.code, done.refusal.rule) == (3, "output-lost")
    assert done.refusal.headline.endswith(": stdout")
    assert "Exception" not in done.err
    assert done.refusal.run == f"git coord {words}"
    assert installed.paste(done.refusal.run).code == 0


def test_a_lost_answer_of_what_was_done_names_what_shows_it(installed: Repo) -> None:
    """Asked again, it would be done again."""
    done = installed.run("sh", "-c", "git coord claim x >/dev/full")

    assert done.refusal.run == "git coord board"
    assert "task:x" in installed.paste(done.refusal.run).out
