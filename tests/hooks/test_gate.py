"""The commit gate from end to end: refused, settled by the printed command, noted in a trailer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from coord.guard import refusal
from harness.clinic import notes

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

RESOLVED = "--format=%(trailers:key=Coord-Resolved,valueonly)"
ODD = 's p/q"u\té.json'


def declare(repo: Repo) -> None:
    """Declare every .json a derived file that ``cat parts`` makes, and .tsv files as logs."""
    done = repo.coord("track", "derived", "*.json", "--regenerate", "cat parts/* >{path}")
    assert done.code == 0, done.err
    done = repo.coord("track", "log", "*.tsv")
    assert done.code == 0, done.err
    repo.git("add", "-A")
    repo.commit("declare")


def fork(repo: Repo, *paths: str) -> None:
    """Regenerate `paths` on branches main and side, each with its own part; end on main."""
    declare(repo)
    repo.commit("base", {"parts/0": "0\n", **dict.fromkeys(paths, "0\n")})
    for branch, options in (("side", ["-q", "-b", "side"]), ("main", ["-q", "main"])):
        repo.git("checkout", *options)
        made = dict.fromkeys(paths, f"0\n{branch}\n")
        repo.commit(f"{branch} regenerates", {f"parts/{branch}": f"{branch}\n", **made})


def test_a_swallowed_refusal_is_stopped_and_the_printed_command_cures_it(installed: Repo) -> None:
    """``git add -A`` would have taken one side without a word; the cure is told by the commit."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"
    assert done.refusal.headline.endswith(": schema.json")
    assert done.refusal.run == "git coord regenerate schema.json"
    cured = installed.paste(done.refusal.run)
    assert cured.code == 0, cured.err
    installed.git("commit", "-qm", "merge")
    assert installed.read("schema.json") == "0\nmain\nside\n"
    assert installed.git("log", "-1", RESOLVED).startswith("schema.json ")
    installed.commit("next")
    assert not refusal.read_all(str(installed.private()))


def test_many_refused_paths_are_one_refusal_and_one_command(installed: Repo) -> None:
    """The first is named, and how many more; what is pasted cures them all."""
    fork(installed, "a.json", "b.json", "c.json")
    installed.tried("merge", "side")
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")

    assert done.refusal.headline.endswith("(and 2 more)")
    assert done.refusal.run == "git coord regenerate --all"
    installed.paste(done.refusal.run)
    done = installed.tried("commit", "-qm", "merge")
    assert done.code == 0, done.err
    assert len(installed.git("log", "-1", RESOLVED).split("\n")) == 4


def test_an_odd_path_is_pasted_whole(installed: Repo) -> None:
    """Blank, quote, tab and a letter outside ASCII; the trailer names it C-quoted."""
    fork(installed, ODD)
    installed.tried("merge", "side")
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")
    assert done.code == 1
    cured = installed.paste(done.refusal.run)
    assert cured.code == 0, cured.err
    installed.git("commit", "-qm", "merge")

    assert installed.git("log", "-1", RESOLVED).startswith('"s p/q\\"u\\t\\303\\251.json" ')


def test_a_path_that_looks_like_an_option_is_pasted_whole(installed: Repo) -> None:
    """It gets a ``./`` in front."""
    fork(installed, "-q.json")
    installed.tried("merge", "side")
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")

    assert done.refusal.run == "git coord regenerate ./-q.json"
    assert installed.paste(done.refusal.run).code == 0
    installed.git("commit", "-qm", "merge")


def test_a_refused_log_takes_both(installed: Repo) -> None:
    """Its way out keeps the records of both sides."""
    declare(installed)
    installed.commit("base", {"l.tsv": "one\ntwo\n"})
    installed.git("checkout", "-q", "-b", "side")
    installed.commit("side", {"l.tsv": "one\ntwo\nside\n"})
    installed.git("checkout", "-q", "main")
    installed.write("l.tsv", "one\nTWO\n")
    on_purpose = ("--take", "worktree", "--reason", "on purpose")
    assert installed.coord("resolve", "l.tsv", *on_purpose).code == 0
    installed.commit("main")
    assert installed.tried("merge", "side").code == 1
    installed.git("checkout", "--ours", "l.tsv")
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")

    assert done.code == 1
    assert done.refusal.run.startswith("git coord resolve l.tsv --take both --reason ")
    assert installed.paste(done.refusal.run).code == 0
    installed.git("commit", "-qm", "merge")
    assert installed.git("log", "-1", RESOLVED).startswith(
        "l.tsv HEAD as it stands, and what the other side added"
    )
    assert {"side", "TWO"} <= set(installed.read("l.tsv").split())


def test_a_side_may_be_taken_with_a_reason(installed: Repo) -> None:
    """What is refused is to take it without a word."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    why = "side has the newer generator"
    assert installed.coord("resolve", "schema.json", "--take", "theirs", "--reason", why).code == 0
    installed.git("commit", "-qm", "merge")

    assert installed.read("schema.json") == "0\nside\n"
    assert installed.git("log", "-1", RESOLVED) == f"schema.json {why}\n"


def settled(repo: Repo) -> None:
    """End in a merge whose refusal is settled but not committed."""
    fork(repo, "schema.json")
    repo.tried("merge", "side")
    done = repo.coord("regenerate", "schema.json")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    "command",
    [
        "git commit -q --no-edit",
        "git commit -qm subject",
        "git commit -q --no-verify -m subject",
        "git merge --continue",
        "git commit -q -v -e -m subject",
        "git commit -q -s -m subject",
        "git commit -q -m subject -m 'Reviewed-by: Bob <b@example.com>'",
        "git commit -q -m subject -m 'body\n---\nmore'",
        "printf 'subject\\n\\n# no comment\\n' | git commit -q --cleanup=verbatim -F -",
    ],
)
def test_the_trailer_lands_in_the_message(installed: Repo, command: str) -> None:
    """Once, parsed by git as a trailer, above the scissors, in the block that is there."""
    settled(installed)
    done = installed.with_env(GIT_EDITOR="touch").paste(command)

    assert done.code == 0, done.err
    body = installed.git("log", "-1", "--format=%B")
    assert body.count("Coord-Resolved: schema.json ") == 1
    assert installed.git("log", "-1", RESOLVED).startswith("schema.json regenerated")
    assert "diff --git" not in body
    assert ">8" not in body


def test_a_merge_tried_twice_bears_one_trailer(installed: Repo) -> None:
    """The first try was aborted, and its record is settled with the second's."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    installed.git("merge", "--abort")
    installed.tried("merge", "side")
    assert installed.coord("regenerate").code == 0
    installed.git("commit", "-qm", "merge")

    assert installed.git("log", "-1", "--format=%B").count("Coord-Resolved") == 1


def test_the_trailer_survives_an_amend_without_a_second(installed: Repo) -> None:
    """The record is stale by then; the message is not."""
    settled(installed)
    installed.git("commit", "-qm", "merge")
    installed.git("commit", "-q", "--amend", "--no-edit")

    assert installed.git("log", "-1", "--format=%B").count("Coord-Resolved") == 1


@pytest.mark.parametrize("start", ["git cherry-pick side", "git rebase main side"])
def test_a_settled_replay_bears_the_trailer_too(installed: Repo, start: str) -> None:
    """Pick and rebase end in ``--continue``."""
    fork(installed, "schema.json")
    installed.paste(start)
    assert installed.coord("regenerate", "schema.json").code == 0
    done = installed.tried(start.split()[1], "--continue")

    assert done.code == 0, done.err
    assert "Coord-Resolved: schema.json " in installed.git("log", "-1", "--format=%B")


def test_a_settlement_that_is_staged_over_counts_no_more(installed: Repo) -> None:
    """Theirs staged after ``regenerate`` is swallowing again."""
    settled(installed)
    installed.git("checkout", "side", "--", "schema.json")
    done = installed.tried("commit", "-qm", "merge")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"


def test_what_settled_a_merge_settles_the_next_try_no_more(installed: Repo) -> None:
    """After ``reset --hard HEAD~1`` HEAD is where both tries were refused, and so are the sides."""
    settled(installed)
    installed.git("commit", "-qm", "merge")
    made = installed.git("rev-parse", "HEAD:schema.json")
    installed.git("reset", "-q", "--hard", "HEAD~1")
    installed.tried("merge", "side")

    assert installed.tried("commit", "-qam", "merge").refusal.rule == "refusal-pending"
    assert "settled" not in notes(installed)
    installed.git("update-index", "--cacheinfo", f"100644,{made},schema.json")
    installed.git("commit", "-qm", "merge, made by hand")
    assert "Coord-Resolved" not in installed.git("log", "-1", "--format=%B")


def test_a_torn_record_blocks_while_something_is_in_progress(installed: Repo) -> None:
    """Which path it was is lost; the printed command drops it once both sides were compared."""
    fork(installed, "schema.json")
    installed.git("switch", "-q", "side")
    installed.tried("rebase", "main")
    (record,) = installed.private("coord-refused").iterdir()
    record.write_text(record.read_text()[:40])
    installed.git("checkout", "--theirs", "schema.json")
    installed.git("add", "-A")
    done = installed.tried("rebase", "--continue")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"
    assert done.refusal.headline.endswith(str(record))
    assert installed.paste(done.refusal.run).code == 0
    installed.git("rebase", "--continue")


def test_a_torn_record_of_a_merge_is_told_by_the_index(installed: Repo) -> None:
    """Git remembers the path and both sides until the commit, and the record is made anew."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    (record,) = installed.private("coord-refused").iterdir()
    record.write_text(record.read_text()[:40])
    installed.git("add", "-A")
    done = installed.tried("commit", "-qm", "merge")

    assert done.code == 1
    assert done.refusal.headline.endswith(": schema.json")
    assert installed.paste(f"{done.refusal.run} --trust").code == 0
    assert [record] == list(installed.private("coord-refused").iterdir())
    installed.git("commit", "-qm", "merge")
    assert "Coord-Resolved: schema.json" in installed.git("log", "-1", "--format=%B")


def test_a_torn_record_is_dropped_when_nothing_is_in_progress(installed: Repo) -> None:
    """There is nothing it could guard."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    (record,) = installed.private("coord-refused").iterdir()
    record.write_text("coord-refu")
    installed.git("merge", "--abort")
    installed.commit("next")

    assert not record.exists()


def test_a_torn_record_of_an_aborted_merge_stops_no_other(installed: Repo) -> None:
    """An abort writes into HEAD's reflog: what is older has ended, whatever goes on now."""
    fork(installed, "schema.json")
    installed.git("switch", "-q", "-c", "other", "HEAD~1")
    installed.commit("other", {"z": "z\n"})
    installed.git("switch", "-q", "-")
    installed.tried("merge", "side")
    (record,) = installed.private("coord-refused").iterdir()
    record.write_text("coord-refu")
    if installed.private("reftable").exists():
        time.sleep(1.1)  # its log counts seconds: within one, the record may be of what goes on
    installed.git("merge", "--abort")

    installed.git("merge", "-q", "--no-ff", "-m", "other", "other")

    assert not record.exists()


def test_a_linked_worktree_has_its_own_gate(installed: Repo, tmp_path: Path) -> None:
    """One worktree's refusal stops nobody else."""
    fork(installed, "schema.json")
    peer = installed.worktree(tmp_path / "peer", "peer")
    peer.tried("merge", "side")
    peer.git("add", "-A")
    installed.commit("main works on")
    done = peer.tried("commit", "-qm", "merge")

    assert done.code == 1
    assert peer.paste(done.refusal.run).code == 0
    peer.git("commit", "-qm", "merge")


def test_commit_all_and_paths_see_the_index_they_commit(installed: Repo) -> None:
    """``-a`` and ``commit PATH`` bring an index of their own in GIT_INDEX_FILE."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")

    assert installed.tried("commit", "-qam", "all").refusal.rule == "refusal-pending"
    assert installed.coord("regenerate").code == 0
    installed.git("commit", "-qam", "all")


def test_a_log_with_the_markers_of_its_refusal_is_stopped(installed: Repo) -> None:
    """``git add -A`` takes the markers for records."""
    declare(installed)
    installed.commit("base", {"l.tsv": "1\n2\n3\n"})
    installed.git("checkout", "-q", "-b", "side")
    installed.commit("side", {"l.tsv": "1\n2\n3\n4 side\n"})
    installed.git("checkout", "-q", "main")
    installed.write("l.tsv", "1\n3 edited\n4 main\n")
    installed.coord("resolve", "l.tsv", "--take", "worktree", "--reason", "a test")
    installed.git("commit", "-q", "-m", "main")
    assert installed.tried("merge", "side").code == 1

    installed.git("add", "-A")
    done = installed.tried("commit", "-q", "-m", "merge")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"
    assert installed.paste(done.refusal.run).code == 0
    installed.git("commit", "-q", "-m", "merge")
    assert installed.read("l.tsv") == "1\n3 edited\n4 main\n4 side\n"


def test_two_headers_are_joined_by_hand_whoever_refuses(installed: Repo) -> None:
    """Taking both would put one header on top of the other: driver and gate print one command."""
    declare(installed)
    installed.git("checkout", "-q", "-b", "side")
    installed.commit("side", {"l.tsv": "# side\n1\n"})
    installed.git("checkout", "-q", "main")
    installed.commit("main", {"l.tsv": "# main\n2\n"})
    merged = installed.tried("merge", "side").refusal
    installed.git("add", "-A")
    gated = installed.tried("commit", "-q", "-m", "merge").refusal

    assert merged.rule == "log-headers"
    assert gated.run == merged.run
    installed.write("l.tsv", "# main\n1\n2\n")
    assert installed.paste(gated.run).code == 0
    installed.git("commit", "-q", "-m", "merge")


@pytest.mark.parametrize("leave", [("merge", "--abort"), ("reset", "-q", "--hard")])
def test_what_settled_an_aborted_merge_is_told_by_no_other_commit(
    installed: Repo, leave: tuple[str, ...]
) -> None:
    """The trailer would be a lie there, and the record would keep an uninstall from ending."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    settle = ("--take", "ours", "--reason", "ours is right")
    assert installed.coord("resolve", "schema.json", *settle).code == 0
    installed.git(*leave)

    installed.git("commit", "-q", "--allow-empty", "-m", "unrelated")

    assert installed.git("log", "-1", RESOLVED) == ""
    assert installed.started("coord-install", "--uninstall").code == 0


def test_an_uninstall_after_an_abort_is_not_held_up(installed: Repo) -> None:
    """Even before the next commit clears the record away."""
    fork(installed, "schema.json")
    installed.tried("merge", "side")
    installed.coord("resolve", "schema.json", "--take", "ours", "--reason", "ours is right")
    installed.git("merge", "--abort")

    assert installed.started("coord-install", "--uninstall").code == 0
