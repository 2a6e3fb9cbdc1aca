"""``handoff`` and the ``ack`` of an offer: ownership moves so, and in no other way."""

from __future__ import annotations

import itertools
import os
import time
from typing import TYPE_CHECKING

import pytest

from harness.board import answer, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

ROUNDS = int(os.environ.get("COORD_TALK_ROUNDS", "2"))
ACKERS = 16


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker who holds task:x."""
    made = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    answer(made, "claim", "x", "--intent", "do it")
    return made


def offered(repo: Repo, to: str, *more: str) -> str:
    """Offer task:x and return the offer's id."""
    found: str = answer(repo, "handoff", to, "--scope", "x", *more)["offers"][0]["id"]
    return found


def owner(repo: Repo) -> tuple[str, int]:
    """Return who holds task:x, at which generation."""
    row = scope(repo, "task:x")
    return row["holder"]["actor"], row["generation"]


def refused(repo: Repo, offer: str, rule: str, named: str) -> None:
    """Insist that an ack is refused by `rule`, names the present owner, and prints what runs."""
    done = repo.coord("ack", offer)
    assert (done.code, done.refusal.rule) == (1, rule), done.err
    assert named in done.refusal.why
    assert repo.paste(done.refusal.run).code == 0


def test_the_targets_ack_transfers_a_scope(one: Repo, two: Repo) -> None:
    """One generation up; both are told, and what was said of the work goes with it."""
    offer = offered(one, "two-0002", "--note", "half done\x1b[2J")
    assert owner(one) == ("one-0001", 1)

    listed = answer(two, "inbox")["messages"][0]
    assert (listed["id"], listed["kind"], listed["from"]) == (offer, "handoff", "one-0001")
    assert (listed["scope"], listed["generation"]) == ("task:x", 1)
    assert listed["text"] == "half done\x1b[2J"
    claim = answer(two, "ack", offer)["claims"][0]

    assert (claim["state"], claim["actor"], claim["generation"]) == ("held", "two-0002", 2)
    assert claim["intent"] == "do it"
    assert "which you offered, is two-0002's now, generation 2" in one.coord("whoami").err
    assert [event["kind"] for event in answer(one, "log", "x")["events"]] == [
        "claim",
        "offer",
        "ack",
    ]


def test_an_offer_moves_nothing_and_is_told_at_once(one: Repo, two: Repo) -> None:
    """The holder reads how it is taken up, the target where it is read."""
    done = one.coord("handoff", "two-0002", "--note", "please")

    assert done.code == 0
    assert owner(one) == ("one-0001", 1)
    assert "stays yours until two-0002 runs git coord ack " in done.err
    told = two.coord("whoami").err
    assert "coord: one-0001 offers you task:x, see git coord inbox" in told
    assert "| please\n" in told


def test_a_standing_offer_is_listed_until_it_is_gone(one: Repo, two: Repo) -> None:
    """Read or not, it waits for an answer."""
    offered(one, "two-0002")

    assert [m["read"] for m in answer(two, "inbox")["messages"]] == [False]
    assert [m["read"] for m in answer(two, "inbox")["messages"]] == [True]
    answer(one, "release", "x")
    assert answer(two, "inbox")["messages"] == []


def test_a_repeated_ack_is_refused_and_says_that_it_is_ones_own(one: Repo, two: Repo) -> None:
    """Fail closed: exit 1, owner named, no second generation."""
    offer = offered(one, "two-0002")
    answer(two, "ack", offer)

    refused(two, offer, "offer-stale", "it is yours, at generation 2")
    assert owner(one) == ("two-0002", 2)


@pytest.mark.usefixtures("two")
def test_an_ack_by_somebody_else_takes_nothing(one: Repo, three: Repo) -> None:
    """Nor by the holder itself."""
    offer = offered(one, "two-0002")

    refused(three, offer, "not-holder", "held by one-0001")
    refused(one, offer, "not-holder", "held by one-0001")
    assert owner(one) == ("one-0001", 1)


def test_another_instance_of_the_same_name_takes_nothing(repo: Repo, one: Repo, two: Repo) -> None:
    """The worktree was made anew, with the same branch and name: an offer is to an instance."""
    offer = offered(one, "two-0002")
    repo.git("worktree", "remove", "--force", str(two.path))
    repo.git("branch", "-D", "feat-two")
    again = worker(repo, two.path, "feat-two", "two-0002")

    refused(again, offer, "not-holder", "held by one-0001")
    assert answer(again, "inbox")["messages"] == []


@pytest.mark.parametrize("change", ["release", "take-over", "handoff", "reclaim"])
def test_an_ack_after_the_holder_changed_is_late(
    one: Repo, two: Repo, three: Repo, change: str
) -> None:
    """Released, taken over, taken up by another, released and claimed again: nothing to take."""
    offer = offered(one, "two-0002")
    if change == "take-over":
        answer(three, "take-over", "x", "--reason", "r", "--from-present")
    elif change == "handoff":
        answer(three, "ack", offered(one, "three-0003"))
    else:
        answer(one, "release", "x")
    if change == "reclaim":
        answer(one, "claim", "x")
    before = scope(one, "task:x")

    named = {"release": "nobody", "reclaim": "one-0001"}.get(change, "three-0003")
    refused(two, offer, "offer-stale", named)
    assert scope(one, "task:x") == before


def test_a_former_holder_offers_nothing(one: Repo, two: Repo, three: Repo) -> None:
    """Re-sent after a bump: refused, with the owner; the old offer stays void."""
    first = offered(one, "two-0002")
    answer(three, "take-over", "x", "--reason", "r", "--from-present")
    done = one.coord("handoff", "two-0002", "--scope", "x")

    assert (done.code, done.refusal.rule) == (1, "not-holder")
    assert "three-0003" in done.refusal.why
    assert one.paste(done.refusal.run).code == 0
    refused(two, first, "offer-stale", "three-0003")


def test_who_waits_offers_nothing(one: Repo, two: Repo) -> None:
    """And nothing of what was named is offered then."""
    answer(two, "claim", "x")
    answer(two, "claim", "a")
    done = two.coord("handoff", "one-0001", "--scope", "a", "--scope", "x")

    assert done.refusal.rule == "not-holder"
    assert [event["kind"] for event in answer(one, "log", "a")["events"]] == ["claim"]


def test_without_a_scope_all_that_is_held_is_offered(one: Repo, two: Repo) -> None:
    """Each by itself; who holds nothing offers nothing."""
    answer(one, "claim", "y")
    made = answer(one, "handoff", "two-0002")["offers"]

    assert [offer["scope"] for offer in made] == ["task:x", "task:y"]
    done = two.coord("handoff", "one-0001")
    assert (done.code, done.refusal.rule) == (1, "not-holder")
    assert two.paste(done.refusal.run).code == 0


def test_the_taker_leaves_the_line_for_its_head(one: Repo, two: Repo, three: Repo) -> None:
    """Others keep their places."""
    answer(three, "claim", "x")
    answer(two, "claim", "x")
    answer(two, "ack", offered(one, "two-0002"))

    line = [c["actor"] for c in scope(one, "task:x")["claimants"]]
    assert line == ["two-0002", "three-0003"]


def test_claiming_or_announcing_again_moves_no_generation(one: Repo, two: Repo) -> None:
    """From another session too; the offer stands on."""
    offer = offered(one, "two-0002")
    answer(one, "claim", "x", "--session", "another")

    assert owner(one) == ("one-0001", 1)
    assert answer(two, "ack", offer)["claims"][0]["generation"] == 2


def test_a_name_offers_to_each_of_its_instances_and_one_has_it(
    tmp_path: Path, repo: Repo, one: Repo
) -> None:
    """It is said so; an instance is named by the start of its id."""
    first = worker(repo, tmp_path / "t1", "t1", "twin-0001")
    second = worker(repo, tmp_path / "t2", "t2", "twin-0002")
    done = one.coord("handoff", "twin", "--scope", "x")
    assert "2 live instances answer to twin" in done.err
    offer = answer(first, "inbox")["messages"][0]["id"]

    answer(second, "ack", offer)
    refused(first, offer, "offer-stale", "twin-0002")

    instance = answer(first, "whoami")["instance"]
    made = answer(second, "handoff", instance[:8])["offers"][0]
    assert made["to"]["instances"] == [instance]


def test_a_coordinators_claim_is_taken_up_by_an_ack_of_its_scope(one: Repo, two: Repo) -> None:
    """As by claiming; what was claimed for nobody's or another's branch is not."""
    answer(one, "claim", "y", "--branch", "feat-two", "--issue", "7")
    for name in ("task:x", "task:free"):
        done = two.coord("ack", name)
        assert (done.code, done.refusal.rule) == (1, "not-holder")
        assert two.paste(done.refusal.run).code == 0

    (claim,) = answer(two, "ack", "task:y")["claims"]

    assert (claim["state"], claim["actor"], claim["issue"]) == ("held", "two-0002", 7)
    assert claim["generation"] == 2
    assert two.coord("ack", "task:y").refusal.rule == "not-holder"


@pytest.mark.usefixtures("one")
def test_an_inferred_identity_takes_up_and_offers_nothing(repo: Repo) -> None:
    """As with a sign-off: the shared checkout, unpinned; the printed command pins."""
    for words in (("ack", "0123456789abcdef"), ("handoff", "one-0001"), ("pause",), ("resume",)):
        done = repo.coord(*words)
        assert (done.code, done.refusal.rule) == (1, "identity-inferred")
    assert repo.paste(done.refusal.run).code == 0


def test_a_leaked_git_dir_takes_nothing_and_the_printed_command_does(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """Both verbs are printed whole."""
    leaked = one.with_env(GIT_DIR=str(repo.path / ".git"))
    done = leaked.run("git-coord", "handoff", "two-0002", "--scope", "x", "--note", "it's")
    assert done.refusal.rule == "identity-conflict"
    assert leaked.paste(done.refusal.run).code == 0

    offer = answer(two, "inbox")["messages"][0]
    assert offer["text"] == "it's"
    leaked = two.with_env(GIT_DIR=str(repo.path / ".git"))
    done = leaked.run("git-coord", "ack", offer["id"])
    assert leaked.paste(done.refusal.run).code == 0
    assert owner(one) == ("two-0002", 2)


def test_of_many_acks_at_once_one_wins(repo: Repo, tmp_path: Path) -> None:
    """Sixteen processes, an offer each: one owner, one generation, all others named it.

    COORD_TALK_ROUNDS raises the number of rounds.
    """
    holder = worker(repo, tmp_path / "holder", "holder", "holder-0000")
    takers = [
        worker(repo, tmp_path / f"w{number}", f"w{number}", f"taker-{number:04x}")
        for number in range(ACKERS)
    ]
    for number in range(ROUNDS):
        name = f"race-{number}"
        answer(holder, "claim", name)
        offers = [
            answer(holder, "handoff", f"taker-{taker:04x}", "--scope", name)["offers"][0]["id"]
            for taker in range(ACKERS)
        ]
        won = _raced(takers, offers)

        row = scope(holder, f"task:{name}")
        assert len(won) == 1
        assert row["holder"]["actor"] == f"taker-{won[0]:04x}"
        assert row["generation"] == 2
        answer(takers[won[0]], "release", name)


def test_an_ack_a_release_and_a_take_over_at_once_leave_one_owner(
    one: Repo, two: Repo, three: Repo
) -> None:
    """Whatever comes first: an ack that says yes is in the log, right at the offer's generation."""
    for number in range(ROUNDS):
        name = f"race-{number}"
        answer(one, "claim", name)
        offer = answer(one, "handoff", "two-0002", "--scope", name)["offers"][0]["id"]
        taking = ("take-over", name, "--reason", "r", "--from-present")
        ended = _at_once([(two, ("ack", offer)), (one, ("release", name)), (three, taking)])

        events = answer(one, "log", name)["events"]
        kinds = [event["kind"] for event in events]
        assert kinds.count("ack") == (1 if ended[0][1] == 0 else 0)
        for before, after in itertools.pairwise(events):
            if after["kind"] == "ack":
                assert (before["generation"], after["generation"]) == (1, 2)
                assert before["line"][0]["actor"] == "one-0001"
        if ended[0][1]:
            assert "coord: offer-stale: " in ended[0][0]
        for repo in (one, two, three):
            repo.coord("release", name)


def _raced(takers: list[Repo], offers: list[str]) -> list[int]:
    """Ack all offers at one moment; return who won; the losers were refused by the rule."""
    ended = _at_once([(taker, ("ack", offer)) for taker, offer in zip(takers, offers, strict=True)])
    for err, code in ended:
        assert code in {0, 1}, err
        assert code == 0 or "coord: offer-stale: " in err
    return [number for number, (_, code) in enumerate(ended) if code == 0]


def _at_once(commands: list[tuple[Repo, tuple[str, ...]]]) -> list[tuple[str, int]]:
    """Run commands in processes of their own, at one moment; return (stderr, status) of each."""
    start = time.time() + 1.5
    line = "import os, sys, time; time.sleep(max(0, float(sys.argv[1]) - time.time())); "
    line += "os.execvp('git-coord', ['git-coord', *sys.argv[2:]])"
    racing = [
        repo.begun("python3", "-c", line, str(start), *words, text=True) for repo, words in commands
    ]
    return [(process.communicate()[1], process.returncode) for process in racing]


def test_a_release_says_that_an_offer_ended_with_it(one: Repo, two: Repo) -> None:
    """And who was offered it is not told that it stands."""
    answer(one, "claim", "z")
    answer(one, "handoff", "two-0002", "--scope", "z")
    done = one.coord("release", "z")

    assert "the offer of task:z to two-0002 ended with it" in done.err
    news = two.coord("whoami").err
    assert "one-0001 offered you task:z at " in news
    assert "but that offer stands no longer" in news
    assert "offers you task:z" not in news


@pytest.mark.usefixtures("two")
def test_the_log_says_to_whom_a_scope_was_offered(one: Repo) -> None:
    """And an offer without a note has no empty line of words."""
    answer(one, "claim", "z")
    answer(one, "handoff", "two-0002", "--scope", "z")
    lines = one.coord("log", "z").out.splitlines()

    assert lines[-1].endswith("→ offered to two-0002, held by one-0001, generation 1")
