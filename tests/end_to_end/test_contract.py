"""The contract that others script against: the JSON keys, exit codes and refusals of every verb."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from coord.cli.verbs import VERBS

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
ACTOR = {"actor", "instance", "last_seen", "present", "gone", "branch", "worktree"}
CLAIM = {
    "scope", "state", "place", "actor", "instance", "branch", "issue", "session", "generation",
    "waits_on",
}  # fmt: skip
ROW = {
    "scope",
    "state",
    "stale",
    "paused",
    "paused_at",
    "gone",
    "generation",
    "holder",
    "claimants",
}
MESSAGE = {"id", "kind", "from", "to", "scope", "generation", "text", "sent_at", "read"}
STEP = {"position", "branch", "actor", "state", "footprint", "waits_on"}
FAILED = {"rule", "what", "where", "why", "run"}


def keys(repo: Repo, *words: str, code: int = 0) -> dict[str, Any]:
    """Run a verb with ``--json``; return its one document, whose schema is 1."""
    done = repo.coord(*words, "--json")
    assert done.code == code, f"{words}: {done.code}\n{done.out}{done.err}"
    found = json.loads(done.out)
    assert isinstance(found, dict)
    assert found["schema"] == 1
    return found


@pytest.fixture
def pair(installed: Repo, tmp_path: Path) -> tuple[Repo, Repo]:
    """Two pinned workers in worktrees of one repository."""
    one = installed.worktree(tmp_path / "one", "feat/one")
    return one, installed.worktree(tmp_path / "two", "feat/two")


def test_whoami(pair: tuple[Repo, Repo]) -> None:
    """Who acts, how that is known, and the author as git will write it."""
    found = keys(pair[0], "whoami")

    assert {"actor", "instance", "source", "name", "email", "worktree", "branch"} <= found.keys()
    assert found["source"] == "pinned"


def test_claim_and_board(pair: tuple[Repo, Repo]) -> None:
    """A second claimant waits, exit 0, and the board shows a contest."""
    one, two = pair
    held = keys(one, "claim", "run", "--issue", "7", "--session", "s")["claims"][0]
    waiting = keys(two, "claim", "run")["claims"][0]
    board = keys(two, "board")

    assert held.keys() >= CLAIM
    assert (held["state"], held["place"], held["generation"]) == ("held", 1, 1)
    assert (held["issue"], held["session"]) in {(7, "s"), ("7", "s")}
    assert (waiting["state"], waiting["place"]) == ("waiting", 2)
    assert waiting["waits_on"].keys() >= {"actor", "instance", "branch", "since"}
    row = board["claims"][0]
    assert row.keys() >= ROW
    assert (row["scope"], row["state"], len(row["claimants"])) == ("task:run", "contested", 2)
    assert row["claimants"][0].keys() >= {"actor", "instance", "branch", "place", "since", "state"}
    assert all(actor.keys() >= ACTOR for actor in board["actors"])
    assert INSTANT.fullmatch(row["claimants"][0]["since"])


def test_log(pair: tuple[Repo, Repo]) -> None:
    """A scope's history, oldest first."""
    pair[0].coord("claim", "run")
    pair[0].coord("release", "run")
    found = keys(pair[0], "log", "run")

    assert found["scope"] == "task:run"
    assert [event["seq"] for event in found["events"]] == [1, 2]
    assert [event["kind"] for event in found["events"]] == ["claim", "release"]
    assert all(
        event.keys() >= {"seq", "kind", "actor", "instance", "at"} for event in found["events"]
    )


def test_inbox_messages_and_handoff(pair: tuple[Repo, Repo]) -> None:
    """A message is shown once, an offer moves a scope only by its target's ack."""
    one, two = pair
    target = keys(two, "whoami")["actor"]
    one.coord("claim", "run")
    assert one.coord("send", "help", target, "please look", "--scope", "run").code == 0
    assert one.coord("handoff", target, "--scope", "run").code == 0
    messages = keys(two, "inbox")["messages"]
    offer = next(message for message in messages if message["kind"] == "handoff")

    assert all(message.keys() >= MESSAGE for message in messages)
    assert {message["kind"] for message in messages} == {"help", "handoff"}
    assert INSTANT.fullmatch(offer["sent_at"])
    assert (offer["scope"], offer["generation"]) == ("task:run", 1)
    assert one.coord("ack", offer["id"]).code == 1
    assert two.coord("ack", offer["id"]).code == 0
    assert keys(two, "board")["claims"][0]["generation"] == 2
    assert two.coord("ack", offer["id"]).code == 1


def test_the_kinds_of_messages_are_closed(pair: tuple[Repo, Repo]) -> None:
    """There is no kind that grants permission."""
    done = pair[0].coord("send", "approve", "anybody", "go on")

    assert done.code == 2
    assert all(
        kind in done.err for kind in ("intent", "overlap", "help", "handoff", "ack", "dependency")
    )


def test_announce_pause_and_overlap(pair: tuple[Repo, Repo]) -> None:
    """Announced paths that overlap are told, once; a pause releases nothing."""
    one, two = pair
    assert one.coord("announce", "--intent", "docs", "--path", "docs/*").code == 0
    assert two.coord("announce", "--intent", "guide", "--path", "docs/guide.md").code == 0
    assert one.coord("pause", "--reason", "lunch").code == 0
    row = next(c for c in keys(two, "board")["claims"] if c["scope"] == "branch:feat/one")
    kinds = [m["kind"] for m in keys(one, "inbox", "--all")["messages"]]

    assert row["paused"] is True
    assert INSTANT.fullmatch(row["paused_at"])
    assert "overlap" in kinds
    assert one.coord("resume").code == 0
    assert keys(two, "overlap")
    assert keys(two, "list")


def test_merge_order(pair: tuple[Repo, Repo], installed: Repo) -> None:
    """Finished branches, widest first; running ones marked; nothing is disturbed."""
    one, two = pair
    for worker, width in ((one, 1), (two, 2)):
        worker.commit("work", {f"f{width}": "x\n"})
        worker.coord("claim", *(f"artifact:a{width}{number}" for number in range(width)))
    assert one.coord("finish").code == 0
    assert two.coord("finish").code == 0
    found = keys(installed, "merge-order", "--onto", "main")

    assert found["cycles"] == []
    assert all(step.keys() >= STEP for step in found["order"])
    assert [step["branch"] for step in found["order"]] == ["feat/two", "feat/one"]
    assert [step["position"] for step in found["order"]] == [1, 2]
    assert {step["state"] for step in found["order"]} == {"finished"}
    rehearsed = keys(installed, "merge-order", "--onto", "main", "--rehearse")
    assert [step["branch"] for step in rehearsed["order"]] == ["feat/two", "feat/one"]


def test_the_ledgers(pair: tuple[Repo, Repo]) -> None:
    """What was shipped is mirrored, what was put down is listed, a kind is one of a closed set."""
    one = pair[0]
    assert one.coord("ship", "improve", "a faster start", "--lane", "speed").code == 0
    assert one.coord("ship", "dance", "x").code in {1, 2}
    assert one.coord("put-down", "task:old", "--reason", "stale", "--note", "gone").code == 0
    mirror = keys(one, "mirror")

    assert mirror["window"] == 12
    assert mirror["kinds"] == {"improve": 1}
    assert mirror["cold"].keys() >= {"kind", "last_shipped"}
    assert keys(one, "put-down", "--list")
    assert keys(one, "lanes")


def test_wake(pair: tuple[Repo, Repo]) -> None:
    """One screen, one suggestion, exit 0."""
    found = keys(pair[0], "wake", "--no-stagger")

    assert found.keys() >= {
        "actor", "actors", "claims", "contested", "messages", "mirror", "put_downs", "suggestion",
    }  # fmt: skip


def test_ids(pair: tuple[Repo, Repo]) -> None:
    """Two worktrees never get one number."""
    one, two = (keys(worker, "id", "next", "HW-DR") for worker in pair)

    assert {"namespace", "id", "path"} <= one.keys()
    assert one["id"] != two["id"]
    assert one["namespace"] == "HW-DR"
    assert one["path"].startswith("coordination/ids/HW-DR/")
    assert keys(pair[0], "id", "check")
    assert keys(pair[0], "id", "list")


def test_check_and_doctor(installed: Repo) -> None:
    """Both end in one document that says whether all is well."""
    check, doctor = keys(installed, "check"), keys(installed, "doctor")

    assert check["ok"] is True
    assert check["problems"] == []
    assert doctor.keys() >= {"ok", "findings"}


@pytest.mark.parametrize(
    "words",
    [
        ("sign-off",),
        ("release", "run"),
        ("claim", "run"),
        ("take-over", "run", "--reason", "x"),
        ("send", "help", "anybody", "x"),
        ("handoff", "anybody", "--scope", "run"),
        ("ack", "0123456789abcdef"),
    ],
    ids=lambda words: words[0],
)
def test_an_inferred_identity_is_refused_the_same_everywhere(
    installed: Repo, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Among several worktrees an unpinned one could be a peer's: exit 1, and JSON that says so."""
    installed.worktree(tmp_path / "peer", "peer")
    done = installed.coord(*words, "--json")
    said = json.loads(done.out)

    assert done.code == 1, done.err
    assert said["error"].keys() >= FAILED
    assert said["error"]["rule"] == "identity-inferred"
    assert "git coord pin" in said["error"]["run"]


def test_every_verb_explains_itself(installed: Repo) -> None:
    """``--help`` answers on stdout with exit 0, from any folder."""
    for verb in VERBS:
        done = installed.coord(verb, "--help")

        assert (verb, done.code) == (verb, 0)
        assert done.out.startswith(f"Usage: git coord {verb}")


def test_no_verb_knows_an_option_that_is_none(installed: Repo) -> None:
    """Wrong usage is exit 2 for every verb."""
    assert [v for v in VERBS if installed.coord(v, "--no-such-option").code != 2] == []
