"""A reader that leaves cuts no verb off, and the exit code says what was done."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from harness import Repo
from harness.grounds import script
from harness.kills import ROUNDS

if TYPE_CHECKING:
    from pathlib import Path


def _send(installed: Repo, tree: Repo, *texts: str) -> None:
    other = installed.worktree(tree.path.parent / "other", "other")
    me = tree.coord("whoami").out.split()[0]
    for text in texts:
        done = other.coord("send", "help", me, text)
        assert done.code == 0, done.err


@pytest.mark.parametrize("door", [("git", "coord"), (script("git-coord"),)], ids=["git", "own"])
def test_a_claim_that_nobody_reads_of_is_made_and_says_so(
    installed: Repo, tmp_path: Path, door: tuple[str, ...]
) -> None:
    """wacli#366: closed stdout, claimed, but exit 1. Every scope of the line is claimed."""
    tree = installed.worktree(tmp_path / "tree", "tree")

    assert tree.unread(*door, "claim", "x", "y", "z") == 0

    assert [f"task:{name}" in tree.coord("board").out for name in "xyz"] == [True] * 3


def test_a_refusal_that_nobody_reads_of_is_still_one(installed: Repo, tmp_path: Path) -> None:
    """A negative answer keeps its code; wrong usage, too."""
    tree = installed.worktree(tmp_path / "tree", "tree")

    assert tree.unread("git", "coord", "take-over", "nothing", "--reason", "x") == 1
    assert tree.unread("git", "coord", "nonsense") == 2


def test_a_sign_off_that_nobody_reads_of_gives_up_all(installed: Repo, tmp_path: Path) -> None:
    """It prints a line before it is done: cut off there, half would stay."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    tree.coord("claim", "x", "y")

    assert tree.unread("git", "coord", "sign-off") == 0

    assert "task:" not in tree.coord("board").out


# Each changes something; `$OTHER` is a peer.
WRITES = (
    "claim x y",
    "announce --intent later",
    "pause",
    "resume",
    "send help $OTHER hello",
    "handoff $OTHER --scope x",
    "run w -- true",
    "session -- true",
    "id next adr",
    "put-down later --reason weak",
    "ship new thing",
    "finish",
    "worktree add ../more -b more",
    "track once 'once/*'",
    "untrack 'once/*'",
    "release x",
    "take-over held --from-present --reason because",
    "sign-off",
    "pin --replace",
)


def _effects(tree: Repo) -> str:
    """Return what all these verbs have left, but names and times."""
    rows = json.loads(tree.coord("board", "--json").out)["claims"]
    claims = [(row["scope"], row["state"], row["generation"]) for row in rows]
    files = tree.git("status", "--porcelain").splitlines()
    return repr((sorted(claims), sorted(files), len(tree.git("worktree", "list").splitlines())))


def _done(tree: Repo, verb: str, end: str) -> int:
    """Return the exit code of a verb by our own script: git itself opens what is closed."""
    line = f"{script('git-coord')} {verb} {end if '&-' in end else ''}"
    return tree.unread("sh", "-c", line) if end else tree.run("sh", "-c", line).code


ENDS = ("no reader", ">&- 2>&-", "<&- >&- 2>&-")


def test_every_verb_that_writes_does_all_of_it_and_says_so(
    installed: Repo, tmp_path: Path, env: dict[str, str]
) -> None:
    """wacli#366, comfy-cli#615; COORD_KILL_ROUNDS tries each verb at each closed end."""
    left = []
    for first in range(len(ENDS) + 1 if ROUNDS > 1 else 2):
        folder = tmp_path / str(first)
        shutil.copytree(installed.path, folder / "repo", symlinks=True)
        repo = Repo(folder / "repo", env)
        tree, peer = (repo.worktree(folder / name, name) for name in ("tree", "peer"))
        peer.coord("claim", "held")
        me = tree.with_env(OTHER=peer.coord("whoami").out.split()[0])
        for at, verb in enumerate(WRITES):
            end = ENDS[(first + at) % len(ENDS)] if first else ""
            assert _done(me, verb, end) == 0, (verb, end)
        left.append(_effects(tree))

    assert left == [left[0]] * len(left)


@pytest.mark.parametrize("verb", ["board", "wake", "whoami", "doctor", "log x", "inbox", "list"])
def test_who_reads_only_the_beginning_gets_no_failure(
    installed: Repo, tmp_path: Path, verb: str
) -> None:
    """What only looks has looked."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    tree.coord("claim", "x")

    assert tree.unread("git", "coord", *verb.split(), both=False) == 0


def test_messages_that_found_no_reader_stay_unread(installed: Repo, tmp_path: Path) -> None:
    """The pipe was closed before the first byte: nobody has seen them."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    _send(installed, tree, "are you there")

    assert tree.unread("git", "coord", "inbox", both=False) == 0

    assert "1 message" in tree.coord("inbox").out


def test_messages_for_a_closed_stdout_stay_unread(installed: Repo, tmp_path: Path) -> None:
    """`>&-`: there is nobody to read them."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    _send(installed, tree, "are you there")

    assert tree.run("sh", "-c", f"{script('git-coord')} inbox >&-").code == 0

    assert "1 message" in tree.coord("inbox").out


def test_messages_that_another_has_been_shown_are_told_of(installed: Repo, tmp_path: Path) -> None:
    """agmsg#677, overdeck#3630: `| head -1` takes the rest along, and so does a second session."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    _send(installed, tree, "one", "two", "three")
    assert tree.run("sh", "-c", "git coord inbox | head -n 1").out == "3 messages\n"

    again = tree.coord("inbox").out

    assert again.startswith("0 new; 3 were shown ")
    assert again.endswith(" ago: git coord inbox --all\n")
    assert tree.coord("inbox", "--all").out.startswith("3 messages")
    assert json.loads(tree.coord("inbox", "--json").out)["shown"]["count"] == 3


def test_an_inbox_that_never_had_anything_says_so(installed: Repo, tmp_path: Path) -> None:
    """There is nothing to look for then."""
    tree = installed.worktree(tmp_path / "tree", "tree")

    assert tree.coord("inbox").out == "0 messages\n"
    assert json.loads(tree.coord("inbox", "--json").out) == {
        "schema": 1,
        "messages": [],
        "shown": None,
    }
