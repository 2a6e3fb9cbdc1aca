"""Log rules at commit: appends are free, shared records stay, and every refusal has a way out."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.guard.missing import missing
from harness.hooked import add_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

THREE = "one\ntwo\nthree\n"
SETTLED = "--format=%(trailers:key=Coord-Resolved,valueonly)"


@pytest.fixture
def logged(hooked: Repo) -> Repo:
    """A repository with the log ``log.tsv`` of three records, on main alone."""
    hooked.commit("log", {"log.tsv": THREE})
    return hooked


@pytest.fixture
def shared(logged: Repo) -> Repo:
    """The same, with main on another branch too, and topic checked out."""
    logged.git("checkout", "-q", "-b", "topic")
    return logged


def edited(repo: Repo, text: str | None, *options: str, path: str = "log.tsv") -> tuple[int, str]:
    """Stage the log as `text` (None: deleted), commit, and return status and the refused rule."""
    if text is None:
        repo.git("rm", "-q", "-f", path)
    else:
        repo.write(path, text)
        repo.git("add", path)
    done = repo.tried("commit", "-q", "-m", "edit", *options)
    return done.code, done.refusal.rule if done.code else done.err


@pytest.mark.parametrize(
    "text",
    [
        THREE + "four\n",
        "one\ntwo\nthree\nfour",
        "one\nbetween\ntwo\nthree\n",
        "three\ntwo\none\n",
        "one\r\ntwo\r\nthree\r\n",
        THREE + "three\n",
    ],
)
def test_what_loses_no_record_is_free(shared: Repo, text: str) -> None:
    """Appends, insertions, another order, another line end, a lost final newline."""
    assert edited(shared, text) == (0, "")


@pytest.mark.parametrize(
    ("text", "line", "record"),
    [
        ("one\nTWO\nthree\n", 2, "two"),
        ("two\nthree\n", 1, "one"),
        ("one\ntwo\n", 3, "three"),
        ("one\ntwo\n" + "four\n" * 9, 3, "three"),
        ("", 1, "one"),
        (None, 1, "one"),
        ("one\ntwo\nthreeand more\n", 3, "three"),
    ],
)
def test_what_loses_a_shared_record_is_refused(
    shared: Repo, text: str | None, line: int, record: str
) -> None:
    """Path, line and record are named; the printed command lets exactly this through, noted."""
    assert edited(shared, text) == (1, "log-rewritten")
    refusal = shared.tried("commit", "-q", "--no-verify", "-m", "edit").refusal

    assert refusal.headline.endswith(f": log.tsv:{line}")
    assert f'"{record}"' in refusal.why
    cured = shared.paste(refusal.run)
    assert cured.code == 0, cured.err
    shared.git("commit", "-q", "-m", "edit")
    assert shared.git("log", "-1", SETTLED).startswith("log.tsv history")
    after = (text or "").removesuffix("\n")
    assert shared.tried("show", "HEAD:log.tsv").out.removesuffix("\n") == after


def test_a_settled_edit_may_be_amended_and_appended_to(shared: Repo) -> None:
    """What HEAD lacks is no loss of the next commit."""
    shared.write("log.tsv", "one\n")
    assert (
        shared.coord("resolve", "log.tsv", "--take", "worktree", "--reason", "leak of a key").code
        == 0
    )
    shared.git("commit", "-q", "-m", "edit")
    shared.git("commit", "-q", "--amend", "--no-edit")

    assert shared.git("log", "-1", SETTLED) == "log.tsv leak of a key\n"
    assert edited(shared, "one\nfour\n") == (0, "")


def test_a_settlement_covers_what_was_staged_and_no_more(shared: Repo) -> None:
    """Another edit after it asks again."""
    shared.write("log.tsv", "one\n")
    why = ("--take", "worktree", "--reason", "leak of a key")
    assert shared.coord("resolve", "log.tsv", *why).code == 0

    assert edited(shared, "") == (1, "log-rewritten")


def test_changing_ones_mind_after_settling_is_free(shared: Repo) -> None:
    """The log restored, an innocent commit passes and bears no trailer."""
    shared.write("log.tsv", "one\n")
    assert shared.coord("resolve", "log.tsv", "--take", "worktree", "--reason", "x").code == 0
    shared.git("checkout", "HEAD", "--", "log.tsv")
    shared.commit("innocent")

    assert shared.git("log", "-1", SETTLED) == ""


def test_ones_own_record_may_change_until_it_is_shared(shared: Repo) -> None:
    """Only history that another ref reaches is protected; a stash is no other ref."""
    shared.commit("mine", {"log.tsv": THREE + "mine\n"})
    shared.write("README", "dirty\n")
    shared.git("stash", "-q")

    assert edited(shared, THREE + "mine, mended\n") == (0, "")
    assert edited(shared, THREE + "mine, mended\n", "--amend")[0] == 0
    shared.git("branch", "reviewed")
    assert edited(shared, THREE + "again\n") == (1, "log-rewritten")


@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/remotes/origin/topic", "refs/heads/x"])
def test_a_tag_a_remote_and_a_branch_share(logged: Repo, ref: str) -> None:
    """Whoever fetched it has the record."""
    logged.git("update-ref", "refs/heads/elsewhere", logged.git("rev-parse", "HEAD~1"))
    assert edited(logged, "one\ntwo\nTHREE\n") == (0, "")
    logged.git("update-ref", ref, "HEAD")

    assert edited(logged, "one\ntwo\n") == (1, "log-rewritten")


def test_without_any_other_ref_all_history_is_shared(logged: Repo) -> None:
    """A repository of one branch: nothing tells what others have seen."""
    assert edited(logged, "one\ntwo\n") == (1, "log-rewritten")
    alone = logged.tried("commit", "-q", "-m", "edit").refusal.why
    logged.git("tag", "v1")
    tagged = logged.tried("commit", "-q", "-m", "edit").refusal.why

    assert alone.startswith('"three" is committed, and with no other branch, tag or remote')
    assert tagged.startswith('"three" is on another branch, tag or remote')


@pytest.mark.parametrize(
    "options",
    [
        ["--no-edit"],
        ["-m", "other"],
        ["-F", "README"],
        ["-C", "HEAD"],
    ],
)
def test_amending_ones_own_new_record_is_fine(logged: Repo, options: list[str]) -> None:
    """The parents of the old commit count; the hook is told ``message`` for -m and -F."""
    logged.commit("mine", {"log.tsv": THREE + "mine\n"})
    logged.write("log.tsv", THREE + "mended\n")
    logged.git("add", "-A")
    logged.git("commit", "-q", "--amend", *options)
    logged.git("rm", "-q", "log.tsv")
    done = logged.tried("commit", "-q", "--amend", *options)

    assert done.refusal.rule == "log-rewritten"
    assert done.refusal.headline.endswith(": log.tsv:1")


def test_reusing_a_message_is_no_amend(logged: Repo) -> None:
    """``-C HEAD`` alone looks the same to the hook: ``commit HEAD``."""
    logged.commit("older", {"log.tsv": THREE + "newer\n"})

    logged.write("log.tsv", "two\nthree\nnewer\n")
    logged.git("add", "-A")
    assert logged.tried("commit", "-q", "-C", "HEAD").refusal.rule == "log-rewritten"


def test_a_root_commit_and_a_new_log_are_free(logged: Repo) -> None:
    """Unborn, there is nothing to lose."""
    logged.git("checkout", "-q", "--orphan", "fresh")
    logged.git("rm", "-q", "--cached", "log.tsv")
    logged.commit("root", {"other.tsv": "1\n"})


def test_a_merge_is_held_against_all_parents(shared: Repo) -> None:
    """Losing what one side appended is a loss, although the base never had it."""
    shared.commit("topic", {"log.tsv": THREE + "topic\n"})
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"log.tsv": THREE + "main\n"})
    shared.git("merge", "-q", "--no-ff", "--no-commit", "topic")

    assert edited(shared, THREE + "main\nother\n") == (1, "log-rewritten")
    assert edited(shared, THREE + "topic\nmain\nother\n") == (0, "")


def test_a_merge_may_take_a_file_whole_from_a_parent(shared: Repo) -> None:
    """``-s ours`` is a decision about the branch, and that parent was judged by itself."""
    shared.commit("topic", {"log.tsv": THREE + "topic\n"})
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"log.tsv": THREE + "main\n"})

    shared.git("branch", "seen")
    shared.git("merge", "-q", "-s", "ours", "topic")
    shared.git("reset", "-q", "--hard", "HEAD~1")
    shared.git("merge", "-q", "--no-commit", "topic")
    shared.git("checkout", "topic", "--", "log.tsv")
    shared.commit("theirs")


def test_a_removal_that_a_parent_settled_goes_through_a_merge(shared: Repo) -> None:
    """What one side removed since the base stays removed."""
    shared.write("log.tsv", "one\ntwo\n")
    assert shared.coord("resolve", "log.tsv", "--take", "worktree", "--reason", "x").code == 0
    shared.git("commit", "-q", "-m", "removed")
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"log.tsv": THREE + "main\n"})
    shared.tried("merge", "topic")

    assert edited(shared, "one\ntwo\nmain\n") == (0, "")


REPLAYS = [
    "git revert --no-edit HEAD",
    "git revert HEAD",
    "git revert --no-edit HEAD HEAD~1",
    "git revert -n HEAD && git commit -qm x",
    "git cherry-pick undo",
    "git rebase -q --onto HEAD undo~1 undo",
    "git rebase -q --apply --onto HEAD undo~1 undo",
    "git format-patch -q -1 -o ../mail undo && git am -q ../mail/*",
]


@pytest.mark.parametrize("command", REPLAYS)
def test_a_replay_only_repeats_what_was_judged(logged: Repo, command: str) -> None:
    """Revert, pick, rebase and am of a commit that removes what another brought."""
    logged.commit("brought", {"log.tsv": THREE + "four\n"})
    logged.commit("more", {"log.tsv": THREE + "four\nfive\n"})
    logged.git("checkout", "-q", "-b", "fix")
    logged.write("log.tsv", THREE + "four\n")
    assert logged.coord("resolve", "log.tsv", "--take", "worktree", "--reason", "x").code == 0
    logged.git("commit", "-qm", "undo")
    logged.git("tag", "undo")
    logged.git("checkout", "-q", "main")
    done = logged.paste(command)

    assert done.code == 0, done.err
    assert logged.read("log.tsv") in {THREE, THREE + "four\n"}


REVERTS = [
    "git revert --no-edit HEAD",
    "git revert --no-edit HEAD HEAD~1",
    "! git revert brought && echo 3 >f && git add f && git revert --continue",
]


@pytest.mark.parametrize("command", REVERTS, ids=["clean", "several", "conflict"])
def test_a_revert_that_takes_a_record_out_says_so_once(logged: Repo, command: str) -> None:
    """It is never stopped; but ``check`` will find it, and the line tells how to explain it."""
    logged.commit("f", {"f": "0\n"})
    logged.commit("brought", {"log.tsv": THREE + "four\n", "f": "1\n"})
    logged.git("tag", "brought")
    logged.commit("f", {"f": "2\n"})
    if "HEAD" in command:
        logged.commit("more", {"log.tsv": THREE + "four\nfive\n"})
    done = logged.paste(command)

    assert done.code == 0, done.err
    assert done.err.count("coord: log-rewritten: log.tsv:") == 1
    explained = done.err.partition("explains it: ")[2].partition("\n")[0]
    if "HEAD~1" not in command:
        assert logged.paste(explained).code == 0
        explained = "Coord-Resolved: " + logged.git("log", "-1", SETTLED).strip()
    assert explained == "Coord-Resolved: log.tsv reverted on purpose"


def test_the_message_of_a_revert_excuses_nothing_else(logged: Repo) -> None:
    """Only the records that the named commit brought may go."""
    brought = logged.commit("brought", {"log.tsv": THREE + "four\n"})
    said = f"This reverts commit {brought}."

    assert edited(logged, "one\ntwo\n", "-m", said) == (1, "log-rewritten")
    status, warned = edited(logged, THREE, "-m", said)
    assert (status, warned.count("\n")) == (0, 1)
    assert 'this revert takes "four" out of a log' in warned


def test_blocks_are_records_where_the_log_says_so(shared: Repo) -> None:
    """With ``start``, a block may be added, but neither move nor change: no merge would join it."""
    with shared.common("info/attributes").open("a") as attributes:
        attributes.write("CHANGES.md coord-log\n")
    shared.write(".coord.toml", '[log."CHANGES.md"]\nstart = "## "\n')
    shared.git("add", "-A")
    shared.commit("changes", {"CHANGES.md": "# Log\n\n## 1\nfirst\n\n## 2\nsecond\n"})
    shared.git("branch", "seen")

    moved = "# Log\n\n## 2\nsecond\n\n## 1\nfirst\n"
    assert edited(shared, moved, path="CHANGES.md") == (1, "log-rewritten")
    changed = "# Log\n\n## 1\nsecond\n\n## 2\nfirst\n"
    assert edited(shared, changed, path="CHANGES.md") == (1, "log-rewritten")
    added = "# Log\n\n## 0\nnone\n\n## 1\nfirst\n\n## 2\nsecond\nthird\n"
    assert edited(shared, added, path="CHANGES.md") == (0, "")


@pytest.mark.parametrize("start", ["", "## "])
def test_taking_committed_markers_out_loses_nothing(shared: Repo, start: str) -> None:
    """They are no records, also where they stand inside of a block; a record beside them is one."""
    config = f'[log."*.tsv"]\nstart = "{start}"\n' if start else ""
    marked = f"{start}1\n<<<<<<< HEAD\n{start}2\n=======\n{start}3\n>>>>>>> side\n"
    shared.write(".coord.toml", config)
    shared.write("log.tsv", f"{THREE}{marked}")
    shared.git("add", "-A")
    shared.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "marked")
    shared.git("branch", "seen")
    lossy = f"{THREE}{start}1\n{start}2\n"

    assert edited(shared, lossy) == (1, "log-rewritten")
    assert edited(shared, f"{lossy}{start}3\n") == (0, "")


@pytest.mark.parametrize("path", ['s p/q"u é.tsv', "-x.tsv", "a'b.tsv"])
def test_odd_paths_are_pasted_whole(shared: Repo, path: str) -> None:
    """The printed command names them for a shell."""
    shared.write(path, "one\n")
    shared.git("add", "-A")
    shared.commit("odd")
    shared.git("branch", "seen")
    shared.write(path, "ONE\n")
    shared.git("add", "-A")
    refused = shared.tried("commit", "-qm", "edit").refusal
    cured = shared.paste(refused.run)

    assert cured.code == 0, cured.err
    shared.git("commit", "-qm", "edit")


@pytest.mark.parametrize("how", ["-a", "--only log.tsv", "-i log.tsv"])
def test_every_way_to_commit_is_judged(shared: Repo, how: str) -> None:
    """``-a`` and ``--only`` bring an index of their own."""
    shared.write("log.tsv", "one\n")
    done = shared.tried("commit", "-q", "-m", "x", *how.split())

    assert done.refusal.rule == "log-rewritten"
    assert shared.paste(done.refusal.run).code == 0
    shared.git("commit", "-q", "-m", "x", *how.split())


def test_a_sparse_checkout_without_the_log_commits_freely(shared: Repo) -> None:
    """The log is outside the cone, and unchanged."""
    shared.commit("folder", {"folder/f": "1\n"})
    shared.git("sparse-checkout", "set", "folder")
    shared.commit("inside", {"folder/f": "2\n"})


@pytest.mark.parametrize("where", ["info", "tree", "long"])
def test_a_declaration_counts_wherever_it_is(repo: Repo, where: str) -> None:
    """A peer's comes with the tree before anybody installs again; a long file is read by git."""
    lines = "[attr]coord-log merge=coord-log\n" + "*.c text\n" * (80 if where == "long" else 0)
    declared = lines + "*.tsv coord-log\n"
    add_hooks(repo, lines if where == "tree" else declared)
    repo.commit("log", {"log.tsv": THREE, ".gitattributes": declared if where == "tree" else ""})

    assert edited(repo, "one\n") == (1, "log-rewritten")


@pytest.mark.parametrize("where", ["folder", "deep", "info", "user", "xdg"])
def test_a_declaration_outside_the_tops_file_counts(repo: Repo, tmp_path: Path, where: str) -> None:
    """Git reads one per folder, and the user's: what selects the driver at a merge binds here."""
    add_hooks(repo, "[attr]coord-log merge=coord-log\n")
    path = {"folder": "p/log.tsv", "deep": "p/q/r/log.tsv"}.get(where, "log.tsv")
    repo.commit("log", {path: THREE})
    match where:
        case "folder":
            repo.commit("declare", {"p/.gitattributes": "log.tsv coord-log\n"})
        case "deep":
            repo.commit("declare", {"p/q/.gitattributes": "*/log.tsv coord-log\n"})
        case "info":
            with repo.common("info/attributes").open("a") as file:
                file.write("log.tsv coord-log\n")
        case "user":
            (tmp_path / "mine").write_text("log.tsv coord-log\n")
            repo.git("config", "core.attributesFile", str(tmp_path / "mine"))
        case _:
            (tmp_path / "git").mkdir()
            (tmp_path / "git" / "attributes").write_text("log.tsv coord-log\n")
            repo = repo.with_env(XDG_CONFIG_HOME=str(tmp_path))

    assert edited(repo, "one\n", path=path) == (1, "log-rewritten")


def test_where_no_log_is_staged_git_is_asked_once_and_python_never(
    repo: Repo, tmp_path: Path
) -> None:
    """The question costs a third of a bare commit, and only git can answer it."""
    trace, spy, started = tmp_path / "trace", tmp_path / "python", tmp_path / "started"
    spy.write_text(f'#!/bin/sh\n: >{started}\nexec {sys.executable} "$@"\n')
    spy.chmod(0o755)
    add_hooks(repo, "*.json coord-derived\nold.tsv coord-log\n", python=str(spy))
    repo.with_env(GIT_TRACE=str(trace)).commit("one", {"log.tsv": THREE})
    assert trace.read_text().count("built-in: git diff-index") == 1
    assert not started.exists()
    repo.commit("two", {"old.tsv": THREE})
    edited(repo, "one\n", path="old.tsv")
    assert started.exists()


def test_pathspec_variables_do_not_switch_it_off(shared: Repo) -> None:
    """``--literal-pathspecs`` of the caller would turn ours into a file name."""
    literal = shared.with_env(GIT_LITERAL_PATHSPECS="1")

    assert edited(literal, "one\n") == (1, "log-rewritten")


def test_a_linked_worktree_is_judged_by_all_branches(shared: Repo, tmp_path: Path) -> None:
    """Its GIT_DIR and index are private."""
    peer = shared.worktree(tmp_path / "peer", "peer")

    assert edited(peer, "one\n") == (1, "log-rewritten")
    assert peer.paste(peer.tried("commit", "-qm", "x").refusal.run).code == 0
    peer.git("commit", "-qm", "x")


def test_a_log_without_text_is_judged_by_its_lines(shared: Repo) -> None:
    """``numstat`` counts nothing in a binary file; its bytes still are records."""
    shared.commit("binary", {"b.tsv": b"one\n\0two\n"})
    shared.git("branch", "seen")

    assert edited(shared, "one\n", path="b.tsv") == (1, "log-rewritten")


RECORDS = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=5).map(Counter)


@given(st.lists(RECORDS, min_size=1, max_size=3), RECORDS)
def test_the_join_of_all_parents_loses_nothing(
    parents: list[Counter[bytes]], base: Counter[bytes]
) -> None:
    """The log driver's result passes; so does each step above it."""
    join: Counter[bytes] = Counter()
    for parent in parents:
        join |= parent

    assert not missing(join, parents, base)
    assert not missing(join + Counter([b"new"]), parents, base)


@given(RECORDS, RECORDS)
def test_against_one_parent_every_lost_record_counts(
    result: Counter[bytes], parent: Counter[bytes]
) -> None:
    """Without a second side nothing can have removed it before."""
    assert missing(result, [parent], Counter()) == parent - result
