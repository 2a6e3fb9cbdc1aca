"""Public reports about claims that two held, that wedged or that lied, each as it was reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness import QUIET
from harness.board import silence

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def pair(installed: Repo, tmp_path: Path) -> tuple[Repo, Repo]:
    """Two pinned worktrees."""
    return installed.worktree(tmp_path / "a", "a"), installed.worktree(tmp_path / "b", "b")


def state(done_out: str) -> str:
    """Return the state of the only claim in an answer."""
    (claim,) = json.loads(done_out)["claims"]
    return str(claim["state"])


def test_two_worktrees_with_one_name_are_two_owners(installed: Repo, tmp_path: Path) -> None:
    """With the actor taken from ``user.name`` both won the same claim.

    gastownhall/beads#5998, #3575. An inferred actor may not release.
    """
    named = installed.with_env(COORD_ACTOR="agent")
    a, b = (named.worktree(tmp_path / name, name) for name in "ab")

    first = a.coord("claim", "task:x", "--json")
    second = b.coord("claim", "task:x", "--json")
    stranger = installed.coord("release", "task:x")

    assert (state(first.out), state(second.out)) == ("held", "waiting")
    assert stranger.code == 1
    assert stranger.refusal.rule == "identity-inferred"
    assert state(a.coord("claim", "task:x", "--json").out) == "held"


def test_eight_racing_claimants_are_one_holder_and_a_line(installed: Repo, tmp_path: Path) -> None:
    """O_EXCL and a later write let losers read an empty claim; ``mkdir`` let two win.

    overdeck#2623, swamp#2381, catalyst#3921, clodex#8, agents-in-a-box#478, headwater (uutils).
    """
    trees = [installed.worktree(tmp_path / f"w{n}", f"w{n}") for n in range(8)]

    running = [tree.begun("git", "coord", "claim", "task:x", "--json", text=True) for tree in trees]
    answers = [state(process.communicate(timeout=60)[0]) for process in running]

    assert sorted(answers) == ["held", *["waiting"] * 7]


def test_a_torn_record_is_shown_and_only_taken_by_an_explicit_verb(pair: tuple[Repo, Repo]) -> None:
    """A zero-byte claim wedged everybody, or was stolen without a word (overdeck#2623)."""
    a, b = pair
    assert a.coord("claim", "task:x").code == 0
    record = next(
        path
        for path in sorted(a.common("coord/board/claims").rglob("*"), reverse=True)
        if path.is_file()
    )
    record.write_bytes(b"")

    assert "unknown" in b.coord("board").out
    assert state(b.coord("claim", "task:x", "--json").out) == "waiting"
    taken = b.coord("take-over", "task:x", "--reason", "its record is torn")

    assert taken.code == 0, taken.err
    assert state(b.coord("claim", "task:x", "--json").out) == "held"


def test_of_two_who_take_a_stale_claim_one_wins(installed: Repo, tmp_path: Path) -> None:
    """Both stole it, or the marker of the reclaim leaked (factory-factory#1631, remnic#2339)."""
    a, b, c = (installed.worktree(tmp_path / name, name) for name in "abc")
    assert a.coord("claim", "task:x").code == 0
    installed.git("worktree", "remove", "--force", str(a.path))

    running = [
        tree.begun("git", "coord", "take-over", "task:x", "--gone", "--reason", "gone", **QUIET)
        for tree in (b, c)
    ]
    codes = sorted(process.wait(60) for process in running)

    assert codes == [0, 1]
    (claim,) = json.loads(c.coord("board", "--json").out)["claims"]
    assert claim["generation"] == 2


def test_the_former_holder_is_told_at_its_next_command(pair: tuple[Repo, Repo]) -> None:
    """It went on working on what another held by then.

    agents-can-communicate#48, OffbandMesh#373.
    """
    a, b = pair
    assert a.coord("claim", "task:x").code == 0
    reason = ("--from-present", "--reason", "agreed")
    assert b.coord("take-over", "task:x", *reason).code == 0

    told = a.coord("whoami")

    assert "task:x" in told.err
    assert "b-" in told.err


def test_a_verb_repeated_after_a_lost_answer_says_what_is_so(pair: tuple[Repo, Repo]) -> None:
    """A claim was changed and the command failed; another said 0 and had cleared nothing.

    beadhive#8, gastownhall/gastown#4698.
    """
    a, b = pair
    for _ in range(2):
        assert state(a.coord("claim", "task:x", "--json").out) == "held"
    for _ in range(2):
        assert a.coord("release", "task:x").code == 0
    assert state(b.coord("claim", "task:x", "--json").out) == "held"
    assert a.coord("release", "task:x").code == 1
    assert "b-" in b.coord("board").out


def test_silence_shows_and_never_frees(pair: tuple[Repo, Repo]) -> None:
    """A heartbeat is no life: a reaped agent locked again, a reused pid was alive.

    gastownhall/gastown#4468, #1681, codedb#411, agent-afk#716, OpenHands#3184.
    """
    a, b = pair
    assert a.coord("claim", "task:x").code == 0
    silence(a, 2 * 86400)

    (claim,) = json.loads(b.coord("board", "--json").out)["claims"]
    again = b.coord("claim", "task:x", "--json")

    assert claim["holder"]["actor"].startswith("a-")
    assert (claim["state"], claim["stale"]) == ("held", True)
    assert state(again.out) == "waiting"


def test_two_worktrees_never_write_one_identifier(pair: tuple[Repo, Repo]) -> None:
    """``open(…, "x")`` in a worktree sees no other: both wrote 0002, and it merged in silence.

    rjmurillo/ai-agents#4561, kamp-us#1471, #420, #8901, Guust-Franssens#513. Two who do write one
    number, each with a tool of its own, are refused at the merge, and one command parts them.
    """
    ids = [json.loads(one.coord("id", "next", "DEC", "--json").out)["id"] for one in pair]
    assert sorted(ids) == ["DEC-0001", "DEC-0002"]

    a, b = pair
    assert a.coord("track", "once", "coordination/ids/**").code == 0
    a.git("add", "-A")
    for one, who in ((a, "ann"), (b, "bob")):
        one.commit("by hand", {"coordination/ids/DEC/DEC-0009.toml": f'actor = "{who}"\n'})
    merged = a.tried("merge", "b")

    assert merged.code == 1
    assert merged.refusal.rule == "id-taken"
    assert "ann" in merged.err
    assert "bob" in merged.err
    assert a.paste(merged.refusal.run).code == 0
    assert a.tried("commit", "-q", "--no-edit").code == 0
    assert a.coord("id", "check").code == 0
    kept = a.git("ls-files", "coordination/ids/DEC").split()
    assert len(kept) == 4


def test_a_finished_branch_that_is_renamed_is_not_deleted(
    installed: Repo, pair: tuple[Repo, Repo]
) -> None:
    """The branch was looked for by the name that it was claimed under, and left out.

    git-flow-next#231. Every other way to another name is in tests/coord/cli/test_renamed.py.
    """
    _, b = pair
    b.coord("claim", "lexer")
    b.commit("work", {"y": "y\n"})
    b.coord("finish")

    b.git("branch", "-m", "b", "feat/lexer")

    shown = installed.coord("merge-order", "--rehearse")
    assert "deleted" not in shown.out
    assert "feat/lexer" in shown.out
    assert "was b" in shown.out
    assert "git merge --no-edit feat/lexer" in shown.out
