"""The pages that are sessions show what is said when they are played."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REPLAY = runpy.run_path(str(ROOT / "docs" / "replay.py"))
PAGES: tuple[Path, ...] = REPLAY["PAGES"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_what_the_commands_say(page: Path, tmp_path: Path, env: dict[str, str]) -> None:
    """Every command of it, in its worktree, with the ids that the run itself has printed."""
    text = page.read_text(encoding="utf-8")
    (tmp_path / "main").mkdir()

    played = REPLAY["replayed"](text, tmp_path, env)

    assert played != text
    assert REPLAY["normalised"](played) == REPLAY["normalised"](text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_block_of_the_page_is_left_unplayed(page: Path) -> None:
    """All blocks are sessions."""
    text = page.read_text(encoding="utf-8")
    blocks = len(REPLAY["_BLOCK"].findall(text))
    assert blocks > 4
    assert text.count("\n```") == 2 * blocks


def test_the_page_on_talking_plays_every_verb_of_its_own() -> None:
    """And its sessions are found at all."""
    blocks = REPLAY["_BLOCK"].findall((ROOT / "docs" / "talk.md").read_text(encoding="utf-8"))
    commands = "\n".join(step.command for block in blocks for step in REPLAY["steps"](block))

    verbs = ("announce", "list", "inbox", "send", "ack", "pause", "resume", "handoff", "overlap")
    assert [verb for verb in verbs if f"git coord {verb}" not in commands] == []
