"""``sign-off``: refused where it could end somebody else's session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.board import actor, answer, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_shared_checkout_on_a_peers_branch_cannot_sign_the_peer_off(
    installed: Repo, tmp_path: Path
) -> None:
    """The incident: identity inferred from a branch that a peer had checked out."""
    installed.worktree(tmp_path / "w", "worker")
    installed.git("checkout", "-q", "-b", "peer-long-run")

    done = installed.coord("sign-off")

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"
    assert "peer-long-run" in done.refusal.headline
    assert installed.paste(done.refusal.run).code == 0
    assert installed.coord("sign-off").code == 0


def test_a_pinned_worker_signs_off_and_sees_what_is_left(installed: Repo, tmp_path: Path) -> None:
    """The report names uncommitted work."""
    tree = installed.worktree(tmp_path / "w", "worker")
    tree.write("left", "x")

    done = tree.coord("sign-off", "--json")

    assert done.code == 0
    assert json.loads(done.out)["changed"] == ["left"]


def test_sign_off_does_not_pin(installed: Repo, tmp_path: Path) -> None:
    """A pin made at the moment of leaving would be the very guess it guards against."""
    installed.git("worktree", "add", "-q", "--no-checkout", str(tmp_path / "w"))
    tree = installed.at(tmp_path / "w")

    assert tree.coord("sign-off").code == 1
    assert not tree.private("coord-identity.toml").exists()


def test_a_contradicting_actor_is_refused_and_the_command_resolves_it(installed: Repo) -> None:
    """COORD_ACTOR left over from another worktree."""
    installed.coord("pin", "--actor", "hopper")
    leaked = installed.with_env(COORD_ACTOR="lovelace")

    done = leaked.coord("sign-off")

    assert done.code == 1
    assert done.refusal.rule == "identity-conflict"
    assert leaked.paste(done.refusal.run).code == 0


def test_a_leaked_git_dir_is_refused_naming_both(installed: Repo, tmp_path: Path) -> None:
    """Exit 1; the printed command acts on the folder."""
    tree = installed.worktree(tmp_path / "w", "side")
    leaked = tree.with_env(GIT_DIR=str(installed.private()))

    done = leaked.run("git-coord", "sign-off")

    assert done.code == 1
    assert str(tree.private()) in done.refusal.headline
    assert leaked.paste(done.refusal.run).code == 0


def test_the_peers_claim_on_a_live_run_survives(installed: Repo, tmp_path: Path) -> None:
    """The incident whole: signed off as the peer, its claim on a long run was released."""
    peer = installed.with_env(COORD_ACTOR="peer")
    installed.git("checkout", "-q", "-b", "peer-run")
    answer(peer, "claim", "task:run")
    me = worker(installed, tmp_path / "w", "worker", "worker-0001")
    answer(me, "claim", "task:mine")

    done = me.paste(f"cd '{installed.path}' && git coord sign-off")

    assert done.code == 1
    assert "peer-run" in done.refusal.headline
    assert "inferred" in done.refusal.why
    assert scope(me, "task:run")["holder"]["actor"] == "peer"
    assert scope(me, "task:mine")["holder"]["actor"] == "worker-0001"


def test_a_sign_off_releases_everything_and_drops_presence(installed: Repo, tmp_path: Path) -> None:
    """Held and waited for; who was behind holds now; nothing of a peer's is touched."""
    one = worker(installed, tmp_path / "one", "feat-one", "one-0001")
    two = worker(installed, tmp_path / "two", "feat-two", "two-0002")
    answer(one, "claim", "a", "b")
    answer(two, "claim", "b", "c")
    answer(one, "claim", "c")

    left = answer(one, "sign-off")

    assert [(row["scope"], (row["next"] or {}).get("actor")) for row in left["released"]] == [
        ("task:a", None),
        ("task:b", "two-0002"),
        ("task:c", "two-0002"),
    ]
    assert [c["actor"] for c in scope(two, "task:c")["claimants"]] == ["two-0002"]
    assert not actor(two, "one-0001")["present"]
    assert actor(two, "one-0001")["last_seen"] is None
    assert one.coord("sign-off").code == 0


def test_whoever_signs_off_in_line_leaves_the_line(installed: Repo, tmp_path: Path) -> None:
    """The scope is no more released than its holder is new; who held it has an heir."""
    one = worker(installed, tmp_path / "one", "feat-one", "one-0001")
    two = worker(installed, tmp_path / "two", "feat-two", "two-0002")
    three = worker(installed, tmp_path / "three", "feat-three", "three-0003")
    for each in (one, two, three):
        answer(each, "claim", "a")

    said = [each.coord("sign-off").out.splitlines()[1] for each in (two, one, three)]

    assert said == [
        "left the line: task:a, still held by one-0001",
        "released: task:a, now held by three-0003",
        "released: task:a",
    ]


def test_a_sign_off_keeps_what_is_offered(installed: Repo, tmp_path: Path) -> None:
    """The offer outlives the session; it is said to whom it was made, and how to give it up."""
    one = worker(installed, tmp_path / "one", "feat-one", "one-0001")
    two = worker(installed, tmp_path / "two", "feat-two", "two-0002")
    answer(one, "claim", "big", "small")
    offer = answer(one, "handoff", "two-0002", "--scope", "big", "--note", "half done")["offers"][0]

    done = one.coord("sign-off")
    left = answer(one, "sign-off")

    said = "kept: task:big is offered to two-0002; git coord release task:big gives it up"
    assert said in done.out.splitlines()
    assert "released: task:small" in done.out
    assert (left["released"], left["kept"]) == ([], ["task:big"])
    assert [(o["scope"], o["id"], o["to"]["actor"]) for o in left["offered"]] == [
        ("task:big", offer["id"], "two-0002")
    ]
    assert answer(two, "ack", offer["id"])["claims"][0]["state"] == "held"
    assert "two-0002's now" in one.coord("sign-off").err


def test_the_way_out_of_a_kept_offer_works(installed: Repo, tmp_path: Path) -> None:
    """The printed command gives it up."""
    one = worker(installed, tmp_path / "one", "feat-one", "one-0001")
    worker(installed, tmp_path / "two", "feat-two", "two-0002")
    answer(one, "claim", "big")
    answer(one, "handoff", "two-0002")
    (line,) = [text for text in one.coord("sign-off").out.splitlines() if "; " in text]

    assert one.paste(line.partition("; ")[2].removesuffix(" gives it up")).code == 0
    assert scope(one, "task:big")["state"] == "free"


def test_what_is_offered_to_a_removed_worktree_is_released(installed: Repo, tmp_path: Path) -> None:
    """Nobody could ever take it up."""
    one = worker(installed, tmp_path / "one", "feat-one", "one-0001")
    two = worker(installed, tmp_path / "two", "feat-two", "two-0002")
    answer(one, "claim", "big")
    answer(one, "handoff", "two-0002")
    installed.git("worktree", "remove", "--force", str(two.path))

    done = one.coord("sign-off")

    assert "released: task:big" in done.out
    assert "the offer of task:big to two-0002 ended with it" in done.err
