"""Conflicts in derived files at commit: refused where no parent has them, whoever left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness import Repo

CONFLICT = "<<<<<<< HEAD\nm\nid\n=======\nid\na\n>>>>>>> a\n"


@pytest.fixture
def made(installed: Repo) -> Repo:
    """A repository whose ``out`` is made of ``in``."""
    done = installed.coord("track", "derived", "out", "--regenerate", "cp in out", "--input", "in")
    assert done.code == 0, done.err
    # Generated files are often kept out of diffs; what is looked for in them is text all the same.
    attributes = installed.read(".gitattributes")
    declared = {".gitattributes": f"{attributes}out -diff\n"}
    installed.git("add", "-A")
    installed.commit("made", {"in": "id\n", "out": "id\n", **declared})
    return installed


def test_both_sides_between_markers_are_not_committed_and_the_printed_command_cures_it(
    made: Repo,
) -> None:
    """Pasted by hand in a merge that no driver sees, where it is neither of the two sides."""
    made.git("branch", "a")
    made.commit("m", {"in": "m\nid\n", "out": "m\nid\n"})
    made.git("checkout", "-q", "a")
    made.commit("a", {"in": "id\na\n", "out": "id\na\n"})
    made.git("merge", "-q", "--no-commit", "-s", "resolve", "main")
    made.write("out", CONFLICT)
    made.write("in", "m\nid\na\n")
    made.git("add", "-A")

    done = made.tried("commit", "-q", "-m", "both")

    assert (done.code, done.refusal.rule) == (1, "conflict-markers")
    assert done.refusal.run == "git coord regenerate out"
    assert made.paste(done.refusal.run).code == 0
    made.git("commit", "-q", "-m", "both")
    assert made.git("show", "HEAD:out") == "m\nid\na"


def test_a_conflict_in_an_ordinary_commit_is_refused_and_one_that_is_quoted_is_not(
    made: Repo,
) -> None:
    """Of a popped stash; with a reason it is text, and later commits may keep it."""
    made.write("out", CONFLICT)
    done = made.tried("commit", "-q", "-a", "-m", "popped")
    assert (done.code, done.refusal.rule) == (1, "conflict-markers")
    _, _, quoted = done.refusal.why.partition("say: ")

    assert made.paste(quoted).code == 0
    made.git("commit", "-q", "-m", "quoted")
    made.commit("more", {"out": f"more\n{CONFLICT}"})
    assert made.coord("check", "HEAD").code == 0


def test_the_end_of_a_conflict_without_its_beginning_is_text(made: Repo) -> None:
    """As in a quoted mail of three levels."""
    made.commit("mail", {"out": ">>>>>>> text\n"})


def test_without_an_interpreter_a_conflict_is_refused_all_the_same(made: Repo) -> None:
    """Silence would be the loss."""
    launch = made.common("hooks/coord/launch")
    launch.write_text(launch.read_text().replace("coord_python='", "coord_python='/gone"))
    made.write("out", CONFLICT)
    done = made.tried("commit", "-q", "-a", "-m", "x")

    assert (done.code, done.refusal.rule) == (1, "guard-fault")
