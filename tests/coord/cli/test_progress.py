"""What goes on, on a real terminal: shown after a while, and gone at the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.terminal import on_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Repo
    from harness.repo import Done

ERASED = "\r\x1b[K"
SLOW = """
import time
from coord.cli import progress, show
progress._PATIENCE, progress._AGAIN = 0.05, 0.05
with progress.going("looking") as tick:
    time.sleep(0.4)
    tick("commits re\\x1bad", 3, 9)
    show.note("by the way")
    time.sleep(0.4)
show.line("done")
"""
# The verb with less patience than it has.
VERB = """
import sys, time
from coord.cli import main, progress, {module}
progress._PATIENCE = 0
begun = progress.threading.Thread.start
progress.threading.Thread.start = lambda self: (begun(self), time.sleep(0.05))
sys.argv[1:] = {words!r}
main.run()
"""


def program(repo: Repo, text: str, streams: Sequence[str] = ("out", "err")) -> Done:
    """Run a program of the tests' interpreter, with its stderr, at least, on a terminal."""
    python = os.path.join(repo.env["PATH"].split(os.pathsep)[0], "python")
    return on_terminal(repo, python, "-c", text, streams=streams)


def left(written: str) -> list[str]:
    """Return the rows that a terminal is left with."""
    return [row.rpartition(ERASED)[2] for row in written.split("\n")]


def test_it_counts_what_is_done_makes_way_and_leaves_nothing(repo: Repo) -> None:
    """A note in between stands in a row of its own; what is counted is escaped."""
    done = program(repo, SLOW)

    assert done.code == 0, done.err
    assert "coord: looking (0 s)" in done.err
    assert "coord: looking: 3 of 9 commits re\\x1bad (" in done.err
    assert [row.replace("\x1b[33m", "").replace("\x1b[0m", "") for row in left(done.err)] == [
        "coord: by the way",
        "",
    ]
    assert done.out == "done\n"


@pytest.mark.parametrize(
    ("streams", "extra"), [(("out",), {}), (("out", "err"), {"TERM": "dumb"})], ids=["pipe", "dumb"]
)
def test_nobody_else_sees_it(repo: Repo, streams: tuple[str, ...], extra: dict[str, str]) -> None:
    """A file would keep it, and a dumb terminal cannot erase."""
    done = program(repo.with_env(**extra), SLOW, streams)

    assert done.err == "coord: by the way\n"


@pytest.mark.parametrize(
    ("module", "words", "what"),
    [
        ("check", ["check", "HEAD"], "checking"),
        ("doctor", ["doctor"], "looking at every worktree"),
        ("announce", ["overlap"], "comparing branches"),
        ("merge_order", ["merge-order"], "putting branches in order"),
        ("merge_order", ["merge-order", "--rehearse"], "rehearsing"),
        ("reauthor", ["reauthor", "--outgoing"], "rebuilding commits"),
        ("claims", ["release", "--landed"], "looking for branches that have landed"),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, list) else "",
)
def test_each_verb_that_may_take_long_says_what_it_does(
    installed: Repo, module: str, words: list[str], what: str
) -> None:
    """And its answer stands there as if nothing had been drawn."""
    installed.coord("pin", "--self")
    done = program(installed, VERB.format(module=module, words=words))

    assert f"coord: {what}" in done.err, done.err
    assert not any(what in row for row in left(done.err))


def test_a_passphrase_is_asked_for_in_peace(installed: Repo) -> None:
    """Whoever signs commits may be asked on this very terminal."""
    installed.coord("pin", "--self")
    installed.git("config", "commit.gpgSign", "true")
    done = program(installed, VERB.format(module="reauthor", words=["reauthor", "--outgoing"]))

    assert done.err == ""
