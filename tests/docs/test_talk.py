"""The page on talking shows what is said when it is played."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "talk.md"


def test_the_page_is_what_the_commands_say(tmp_path: Path, env: dict[str, str]) -> None:
    """Every command of it, in its worktree, with the ids that the run itself has printed."""
    module = runpy.run_path(str(ROOT / "docs" / "replay.py"))
    page = PAGE.read_text(encoding="utf-8")
    (tmp_path / "main").mkdir()

    played = module["replayed"](page, tmp_path, env)

    assert played != page
    assert module["normalised"](played) == module["normalised"](page)


def test_the_page_plays_every_verb_of_its_own() -> None:
    """And its sessions are found at all."""
    module = runpy.run_path(str(ROOT / "docs" / "replay.py"))
    blocks = module["_BLOCK"].findall(PAGE.read_text(encoding="utf-8"))
    commands = "\n".join(step.command for block in blocks for step in module["steps"](block))

    verbs = ("announce", "list", "inbox", "send", "ack", "pause", "resume", "handoff", "overlap")
    assert [verb for verb in verbs if f"git coord {verb}" not in commands] == []
