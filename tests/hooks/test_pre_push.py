"""The push guard: this worktree's own commits since its pin, and nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.identity import pin
from harness import Repo
from harness.repo import EMAIL, NAME

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Done

LEAKED = {"GIT_COMMITTER_NAME": "Some Peer", "GIT_COMMITTER_EMAIL": "peer@example.com"}
BOTH = LEAKED | {"GIT_AUTHOR_NAME": "Some Peer", "GIT_AUTHOR_EMAIL": "peer@example.com"}
ONLY_AUTHOR = {"GIT_AUTHOR_NAME": "Some Peer"}


@pytest.fixture
def origin(hooked: Repo, tmp_path: Path) -> Repo:
    """The remote of the repository, which has its main branch."""
    hooked.git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    hooked.git("remote", "add", "origin", "../origin.git")
    hooked.git("push", "-q", "origin", "main")
    return hooked.at(tmp_path / "origin.git")


@pytest.fixture
def worker(origin: Repo, hooked: Repo, tmp_path: Path) -> Repo:
    """A linked worktree on branch ``feature``, pinned as it was created."""
    assert origin
    made = hooked.worktree(tmp_path / "worker", "feature")
    assert pinned(made).actor.startswith("feature-")
    return made


def pinned(repo: Repo) -> pin.Pin:
    """Return the pin of a worktree."""
    found = pin.read(str(repo.private()))
    assert found is not None
    return found


def signatures(repo: Repo, *revs: str) -> set[str]:
    """Return who signed some commits, as author and as committer."""
    lines = repo.git("log", "--format=%an <%ae>%n%cn <%ce>", *revs).split("\n")
    return {line for line in lines if line}


def me(repo: Repo) -> str:
    """Return the pinned identity as git writes it."""
    who = pinned(repo)
    return f"{who.name} <{who.email}>"


def pasted(repo: Repo, done: Done) -> Done:
    """Paste the printed command and insist that it worked."""
    answer = repo.paste(done.refusal.run)
    assert answer.code == 0, answer
    return answer


def test_right_commits_are_pushed_in_silence(worker: Repo) -> None:
    """Author and committer follow the pin, so there is nothing to say."""
    worker.commit("one", {"a": "1"})

    done = worker.tried("push", "-q", "origin", "feature")

    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("leaked", [BOTH, LEAKED, ONLY_AUTHOR])
def test_a_warned_push_goes_on_and_is_repaired_by_the_printed_command(
    worker: Repo, leaked: dict[str, str]
) -> None:
    """The remote has the commits by then; pasting, and pushing as it says, makes all right."""
    wrong = worker.with_env(**leaked).commit("wrong", {"a": "1"})
    worker.commit("right", {"b": "1"})

    done = worker.tried("push", "origin", "feature")

    assert done.code == 0
    assert done.refusal.rule == "author-mismatch"
    assert wrong[:12] in done.refusal.headline
    assert "the push goes on" in done.refusal.why
    assert done.refusal.run == f"git coord reauthor {wrong} --pushed origin/feature"
    answer = pasted(worker, done)
    assert signatures(worker, "origin/main..feature") == {me(worker)}
    command = answer.err.rpartition("coord: then: ")[2].strip()
    assert command == "git push --force-with-lease origin feature"
    again = worker.paste(command)
    assert again.code == 0
    assert "author-mismatch" not in again.err


def test_refuse_stops_the_push(worker: Repo, origin: Repo) -> None:
    """With ``authorship = "refuse"`` nothing leaves before it is repaired."""
    worker.commit("config", {".coord.toml": '[push]\nauthorship = "refuse"\n'})
    wrong = worker.with_env(**BOTH).commit("wrong", {"a": "1"})

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.code == 1
    assert done.refusal.run == f"git coord reauthor {wrong}"
    assert not origin.git("branch", "--list", "feature")
    pasted(worker, done)
    again = worker.tried("push", "-q", "origin", "feature")
    assert (again.code, again.err) == (0, "")


def test_the_reason_names_the_variables_that_outrank_the_pin(worker: Repo) -> None:
    """Otherwise the next commit would be wrong again."""
    leaky = worker.with_env(**LEAKED)
    leaky.commit("wrong", {"a": "1"})

    done = leaky.tried("push", "-q", "origin", "feature")

    assert "GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL set in this shell" in done.refusal.why


def test_the_humans_worktree_is_never_judged(hooked: Repo, origin: Repo) -> None:
    """It has no pin."""
    assert origin
    hooked.with_env(**BOTH).commit("human", {"a": "1"})

    done = hooked.tried("push", "-q", "origin", "main")

    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("date", [None, "2001-01-01T00:00:00Z", "2037-01-01T00:00:00Z"])
def test_commits_older_than_the_pin_are_never_blamed(
    hooked: Repo, origin: Repo, date: str | None
) -> None:
    """Whatever GIT_COMMITTER_DATE says, and within the very second of the pin."""
    assert origin
    dated = hooked.with_env(**({"GIT_COMMITTER_DATE": date} if date else {}))
    dated.commit("human", {"a": "1"})
    assert hooked.coord("pin", "--actor", "worker").code == 0
    hooked.commit("worker", {"b": "1"})

    done = hooked.tried("push", "-q", "origin", "main")

    assert (done.code, done.err) == (0, "")
    assert signatures(hooked, "origin/main^^..") == {f"{NAME} <{EMAIL}>", me(hooked)}


@pytest.mark.parametrize("date", ["2001-01-01T00:00:00Z", "2037-01-01T00:00:00Z"])
def test_a_false_date_hides_nothing(worker: Repo, date: str) -> None:
    """The reflog takes GIT_COMMITTER_DATE for its time; the object's file does not."""
    wrong = worker.with_env(**BOTH, GIT_COMMITTER_DATE=date).commit("wrong", {"a": "1"})

    done = worker.tried("push", "-q", "origin", "feature")

    assert wrong in done.refusal.run


def test_packed_commits_are_judged_by_the_reflogs_time(worker: Repo) -> None:
    """After a gc there is no file to ask; a later second is later than the pin all the same."""
    wrong = worker.with_env(**BOTH, GIT_COMMITTER_DATE="2037-01-01T00:00:00Z").commit("wrong")
    worker.git("gc", "-q")

    done = worker.tried("push", "-q", "origin", "feature")

    assert wrong in done.refusal.run


FOREIGN = {
    "fetched and fast-forwarded": "git fetch -q ../colleague main && git merge -q FETCH_HEAD",
    "fetched and merged": "git fetch -q ../colleague main"
    " && git merge -q --no-ff --no-edit FETCH_HEAD",
    "pulled": "git pull -q --no-rebase --no-edit ../colleague main",
    "picked": "git fetch -q ../colleague main && git cherry-pick FETCH_HEAD",
    "mailed": "git -C ../colleague format-patch -q -2 -o ../mail && git am -q ../mail/*",
    "rebased onto": "git fetch -q ../colleague main && git rebase -q FETCH_HEAD",
    "checked out": "git fetch -q ../colleague main && git checkout -q -B feature FETCH_HEAD",
    "reset to": "git fetch -q ../colleague main && git reset -q --hard FETCH_HEAD",
    "picked and amended": "git fetch -q ../colleague main && git cherry-pick FETCH_HEAD"
    " && git commit -q --amend -m amended",
    "fast-forwarded by a pick": "git fetch -q ../colleague main && git reset -q --hard FETCH_HEAD^"
    " && git cherry-pick --ff FETCH_HEAD",
    "rebased interactively": "git fetch -q ../colleague main && git merge -q FETCH_HEAD"
    " && GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' git rebase -q -i HEAD~2",
    "squashed": "git fetch -q ../colleague main && git merge -q FETCH_HEAD"
    " && GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' git rebase -q -i HEAD~2",
    "by another worktree": "git -C ../peer commit -q --allow-empty -m peer && git merge -q peer",
}


@pytest.mark.parametrize("how", FOREIGN)
def test_what_others_made_is_never_blamed(worker: Repo, tmp_path: Path, how: str) -> None:
    """However their commits came into this worktree, they are theirs."""
    worker.git("clone", "-q", str(tmp_path / "repo"), str(tmp_path / "colleague"))
    colleague = worker.at(tmp_path / "colleague")
    colleague.git("config", "user.name", "Col League")
    colleague.commit("theirs 1", {"t1": "1"})
    colleague.commit("theirs 2", {"t2": "1"})
    worker.at(tmp_path / "repo").worktree(tmp_path / "peer", "peer")
    assert worker.paste(FOREIGN[how]).code == 0
    worker.commit("mine", {"mine": "1"})

    done = worker.tried("push", "-q", "origin", "feature")

    assert (done.code, done.err) == (0, "")


OWN = {
    "commit": "git commit -q --allow-empty -m wrong",
    "commit in no verified way": "git commit -q --no-verify --allow-empty -m wrong",
    "merge": "git merge -q --no-ff --no-edit other",
    "merge after a conflict": "git merge -q clash; git add -A; git commit -q --no-edit",
    "revert": "git revert --no-edit HEAD",
    "revert after a conflict": "git revert --no-edit HEAD~1; echo 0 >a; git add a; "
    "git revert --continue",
    "pick": "git cherry-pick other",
    "pick after a conflict": "git cherry-pick clash; git add -A; git cherry-pick --continue",
    "amend": "git commit -q --amend --no-edit",
    "rebase": "git rebase -q other",
    "rebase with merges": f"env {' '.join(f'-u {name}' for name in BOTH)} git merge -q --no-ff"
    " --no-edit other && git rebase -q -r --force origin/main",
    "rebase --apply": "git rebase -q --apply other",
    "am": "git format-patch -q -1 -o ../mail other && git am -q ../mail/*",
    "pull --rebase": "git pull -q --rebase . other",
    "pull": "git pull -q --no-rebase --no-edit . other",
    "squash merge": "git merge -q --squash other && git commit -q -m wrong",
    "a tool with an action of its own": "GIT_REFLOG_ACTION=tool git cherry-pick other",
}


@pytest.mark.parametrize("how", OWN)
def test_whatever_is_made_here_under_another_identity_is_named(worker: Repo, how: str) -> None:
    """Author and committer of commits, merges and reverts; the committer of copies."""
    worker.git("branch", "other")
    worker.git("branch", "clash")
    worker.commit("one", {"a": "1"})
    worker.commit("two", {"a": "2"})
    for branch, files in (("other", {"o": "1"}), ("clash", {"a": "clash"})):
        worker.git("switch", "-q", branch)
        worker.commit(branch, files)
    worker.git("switch", "-q", "feature")
    worker.with_env(**BOTH).paste(OWN[how])

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.refusal.rule == "author-mismatch", worker.git("reflog")
    pasted(worker, done)
    assert signatures(worker, "origin/main..feature") == {me(worker)}
    assert not worker.git("status", "--porcelain", "-uno")


def test_an_author_who_came_with_a_pick_stays(worker: Repo, tmp_path: Path) -> None:
    """Only the committer of a copy was chosen here, so only that is repaired."""
    worker.git("clone", "-q", str(tmp_path / "repo"), str(tmp_path / "colleague"))
    colleague = worker.at(tmp_path / "colleague")
    colleague.git("config", "user.name", "Col League")
    colleague.commit("theirs", {"t": "1"})
    worker.git("fetch", "-q", "../colleague", "main")
    worker.with_env(**BOTH).git("cherry-pick", "FETCH_HEAD")

    pasted(worker, worker.tried("push", "-q", "origin", "feature"))

    assert signatures(worker, "-1") == {f"Col League <{EMAIL}>", me(worker)}


def refspecs(worker: Repo) -> None:
    """Let `worker` have a wrong commit, a tag of each kind on it, and a right one."""
    worker.with_env(**BOTH).commit("wrong", {"a": "1"})
    worker.git("tag", "light")
    worker.git("tag", "-a", "-m", "heavy", "heavy")
    worker.commit("right", {"b": "1"})


@pytest.mark.parametrize(
    "push",
    [
        "origin feature",
        "origin HEAD",
        "origin HEAD:refs/heads/review/x",
        "origin HEAD~1:refs/heads/half",
        "origin light",
        "origin heavy",
        "origin feature light heavy",
        "--all origin",
        "--mirror origin",
        "--dry-run origin feature",
        "../origin.git feature",
        "origin HEAD@{0}:refs/heads/odd",
        "origin +feature:main",
    ],
)
def test_every_way_to_push_is_judged_and_repaired(worker: Repo, push: str) -> None:
    """New branches, tags of both kinds, expressions, several refs, a URL, a forced push."""
    refspecs(worker)

    done = worker.paste(f"git push {push}")

    assert done.refusal.rule == "author-mismatch", done
    assert "could not check" not in done.err
    pasted(worker, done)
    assert signatures(worker, "feature", "^main") == {me(worker)}


@pytest.mark.parametrize("seen", [False, True])
def test_a_push_to_the_url_of_a_remote_is_mended_and_pushed_again(
    worker: Repo, origin: Repo, tmp_path: Path, *, seen: bool
) -> None:
    """From 2.56 it updates the remote's tracking ref; the printed commands serve either way."""
    if seen:
        worker.git("push", "-q", "origin", "feature")
    url = f"file://{tmp_path / 'origin.git'}"
    worker.git("remote", "set-url", "origin", url)
    wrong = worker.with_env(**BOTH).commit("wrong", {"a": "1"})

    done = worker.tried("push", "-q", url, "feature")

    assert done.refusal.run == f"git coord reauthor {wrong} --pushed origin/feature"
    command = pasted(worker, done).err.rpartition("coord: then: ")[2].strip()
    again = worker.paste(command)
    assert again.code == 0, again
    assert origin.git("rev-parse", "feature") == worker.git("rev-parse", "feature")
    assert signatures(worker, "origin/main..feature") == {me(worker)}


def test_a_url_of_two_remotes_names_neither(worker: Repo) -> None:
    """Git updates no tracking ref then: the commits are open to change as they are."""
    worker.git("remote", "add", "twin", "../origin.git")
    wrong = worker.with_env(**BOTH).commit("wrong", {"a": "1"})

    done = worker.tried("push", "-q", "../origin.git", "feature")

    assert done.refusal.run == f"git coord reauthor {wrong}"
    assert signatures(worker, "feature", "^main") != {me(worker)}
    pasted(worker, done)
    assert signatures(worker, "feature", "^main") == {me(worker)}


def test_deletions_are_not_judged(worker: Repo) -> None:
    """There is nothing outgoing; and beside an update they are passed over."""
    worker.git("push", "-q", "origin", "feature")
    wrong = worker.with_env(**BOTH).commit("wrong")

    alone = worker.tried("push", "-q", "origin", ":feature")
    beside = worker.tried("push", "-q", "origin", ":refs/heads/main", "feature:refs/heads/new")

    assert (alone.code, alone.err) == (0, "")
    assert wrong in beside.err


def test_an_id_that_was_never_fetched_is_no_obstacle(worker: Repo, tmp_path: Path) -> None:
    """A colleague has pushed in between: the remote's id is unknown here."""
    worker.git("push", "-q", "origin", "feature")
    worker.git(
        "clone", "-q", "-b", "feature", str(tmp_path / "origin.git"), str(tmp_path / "other")
    )
    other = worker.at(tmp_path / "other")
    other.commit("theirs")
    other.git("push", "-q", "origin", "feature")
    wrong = worker.with_env(**BOTH).commit("wrong")

    done = worker.tried("push", "-q", "--force", "origin", "feature")

    assert done.refusal.run.startswith(f"git coord reauthor {wrong}")
    assert "could not check" not in done.err


def test_what_another_remote_has_is_published(worker: Repo, tmp_path: Path) -> None:
    """It was warned of when it went out first; rewriting it now would part the histories."""
    worker.with_env(**BOTH).commit("wrong")
    worker.git("push", "-q", "origin", "feature")
    worker.git("init", "-q", "--bare", str(tmp_path / "second.git"))
    worker.git("remote", "add", "second", "../second.git")

    done = worker.tried("push", "-q", "second", "feature")

    assert (done.code, done.err) == (0, "")


def test_a_second_push_names_what_is_new(worker: Repo) -> None:
    """Outgoing is what the remote has not."""
    old = worker.with_env(**BOTH).commit("old")
    worker.git("push", "-q", "origin", "feature")
    new = worker.with_env(**BOTH).commit("new")

    done = worker.tried("push", "-q", "origin", "feature")

    assert new in done.refusal.run
    assert old not in done.err


def test_a_shallow_clone_is_judged_to_its_boundary(
    worker: Repo, hooked: Repo, tmp_path: Path
) -> None:
    """Its history ends, which is no error."""
    from harness.hooked import add_hooks  # noqa: PLC0415  # the one test with a second repository

    hooked.commit("more")
    hooked.git("push", "-q", "origin", "main")
    url = f"file://{tmp_path / 'origin.git'}"
    worker.git("clone", "-q", "--depth=1", url, str(tmp_path / "shallow"))
    shallow = add_hooks(worker.at(tmp_path / "shallow"))
    assert shallow.coord("pin", "--actor", "shallow").code == 0
    wrong = shallow.with_env(**BOTH).commit("wrong")

    done = shallow.tried("push", "-q", "origin", "main")

    assert done.refusal.run.startswith(f"git coord reauthor {wrong}")
    pasted(shallow, done)


def test_at_most_ten_are_listed_and_one_command_repairs_exactly_those(worker: Repo) -> None:
    """Past ten, the command selects them: not those that were published before."""
    worker.with_env(**BOTH).commit("published")
    worker.git("push", "-q", "origin", "feature")
    wrong = [worker.with_env(**BOTH).commit(f"wrong {number}") for number in range(12)]
    worker.commit("right")

    done = worker.tried("push", "-q", "origin", "feature")

    assert sum(commit[:12] in done.err for commit in wrong) == 10
    assert "12 outgoing commits" in done.refusal.headline
    assert done.refusal.headline.endswith("and 2 more")
    pasted(worker, done)
    assert signatures(worker, "feature", "^HEAD~13") == {me(worker)}
    assert signatures(worker, "-1", "HEAD~13") == {"Some Peer <peer@example.com>"}


def test_a_very_long_list_is_not_counted_to_its_end(worker: Repo) -> None:
    """Past a hundred the number helps nobody, and the command repairs all the same."""
    commit = "git -c core.hooksPath=/dev/null commit -q --allow-empty -m wrong"
    worker.with_env(**BOTH).paste(f"for number in $(seq 105); do {commit}; done")

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.refusal.headline.startswith("100 or more outgoing commits")
    pasted(worker, done)
    assert signatures(worker, "origin/main..feature") == {me(worker)}


def test_another_branch_than_the_current_one_is_repaired_where_it_is(worker: Repo) -> None:
    """The command names it, and leaves the current branch alone."""
    worker.git("switch", "-q", "-c", "topic")
    worker.with_env(**BOTH).commit("wrong", {"a": "1"})
    worker.git("switch", "-q", "feature")
    before = worker.git("rev-parse", "HEAD")

    done = worker.tried("push", "-q", "origin", "topic")

    assert "--branch topic" in done.refusal.run
    pasted(worker, done)
    assert signatures(worker, "origin/main..topic") == {me(worker)}
    assert worker.git("rev-parse", "HEAD") == before


def test_stacked_branches_are_repaired_together(worker: Repo) -> None:
    """They stay stacked: the commits they share are rebuilt once."""
    worker.with_env(**BOTH).commit("lower", {"a": "1"})
    worker.git("switch", "-q", "-c", "upper")
    worker.with_env(**BOTH).commit("upper", {"b": "1"})

    done = worker.tried("push", "-q", "origin", "feature", "upper")

    pasted(worker, done)
    assert worker.git("rev-parse", "upper^") == worker.git("rev-parse", "feature")
    assert signatures(worker, "origin/main..upper") == {me(worker)}


def refuse(worker: Repo) -> None:
    """Let pushes of wrong commits be refused, and have that pushed."""
    worker.commit("refuse", {".coord.toml": '[push]\nauthorship = "refuse"\n'})
    worker.git("push", "-q", "origin", "feature")


def test_a_tag_off_every_branch_is_repaired_where_it_points(worker: Repo) -> None:
    """The printed command makes a branch for it while it works, and goes nowhere."""
    refuse(worker)
    worker.git("checkout", "-q", "--detach")
    worker.with_env(**BOTH).commit("wrong", {"a": "1"})
    worker.git("tag", "loose")
    worker.git("switch", "-q", "feature")
    branches = worker.git("branch", "--list")

    done = worker.tried("push", "-q", "origin", "loose")

    pasted(worker, done)
    assert signatures(worker, "-1", "loose") == {me(worker)}
    assert worker.git("branch", "--list") == branches
    assert worker.tried("push", "-q", "origin", "loose").code == 0


@pytest.mark.parametrize("kind", ["light", "heavy"])
@pytest.mark.parametrize("push", [("feature", "TAG"), ("TAG",), ("--tags",), ("--follow-tags",)])
def test_a_tag_of_wrong_commits_is_made_again(
    worker: Repo, kind: str, push: tuple[str, ...]
) -> None:
    """On the new commits: else every later push of it would be refused again."""
    refuse(worker)
    worker.with_env(**BOTH).commit("wrong", {"a": "1"})
    heavy = ("--cleanup=whitespace", "-a", "-m", "one\n\n# two\nthree")
    worker.git("tag", *(heavy if kind == "heavy" else ()), "v1")
    worker.commit("right", {"b": "1"})
    if push == ("--follow-tags",):
        push = ("--follow-tags", "feature") if kind == "heavy" else ("feature", "v1")
    words = ["v1" if word == "TAG" else word for word in push]

    done = worker.tried("push", "-q", "origin", *words)
    pasted(worker, done)

    assert worker.git("rev-parse", "v1^{commit}") == worker.git("rev-parse", "feature~1")
    assert worker.git("cat-file", "-t", "v1") == ("commit" if kind == "light" else "tag")
    if kind == "heavy":
        assert worker.git("tag", "-l", "--format=%(contents)", "v1").strip() == heavy[-1]
    assert worker.tried("push", "-q", "origin", *words).code == 0


def test_a_tag_that_an_older_repair_left_behind_is_made_again(worker: Repo) -> None:
    """Its branch is mended already: the tag gets the same new commits, and HEAD stays."""
    refuse(worker)
    wrong = worker.with_env(**BOTH).commit("wrong", {"a": "1"})
    worker.git("tag", "v1")
    assert worker.coord("reauthor", wrong).code == 0

    done = worker.tried("push", "-q", "origin", "v1")
    pasted(worker, done)

    assert worker.git("symbolic-ref", "HEAD") == "refs/heads/feature"
    assert worker.git("rev-parse", "v1") == worker.git("rev-parse", "feature")
    assert worker.tried("push", "-q", "origin", "v1").code == 0


def test_a_detached_head_is_pushed_and_repaired(worker: Repo) -> None:
    """There is no branch to move, but HEAD."""
    worker.git("checkout", "-q", "--detach")
    worker.with_env(**BOTH).commit("wrong", {"a": "1"})

    done = worker.tried("push", "-q", "origin", "HEAD:refs/heads/x")

    pasted(worker, done)
    assert signatures(worker, "-1") == {me(worker)}


def test_a_partial_repair_does_not_hide_the_rest(worker: Repo) -> None:
    """Commits that were rebuilt but not mended are in no reflog, and are named all the same."""
    first = worker.with_env(**BOTH).commit("first")
    worker.with_env(**BOTH).commit("second")
    assert worker.coord("reauthor", first).code == 0

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.refusal.run.startswith(f"git coord reauthor {worker.git('rev-parse', 'HEAD')}")
    pasted(worker, done)
    assert signatures(worker, "origin/main..") == {me(worker)}


def test_a_person_who_is_pinned_as_themselves_is_expected_as_such(
    hooked: Repo, origin: Repo, home: Path
) -> None:
    """``pin --self``: the human's own name, from which git strips a final stop."""
    assert origin
    (home / ".gitconfig").write_text("[user]\n\tname = Ada H.\n\temail = ada@example.com\n")
    assert hooked.coord("pin", "--self").code == 0
    hooked.commit("mine")
    right = hooked.tried("push", "-q", "origin", "main")
    wrong = hooked.with_env(**BOTH).commit("wrong")

    done = hooked.tried("push", "-q", "origin", "main")

    assert right.err == ""
    assert wrong in done.refusal.run


def test_a_kept_author_is_not_judged(hooked: Repo, origin: Repo, tmp_path: Path) -> None:
    """With ``author = "keep"`` the pin says nothing about authors."""
    assert origin
    config = hooked.common("hooks/coord/config")
    config.write_text(config.read_text().replace("[coord]\n", '[coord]\n\tauthor = "keep"\n'))
    worker = hooked.worktree(tmp_path / "kept", "kept")
    worker.commit("human's name")
    assert signatures(worker, "-1") == {f"{NAME} <{EMAIL}>"}

    done = worker.tried("push", "-q", "origin", "kept")

    assert pinned(worker).actor.startswith("kept-")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (
            "git reflog drop HEAD || rm $(git rev-parse --git-path logs/HEAD)",
            "keeps no reflog of HEAD",
        ),
        ("echo rubbish >$(git rev-parse --git-dir)/coord-identity.toml", "is not a file"),
    ],
)
def test_in_doubt_the_push_goes_on(worker: Repo, origin: Repo, harm: str, reason: str) -> None:
    """Three lines say that, why, and what mends it."""
    wrong = worker.with_env(**BOTH).commit("wrong")
    worker.paste(harm)

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.code == 0
    assert done.err.count("\n") == 3
    assert done.refusal.rule == "author-unchecked"
    assert reason in done.refusal.why
    assert origin.git("rev-parse", "feature") == wrong


@pytest.mark.parametrize("harm", ["echo '[push' >.coord.toml; echo authorship >>.coord.toml"])
def test_a_rule_that_cannot_be_read_refuses_the_push(worker: Repo, harm: str) -> None:
    """Whether wrong commits are to be refused is lost, so they are, with the command."""
    worker.with_env(**BOTH).commit("wrong")
    worker.paste(harm)

    done = worker.tried("push", "-q", "origin", "feature")

    assert done.code == 1
    assert done.refusal.rule == "author-mismatch"


def test_reftable_repositories_are_judged_and_repaired(env: dict[str, str], tmp_path: Path) -> None:
    """Their reflog is no file, and libgit2 does not open them: the git binary does both."""
    from harness.hooked import add_hooks  # noqa: PLC0415  # the one test with a second repository

    probe = Repo(tmp_path, env).tried("init", "-q", "--ref-format=reftable", "made")
    if probe.code:
        pytest.skip("this git has no reftable")
    repo = Repo(tmp_path / "made", env)
    repo.commit("start", {"README": "1"})
    add_hooks(repo)
    assert repo.coord("pin", "--actor", "worker").code == 0
    repo.git("init", "-q", "--bare", "../made.git")
    first = repo.with_env(**BOTH).commit("wrong", {"a": "1"})
    second = repo.with_env(**BOTH).commit("wrong too", {"b": "1"})

    done = repo.tried("push", "-q", "../made.git", "main")

    assert done.refusal.run == f"git coord reauthor {second} {first}"
    pasted(repo, done)
    assert signatures(repo, "-2") == {me(repo)}
