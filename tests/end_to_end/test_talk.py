"""Two agents of different types, then two of one type, agree on overlap, help and a handoff."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from harness.board import answer, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo
    from harness.board import Live

WIP = b"half a thought\n\0\xff"


def said(live: Live, command: str) -> tuple[dict[str, Any], str]:
    """Let a worker run a command, and return its answer and its commentary."""
    code, out, err = live.run(f"git coord {command} --json")
    assert code == 0, err
    document: dict[str, Any] = json.loads(out)
    return document, err


def agent(tmp_path: Path, name: str) -> str:
    """Return a program that the system knows as `name`."""
    link = tmp_path / "bin" / name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    os.symlink(os.path.realpath(sys.executable), link)
    return str(link)


@pytest.mark.parametrize("types", [("claude", "codex"), ("claude", "claude")])
def test_agents_exchange_overlap_help_and_a_handoff(
    tmp_path: Path, repo: Repo, types: tuple[str, str]
) -> None:
    """Each a process of its own, on one host; ownership moves once, and no work is lost."""
    repo.commit("files", {"src/a.py": "a\n"})
    homes = [
        worker(repo, tmp_path / name, name, actor)
        for name, actor in (("first", "hopper-a71f"), ("second", "liskov-9d20"))
    ]
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(living(home, agent(tmp_path, kind)))
            for home, kind in zip(homes, types, strict=True)
        )
        said(first, "announce --path 'src/*' --intent 'rework'")
        (met,) = said(second, "announce --path src/a.py --intent 'fix'")[0]["overlaps"]
        assert met["files"] == ["src/a.py"]
        (told,) = said(first, "inbox")[0]["messages"]
        assert (told["kind"], told["from"]) == ("overlap", "liskov-9d20")

        said(first, "claim task:x")
        homes[0].write("src/wip.py", WIP)
        said(first, "send help liskov-9d20 'can you take it?' --scope x")
        (asked,) = said(second, "inbox")[0]["messages"]
        said(second, f"ack {asked['id']}")
        (read,) = said(first, "inbox")[0]["messages"]
        assert (read["kind"], read["from"]) == ("ack", "liskov-9d20")

        agents = [scope(repo, f"branch:{name}")["holder"]["agent"] for name in ("first", "second")]
        assert tuple(agents) == types
        offer = said(first, "handoff liskov-9d20 --scope x --note 'wip.py is not committed'")[0]
        (offered,) = said(second, "inbox")[0]["messages"]
        assert offered["id"] == offer["offers"][0]["id"]
        said(second, f"ack {offered['id']}")
        assert "is liskov-9d20's now, generation 2" in said(first, "whoami")[1]

    row = scope(repo, "task:x")
    assert (row["holder"]["actor"], row["generation"], row["state"]) == ("liskov-9d20", 2, "held")
    assert (homes[0].path / "src/wip.py").read_bytes() == WIP


def test_a_paused_owner_is_recovered_by_another_without_losing_its_work(
    tmp_path: Path, repo: Repo
) -> None:
    """Paused, then killed: taken over on the record; its worktree is as it left it."""
    first = worker(repo, tmp_path / "first", "first", "hopper-a71f")
    second = worker(repo, tmp_path / "second", "second", "liskov-9d20")
    with living(first, agent(tmp_path, "claude")) as live:
        said(live, "claim task:x")
        said(live, "pause --reason 'out of tokens'")
        first.write("wip", WIP)
        live.kill()
    row = scope(second, "task:x")
    assert (row["paused"], row["dead"], row["state"]) == (True, False, "held")

    # That its shell has ended is no proof that nobody goes on: the take-over is a decision.
    reason = ("--reason", "hopper has paused and ended")
    assert second.coord("take-over", "x", *reason).code == 1
    answer(second, "take-over", "x", "--from-present", *reason)

    row = scope(second, "task:x")
    assert (row["paused"], row["holder"]["actor"], row["generation"]) == (False, "liskov-9d20", 2)
    assert (first.path / "wip").read_bytes() == WIP
    assert first.git("status", "--short") == "?? wip"
    assert "| hopper has paused and ended" in first.coord("inbox").err
