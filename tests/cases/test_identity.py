"""Public reports about who a commit is by, each tried as it was reported."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.repo import git
from harness.clinic import findings, healthy, mended
from harness.repo import author

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def authors(repo: Repo, revisions: str = "HEAD") -> list[str]:
    """Return the authors' addresses of commits, the newest first."""
    return repo.git("log", "--format=%ae", revisions).split("\n")


@pytest.fixture
def remote(installed: Repo, tmp_path: Path) -> str:
    """A bare remote that has ``main``."""
    path = str(tmp_path / "remote.git")
    installed.git("init", "-q", "--bare", path)
    installed.git("remote", "add", "origin", path)
    installed.git("push", "-q", "-u", "origin", "main")
    return path


def test_user_settings_of_one_worktree_reach_no_other(installed: Repo, tmp_path: Path) -> None:
    """``git config user.email`` in a linked worktree writes the config that all share.

    gastownhall/gastown#3410, kryptobaseddev/cleo#1309, monoes/monomind#250,
    Untrivial-ai/agent-orchestrator#3636, painted-porch/marcus#308.
    """
    a, b = (installed.worktree(tmp_path / name, name) for name in "ab")
    pinned = author(a), author(b)

    a.git("config", "user.name", "A")
    a.git("config", "user.email", "a@x")

    assert (author(a), author(b)) == pinned
    assert pinned[0] != pinned[1]
    b.commit("by b")
    assert authors(b)[0] == pinned[1].partition("<")[2].rstrip(">")
    assert "shared-identity" in {one.rule for one in findings(installed)}


def test_pinning_never_turns_worktree_config_on(bare_with_worktree: Repo, tmp_path: Path) -> None:
    """With ``core.bare`` in the shared config the extension ends every worktree.

    anthropics/claude-code#78486. It is not needed here, and the doctor names who set it.
    """
    bare_with_worktree.install("--pin-existing")
    other = bare_with_worktree.worktree(tmp_path / "other", "other")
    assert other.tried("config", "extensions.worktreeConfig").code == 1

    other.git("config", "extensions.worktreeConfig", "true")
    assert "must be run in a work tree" in other.tried("status").err
    broken = next(one for one in findings(other) if one.rule == "core-bare")
    assert other.paste(broken.run).code == 0

    assert other.tried("status").code == 0
    assert author(other).startswith("other-")


def test_pins_do_not_compete_for_the_lock_of_the_config(installed: Repo, tmp_path: Path) -> None:
    """Of eight parallel ``git config`` one lost on ``config.lock``, a worker's identity with it.

    paperclipai/paperclip#8945, raine/workmux#116, Intrect-io/OpenSwarm#685.
    """
    trees = [tmp_path / f"w{n}" for n in range(8)]
    for number, tree in enumerate(trees):
        installed.git("worktree", "add", "-q", "--no-checkout", "-b", f"w{number}", str(tree))
    lock = installed.common("config.lock")
    lock.touch()

    running = [
        subprocess.Popen(["git", "coord", "pin"], cwd=tree, env=dict(installed.env))
        for tree in trees
    ]

    assert [process.wait(60) for process in running] == [0] * 8
    lock.unlink()
    assert len({author(installed.at(tree)) for tree in trees}) == 8


def test_commits_in_a_new_worktree_bear_its_pinned_author(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """A global ``user.*`` authored 38 commits of seven branches (neomjs/neo#15337)."""
    side = installed.worktree(tmp_path / "side", "side")
    for number in range(3):
        side.commit(f"{number}")

    pushed = side.tried("push", "-q", remote, "side")

    assert (pushed.code, pushed.err) == (0, "")
    assert all(address.startswith("ada+side-") for address in authors(side, "main..side"))


def test_the_repair_touches_only_the_commits_that_are_wrong(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """``rebase --exec 'commit --amend --reset-author'`` took a teammate's commits along.

    It kept a leaked GIT_AUTHOR_EMAIL and stopped at empty commits (advice printed in neomjs/neo).
    """
    side = installed.worktree(tmp_path / "side", "side")
    mate = side.with_env(GIT_AUTHOR_EMAIL="mate@x", GIT_COMMITTER_EMAIL="mate@x")
    mate.git("clone", "-q", remote, str(tmp_path / "clone"))
    mates = mate.at(tmp_path / "clone")
    mates.commit("by a teammate", {"theirs": "x\n"})
    mates.git("push", "-q", "origin", "HEAD:mates")
    side.git("fetch", "-q", remote, "mates")
    leaked = side.with_env(GIT_AUTHOR_EMAIL="leaked@x")
    leaked.commit("empty and wrong")
    side.git("merge", "-q", "--no-ff", "--no-edit", "FETCH_HEAD")
    leaked.commit("wrong", {"mine": "x\n"})

    warned = leaked.tried("push", "-q", remote, "side")
    assert warned.refusal.rule == "author-mismatch"
    assert side.paste(warned.refusal.run).code == 0

    found = side.git("log", "--format=%ae %s", "main..side").split("\n")
    own = author(side).partition("<")[2].rstrip(">")
    assert [line.partition(" ")[0] for line in found if "teammate" in line] == ["mate@x"]
    assert {line.partition(" ")[0] for line in found if "wrong" in line} == {own}
    assert side.tried("push", "-q", "--force", remote, "side").err == ""


def test_every_shape_of_push_judges_exactly_own_commits(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """An unknown remote id, a URL, a tag, a deletion: ranges that scanned nothing or everything.

    neomjs/neo#15337, ClickHouse/ClickHouse#105856.
    """
    side = installed.worktree(tmp_path / "side", "side")
    wrong = side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    side.git("tag", "-a", "-m", "x", "v1")
    side.git("clone", "-q", remote, str(tmp_path / "clone"))
    elsewhere = side.at(tmp_path / "clone")
    elsewhere.commit("unknown to side")
    elsewhere.git("push", "-q", "origin", "HEAD:refs/heads/moved")

    pushes = {
        "by URL": (remote, "side"),
        "over an unknown id": ("--force", "origin", "side:moved"),
        "a tag": (remote, "v1"),
    }
    for about, words in pushes.items():
        done = side.tried("push", "-q", "--dry-run", *words)
        assert done.code == 0, about
        assert wrong[:7] in done.err, about
    assert side.tried("push", "-q", "origin", ":moved").err == ""


def test_a_clone_is_judged_by_its_pin_and_not_by_its_shape(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """A guard for linked worktrees let whole clones of workers through (neomjs/neo#16143)."""
    installed.git("clone", "-q", remote, str(tmp_path / "clone"))
    clone = installed.at(tmp_path / "clone")
    clone.install()
    clone.commit("by its human")
    assert clone.tried("push", "-q", "origin", "main").err == ""

    assert clone.coord("pin", "--actor", "worker").code == 0
    clone.commit("by the worker")
    clone.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    done = clone.tried("push", "-q", "origin", "main")

    assert done.refusal.rule == "author-mismatch"
    assert authors(clone)[:3] == ["leaked@x", "ada+worker@example.com", "ada@example.com"]


def test_what_a_pruned_worktree_held_can_be_handed_on(installed: Repo, tmp_path: Path) -> None:
    """``git worktree prune`` deletes the pin of a folder that is away.

    max-sixty/worktrunk#3650. Its claims stay, are shown as gone, and are there to be taken.
    """
    side = installed.worktree(tmp_path / "side", "side")
    other = installed.worktree(tmp_path / "other", "other")
    assert side.coord("claim", "task:x").code == 0
    side.path.rename(tmp_path / "away")
    installed.git("worktree", "prune")

    board = other.coord("board").out
    taken = other.coord("take-over", "task:x", "--gone", "--reason", "its folder is gone")

    assert "gone" in board
    assert taken.code == 0, taken.err


def test_a_worktree_no_hook_saw_is_pinned_by_its_first_verb(
    installed: Repo, tmp_path: Path
) -> None:
    """``worktree add --no-checkout`` runs no hook (kamp-us/phoenix#4180: 0 of 256 were stamped)."""
    for name in "ab":
        installed.git("worktree", "add", "-q", "--no-checkout", "-b", name, str(tmp_path / name))
    a, b = (installed.at(tmp_path / name) for name in "ab")

    found = findings(installed, "identity-inferred")
    assert {one.worktree for one in found} == {str(a.path), str(b.path)}
    assert '"source": "pinned"' in a.coord("whoami", "--json").out.replace('":"', '": "')
    mended(installed, "identity-inferred")

    assert healthy(installed)
    assert author(b).startswith("b-")
    assert installed.coord("worktree", "add", "--no-checkout", str(tmp_path / "c")).code == 0
    assert (installed.at(tmp_path / "c").private("coord-identity.toml")).exists()


@pytest.fixture
def picked(installed: Repo, remote: str, tmp_path: Path) -> Repo:
    """A pinned worktree that has staged what Bob committed in another clone."""
    installed.git("clone", "-q", remote, str(tmp_path / "bob"))
    bob = installed.at(tmp_path / "bob")
    bob.git("config", "user.name", "Bob")
    bob.git("config", "user.email", "bob@example.com")
    bob.git("checkout", "-q", "-b", "bob")
    bob.with_env(GIT_AUTHOR_DATE="1700000000 +0000").commit("by Bob", {"b": "b\n"})
    bob.git("push", "-q", "origin", "bob")
    side = installed.worktree(tmp_path / "side", "side")
    side.git("fetch", "-q")
    side.git("cherry-pick", "-n", "origin/bob")
    return side


@pytest.mark.parametrize(
    "how", [("-C", "origin/bob"), ("-c", "origin/bob"), ("-q", "--amend", "-C", "origin/bob")]
)
def test_an_author_taken_over_from_a_peers_commit_is_right(picked: Repo, how: list[str]) -> None:
    """It was called a mistake, and the printed command took the authorship away.

    wireapp/wire-server#1191, mhagger/git-imerge#138.
    """
    picked.git("commit", "-q", *how)

    pushed = picked.tried("push", "-q", "origin", "side")

    assert pushed.code == 0
    assert "author-mismatch" not in pushed.err
    assert picked.coord("check").code == 0
    picked.coord("reauthor", "--outgoing", "--pushed", "origin/side")
    assert authors(picked)[0] == "bob@example.com"


def test_a_committer_that_is_wrong_is_mended_beside_a_peers_author(picked: Repo) -> None:
    """Only what is wrong changes: the author stays Bob's."""
    leaked = picked.with_env(GIT_COMMITTER_NAME="root", GIT_COMMITTER_EMAIL="root@x")
    leaked.git("commit", "-q", "-C", "origin/bob")

    assert "author-mismatch" in picked.tried("push", "-q", "--dry-run", "origin", "side").err
    assert picked.coord("reauthor", "HEAD").code == 0

    assert authors(picked)[0] == "bob@example.com"
    assert "root" not in picked.git("log", "-1", "--format=%cn")


def test_a_peers_copy_does_not_excuse_a_wrong_author(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """A commit with a leaked author, picked by a peer, is still wrong here: the copy is younger."""
    assert remote
    one, two = (installed.worktree(tmp_path / name, name) for name in ("one", "two"))
    leaked = one.with_env(GIT_AUTHOR_NAME="root", GIT_AUTHOR_EMAIL="root@x")
    leaked.commit("leaked", {"x": "x\n"})
    time = int(one.git("log", "-1", "--format=%ct")) + 5
    two.with_env(GIT_COMMITTER_DATE=f"{time} +0000").git("cherry-pick", "one")

    pushed = one.tried("push", "-q", "origin", "one")

    assert "author-mismatch" in pushed.err


SIGNER = """#!/bin/sh
case "$*" in
*--verify*) echo "a word of gpg's" >&2; echo "[GNUPG:] GOODSIG 0 x"; exit 0 ;;
esac
cat >"$0.signed"
echo "[GNUPG:] SIG_CREATED " >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\n%s\\n-----END PGP SIGNATURE-----\\n' "$3"
"""


@pytest.fixture
def signing(installed: Repo, tmp_path: Path) -> Repo:
    """A repository whose commits are signed, by a program in the place of gpg."""
    program = tmp_path / "signer"
    program.write_text(SIGNER)
    program.chmod(0o755)
    installed.git("config", "gpg.program", str(program))
    installed.git("config", "commit.gpgSign", "true")
    installed.git("config", "user.signingKey", "KEY")
    return installed


def test_a_repair_takes_notes_along_and_tells_the_hook(installed: Repo, tmp_path: Path) -> None:
    """As git's own rewriting does; else reviews and what tools keep in notes is lost.

    mystor/git-revise#83, arxanas/git-branchless#1348, git-ai-project/git-ai#970.
    """
    told = tmp_path / "told"
    path = installed.common("hooks/post-rewrite.coord-prior")
    path.write_text(f'#!/bin/sh\necho "$1" >>"{told}"\ncat >>"{told}"\n')
    path.chmod(0o755)
    installed.git("config", "notes.rewriteRef", "refs/notes/*")
    side = installed.worktree(tmp_path / "side", "side")
    old = side.with_env(GIT_AUTHOR_NAME="root").commit("x")
    child = side.commit("y")
    side.git("notes", "add", "-m", "reviewed by Bob", old)
    side.git("notes", "--ref", "ci", "add", "-m", "green", child)

    assert side.coord("reauthor", old).code == 0

    assert side.git("log", "-1", "--format=%N", "HEAD^") == "reviewed by Bob\n"
    assert side.git("notes", "--ref", "ci", "show") == "green"
    news = side.git("rev-list", "--reverse", "-2", "HEAD").split()
    wanted = ["rebase", f"{old} {news[0]}", f"{child} {news[1]}"]
    assert told.read_text().split("\n")[:-1] == wanted


def test_a_repair_signs_anew_where_git_signs(signing: Repo, tmp_path: Path) -> None:
    """A signature over the old identity is false; without one a forge refuses the push.

    mystor/git-revise#83.
    """
    side = signing.worktree(tmp_path / "side", "side")
    old = side.with_env(GIT_AUTHOR_NAME="root").commit("x")
    assert "gpgsig" in side.git("cat-file", "commit", old)

    done = side.coord("reauthor", "HEAD")

    assert "lost a signature" not in done.err
    raw = side.git("cat-file", "commit", "HEAD")
    assert "gpgsig" in raw
    assert "author side-" in raw
    covered = (tmp_path / "signer.signed").read_text()
    assert covered.split("\n")[1:3] == [line for line in raw.split("\n") if ">" in line][:2] or (
        "author side-" in covered
    )
    assert side.git("show", "-s", "--format=%at %ct %s") == side.git(
        "show", "-s", "--format=%at %ct %s", old
    )


def test_a_repair_whose_key_is_gone_says_what_is_unsigned(signing: Repo, tmp_path: Path) -> None:
    """The identity is mended all the same."""
    side = signing.worktree(tmp_path / "side", "side")
    side.with_env(GIT_AUTHOR_NAME="root").commit("x")
    signing.git("config", "gpg.program", "/bin/false")

    done = side.coord("reauthor", "HEAD")

    assert done.code == 0
    assert "1 lost a signature" in done.err
    assert side.git("log", "-1", "--format=%an").startswith("side-")


def test_a_shown_signature_is_no_part_of_what_is_read(signing: Repo) -> None:
    """With ``log.showSignature`` git prints gpg's words among a log's own lines."""
    signing.commit("x")
    signing.git("config", "log.showSignature", "true")
    asked = ("log", "-1", "--format=%s")
    assert "a word of gpg's" in signing.git(*asked) + signing.tried(*asked).err

    assert git.ask(*asked, cwd=str(signing.path)).text == "x"


@pytest.fixture
def early(repo: Repo, home: Path, tmp_path: Path) -> Repo:
    """A linked worktree, installed and pinned while git knew nobody, who has claimed something."""
    kept = (home / ".gitconfig").read_text()
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    repo.install()
    side = repo.worktree(tmp_path / "side", "side")
    assert side.coord("claim", "task:x").code == 0
    (home / ".gitconfig").write_text(kept)
    return side


@pytest.mark.parametrize("by", ["hook", "verb", "install"])
def test_a_pin_made_before_an_identity_follows_it_later(early: Repo, by: str) -> None:
    """A missing value was frozen as a decision: every commit stayed the human's.

    microsoft/vscode-remote-release#6810, #11023.
    """
    before = early.private("coord-identity.toml").read_text().split("\n")
    if by == "hook":
        early.commit("the first still has the author of before")
    elif by == "verb":
        assert early.coord("claim", "task:x").code == 0
    else:
        early.install()

    early.commit("x")

    assert authors(early)[0].startswith("ada+side-")
    after = early.private("coord-identity.toml").read_text().split("\n")
    assert [line for line in before if not line.startswith("email")] == [
        line for line in after if not line.startswith("email")
    ]
    assert healthy(early)


def test_the_doctor_names_a_pin_without_an_author(early: Repo, home: Path) -> None:
    """It counted such a pin among those that git writes as author."""
    known = (home / ".gitconfig").read_text()
    (home / ".gitconfig").write_text("")
    found = findings(early, "author-unknown")
    assert "user.email" in found[0].run
    (home / ".gitconfig").write_text(known)

    mended(early, "author-unknown")

    assert early.coord("release", "task:x").code == 0
    assert author(early).startswith("side-")


def _written_back(repo: Repo) -> None:
    """Write the config as dulwich 1.2 does: with all that it includes, in the one file.

    Its bytes, and not dulwich itself, which is no dependency of the tests: section by section as
    they are met, with values quoted only where a ``#`` stands in one.
    """
    sections: dict[str, list[str]] = {}
    listed = repo.git("config", "--list", "-z", "--local", "--includes").split("\0")
    for key, _, value in (entry.partition("\n") for entry in listed if entry):
        *above, name = key.rsplit(".", 1)
        section, dot, subsection = above[0].partition(".")
        header = f'[{section} "{subsection}"]' if dot else f"[{section}]"
        text = value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
        quoted = f'"{text}"' if "#" in text else text
        sections.setdefault(header, []).append(f"\t{name} = {quoted}\n")
    written = "".join(f"{header}\n{''.join(lines)}" for header, lines in sections.items())
    repo.common("config").write_text(written)


@pytest.mark.parametrize("own", [False, True], ids=["global identity", "identity of its own"])
def test_an_author_that_a_library_copied_to_everybody_is_taken_out(
    installed: Repo, tmp_path: Path, own: bool
) -> None:
    """Written back by dulwich with what it includes: the human commits as a worker, as do peers."""
    if own:
        installed.git("config", "user.email", "own@example.com")
        installed.install()
    side, peer = (installed.worktree(tmp_path / name, name) for name in ("side", "peer"))
    before = author(installed)
    _written_back(side)
    assert "+side" in author(peer)
    assert "+side" in author(installed)
    asked = installed.started("coord-install", "--dry-run").out.partition("new worktrees: ")[2]
    assert asked.partition(" -> ")[2].startswith("{actor} <")
    assert "+side" not in asked.partition(" -> ")[2]
    assert findings(peer)[0].rule == "config-copied"
    assert "config-copied" in peer.started("coord-install", "--check").out

    for found in findings(peer):
        assert peer.paste(found.run).code == 0, found

    assert findings(peer) == []
    assert author(installed) == before
    assert "+peer" in author(peer)


def test_an_uninstall_leaves_no_copy_of_ours(installed: Repo, tmp_path: Path) -> None:
    """Nor of a worker whose worktree is gone."""
    side = installed.worktree(tmp_path / "side", "side")
    gone = installed.worktree(tmp_path / "gone", "gone")
    before = author(installed)
    _written_back(side)
    _written_back(gone)
    installed.git("worktree", "remove", "--force", str(gone.path))

    done = installed.started("coord-install", "--uninstall", "--purge")

    assert done.code == 0, done.err
    assert "coord" not in installed.common("config").read_text()
    assert author(installed) == before


def _library_commit(side: Repo, by: str = "Ada Human <ada@example.com>") -> str:
    """Commit as a library does that writes no reflog of HEAD and knows no pin."""
    name, _, email = by.removesuffix(">").partition(" <")
    who = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER")
           for part, text in (("NAME", name), ("EMAIL", email))}  # fmt: skip
    tree = side.git("write-tree")
    made = side.with_env(**who).git("commit-tree", tree, "-p", "HEAD", "-m", "by a library")
    branch = side.git("symbolic-ref", "HEAD")
    # From the common dir: git writes the log of that HEAD alone.
    side.git("--git-dir", str(side.common()), "update-ref", branch, made)
    return made


def test_a_commit_that_no_reflog_tells_of_is_judged_by_its_place(
    installed: Repo, remote: str, tmp_path: Path
) -> None:
    """isomorphic-git and dulwich write none: the human's author, and nobody said a word."""
    side = installed.worktree(tmp_path / "side", "side")
    bad = _library_commit(side)
    assert side.coord("check", "main..HEAD").out.startswith("author-mismatch: author and committer")
    side.commit("on top of it")

    done = side.tried("push", remote, "side")
    assert done.refusal.rule == "author-mismatch"
    assert bad in done.refusal.run
    assert side.paste(done.refusal.run).code == 0

    assert len(authors(side, "main..HEAD")) == 2
    assert all("+side" in email for email in authors(side, "main..HEAD"))
    assert side.coord("check", "main..HEAD").code == 0


def test_nobody_is_blamed_for_what_others_put_below_a_worktree(
    installed: Repo, tmp_path: Path
) -> None:
    """A branch that was moved from outside: to the human's own commits, or to a colleague's."""
    side = installed.worktree(tmp_path / "side", "side")
    _library_commit(side, "Colleague <c@example.com>")
    installed.commit("the human's own, on main")
    installed.git("update-ref", "refs/heads/side", "main")
    _library_commit(installed)
    installed.git("update-ref", "refs/heads/side", "main")

    assert side.coord("check", "HEAD").code == 0
    assert side.coord("reauthor", "--outgoing").code == 0
    assert authors(side)[0] == "ada@example.com"
