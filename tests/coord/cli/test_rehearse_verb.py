"""``merge-order --rehearse`` from claim to command: the finished branches, in their order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def queue(installed: Repo, tmp_path: Path) -> Repo:
    """Two finished branches with one lock file, the second in a conflict too; one still running."""
    installed.commit("ground", {".gitattributes": "*.lock coord-derived\n", "a.lock": "0\n"})
    for name, files in {
        "wide": {"a.lock": "1\n", "text": "1\n"},
        "narrow": {"a.lock": "2\n"},
        "late": {"text": "3\n"},
        "running": {"other": "4\n"},
    }.items():
        worker = installed.worktree(tmp_path / name, name)
        worker.commit(name, files)
        scopes = ["artifact:a.lock"] if "a.lock" in files else []
        assert worker.coord("claim", f"task:{name}", *scopes).code == 0
        if name != "running":
            assert worker.coord("finish").code == 0
    return installed


def test_the_screen_follows_the_order_and_exits_with_1(queue: Repo) -> None:
    """What is running is in the order, and not in the rehearsal."""
    done = queue.coord("merge-order", "--rehearse")

    assert done.code == 1
    lines = done.out.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("on top of main"))
    assert [line.split()[1:3] for line in lines[begin + 1 : begin + 4]] == [
        ["wide", "clean"],
        ["narrow", "refused"],
        ["late", "conflict"],
    ]
    assert "  git coord regenerate a.lock" in lines


def test_json_has_the_rehearsal_beside_the_order(queue: Repo) -> None:
    """One document, also with exit 1."""
    done = queue.coord("merge-order", "--rehearse", "--json")

    document = json.loads(done.out)
    assert done.code == 1
    assert document["schema"] == 1
    assert len(document["order"]) == 4
    steps = document["rehearsal"]["steps"]
    assert [step["outcome"] for step in steps] == ["clean", "refused", "conflict"]
    assert document["rehearsal"]["ok"] is False


def test_exec_rehearses_and_tests(queue: Repo) -> None:
    """Its words are on stderr, under the branch's name."""
    done = queue.coord("merge-order", "--exec", "cat a.lock; test ! -e text", "--json")

    steps = json.loads(done.out)["rehearsal"]["steps"]
    assert [(step["outcome"], step["exec"]) for step in steps] == [
        ("left-out", 1),
        ("clean", 0),
        ("left-out", 1),
    ]
    assert "coord: testing 1 of 3: wide\n1\n" in done.err


@pytest.mark.parametrize("command", ["", "  "])
def test_an_empty_test_is_wrong_usage(queue: Repo, command: str) -> None:
    """Nothing was tested, so nothing passed; one document with ``--json``."""
    done = queue.coord("merge-order", "--exec", command, "--json")

    assert done.code == 2
    assert json.loads(done.out)["error"]["where"] == "--exec"
    onto = queue.coord("merge-order", "--onto", "HEAD~0", "--exec", command).refusal.run
    assert onto == "git coord merge-order --onto 'HEAD~0' --rehearse"


def test_all_clean_is_exit_0_and_without_the_option_nothing_is_rehearsed(
    queue: Repo, tmp_path: Path
) -> None:
    """The order alone is never refused."""
    for name in ("narrow", "late"):
        worker = queue.at(tmp_path / name)
        worker.coord("release")

    assert queue.coord("merge-order", "--rehearse").code == 0
    assert "on top of" not in queue.coord("merge-order").out
