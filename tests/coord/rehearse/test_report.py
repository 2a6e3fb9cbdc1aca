"""A rehearsal in words: its screen, its JSON document, the integrator's commands."""

from __future__ import annotations

import pytest

from coord.documents import merge_order as documents
from coord.rehearse.report import Artifact, Conflict, Rehearsal, Step

BASE = "0123456789abcdef" * 2 + "01234567"
STEPS = (
    Step("feat/a", "clean", joined=("moves.log",), tip="1", tree="2"),
    Step(
        "feat/b",
        "refused",
        refused=(
            Artifact("-a.lock", "derived", "both sides regenerated"),
            Artifact("b c.log", "log", "feat/b has lost line 2"),
            Artifact("d.lock", "derived", "both sides regenerated"),
        ),
    ),
    Step("c", "conflict", conflicts=(Conflict("f", "contents"), Conflict("g h", "contents"))),
    Step(
        "it's",
        "conflict",
        conflicts=(
            Conflict("f", "modify/delete", "file"),
            Conflict("i", "rename/rename", "nothing"),
            Conflict("j", "binary", "sides"),
            Conflict("k l", "submodule", "file", "5"),
            Conflict("m", "directory rename suggested", "merged"),
        ),
    ),
    Step("moved", "conflict", conflicts=(Conflict("m", "file location", "merged"),)),
    Step("gone", "left-out", why="no such branch here"),
    Step("bad", "left-out", why="its test ended with 2", status=2),
)
REFUSED = (
    "-a.lock (derived: both sides regenerated); b c.log (log: feat/b has lost line 2); "
    "d.lock (derived: both sides regenerated)"
)
BY_HAND = (
    "f (modify/delete); i (rename/rename); j (binary); k l (submodule); "
    "m (directory rename suggested)"
)
FOUND = Rehearsal("main", BASE, "3", STEPS)


def test_the_screen_tells_each_branch_then_the_commands_in_order() -> None:
    """Those of branches that a person has to merge come last."""
    reason = "'HEAD as it stands, and what the other side added'"

    assert FOUND.lines() == [
        "on top of main (0123456789ab):",
        "  1  feat/a  clean     joins moves.log",
        f"  2  feat/b  refused   {REFUSED}",
        "  3  c       conflict  f (contents); g h (contents)",
        f"  4  it's    conflict  {BY_HAND}",
        "  5  moved   conflict  m (file location)",
        "  6  gone    left-out  no such branch here",
        "  7  bad     left-out  its test ended with 2",
        "",
        "then, on main:",
        "  git merge --no-edit feat/a",
        "  git merge --no-edit feat/b",
        f"  git coord resolve 'b c.log' --take both --reason {reason}",
        "  git coord regenerate ./-a.lock d.lock",
        "  git commit --no-edit",
        "",
        "left out, to be merged by hand after that:",
        "  git merge --no-edit c",
        "  ! grep -n '^<<<<<<< ' f 'g h' && git add f 'g h'",
        "  git commit --no-edit",
        "  git merge --no-edit 'it'\\''s'",
        "  git add f   # or: git rm f",
        "  git rm --cached i",
        "  git add j   # or before: git checkout --theirs j",
        "  git update-index --cacheinfo '160000,5,k l'",
        "  git commit --no-edit",
        "  git merge --no-edit moved",
        "  git status",
        "  git commit --no-edit",
    ]


@pytest.mark.parametrize(
    ("count", "told"),
    [(2, "joins 0, 1"), (4, "joins 0, 1, 2, 3"), (54, "joins 54 logs: 0, 1, 2 and 51 more")],
)
def test_a_conflict_is_seen_among_however_many_logs_that_are_joined(count: int, told: str) -> None:
    """It comes first, and the logs as their number; the document names each."""
    joined = tuple(str(number) for number in range(count))
    step = Step("c", "conflict", conflicts=(Conflict("f", "contents"),), joined=joined)
    found = Rehearsal("main", BASE, "3", (step,))

    assert found.lines()[1] == f"  1  c  conflict  f (contents); {told}"
    assert documents.rehearsal(found)["steps"][0]["joined"] == list(joined)


def test_the_document_has_a_step_a_branch() -> None:
    """With null where there is nothing to tell."""
    document = documents.rehearsal(FOUND)

    assert {key: document[key] for key in ("onto", "base", "tree", "ok")} == {
        "onto": "main",
        "base": BASE,
        "tree": "3",
        "ok": False,
    }
    steps = document["steps"]
    assert isinstance(steps, list)
    assert steps[0] == {
        "branch": "feat/a",
        "tip": "1",
        "outcome": "clean",
        "why": None,
        "conflicts": [],
        "conflict_kinds": [],
        "refused": [],
        "stale": [],
        "joined": ["moves.log"],
        "exec": None,
        "commands": ["git merge --no-edit feat/a"],
    }
    assert steps[1]["refused"][1] == {
        "path": "b c.log",
        "kind": "log",
        "what": "feat/b has lost line 2",
    }
    assert steps[4]["conflicts"] == ["m"]
    assert steps[4]["conflict_kinds"] == ["file location"]
    assert (steps[6]["why"], steps[6]["exec"]) == ("its test ended with 2", 2)


def test_nothing_to_merge_is_well() -> None:
    """And says so in one line."""
    assert Rehearsal("main", BASE, "3", ()).ok
    line = "nothing is finished: nothing to merge into main (0123456789ab)"
    assert Rehearsal("main", BASE, "3", ()).lines() == [line]
