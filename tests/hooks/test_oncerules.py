"""Once rules at commit: additions are free, shared files stay, and every refusal has a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.hooked import add_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

CLAIM = "ids/1.once"
SETTLED = "--format=%(trailers:key=Coord-Resolved,valueonly)"


@pytest.fixture
def claimed(repo: Repo) -> Repo:
    """A repository with the write-once file ``ids/1.once``, on main alone."""
    add_hooks(repo, "*.once coord-once\n*.tsv coord-log\n")
    repo.commit("claim", {CLAIM: "ada\n"})
    return repo


@pytest.fixture
def shared(claimed: Repo) -> Repo:
    """The same, with main on another branch too, and topic checked out."""
    claimed.git("checkout", "-q", "-b", "topic")
    return claimed


def edited(repo: Repo, text: str | None, *options: str, path: str = CLAIM) -> tuple[int, str]:
    """Stage the file as `text` (None: deleted), commit, and return status and the refused rule."""
    if text is None:
        repo.git("rm", "-q", "-f", path)
    else:
        repo.write(path, text)
        repo.git("add", path)
    done = repo.tried("commit", "-q", "-m", "edit", *options)
    return done.code, done.refusal.rule if done.code else done.err


@pytest.mark.parametrize(("text", "verb"), [("ada, later\n", "changed"), (None, "deleted")])
def test_a_change_of_a_shared_file_is_refused(shared: Repo, text: str | None, verb: str) -> None:
    """Path and verb are named; the printed command lets exactly this through, noted."""
    assert edited(shared, text) == (1, "once-changed")
    refusal = shared.tried("commit", "-q", "--no-verify", "-m", "edit").refusal

    assert f"would be {verb}" in refusal.headline
    assert refusal.headline.endswith(f": {CLAIM}")
    cured = shared.paste(refusal.run)
    assert cured.code == 0, cured.err
    shared.git("commit", "-q", "-m", "edit")
    assert shared.git("log", "-1", SETTLED) == f"{CLAIM} {verb} on purpose\n"


def test_the_other_way_out_brings_the_file_back(shared: Repo) -> None:
    """Named in the reason, because it drops what was written."""
    edited(shared, "other\n")
    why = shared.tried("commit", "-q", "-m", "edit").refusal.why
    assert shared.paste(why.partition("(")[2].partition(" brings")[0]).code == 0

    assert shared.read(CLAIM) == "ada\n"
    assert shared.git("status", "--porcelain") == ""


def test_a_rename_is_refused(shared: Repo) -> None:
    """Git pairs small files by content: a renamed claim becomes another's."""
    shared.git("mv", CLAIM, "ids/2.once")

    done = shared.tried("commit", "-q", "-m", "rename")

    assert done.refusal.headline == f"a write-once file would be deleted or renamed: {CLAIM}"


def test_an_addition_and_another_mode_are_free(shared: Repo) -> None:
    """The bytes are what is written once."""
    shared.commit("more", {"ids/2.once": "lin\n"})
    (shared.path / CLAIM).chmod(0o755)

    assert shared.tried("commit", "-q", "-a", "-m", "mode").code == 0


def test_ones_own_file_may_change_until_it_is_shared(shared: Repo) -> None:
    """Only history that another ref reaches is protected."""
    shared.commit("mine", {"ids/2.once": "lin\n"})
    assert edited(shared, "lin, mended\n", path="ids/2.once") == (0, "")
    assert edited(shared, "again\n", "--amend", path="ids/2.once")[0] == 0

    shared.git("branch", "reviewed")
    assert edited(shared, "more\n", path="ids/2.once") == (1, "once-changed")


def test_amending_the_commit_that_wrote_it_is_fine(claimed: Repo) -> None:
    """`commit HEAD` compares with HEAD^, also where there is no other ref."""
    assert edited(claimed, "ada, mended\n", "--amend")[0] == 0
    assert edited(claimed, "ada, again\n") == (1, "once-changed")


def test_without_any_other_ref_all_history_is_shared(claimed: Repo) -> None:
    """Nothing tells what others have seen."""
    assert edited(claimed, None) == (1, "once-changed")


def test_a_merge_may_take_what_a_parent_has(shared: Repo) -> None:
    """What differs from all parents is refused; what a side did was judged when it was made."""
    shared.write(CLAIM, "ada, mended\n")
    why = ("--take", "worktree", "--reason", "a typo")
    assert shared.coord("resolve", CLAIM, *why).code == 0
    shared.git("commit", "-q", "-m", "settled")
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"other": "1\n"})
    shared.git("merge", "-q", "--no-commit", "topic")

    assert edited(shared, "neither\n") == (1, "once-changed")
    assert edited(shared, "ada, mended\n") == (0, "")


def test_a_merge_may_not_drop_what_the_other_side_never_had(shared: Repo) -> None:
    """It lacks the file, but took nothing away; one that deleted it since the base did."""
    shared.commit("topic", {"ids/2.once": "lin\n"})
    shared.git("branch", "seen")
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"other": "1\n"})
    shared.git("checkout", "-q", "topic")
    shared.git("merge", "-q", "--no-commit", "main")

    assert edited(shared, None, path="ids/2.once") == (1, "once-changed")


REPLAYS = [
    "git revert --no-edit HEAD~1",
    "git revert -n HEAD~1 && git commit -qm x",
    "git cherry-pick undo",
    "git rebase -q --onto HEAD undo~1 undo",
    "git rebase -q --apply --onto HEAD undo~1 undo",
    "git format-patch -q -1 -o ../mail undo && git am -q ../mail/*",
]


@pytest.mark.parametrize("command", REPLAYS)
def test_a_replay_only_repeats_what_was_judged(claimed: Repo, command: str) -> None:
    """Revert, pick, rebase and am of a commit that takes a file away."""
    claimed.commit("brought", {"ids/2.once": "lin\n"})
    claimed.commit("more", {"README": "more\n"})
    claimed.git("checkout", "-q", "-b", "fix")
    claimed.git("rm", "-q", "ids/2.once")
    why = ("--take", "worktree", "--reason", "x")
    assert claimed.coord("resolve", "ids/2.once", *why).code == 0
    claimed.git("commit", "-qm", "undo")
    claimed.git("tag", "undo")
    claimed.git("checkout", "-q", "main")
    done = claimed.paste(command)

    assert done.code == 0, done.err
    assert not (claimed.path / "ids/2.once").exists()


def test_the_message_of_a_revert_excuses_nothing_else(claimed: Repo) -> None:
    """Only what the named commit brought may go."""
    brought = claimed.commit("brought", {"ids/2.once": "lin\n"})
    said = f"This reverts commit {brought}."

    assert edited(claimed, None, "-m", said) == (1, "once-changed")
    claimed.git("reset", "-q", "--hard")
    assert edited(claimed, None, "-m", said, path="ids/2.once") == (0, "")


@pytest.mark.parametrize("path", ['s p/q"u é.once', "-x.once", "a'b.once"])
def test_odd_paths_are_pasted_whole(shared: Repo, path: str) -> None:
    """The printed command names them for a shell."""
    shared.write(path, "one\n")
    shared.git("add", "-A")
    shared.commit("odd")
    shared.git("branch", "seen")
    shared.write(path, "ONE\n")
    shared.git("add", "-A")
    cured = shared.paste(shared.tried("commit", "-qm", "edit").refusal.run)

    assert cured.code == 0, cured.err
    shared.git("commit", "-qm", "edit")


@pytest.mark.parametrize("how", ["-a", f"--only {CLAIM}", f"-i {CLAIM}"])
def test_every_way_to_commit_is_judged(shared: Repo, how: str) -> None:
    """``-a`` and ``--only`` bring an index of their own."""
    shared.write(CLAIM, "other\n")
    done = shared.tried("commit", "-q", "-m", "x", *how.split())

    assert done.refusal.rule == "once-changed"
    assert shared.paste(done.refusal.run).code == 0
    shared.git("commit", "-q", "-m", "x", *how.split())


def test_a_linked_worktree_is_judged_by_all_branches(shared: Repo, tmp_path: Path) -> None:
    """Its GIT_DIR and index are private."""
    peer = shared.worktree(tmp_path / "peer", "peer")

    assert edited(peer, "other\n") == (1, "once-changed")


def test_log_and_once_are_judged_in_one_commit(shared: Repo) -> None:
    """Each rule speaks for itself, the log's first."""
    shared.commit("log", {"x.tsv": "1\n"})
    shared.git("branch", "seen")
    shared.write("x.tsv", "2\n")
    shared.git("add", "-A")
    assert edited(shared, "other\n") == (1, "log-rewritten")

    assert edited(shared, "1\n", path="x.tsv") == (1, "once-changed")


def test_a_refused_claim_cannot_be_committed_over(shared: Repo) -> None:
    """`commit -a` would take ours, and lose the other claim without a word."""
    shared.commit("topic", {"ids/2.once": "lin\n"})
    shared.git("checkout", "-q", "main")
    shared.commit("main", {"ids/2.once": "ada\n"})
    assert shared.tried("merge", "topic").refusal.rule == "id-taken"
    done = shared.tried("commit", "-q", "-a", "-m", "over")

    assert done.refusal.rule == "refusal-pending"
    assert done.refusal.run == "git coord id renumber ids/2.once"
    why = ("--take", "theirs", "--reason", "theirs was first")
    assert shared.coord("resolve", "ids/2.once", *why).code == 0
    shared.git("commit", "-q", "--no-edit")
    assert shared.git("log", "-1", SETTLED) == "ids/2.once theirs was first\n"


def test_a_commit_of_many_files_asks_git_as_often_as_one_of_two(
    shared: Repo, tmp_path: Path
) -> None:
    """A question a commit and file took 814 processes for 400 files."""
    asked = []
    for number in (2, 60):
        names = [f"ids/mine-{number}-{index}.once" for index in range(number)]
        shared.commit("claims", dict.fromkeys(names, "one\n"))
        for name in names:
            shared.write(name, "two\n")
        shared.git("add", "-A")
        trace = tmp_path / f"trace-{number}"
        shared.with_env(GIT_TRACE2_EVENT=str(trace)).git("commit", "-q", "-m", "later")
        asked.append(trace.read_text().count('"event":"start"'))

    assert asked[0] == asked[1]
