"""Boards that no verb can use, and scopes of which nobody knows the holder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.board import claims
from coord.stores import keys
from coord.stores.directory import Directory
from harness import scope
from harness.clinic import healthy, mended, notes, rules

if TYPE_CHECKING:
    from harness import Repo


@pytest.mark.parametrize("name", ["board", "board/claims", "board/tmp", "board/claims/s-task=3ax"])
def test_a_file_where_the_board_has_a_folder_is_put_aside(
    installed: Repo, side: Repo, name: str
) -> None:
    """The examination said that all was right, and no verb could use the board."""
    path = installed.common("coord") / name
    if path.exists():
        path.rename(installed.path.parent / "away")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    refused = side.coord("claim", "x")
    assert (refused.code, refused.refusal.rule) == (3, "store-unavailable")
    shown = side.paste(refused.refusal.run)
    assert (shown.code, shown.out.split()[-1]) == (0, str(path))

    said = side.coord("doctor")
    assert said.code == 1
    assert "ok  board" not in said.out
    assert "creat" not in said.out

    found = mended(installed, "store-unavailable")

    assert str(path) in found.message
    assert side.coord("claim", "x").code == 0


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 40])
def test_a_torn_newest_record_is_taken_over_by_the_command(
    installed: Repo, side: Repo, content: bytes
) -> None:
    """Nobody knows who holds the scope."""
    assert side.coord("claim", "x y").code == 0
    assert healthy(side)
    (record,) = installed.common("coord/board/claims").glob("*/*")
    record.write_bytes(content)

    found = mended(side, "record-unreadable")

    assert str(record) in found.message
    assert rules(side) == set()


def test_a_record_after_which_no_number_comes_is_put_aside(installed: Repo, side: Repo) -> None:
    """A take-over of it would need a number that nobody looks at."""
    assert side.coord("claim", "x").code == 0
    (record,) = installed.common("coord/board/claims").glob("*/*")
    (record.parent / f"{10**12 - 1}").write_bytes(b"x")
    assert side.coord("release", "x").refusal.rule == "store-unavailable"

    found = mended(installed, "record-unreadable")

    assert str(record.parent) in found.message
    assert side.coord("release", "x").code == 0


def test_of_a_long_line_the_place_that_is_lost_is_told(installed: Repo, side: Repo) -> None:
    """Who holds the scope is known; whoever has lost a place claims again."""
    store = Directory(str(installed.common("coord/board")))
    for number in range(60):
        scope.claim(store, number)
    assert healthy(side)
    top = claims.top(store, scope.SCOPE)
    assert top is not None
    named = keys.event(keys.claim(scope.SCOPE), top.parts[1].seq)
    installed.common(f"coord/board/{named}").write_bytes(b"{")

    assert rules(side) == {"record-unreadable"}
    said = side.coord("doctor").out
    assert "git coord show task:x" in said
    assert "unknown" in side.coord("show", "task:x").out
    scope.claim(store, 61)
    assert healthy(side)


def test_a_finished_branch_that_was_deleted_is_remarked(installed: Repo, side: Repo) -> None:
    """Its claims are held until somebody settles them, and nothing else speaks of it."""
    branch = side.git("branch", "--show-current").strip()
    side.commit("work", {"new": "x"})
    assert side.coord("finish").code == 0
    assert "deleted" not in notes(installed)
    side.git("checkout", "-q", "--detach")
    installed.git("branch", "-q", "-D", branch)

    assert f"finished, deleted, and held until settled: {branch}:" in notes(installed)
    assert branch in installed.coord("merge-order").out
