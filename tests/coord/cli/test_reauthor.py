"""``reauthor`` as a user calls it: what it mends, what it refuses, what it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness import Repo
from harness.hooked import AUTHOR, add_hooks

if TYPE_CHECKING:
    from pathlib import Path

WRONG = {
    f"GIT_{who}_{what}": text
    for who in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "Some Peer"), ("EMAIL", "peer@example.com"))
}
PEER = "Some Peer <peer@example.com>"
HUMAN = "Ada Human <ada@example.com>"
ME = "worker <ada+worker@example.com>"


@pytest.fixture
def worker(repo: Repo, tmp_path: Path) -> Repo:
    """A linked worktree on branch ``feature``, pinned as worker."""
    add_hooks(repo)
    made = repo.with_env(COORD_ACTOR="worker").worktree(tmp_path / "worker", "feature")
    return repo.at(made.path)


@pytest.fixture
def origin(worker: Repo, tmp_path: Path) -> Path:
    """A remote that has main."""
    worker.git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    worker.git("remote", "add", "origin", "../origin.git")
    worker.git("push", "-q", "origin", "main")
    return tmp_path / "origin.git"


def wrong(repo: Repo, message: str = "wrong", **files: str) -> str:
    """Commit under another identity."""
    return repo.with_env(**WRONG).commit(message, files)


def signed(repo: Repo, rev: str = "HEAD") -> list[str]:
    """Return author and committer of a commit."""
    return repo.git("log", "-1", "--format=%an <%ae>%n%cn <%ce>", rev).split("\n")


def test_named_commits_are_mended_and_the_rest_rebuilt(worker: Repo) -> None:
    """Old tips are kept under a ref; the answer names old and new."""
    first = wrong(worker, "first", a="1")
    second = worker.commit("second", {"b": "1"})

    done = worker.coord("reauthor", first[:10])

    new = worker.git("rev-parse", "HEAD^")
    assert (done.code, done.out) == (
        0,
        f"{first[:12]} -> {new[:12]}  author and committer  first\n",
    )
    assert signed(worker, "HEAD^") == [ME, ME]
    backup = worker.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/coord-backup")
    assert backup.startswith("refs/coord-backup/feature/")
    assert backup.endswith(second)
    assert worker.git("reflog", "-1", "--format=%gs") == "reauthor: 1 mended"
    assert worker.git("rev-parse", "feature@{1}") == second


def test_index_and_working_tree_are_not_touched(worker: Repo) -> None:
    """Staged, unstaged and untracked work stays, to the byte of the index."""
    wrong(worker, a="1", b="1")
    worker.write("a", "staged")
    worker.git("add", "a")
    worker.write("b", "unstaged")
    worker.write("c", "untracked")
    before = worker.git("status", "--porcelain"), worker.private("index").read_bytes()

    assert worker.coord("reauthor", "HEAD").code == 0

    assert (worker.git("status", "--porcelain"), worker.private("index").read_bytes()) == before


def test_merges_and_the_commits_of_others_stay(worker: Repo, repo: Repo) -> None:
    """A rebase would have flattened the one and taken over the others."""
    wrong(worker, "mine", a="1")
    repo.commit("human", {"h": "1"})
    worker.git("merge", "-q", "--no-ff", "--no-edit", "main")

    assert worker.coord("reauthor", "--outgoing").code == 0

    assert worker.git("rev-parse", "HEAD^2") == repo.git("rev-parse", "main")
    assert signed(worker, "HEAD^1") == [ME, ME]
    assert signed(worker, "HEAD^2") == [HUMAN, HUMAN]


def test_outgoing_mends_all_that_the_guard_would_name(worker: Repo, origin: Path) -> None:
    """And nothing when there is nothing."""
    assert origin.exists()
    for number in range(3):
        wrong(worker, str(number))
        worker.commit(f"right {number}")

    done = worker.coord("reauthor", "--outgoing", "--json")
    again = worker.coord("reauthor", "--outgoing")

    assert len(json.loads(done.out)["commits"]) == 3
    assert PEER not in worker.git("log", "--format=%an <%ae>%n%cn <%ce>", "main..")
    assert (again.code, again.out) == (
        0,
        (
            "nothing to change: no commit made here since the pin and not published "
            "bears another identity\n"
        ),
    )


def test_a_dry_run_changes_nothing(worker: Repo) -> None:
    """It says which signatures would change."""
    commit = wrong(worker)

    done = worker.coord("reauthor", "--dry-run", commit)

    assert (done.code, done.out) == (0, f"{commit[:12]}  author and committer\n")
    assert worker.git("rev-parse", "HEAD") == commit
    assert worker.git("for-each-ref", "refs/coord-backup") == ""


def test_the_answer_is_json_on_demand(worker: Repo) -> None:
    """Commits, refs that moved with their backups, and what was left."""
    first = wrong(worker)
    tip = worker.commit("right")

    answer = json.loads(worker.coord("reauthor", first, "--json").out)

    assert answer["schema"] == 1
    assert answer["commits"] == [
        {
            "old": first,
            "new": worker.git("rev-parse", "HEAD^"),
            "author": True,
            "committer": True,
        }
    ]
    assert answer["branches"][0]["ref"] == "refs/heads/feature"
    assert answer["branches"][0]["old"] == tip
    assert answer["branches"][0]["new"] == worker.git("rev-parse", "HEAD")
    assert worker.git("rev-parse", answer["branches"][0]["backup"]) == tip
    assert (answer["rebuilt"], answer["name"], answer["email"]) == (2, *ME[:-1].split(" <"))


def test_published_commits_stay(worker: Repo, origin: Path) -> None:
    """On a branch that others share there is no way round; the command shows who has it."""
    assert origin.exists()
    commit = wrong(worker)
    worker.git("push", "-q", "origin", "feature:shared")

    done = worker.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "published")
    assert commit in done.refusal.headline
    assert "origin/shared" in done.refusal.why
    assert worker.git("rev-parse", "HEAD") == commit
    assert worker.paste(done.refusal.run).out.strip() == "origin/shared"


@pytest.mark.parametrize("tagged", [False, True])
def test_what_only_the_branchs_own_remote_has_can_be_mended_knowingly(
    worker: Repo, origin: Path, *, tagged: bool
) -> None:
    """The command says so, and names the push that has to follow."""
    assert origin.exists()
    commit = wrong(worker)
    worker.git("push", "-q", "origin", "feature")
    if tagged:
        worker.git("tag", "feature", "main")
        worker.git("push", "-q", "origin", "refs/tags/feature")

    done = worker.coord("reauthor", commit)

    assert done.refusal.rule == "published"
    pasted = worker.paste(done.refusal.run)
    assert pasted.code == 0, pasted
    pushed = "refs/heads/feature:refs/heads/feature" if tagged else "feature"
    assert f"then: git push --force-with-lease origin {pushed}\n" in pasted.err
    worker.git("push", "-q", "--force-with-lease", "origin", pushed)
    assert worker.git("rev-parse", "origin/feature") == worker.git("rev-parse", "HEAD")


def test_the_remotes_default_branch_is_not_offered(worker: Repo, origin: Path) -> None:
    """Everybody builds on it."""
    assert origin.exists()
    worker.git("push", "-q", "origin", "feature")
    worker.git("remote", "set-head", "origin", "feature")
    commit = wrong(worker)
    worker.git("push", "-q", "origin", "feature")

    done = worker.coord("reauthor", commit)

    assert done.refusal.run == f"git branch --remotes --contains {commit}"


def test_published_ones_are_left_out_by_the_printed_command(worker: Repo, origin: Path) -> None:
    """The others can be mended."""
    assert origin.exists()
    old = wrong(worker, "old")
    worker.git("push", "-q", "origin", "feature:shared")
    new = wrong(worker, "new")

    done = worker.coord("reauthor", old, new)

    assert worker.paste(done.refusal.run).code == 0
    assert signed(worker) == [ME, ME]
    assert worker.git("rev-parse", "HEAD^") == old


def test_a_commit_of_another_branch_is_mended_there(worker: Repo) -> None:
    """The printed command names the branch, which moves without being checked out."""
    worker.git("switch", "-q", "-c", "topic")
    commit = wrong(worker, a="1")
    worker.git("switch", "-q", "feature")

    done = worker.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "not-on-branch")
    assert worker.paste(done.refusal.run).code == 0
    assert signed(worker, "topic") == [ME, ME]
    assert worker.git("status", "--porcelain") == ""


def test_a_commit_that_no_branch_holds_gets_one(worker: Repo) -> None:
    """After a reset it would be lost at the next gc."""
    commit = wrong(worker)
    worker.git("reset", "-q", "--hard", "HEAD^")

    done = worker.coord("reauthor", commit)

    assert done.refusal.rule == "not-on-branch"
    assert worker.paste(done.refusal.run).code == 0
    assert worker.paste(worker.coord("reauthor", commit).refusal.run).code == 0


@pytest.mark.parametrize("tagged", [False, True])
def test_a_branch_checked_out_by_a_peer_is_not_rewritten(
    worker: Repo, repo: Repo, tmp_path: Path, *, tagged: bool
) -> None:
    """A copy of it can be mended; the peer's stays, and so does a tag of its name."""
    commit = wrong(worker)
    peer = repo.worktree(tmp_path / "peer", "theirs")
    peer.git("reset", "-q", "--hard", commit)
    if tagged:
        peer.git("tag", "theirs", "main")

    done = worker.coord("reauthor", commit, "--branch", "theirs")

    assert (done.code, done.refusal.rule) == (1, "branch-in-use")
    assert worker.paste(done.refusal.run).code == 0
    assert signed(worker, "theirs-reauthored") == [ME, ME]
    assert peer.git("rev-parse", "HEAD") == commit


def test_a_peers_commit_is_not_taken_over(worker: Repo, repo: Repo, tmp_path: Path) -> None:
    """Its committer is pinned elsewhere, and this reflog did not make it."""
    peer = repo.worktree(tmp_path / "peer", "theirs")
    commit = peer.commit("theirs")
    worker.git("merge", "-q", "theirs")

    done = worker.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "not-made-here")
    assert worker.paste(done.refusal.run).code == 0
    assert worker.git("rev-parse", "HEAD") == commit


@pytest.mark.parametrize("pinned", [False, True], ids=["fresh", "with work of its own"])
def test_what_the_human_made_in_the_main_worktree_stays_theirs(
    worker: Repo, repo: Repo, tmp_path: Path, *, pinned: bool
) -> None:
    """Nobody is pinned there, and the commit is on main: a new worktree begins at it."""
    commit = repo.commit("human")
    made = repo.with_env(COORD_ACTOR="other").worktree(tmp_path / "other", "other")
    other = repo.at(made.path)
    if pinned:
        other.commit("own")

    done = other.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "not-made-here")
    assert str(repo.path) in done.refusal.why
    assert other.paste(done.refusal.run).code == 0
    assert repo.git("rev-parse", "main") == commit
    assert worker.coord("reauthor", "HEAD").refusal.rule == "not-made-here"


def test_what_was_made_here_in_a_peers_name_is_mended(
    worker: Repo, repo: Repo, tmp_path: Path
) -> None:
    """An exported identity made it look like theirs."""
    peer = repo.worktree(tmp_path / "peer", "theirs")
    name, email = peer.git("config", "user.name"), peer.git("config", "user.email")
    env = {f"GIT_{who}_NAME": name for who in ("AUTHOR", "COMMITTER")}
    env |= {f"GIT_{who}_EMAIL": email for who in ("AUTHOR", "COMMITTER")}
    commit = worker.with_env(**env).commit("as the peer")

    assert worker.coord("reauthor", commit).code == 0

    assert signed(worker) == [ME, ME]


def test_without_a_pin_there_is_no_identity_to_give(repo: Repo) -> None:
    """The printed command pins; then it works."""
    add_hooks(repo)
    commit = wrong(repo)

    done = repo.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "identity-inferred")
    assert repo.paste(done.refusal.run).code == 0
    assert repo.coord("reauthor", commit).code == 0
    assert signed(repo) == [HUMAN, HUMAN]


def test_another_actor_than_the_pinned_one_is_refused(worker: Repo) -> None:
    """An exported COORD_ACTOR contradicts the pin; the printed command goes without."""
    commit = wrong(worker)

    done = worker.with_env(COORD_ACTOR="other").coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "identity-conflict")
    assert worker.with_env(COORD_ACTOR="other").paste(done.refusal.run).code == 0
    assert signed(worker) == [ME, ME]


def test_a_leaked_git_dir_is_named(worker: Repo, repo: Repo) -> None:
    """Two repositories could be meant; the printed command takes the current folder's."""
    commit = wrong(worker)
    leaky = worker.with_env(GIT_DIR=str(repo.path / ".git"))

    done = leaky.run("git-coord", "reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "identity-conflict")
    assert leaky.paste(done.refusal.run).code == 0
    assert signed(worker) == [ME, ME]


def test_a_dry_run_is_repeated_as_one(worker: Repo, repo: Repo) -> None:
    """Pasted, the command after a refusal rewrote what was only to be looked at."""
    leaky = worker.with_env(GIT_DIR=str(repo.path / ".git"))

    done = leaky.run("git-coord", "reauthor", wrong(worker), "--dry-run")

    assert done.refusal.run.endswith(" --dry-run")


OPERATIONS = {
    "merge": "git merge -q clash",
    "rebase": "git rebase -q clash",
    "rebase --apply": "git rebase -q --apply clash",
    "cherry-pick": "git cherry-pick clash",
    "revert": "git revert --no-edit HEAD^",
    "am": "git format-patch -q -1 -o ../mail clash && git am -q -3 ../mail/*",
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_reauthor_during_an_operation_is_refused(worker: Repo, operation: str) -> None:
    """Git has noted commits that would be replaced; the printed command goes on with it."""
    worker.commit("base", {"a": "0"})
    worker.git("branch", "clash")
    worker.commit("one", {"a": "1"})
    worker.commit("two", {"a": "2"})
    worker.git("switch", "-q", "clash")
    worker.commit("clash", {"a": "clash"})
    worker.git("switch", "-q", "feature")
    worker.paste(OPERATIONS[operation])
    assert worker.git("ls-files", "-u")

    done = worker.coord("reauthor", "HEAD")

    assert (done.code, done.refusal.rule) == (1, "operation-in-progress")
    assert operation.partition(" ")[0] in done.refusal.headline
    for stop in range(2):  # a rebase may stop at each of two commits
        worker.write("a", f"resolved {stop}")
        worker.git("add", "a")
        worker.paste(done.refusal.run)
    assert worker.coord("reauthor", "HEAD").code == 0


def test_a_pending_refusal_is_settled_first(worker: Repo) -> None:
    """It is bound to HEAD; once settled it follows HEAD, and the commit bears its reason."""
    config = "[derived.'x.json']\nregenerate='echo 3 >x.json'\n"
    worker.commit("base", {".coord.toml": config, "x.json": "0"})
    worker.git("branch", "side")
    worker.commit("main", {"x.json": "1"})
    worker.git("switch", "-q", "side")
    commit = wrong(worker, **{"x.json": "2"})
    worker.tried("merge", "--squash", "feature")

    done = worker.coord("reauthor", commit)

    assert (done.code, done.refusal.rule) == (1, "refusal-pending")
    assert worker.paste(worker.paste(done.refusal.run).refusal.run).code == 0
    assert worker.coord("reauthor", commit).code == 0
    worker.git("commit", "-q", "-m", "squashed")
    assert worker.git("log", "-1", "--format=%(trailers:key=Coord-Resolved,valueonly)") == (
        "x.json regenerated by: echo 3 >x.json\n"
    )


def test_a_lost_signature_is_said(worker: Repo) -> None:
    """It covered the old bytes, so it goes; nobody should have to find that out."""
    raw = worker.git("cat-file", "commit", "HEAD") + "\n"
    header, _, message = raw.partition("\n\n")
    raw = f"{header}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END\n\n{message}"
    commit = worker.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)
    worker.git("reset", "-q", "--hard", commit)

    done = worker.coord("reauthor", commit)

    assert "1 lost a signature" in done.err
    assert "gpgsig" not in worker.git("cat-file", "commit", "HEAD")


def test_what_still_holds_the_old_commits_is_said(worker: Repo) -> None:
    """Tags are not moved, nor are other branches."""
    commit = wrong(worker)
    worker.git("tag", "-a", "-m", "v1", "v1")
    worker.git("branch", "other")

    done = worker.coord("reauthor", commit)

    assert "refs/tags/v1 still holds the old commits" in done.err
    assert "refs/heads/other still holds the old commits" in done.err
    assert worker.git("rev-parse", "v1^{commit}", "other").split() == [commit, commit]


def test_a_kept_author_means_the_users_own_identity(repo: Repo, tmp_path: Path) -> None:
    """With ``author = "keep"`` that is what git writes here."""
    add_hooks(repo, author=AUTHOR + '\tauthor = "keep"\n')
    kept = repo.worktree(tmp_path / "kept", "kept")
    commit = wrong(kept)

    assert kept.coord("reauthor", commit).code == 0

    assert signed(kept) == [HUMAN, HUMAN]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["^HEAD"],
        ["nonsense"],
        ["main..HEAD"],
        ["HEAD:README"],
        [""],
        ["--branch", "nonsense", "HEAD"],
        ["--nonsense"],
    ],
)
def test_wrong_words_are_wrong_usage(worker: Repo, words: list[str]) -> None:
    """Exit 2, and a command that answers."""
    done = worker.coord("reauthor", *words)

    assert done.code == 2
    assert worker.paste(done.refusal.run).code == 0


def test_an_unborn_branch_has_nothing_to_mend(worker: Repo) -> None:
    """Exit 2, not a traceback."""
    worker.git("switch", "-q", "--orphan", "empty")

    assert worker.coord("reauthor", "HEAD").refusal.rule == "commit-unknown"


def test_a_repository_that_libgit2_refuses_is_mended_by_git(
    env: dict[str, str], tmp_path: Path
) -> None:
    """SHA-256 objects and unknown extensions fall back to the git binary."""
    repo = Repo(tmp_path / "made", env)
    repo.path.mkdir()
    repo.git("init", "-q", "--object-format=sha256")
    add_hooks(repo)
    repo.commit("start", {"README": "1"})
    assert repo.coord("pin", "--actor", "worker").code == 0
    commit = wrong(repo, a="1")
    repo.commit("right")

    done = repo.coord("reauthor", commit)

    assert done.code == 0, done
    assert len(commit) == 64
    assert signed(repo, "HEAD^") == [ME, ME]
    assert repo.tried("fsck", "--strict").code == 0
