"""The paragraph for AGENTS.md: each sentence is held by a test, and doing as it says works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from coord.cli.verbs import VERBS

if TYPE_CHECKING:
    from harness import Repo

ROOT = Path(__file__).parent.parent.parent.parent
TEXT = (ROOT / "src" / "coord" / "cli" / "agents.md").read_text()
# How a sentence begins → the test that fails when it is no longer true.
HELD = {
    "Several workers share": "coord/cli/test_exclusion.py::",
    "Work in the worktree": "coord/cli/test_who.py::test_a_new_worktree_is_pinned",
    "Never change `user.name`": "coord/cli/test_who.py::test_whoami_says_when_git_would_write",
    "Begin with": "coord/cli/test_wake.py::test_one_screen_for_a_person",
    "Before you start": "coord/cli/test_claims.py::test_the_first_holds_and_the_second",
    "Where it says that you wait": "coord/cli/test_claims.py::test_who_waits_can_leave_the_line",
    "Claim what is generated": "coord/cli/test_claims.py::test_eight_who_claim_one_artifact",
    "Where another holds it": "coord/cli/test_claims.py::test_who_waits_for_an_artifact_is_told",
    "Three lines that begin": "end_to_end/test_refusals_pasted.py::",
    "Never `--trust`": "coord/cli/test_resolve.py::test_a_changed_producer_is_not_the_accepted",
    "Files with": "coord/cli/test_resolve.py::test_the_drivers_command_ends_in_a_merge",
    "Those with `coord-log`": "hooks/test_logrules.py::",
    "Those with `coord-once`": "hooks/test_oncerules.py::",
    "Lines behind": "coord/cli/test_talk.py::test_a_messages_text_is_marked_on_every_line",
    "Read `git coord inbox`": "coord/cli/test_offers.py::test_the_targets_ack_transfers_a_scope",
    "Stuck": "coord/cli/test_pauses.py::test_a_pause_marks_claims_and_tells",
    "Considered and left": "coord/cli/test_ledgers.py::test_a_put_down_is_listed_with_its",
    "Done and committed": "coord/cli/test_ledgers.py::test_a_move_is_recorded_with_who",
    "At the very end": "coord/cli/test_leave.py::test_a_sign_off_releases_everything",
}


def sentences() -> list[str]:
    """Return the sentences below the heading; a full stop inside of a code span ends none."""
    body = " ".join(line.removeprefix("- ") for line in TEXT.splitlines()[1:] if line)
    return re.findall(r"[A-Z](?:`[^`]*`|[^.`])*\.", body)


def test_it_is_printed_as_it_stands(repo: Repo) -> None:
    """Ready to be appended; nobody has to have installed anything."""
    assert repo.run("git-coord", "agents").out == TEXT
    assert len(TEXT.split()) <= 300


def test_each_sentence_is_held_by_a_test_that_is_there() -> None:
    """A sentence that nothing holds is a promise."""
    told = sentences()
    assert len(told) == len(HELD)
    for sentence, (begins, test) in zip(told, HELD.items(), strict=True):
        assert sentence.startswith(begins)
        path, _, name = test.partition("::")
        assert f"def {name or 'test_'}" in (ROOT / "tests" / path).read_text()


def test_it_names_verbs_that_there_are() -> None:
    """A command that is mistyped costs each agent a turn."""
    named = re.findall(r"git coord ([a-z-]+)", TEXT)
    assert len(set(named)) >= 14
    assert set(named) <= VERBS.keys()


def test_who_does_as_it_says_gets_through(one: Repo, two: Repo) -> None:
    """One task from the first command to the last, beside a worker that wants the same things."""
    two.coord("claim", "artifact:schema.json")
    commands = [
        ("whoami", 0),
        ("wake", 0),
        ("claim parser", 0),
        ("claim artifact:schema.json", 0),
        ("id next rfc", 0),
        ("inbox", 0),
        ("put-down cache --reason weak", 0),
        ("pause --reason later", 0),
        ("resume", 0),
        ("ship improve what --scope parser", 0),
    ]
    for command, code in commands:
        done = one.coord(*command.split())
        assert done.code == code, f"{command}\n{done.err}"
    one.paste("git add coordination rfc && git commit -q -m 'The parser'")
    for command in ("finish", "handoff two-0002 --scope parser", "sign-off"):
        done = one.coord(*command.split())
        assert done.code == 0, f"{command}\n{done.err}"

    assert "task:parser" in two.coord("inbox").out
