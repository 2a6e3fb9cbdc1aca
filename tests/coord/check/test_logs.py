"""Logs on real histories: what no driver and no hook saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygit2
import pytest

from coord.history import blobs
from harness.check import branch, declare, found, problems, server_merge
from harness.drivers import add_drivers

if TYPE_CHECKING:
    from harness import Repo

FIRST, LATER = "@1700000000 +0000", "@1700000001 +0000"
REWRITTEN = [("log-rewritten", "a.log")]


def test_appends_are_fine(guarded: Repo) -> None:
    """Commit after commit, also where the last line had no end."""
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nfour"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nfour\nfive\n"})

    assert not problems(guarded)


def test_a_log_that_changed_is_read_once(guarded: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where others have filled what is kept since: a log may be larger than all of that."""
    monkeypatch.setattr(blobs, "_BUDGET", 10)
    names = [f"{number}.log" for number in range(4)]
    guarded.commit("add", {name: f"first of {name}\n" for name in names})
    guarded.commit("append", {name: f"first of {name}\nsecond\n" for name in names})
    asked: list[str] = []
    write = blobs.Blobs._write

    def noted(self: blobs.Blobs, commands: bytes) -> None:
        asked.extend(commands.decode().splitlines())
        write(self, commands)

    monkeypatch.setattr(blobs.Blobs, "_write", noted)

    assert not problems(guarded, "HEAD~1..HEAD")
    ids = [guarded.git("rev-parse", f"HEAD:{name}") for name in names]
    assert [asked.count(f"contents {blob}") for blob in ids] == [1] * len(names)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one\nTWO\nthree\n", 'line 2, "two"'),
        ("one\nthree\n", 'line 2, "two"'),
        ("one\n", "and 1 more"),
        ("one\ntwo\nthree and more\n", 'line 3, "three"'),
        ("one\nthree\ntwo\n", "order"),
        ("one\nzzz\ntwo\nthree\n", '"zzz" stands before it'),
    ],
)
def test_a_rewrite_is_named_with_its_commit(guarded: Repo, text: str, said: str) -> None:
    """Edited, deleted, truncated, glued, reordered, inserted; ``--no-verify`` or not."""
    guarded.write("a.log", text)
    guarded.git("commit", "-q", "--no-verify", "-am", "rewrite")

    [problem] = problems(guarded)

    assert (problem.rule, problem.path) == ("log-rewritten", "a.log")
    assert problem.commit == guarded.git("rev-parse", "HEAD")
    assert said in problem.message


def test_a_deleted_or_renamed_log_is_named(guarded: Repo) -> None:
    """Rotation takes the records away from where everybody looks for them."""
    guarded.git("mv", "a.log", "b.log")
    guarded.commit("rotate")

    [problem] = problems(guarded)

    assert problem.message.startswith("the log is renamed to b.log, with 3 records; put right by")
    assert guarded.coord("check", "--mend").out == "nothing to put back\n"
    assert guarded.paste(problem.run).code == 0
    assert not problems(guarded)
    guarded.git("rm", "-q", "b.log")
    guarded.commit("delete")
    assert [each.message for each in problems(guarded, "HEAD^..HEAD")] == [
        "the log is deleted, with 3 records"
    ]


def test_every_commit_is_judged_not_only_the_whole(guarded: Repo) -> None:
    """A record that came and went within the range is lost all the same."""
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nfour\n"})
    bad = guarded.commit("drop", {"a.log": "one\ntwo\nthree\nfive\n"})

    assert [each.commit for each in problems(guarded)] == [bad]


def test_a_loss_restored_by_the_tip_is_no_problem(guarded: Repo) -> None:
    """A revert mends: nothing is lost any more. The revert itself drops what never was history."""
    guarded.commit("edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.git("revert", "--no-edit", "HEAD")

    assert [each.commit for each in problems(guarded)] == [guarded.git("rev-parse", "HEAD")]
    trailer = "Coord-Resolved: a.log the edit never should have been"
    guarded.git("commit", "-q", "--amend", "-m", f"revert\n\n{trailer}")
    assert not problems(guarded)


def test_a_trailer_excuses_its_path_in_its_commit_only(guarded: Repo) -> None:
    """Another path, another commit, or a line that is no trailer excuses nothing."""
    edit = {"a.log": "one\nTWO\nthree\n"}
    guarded.commit("edit\n\nCoord-Resolved: a.log a typo\n\nmore prose\n", edit)
    assert found(guarded) == REWRITTEN
    guarded.git("commit", "-q", "--amend", "-m", "edit\n\nCoord-Resolved: b.log a typo")
    assert found(guarded) == REWRITTEN
    guarded.commit("later\n\nCoord-Resolved: a.log a typo")
    assert found(guarded) == REWRITTEN
    guarded.git("reset", "-q", "--hard", "HEAD^")
    guarded.git("commit", "-q", "--amend", "-m", "edit\n\ncoord-resolved: a.log a typo")
    assert not problems(guarded)


def test_a_later_trailer_accepts_a_commit_by_its_full_id(guarded: Repo) -> None:
    """For what is published and cannot be amended."""
    bad = guarded.commit("edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.commit(f"accept\n\nCoord-Resolved: {bad} agreed with everybody")

    assert not problems(guarded)


@pytest.mark.parametrize("name", ["a b.log", "tab\there.log", 'q"uote.log', "-x.log", "é.log"])
def test_odd_paths_are_judged_and_excused(guarded: Repo, name: str) -> None:
    """Paths travel as bytes and are named as git prints them."""
    guarded.commit("add", {name: "one\ntwo\n"})
    guarded.commit("edit", {name: "one\nTWO\n"})
    [problem] = problems(guarded)
    assert problem.rule == "log-rewritten"

    guarded.git("commit", "-q", "--amend", "-m", f"edit\n\nCoord-Resolved: {problem.path} meant")

    assert not problems(guarded)


def test_bytes_outside_utf8_are_judged(guarded: Repo) -> None:
    """In paths and in records."""
    guarded.commit("add", {"\udcff.log": b"\xff\nb\n"})
    guarded.commit("edit", {"\udcff.log": b"\xfe\nb\n"})

    [problem] = problems(guarded)

    assert problem.path == '"\\377.log"'
    assert "\\xff" in problem.message


def test_blocks_are_records_where_they_are_declared(guarded: Repo) -> None:
    """With ``start``, an old block may grow and a new one come; no line of one may go."""
    config = '[log."*.log"]\nstart = "## "\n'
    first = "## 1\n\n- a\n"
    guarded.commit("blocks", {".coord.toml": config, "b.log": first, "a.log": "one\ntwo\nthree\n"})
    guarded.commit("append", {"b.log": first + "\n## 2\n\n- b\n"})
    assert ("log-rewritten", "b.log") not in found(guarded)

    guarded.commit("extend", {"b.log": first + "\n## 2\n\n- b\n- b2\n"})
    assert ("log-rewritten", "b.log") not in found(guarded)

    guarded.commit("edit", {"b.log": first + "\n## 2\n\n- B\n- b2\n"})

    [problem] = [each for each in problems(guarded) if each.path == "b.log"]
    assert 'line 7, "- b"' in problem.message


def test_a_one_sided_rewrite_is_named_once_where_it_was_made(guarded: Repo) -> None:
    """Git takes it at the merge without asking anybody; the merge is not blamed for it."""
    bad = branch(guarded, "side", "edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.commit("elsewhere", {"x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert [(each.rule, each.commit) for each in problems(guarded)] == [("log-rewritten", bad)]


def test_a_rewrite_outside_the_range_is_blamed_on_its_merge(guarded: Repo) -> None:
    """Unless its own commit says that it was meant."""
    bad = branch(guarded, "side", "edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.commit("elsewhere", {"x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")
    merge = guarded.git("rev-parse", "HEAD")

    [problem] = problems(guarded, "side..HEAD")

    assert problem.commit == merge
    assert problem.message.endswith(f"taken over from {bad[:12]}")
    guarded.git("checkout", "-q", "side")
    guarded.git("commit", "-q", "--amend", "-m", "edit\n\nCoord-Resolved: a.log meant")
    guarded.git("checkout", "-q", "main")
    guarded.git("reset", "-q", "--hard", "HEAD^")
    guarded.git("merge", "-q", "--no-edit", "side")
    assert not problems(guarded, "side..HEAD")


def test_both_sides_appends_survive_a_merge_or_are_named(guarded: Repo) -> None:
    """``-s ours``, or a conflict settled by taking a side."""
    branch(guarded, "side", "append", {"a.log": "one\ntwo\nthree\nside\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nmain\n"})
    guarded.git("merge", "-q", "--no-edit", "-s", "ours", "side")

    [problem] = problems(guarded)

    assert problem.commit == guarded.git("rev-parse", "HEAD")
    assert 'the merge lacks line 4, "side"' in problem.message


def test_a_merge_that_joins_passes_in_any_order(guarded: Repo) -> None:
    """What the driver would write, and what a person may write instead."""
    branch(guarded, "side", "append", {"a.log": "one\ntwo\nthree\nshared\nside\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nmain\nshared\n"})

    server_merge(guarded, "side", {"a.log": "one\ntwo\nthree\nmain\nshared\nside\n"})

    assert not problems(guarded)


def test_identical_adds_keep_one_copy(guarded: Repo) -> None:
    """Both sides appended the same record: git takes it once, and that is the join."""
    branch(guarded, "side", "append", {"a.log": "one\ntwo\nthree\nsame\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nsame\n", "x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert not problems(guarded)


def test_a_hosting_servers_merge_is_judged(guarded: Repo) -> None:
    """A text merge takes one side's deletion next to the other's append."""
    bad = branch(guarded, "side", "drop", {"a.log": "two\nthree\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nfour\n"})
    server_merge(guarded, "side", {"a.log": "two\nthree\nfour\n"})

    assert [each.commit for each in problems(guarded)] == [bad]


def test_an_octopus_is_judged_against_every_parent(guarded: Repo) -> None:
    """It calls no driver: far-apart edits are merged as text."""
    lines = [f"r{number}\n" for number in range(9)]
    guarded.commit("long", {"b.log": "".join(lines)})
    first = branch(guarded, "first", "edit top", {"b.log": "".join(["R0\n", *lines[1:]])})
    branch(guarded, "second", "append", {"b.log": "".join([*lines, "r9\n"])})
    guarded.git("merge", "-q", "--no-edit", "first", "second")
    assert len(guarded.git("rev-parse", "HEAD^@").split()) == 2

    assert [each.commit for each in problems(guarded)] == [first]
    assert found(guarded, "first..HEAD") == [("log-rewritten", "b.log")]


def test_an_octopus_that_drops_a_side_is_named(guarded: Repo) -> None:
    """Three parents, one forgotten."""
    for name in ("first", "second"):
        branch(guarded, name, name, {"a.log": f"one\ntwo\nthree\n{name}\n"})
    tree = guarded.git("rev-parse", "first^{tree}")
    parents = [word for name in ("main", "first", "second") for word in ("-p", name)]
    made = guarded.git("commit-tree", tree, *parents, "-m", "octopus")
    guarded.git("reset", "-q", "--hard", made)

    [problem] = problems(guarded)

    assert problem.commit == made
    assert '"second"' in problem.message


def test_dash_s_resolve_is_judged(guarded: Repo) -> None:
    """It runs a plain text merge as well."""
    lines = [f"r{number}\n" for number in range(9)]
    guarded.commit("long", {"b.log": "".join(lines)})
    bad = branch(guarded, "side", "drop", {"b.log": "".join(lines[1:])})
    guarded.commit("append", {"b.log": "".join([*lines, "r9\n"])})
    guarded.git("merge", "-q", "--no-edit", "-s", "resolve", "side")

    assert [each.commit for each in problems(guarded)] == [bad]


def test_a_commit_of_libgit2_is_judged(guarded: Repo) -> None:
    """No hook runs there."""
    if guarded.common("reftable").exists():
        pytest.skip("libgit2 reads no reftable")
    library = pygit2.Repository(str(guarded.path))
    guarded.write("a.log", "one\nTWO\nthree\n")
    library.index.add("a.log")
    who = pygit2.Signature("Ada Human", "ada@example.com")
    tree = library.index.write_tree()
    made = library.create_commit("HEAD", who, who, "edit", tree, [library.head.target])

    assert [each.commit for each in problems(guarded)] == [str(made)]


@pytest.mark.parametrize(
    ("way", "stamped", "date"),
    [
        ("rebase", True, FIRST),
        ("rebase", False, FIRST),
        ("rebase", False, LATER),
        ("cherry-pick", False, FIRST),
        ("cherry-pick", False, LATER),
        ("merge --squash", False, FIRST),
        ("stash", True, FIRST),
        ("stash", False, FIRST),
    ],
)
def test_what_the_driver_joined_is_no_rewrite(
    guarded: Repo, way: str, stamped: bool, date: str
) -> None:
    """Replayed records may stand before newer ones: that is where the driver puts them.

    Copies are known by their dates, or by the reflog where both fall into one second; a squash by
    its branch. Of a popped stash nothing is known, but the time stamps of its records.
    """
    guarded = guarded.with_env(GIT_AUTHOR_DATE=FIRST, GIT_COMMITTER_DATE=FIRST)
    add_drivers(guarded, "*.log coord-log\n")
    side, main = ("2024-01-01T10:00Z s\n", "2024-01-02T10:00Z m\n") if stamped else ("b\n", "c\n")
    base = "" if stamped else "a\n"
    guarded.commit("log", {"b.log": base})
    if way == "stash":
        guarded.write("b.log", base + side)
        guarded.git("stash", "-q")
    else:
        branch(guarded, "side", "append", {"b.log": base + side})
    guarded.commit("append", {"b.log": base + main})
    _bring(guarded, way, date)
    assert guarded.read("b.log") == base + side + main

    expected = [] if stamped or way != "stash" else [("log-rewritten", "b.log")]
    assert found(guarded) == expected


def _bring(repo: Repo, way: str, date: str) -> None:
    later = repo.with_env(GIT_COMMITTER_DATE=date)
    if way == "rebase":
        repo.git("checkout", "-q", "side")
        later.git("rebase", "-q", "main")
    elif way == "stash":
        repo.git("stash", "pop", "-q")
        repo.git("commit", "-q", "-am", "popped")
    else:
        later.git(*way.split(), "side")
        if way == "merge --squash":
            repo.git("commit", "-q", "-m", "all of side at once")


def test_a_log_declared_later_was_none_before(repo: Repo) -> None:
    """What was edited before anybody called it a log broke no rule; what is edited after, does."""
    repo.commit("log", {"a.log": "one\ntwo\nthree\n"})
    repo.commit("edit", {"a.log": "one\nTWO\nthree\n"})
    declare(repo)
    assert [each.message for each in problems(repo)] == []

    bad = repo.commit("edit again", {"a.log": "one\n2\nthree\n"})

    assert [each.commit for each in problems(repo)] == [bad]


def test_a_branch_older_than_the_declaration_is_judged_where_it_is_merged(repo: Repo) -> None:
    """Its edit broke no rule on its side; the merge takes a guarded record away all the same."""
    repo.commit("log", {"a.log": "one\ntwo\nthree\n"})
    old = branch(repo, "old", "edit", {"a.log": "one\nTWO\nthree\n"})
    repo.commit("declare", {".gitattributes": "*.log coord-log -merge\n"})
    repo.git("merge", "-q", "--no-edit", "old")

    named = [each for each in problems(repo) if each.rule == "log-rewritten"]

    assert [each.commit for each in named] == [repo.git("rev-parse", "HEAD")]
    assert named[0].message.endswith(f"taken over from {old[:12]}")


def test_another_change_of_the_declarations_hides_nothing(guarded: Repo) -> None:
    """Those of every parent follow from its child's, with what the child changed taken back."""
    bad = guarded.commit("edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.commit("more", {".gitattributes": guarded.read(".gitattributes") + "*.txt text\n"})

    assert [each.commit for each in problems(guarded)] == [bad]


def test_an_undeclared_log_is_no_longer_judged(guarded: Repo) -> None:
    """The commit that takes the declaration away may edit the log; so may those after it."""
    guarded.commit("free", {".gitattributes": "", ".coord.toml": "", "a.log": "other\n"})
    guarded.commit("edit", {"a.log": "another\n"})

    assert not problems(guarded)


def test_what_this_clone_alone_declares_binds_here(repo: Repo) -> None:
    """``info/attributes`` has no history, so its lines bind in every commit."""
    repo.commit("log", {"b.log": "one\ntwo\n"})
    repo.commit("edit", {"b.log": "one\nTWO\n"})
    assert not problems(repo)

    add_drivers(repo, "*.log coord-log\n")

    assert found(repo) == [("log-rewritten", "b.log")]


def test_a_symlink_in_its_place_is_a_deletion(guarded: Repo) -> None:
    """No driver is called for it either."""
    (guarded.path / "a.log").unlink()
    (guarded.path / "a.log").symlink_to("README")
    guarded.git("commit", "-q", "-am", "link")

    assert found(guarded) == REWRITTEN


def test_a_mode_change_is_no_rewrite(guarded: Repo) -> None:
    """Only bytes count."""
    guarded.git("update-index", "--chmod=+x", "a.log")
    guarded.commit("executable")

    assert not problems(guarded)


def test_a_replaced_commit_is_judged_as_it_was_pushed(guarded: Repo) -> None:
    """``refs/replace`` is this clone's own; the others see the real one."""
    good = guarded.git("rev-parse", "HEAD")
    bad = guarded.commit("edit", {"a.log": "one\nTWO\nthree\n"})
    guarded.git(
        "replace", bad, guarded.git("commit-tree", f"{good}^{{tree}}", "-p", good, "-m", "x")
    )

    assert [each.commit for each in problems(guarded, bad)] == [bad]
