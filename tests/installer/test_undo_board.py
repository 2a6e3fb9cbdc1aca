"""An uninstall and the board: refused while something is claimed, without a trace afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.board import answer, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_live_claim_keeps_the_board(installed: Repo, tmp_path: Path) -> None:
    """Exit 1 naming scope and holder; the command shows the board, and only a flag gives it up."""
    one = worker(installed, tmp_path / "one", "feat", "one-0001")
    answer(one, "claim", "x")

    done = installed.started("coord-install", "--uninstall")

    assert done.code == 1
    assert done.refusal.rule == "claims-live"
    assert "one-0001" in done.refusal.headline
    assert "task:x" in installed.paste(done.refusal.run).out
    assert installed.common("coord").exists()
    assert "coord-install --uninstall --purge" in done.refusal.why
    installed.install("--uninstall", "--purge")
    assert not installed.common("coord").exists()


def test_uninstall_removes_a_board_without_claims(installed: Repo, tmp_path: Path) -> None:
    """History alone holds nobody back; signs of life go from every worktree."""
    one = worker(installed, tmp_path / "one", "feat", "one-0001")
    answer(one, "claim", "x")
    answer(one, "release")

    done = installed.started("coord-install", "--uninstall")

    assert done.code == 0, done.err
    assert not installed.common("coord").exists()
    assert not list(one.private().glob("coord-*"))
