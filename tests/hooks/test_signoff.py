"""The sign-off guard: a new ``Signed-off-by`` of the committer needs a certain identity."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

from coord.hooks import signoff
from coord.identity import pin

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

ADA = "Signed-off-by: Ada Human <ada@example.com>"
TYPE = f"""sh -c 'printf "\\n{ADA}\\n" >>"$1"' -"""


@pytest.fixture
def several(hooked: Repo, tmp_path: Path) -> Repo:
    """The unpinned main worktree of a repository that has another one."""
    hooked.worktree(tmp_path / "peer", "peer")
    return hooked


@pytest.fixture
def linked(hooked: Repo, tmp_path: Path) -> Repo:
    """A linked worktree that no hook has pinned yet."""
    return hooked.worktree(tmp_path / "linked", "linked", "--no-checkout")


SIGNED = [
    "git commit -q --allow-empty -s -m x",
    "git commit -q --allow-empty -s --no-verify -m x",
    f"git commit -q --allow-empty -m x -m '{ADA}'",
    f"git commit -q --allow-empty -m x -m '{ADA.lower()}'",
    f"git commit -q --allow-empty -m x --trailer '{ADA}'",
    f"printf 'x\\n\\n{ADA}\\n' | git commit -q --allow-empty -F -",
    "git commit -q --allow-empty --amend -s --no-edit",
    "echo 1 >README && git commit -q -a -s -m x",
    "echo 1 >README && git commit -q -s -m x -- README",
    "echo 1 >README && git commit -q -a -s -v -m x",
    "git merge -q --no-ff --signoff -m x topic",
    "git cherry-pick -s topic",
    "git revert -s HEAD",
]


@pytest.mark.parametrize("command", SIGNED)
def test_a_new_sign_off_in_an_unpinned_main_worktree_is_refused(
    several: Repo, command: str
) -> None:
    """Who acts there is inferred from a branch a peer may have moved; the printed pin cures it."""
    several.git("switch", "-q", "-c", "topic")
    several.commit("topic", {"topic": "1\n"})
    several.git("switch", "-q", "main")
    several.commit("main", {"main": "1\n"})
    head = several.git("rev-parse", "HEAD")
    done = several.paste(command)

    assert done.code != 0
    assert done.refusal.rule == "identity-inferred"
    assert done.refusal.run == "git coord pin --self"
    assert several.git("rev-parse", "HEAD") == head
    several.git("reset", "-q", "--hard")
    assert several.paste(done.refusal.run).code == 0
    assert several.paste(command).code == 0
    assert "igned-off-by" in several.git("log", "-1", "--format=%B").lower()


def test_an_unpinned_linked_worktree_refuses_before_it_pins(linked: Repo) -> None:
    """It must not turn a guess into a pin, and sign as that, in one breath."""
    done = linked.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"
    assert done.refusal.run == "git coord pin"
    assert not linked.private(pin.PIN).exists()
    assert linked.paste(done.refusal.run).code == 0
    linked.git("commit", "-q", "--allow-empty", "-s", "-m", "x")
    author = linked.git("log", "-1", "--format=%cn <%ce>")
    assert (
        linked.git("log", "-1", "--format=%(trailers:key=Signed-off-by,valueonly)") == f"{author}\n"
    )


def test_one_worktree_signs_freely(hooked: Repo) -> None:
    """There is nobody to be taken for."""
    hooked.git("commit", "-q", "--allow-empty", "-s", "-m", "x")


def test_a_removed_peer_counts_no_more(several: Repo) -> None:
    """A prunable entry holds no worker."""
    several.git("worktree", "remove", "--force", str(several.path.parent / "peer"))

    several.git("commit", "-q", "--allow-empty", "-s", "-m", "x")


def test_an_explicit_actor_is_no_guess(several: Repo) -> None:
    """COORD_ACTOR says who acts; so do ``--as`` and the table of identities."""
    several.with_env(COORD_ACTOR="ada").git("commit", "-q", "--allow-empty", "-s", "-m", "x")


def test_somebody_elses_sign_off_is_not_ours_to_judge(several: Repo) -> None:
    """Only the committer's own is a signature made here; a comment line is none."""
    other = "Signed-off-by: Bob <bob@example.com>"
    several.git("commit", "-q", "--allow-empty", "-m", "x", "-m", f"# {ADA}\n{other}\n  {ADA}")


OLD = [
    "git commit -q --allow-empty --amend --no-edit",
    "git commit -q --allow-empty -C signed",
    "git commit -q --allow-empty -c signed",
    "git reset -q --hard HEAD~1 && git cherry-pick signed",
    "git reset -q --hard HEAD~1 && git cherry-pick -x signed",
    "git rebase -q --force-rebase HEAD~1",
    "git rebase -q --apply --force-rebase HEAD~1",
    "git format-patch -q -1 -o ../mail && git reset -q --hard HEAD~1 && git am -q ../mail/*",
]


@pytest.mark.parametrize("command", OLD)
def test_a_sign_off_that_was_there_is_not_new(hooked: Repo, tmp_path: Path, command: str) -> None:
    """Amended, reused, picked, replayed, mailed: it was given when it was written."""
    hooked.write("f", "1\n")
    hooked.git("add", "f")
    hooked.git("commit", "-q", "-s", "-m", "x")
    hooked.git("tag", "signed")
    hooked.worktree(tmp_path / "peer", "peer")
    done = hooked.paste(command)

    assert (done.code, done.err) == (0, "")
    assert ADA in hooked.git("log", "-1", "--format=%B")


def test_what_is_typed_in_the_editor_is_judged_by_commit_msg(several: Repo) -> None:
    """The message had none when ``prepare-commit-msg`` saw it."""
    typing = several.with_env(GIT_EDITOR=TYPE)
    done = typing.tried("commit", "-q", "--allow-empty", "-e", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"


def test_what_was_there_before_the_editor_stays_allowed(hooked: Repo, tmp_path: Path) -> None:
    """commit-msg is told no source; prepare-commit-msg hands it what was there."""
    hooked.git("commit", "-q", "--allow-empty", "-s", "-m", "x")
    hooked.worktree(tmp_path / "peer", "peer")
    touched = hooked.with_env(GIT_EDITOR="touch")
    touched.git("commit", "-q", "--allow-empty", "--amend")

    assert not hooked.private(signoff.HANDED_ON).exists()


def test_a_pin_made_within_the_commit_does_not_sign_it(linked: Repo) -> None:
    """prepare-commit-msg pinned it; the committer of this commit is still the one of before."""
    typing = linked.with_env(GIT_EDITOR=TYPE)
    done = typing.tried("commit", "-q", "--allow-empty", "-e", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"
    assert linked.paste(done.refusal.run).code == 0
    linked.git("commit", "-q", "--allow-empty", "-s", "-m", "x")


def test_a_commit_given_up_leaves_nothing_that_counts_later(linked: Repo) -> None:
    """The editor failed; what was handed on belongs to that commit only."""
    assert linked.with_env(GIT_EDITOR="false").tried("commit", "--allow-empty").code == 1
    linked.with_env(GIT_EDITOR=TYPE).git("commit", "-q", "--allow-empty", "-e", "-m", "x")

    assert not linked.private(signoff.HANDED_ON).exists()


def test_inside_a_rebase_it_only_warns(several: Repo) -> None:
    """A refusal in the middle of a replay would cost more than it guards."""
    several.commit("one")
    several.commit("two")
    done = several.tried("rebase", "-q", "--signoff", "HEAD~1")

    assert done.code == 0
    assert "coord: identity-inferred: signed off in a rebase all the same" in done.err
    assert ADA in several.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("how", ["-q -s", "-q -s -3"])
def test_am_with_signoff_is_judged_by_its_mail(several: Repo, how: str) -> None:
    """Git keeps the mail's own body beside the message it makes of it."""
    several.commit("mailed", {"f": "1\n"})
    several.git("format-patch", "-q", "-1", "-o", "../mail")
    several.git("reset", "-q", "--hard", "HEAD~1")
    done = several.paste(f"git am {how} ../mail/*")

    assert done.code != 0
    assert done.refusal.rule == "identity-inferred"


def test_an_actor_that_contradicts_the_pin_may_not_sign(several: Repo, tmp_path: Path) -> None:
    """A worker that was started elsewhere signs for somebody else here; both fixes are named."""
    peer = several.at(tmp_path / "peer")
    stranger = peer.with_env(COORD_ACTOR="stranger")
    done = stranger.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.refusal.rule == "identity-conflict"
    assert "git coord pin --replace --actor stranger" in done.refusal.why
    assert stranger.paste(f"{done.refusal.run}; git commit -q --allow-empty -s -m x").code == 0
    stranger.git("commit", "-q", "--allow-empty", "-m", "unsigned is free")


def test_the_pins_own_name_or_handle_is_no_contradiction(several: Repo, tmp_path: Path) -> None:
    """``peer`` is what the branch gave; ``peer-a71f`` is the pin."""
    peer = several.at(tmp_path / "peer")
    made = pin.read(str(peer.private()))
    assert made is not None
    for name in (made.actor, made.actor.rpartition("-")[0]):
        peer.with_env(COORD_ACTOR=name).git("commit", "-q", "--allow-empty", "-s", "-m", "x")


def test_a_leaked_git_dir_may_not_sign(several: Repo, tmp_path: Path) -> None:
    """``git rebase --exec 'cd ../b && git commit -s'`` in a commits to a, from b's folder."""
    peer, other = several.at(tmp_path / "peer"), several.worktree(tmp_path / "other", "other")
    leaked = other.with_env(GIT_DIR=str(peer.private()))
    done = leaked.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.refusal.rule == "identity-conflict"
    assert str(peer.private()) in done.refusal.headline
    assert str(other.private()) in done.refusal.headline
    assert leaked.paste(f"{done.refusal.run}; git commit -q --allow-empty -s -m x").code == 0


def test_a_pin_that_cannot_be_read_may_not_sign(several: Repo, tmp_path: Path) -> None:
    """Who works here cannot be told; after the printed repair it can."""
    peer = several.at(tmp_path / "peer").with_env(COORD_ACTOR="ada")
    peer.private(pin.PIN).write_text("version = 9\n")
    done = peer.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "pin-unreadable"
    assert peer.paste(done.refusal.run).code == 0
    peer.git("commit", "-q", "--allow-empty", "-s", "-m", "x")


@pytest.mark.parametrize("lines", [10, 48, 49, 50, 51, 3000])
@pytest.mark.parametrize("scissors", [True, False])
def test_a_long_message_is_scanned_to_the_scissors(
    several: Repo,
    lines: int,
    scissors: bool,
) -> None:
    """Below them is a diff, which may hold any line; above them every line counts."""
    cut = f"# {'-' * 24} >8 {'-' * 24}\n" if scissors else ""
    several.write("message", "subject\n" + "body\n" * (lines - 1) + f"{cut}{ADA}\n")
    done = several.tried(
        "commit", "-q", "--allow-empty", "--cleanup=scissors", "-F", "message", "-e"
    )

    assert (done.code == 0) == scissors, done.err


def test_a_large_diff_below_the_scissors_is_not_scanned(several: Repo) -> None:
    """Dash reads a byte a call: 3.4 s on a 10 MB ``commit -v``."""
    several.commit("big", {"big": "".join(f"line {n}\n" for n in range(700_000))})
    several.write("big", "".join(f"other {n}\n" for n in range(700_000)))
    message = several.path / "message"
    cut = f"# {'-' * 24} >8 {'-' * 24}\n"
    message.write_text("subject\n" + "# status\n" * 60 + cut + several.git("diff", "big"))
    assert message.stat().st_size > 10_000_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = several.run(str(several.common("hooks/commit-msg")), str(message))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert (done.code, done.err) == (0, "")
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


@pytest.mark.parametrize("poison", ["config", "environment"])
def test_a_committer_that_outranks_the_pin_signs_nothing_off(
    installed: Repo, tmp_path: Path, poison: str
) -> None:
    """``committer.*`` at the end of the shared config makes every worktree sign off as one."""
    tree = installed.worktree(tmp_path / "w", "w")
    if poison == "config":
        installed.git("config", "committer.email", "mallory@example.com")
        poisoned = tree
    else:
        poisoned = tree.with_env(GIT_COMMITTER_EMAIL="mallory@example.com")

    done = poisoned.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "identity-conflict"
    repeat = "git commit -q --allow-empty -s -m x"
    assert poisoned.paste(f"{done.refusal.run}\n{repeat}").code == 0
    assert "+w-" in tree.git("log", "-1", "--format=%ce")


def test_a_peers_trailer_in_a_pinned_worktree_is_allowed(installed: Repo, tmp_path: Path) -> None:
    """Only the committer's own trailer needs a certain identity."""
    tree = installed.worktree(tmp_path / "w", "w")

    done = tree.tried(
        "commit", "-q", "--allow-empty", "-m", "x", "-m", "Signed-off-by: P <p@x.org>"
    )

    assert (done.code, done.err) == (0, "")


def test_commit_s_with_a_broken_pin_is_refused(installed: Repo, tmp_path: Path) -> None:
    """Unreadable is neither pinned nor unpinned: refused with the command that mends it."""
    tree = installed.worktree(tmp_path / "w", "w")
    tree.private("coord-identity.toml").write_text("junk\n")

    done = tree.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "pin-unreadable"
    assert tree.paste(done.refusal.run).code == 0
    assert tree.tried("commit", "-q", "--allow-empty", "-s", "-m", "x").code == 0


def _broken(repo: Repo) -> Repo:
    launch = repo.common("hooks/coord/launch")
    launch.write_text(launch.read_text().replace("coord_python='", "coord_python='/gone"))
    return repo


TYPED = "git commit -q --allow-empty --edit -m x"
MAILED = "git format-patch -q -1 -o ../mail && git reset -q --hard HEAD~1 && git am -q -s ../mail/*"


@pytest.mark.parametrize("command", [*SIGNED, TYPED, MAILED])
def test_a_new_sign_off_that_nobody_can_judge_is_refused(several: Repo, command: str) -> None:
    """The interpreter is gone: who signs is a guess, and no guard would say so later."""
    several.git("switch", "-q", "-c", "topic")
    several.commit("topic", {"topic": "1\n"})
    several.git("switch", "-q", "main")
    several.commit("main", {"main": "1\n"})
    typing = _broken(several).with_env(GIT_EDITOR=TYPE if command == TYPED else "true")
    done = typing.paste(command)

    assert done.code != 0
    assert done.refusal.rule == "guard-fault"
    assert done.refusal.run == "echo repaired"
    assert "igned-off-by" not in several.git("log", "-1", "--format=%B").lower()
    explicit = several.with_env(COORD_ACTOR="bot")
    explicit.git("commit", "-q", "--allow-empty", "-s", "-m", "x")


@pytest.mark.parametrize("command", OLD)
def test_a_sign_off_that_was_there_needs_nobody_to_judge(
    hooked: Repo, tmp_path: Path, command: str
) -> None:
    """It was judged when it was given: git goes on, and says that its guards are gone."""
    hooked.write("f", "1\n")
    hooked.git("add", "f")
    hooked.git("commit", "-q", "-s", "-m", "x")
    hooked.git("tag", "signed")
    hooked.worktree(tmp_path / "peer", "peer")
    done = _broken(hooked).paste(command)

    assert done.code == 0
    assert "guard-fault" not in done.err
    assert ADA in hooked.git("log", "-1", "--format=%B")
