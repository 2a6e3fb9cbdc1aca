"""Kill -9 at any point: no half state passes as whole, and the next command goes on from there.

``COORD_KILL_ROUNDS=200 pytest -rP tests/ground/test_killed.py`` prints how many rounds ended where.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from coord.identity import includeif, pin
from harness.grounds import script
from harness.kills import ROUNDS, Stage, Tally, at_every_call, at_random
from harness.repo import Repo
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(max(120, 40 * ROUNDS))
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
# Enough of them in every run; all of them when more rounds are asked for.
POINTS = 3 * ROUNDS if ROUNDS < 20 else None
HOOK = "#!/bin/sh\necho ran >>hook-ran\n"
BASE, OURS, THEIRS = (
    "2026-01-01T00:00:00Z base\n",
    "2026-01-02T00:00:00Z a\n",
    "2026-01-03T00:00:00Z b\n",
)
# Slow, and for a moment with half of its work on the disk.
PRODUCER = (
    "printf '[' >schema.json; sleep 0.05; ls fields | tr '\\n' ' ' >>schema.json; "
    "echo ']' >>schema.json"
)
WHOLE = "[a b base ]"


@pytest.fixture
def stage_of(tmp_path: Path, env: dict[str, str]) -> tuple[Path, Repo]:
    """A folder for a stage, and a repository in it."""
    folder = tmp_path / "stage"
    repo = Repo.init(folder / "repo", env)
    repo.commit("start", {"README": "start\n"})
    return folder, repo


@pytest.fixture
def diverged(stage_of: tuple[Path, Repo]) -> tuple[Path, Repo, Repo]:
    """Two pinned worktrees that both changed a log, an artifact and a file of their own."""
    folder, repo = stage_of
    repo.install()
    a = repo.worktree(folder / "a", "a")
    a.coord("track", "derived", "schema.json", "--regenerate", PRODUCER)
    a.coord("track", "log", "moves.tsv")
    a.git("add", "-A")
    a.commit("base", {"moves.tsv": BASE, "fields/base": "", "schema.json": "[base ]\n"})
    a.git("branch", "b")
    a.commit("a", {"moves.tsv": BASE + OURS, "fields/a": "", "schema.json": "[a base ]\n"})
    repo.git("worktree", "add", "-q", str(folder / "b"), "b")
    b = repo.at(folder / "b")
    b.commit("b", {"moves.tsv": BASE + THEIRS, "fields/b": "", "schema.json": "[b base ]\n"})
    return folder, a, b


def unlocked(repo: Repo) -> None:
    """Remove the lock files that a killed git leaves, as git itself says when it meets one."""
    for root, _, names in os.walk(repo.common()):
        for name in names:
            if name.endswith(".lock") and not root.endswith("coord"):  # ours stay, and hold nobody
                os.unlink(os.path.join(root, name))


def readable(repo: Repo) -> None:
    """Insist on a repository that git takes for whole: objects, refs, index."""
    repo.git("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    repo.git("status", "--porcelain")


def swallowed(repo: Repo) -> bool:
    """Commit everything as it lies there, and tell whether that made a merge commit."""
    repo.tried("add", "-A")
    done = repo.tried("commit", "-q", "--no-edit", "-m", "Merge, taking whatever is there")
    if done.code:
        return False
    return len(repo.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def whole(repo: Repo) -> None:
    """Insist on a merge that has both sides, and an artifact made of both."""
    assert repo.git("show", "HEAD:schema.json") == WHOLE
    assert repo.git("show", "HEAD:moves.tsv") + "\n" == BASE + OURS + THEIRS


def test_merge(diverged: tuple[Path, Repo, Repo]) -> None:
    """Killed in git, in a driver, anywhere: refs stand, and a swallowed half is no merge."""
    folder, a, _ = diverged
    stage, tally = Stage(folder), Tally("git merge")
    tips, old = a.git("for-each-ref", "refs/heads"), a.git("rev-parse", "HEAD")
    for _ in at_random(a, "git merge --no-edit b", stage):
        assert a.git("for-each-ref", "refs/heads") == tips
        unlocked(a)
        readable(a)
        begun = a.private("MERGE_HEAD").exists()
        assert not swallowed(a)
        tally.count("in the merge" if begun else "before it")
        a.git("reset", "-q", "--hard", old)
        a.git("clean", "-qfd")
        assert a.tried("merge", "--no-edit", "b").refusal.rule == "derived-two-sided"
        assert a.coord("regenerate").code == 0
        a.git("commit", "-q", "--no-edit")
        whole(a)
    tally.show()


def test_rebase(diverged: tuple[Path, Repo, Repo]) -> None:
    """Killed anywhere until its end: the branch is where it was, or where it goes."""
    folder, a, _ = diverged
    stage, tally = Stage(folder), Tally("git rebase, regenerate, --continue")
    old, peer = a.git("rev-parse", "a"), a.git("rev-parse", "b")
    line = "git rebase -q b; git coord regenerate && git rebase --continue"
    for _ in at_random(a, line, stage):
        unlocked(a)
        assert a.git("rev-parse", "b") == peer
        if a.git("rev-parse", "a") == old:
            if a.private("rebase-merge").exists() and a.tried("rebase", "--abort").code:
                a.git("rebase", "--quit")
            a.git("checkout", "-q", "-f", "a")
            a.git("clean", "-qfd")
            assert a.git("rev-parse", "HEAD") == old
            a.run("sh", "-c", line)
            tally.count("old")
        else:
            tally.count("new")
        readable(a)
        whole(a)
        assert a.git("log", "-1", "--format=%an %s").endswith(" a")
    tally.show()


def test_regenerate(diverged: tuple[Path, Repo, Repo]) -> None:
    """Half an artifact is never committed; run again, it is made."""
    folder, a, _ = diverged
    a.tried("merge", "--no-edit", "b")
    stage, tally = Stage(folder), Tally("git coord regenerate")
    for _ in at_random(a, "git coord regenerate", stage):
        unlocked(a)
        readable(a)
        settled = not a.git("ls-files", "-u")
        if swallowed(a):
            tally.count("settled")
        else:
            tally.count("staged, not settled" if settled else "pending")
            done = a.tried("commit", "-q", "--no-edit")
            assert (done.code, done.refusal.rule) == (1, "refusal-pending"), done.err
            assert a.paste(done.refusal.run).code == 0
            a.git("commit", "-q", "--no-edit")
        whole(a)
    tally.show()


def test_resolve(diverged: tuple[Path, Repo, Repo]) -> None:
    """A settled refusal is staged and noted, or pending."""
    folder, a, b = diverged
    b.write("moves.tsv", THEIRS)
    b.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "Rewrite the log")
    a.tried("merge", "--no-edit", "b")
    a.coord("regenerate")
    line = "git coord resolve moves.tsv --take both --reason 'nothing is lost'"
    stage, tally = Stage(folder), Tally("git coord resolve --take both")
    for _ in at_random(a, line, stage):
        unlocked(a)
        readable(a)
        if swallowed(a):
            tally.count("settled")
        else:
            tally.count("pending")
            done = a.tried("commit", "-q", "--no-edit")
            assert (done.code, done.refusal.rule) == (1, "refusal-pending"), done.err
            assert a.paste(done.refusal.run).code == 0
            a.git("commit", "-q", "--no-edit")
        whole(a)
    tally.show()


def test_reauthor(stage_of: tuple[Path, Repo]) -> None:
    """The branch is old or new, with nothing lost; run again, it is new."""
    folder, repo = stage_of
    repo.install()
    tree = repo.worktree(folder / "tree", "tree")
    stranger = tree.with_env(GIT_AUTHOR_NAME="root", GIT_AUTHOR_EMAIL="root@localhost")
    first = stranger.commit("first", {"a": "1\n"})
    last = stranger.commit("last", {"a": "2\n"})
    stage, tally = Stage(folder), Tally("git coord reauthor")
    line = f"git coord reauthor {first} {last}"
    for _ in at_random(tree, line, stage):
        moved = tree.git("rev-parse", "tree") != last
        tally.count("new" if moved else "old")
        backup = tree.git("for-each-ref", "--format=%(objectname)", "refs/coord-backup")
        assert backup.split("\n")[-1] == last if moved else backup in {"", last}
        again(tree, line, expected=(0, 1) if moved else (0,))
        readable(tree)
        assert "root" not in tree.git("log", "-2", "--format=%an")
        assert tree.git("diff", last, "tree") == ""
        assert tree.git("status", "--porcelain") == ""
    tally.show()


@needs_strace
def test_reauthor_of_two_branches_at_every_rename(stage_of: tuple[Path, Repo]) -> None:
    """Git itself moves one after the other: whatever is left, the next run brings both there."""
    folder, repo = stage_of
    repo.install()
    tree = repo.worktree(folder / "tree", "tree")
    stranger = tree.with_env(GIT_AUTHOR_NAME="root", GIT_AUTHOR_EMAIL="root@localhost")
    wrong = stranger.commit("wrong", {"a": "1\n"})
    tree.git("branch", "second")
    tree.commit("right", {"a": "2\n"})
    line = f"git coord reauthor {wrong} --branch tree --branch second"
    stage, tally = Stage(folder), Tally("git coord reauthor of two branches, at each rename")
    old = tips(tree)
    again(tree, line)
    new = tips(tree)
    for number in range(1, 9):
        stage.again()
        inject = f"inject=rename,renameat2:signal=KILL:when={number}"
        argv = ("strace", "-f", "-qq", "-o", os.devnull, "-e", inject, "sh", "-c", line)
        if tree.run(*argv).code == 0:
            break
        found = tips(tree)
        assert all(tip in either for tip, *either in zip(found, old, new, strict=True))
        tally.count("old" if found == old else "new" if found == new else "one of each")
        again(tree, line, expected=(0, 1) if found == new else (0,))
        assert tips(tree) == new
        readable(tree)
    tally.show()
    assert sum(tally.states.values()) >= 3


def tips(repo: Repo) -> list[str]:
    """Return the tips of both branches."""
    return repo.git("rev-parse", "tree", "second").split("\n")


def again(repo: Repo, line: str, expected: tuple[int, ...] = (0,)) -> None:
    """Run a command once more; what a lock stops is said, with a command that ends it."""
    done = repo.run("sh", "-c", line)
    while done.code == 3:
        assert done.refusal.rule == "locked", done.err
        assert repo.paste(done.refusal.run).code == 0
        done = repo.run("sh", "-c", line)
    assert done.code in expected, done.err


def test_replacing_a_pin(stage_of: tuple[Path, Repo]) -> None:
    """There is always one pin, and the author follows it from the next hook on."""
    folder, repo = stage_of
    repo.install()
    tree = repo.worktree(folder / "tree", "tree")
    old = pin.read(str(tree.private()))
    assert old is not None
    stage, tally = Stage(folder), Tally("git coord pin --replace")
    for _ in at_random(tree, "git coord pin --replace", stage):
        tally.count(_followed(tree, old))
    tally.show()


def _followed(tree: Repo, old: pin.Pin) -> str:
    """Insist on one pin that the author follows, and tell which."""
    found = pin.read(str(tree.private()))
    assert found is not None
    tree.commit("the hook mends")
    tree.commit("and then")
    assert tree.git("log", "-1", "--format=%an|%cn") == f"{found.name}|{found.name}"
    assert tree.coord("whoami").out.startswith(f"{found.actor} (pinned)")
    return "old" if found.instance == old.instance else "new"


@needs_strace
@pytest.mark.parametrize("how", ["ensure", "replace"])
def test_pinning_at_every_system_call(stage_of: tuple[Path, Repo], how: str) -> None:
    """No pin, the old one or the new one; the next hook ends with one that the author follows."""
    folder, repo = stage_of
    repo.install()
    tree = repo.worktree(folder / "tree", "tree")
    old = pin.read(str(tree.private()))
    assert old is not None
    if how == "ensure":
        tree.private(pin.PIN).unlink()
        tree.private(includeif.AUTHOR).unlink()
        repo.common("coord/identities").unlink()
    call = f"pin.{how}(*sys.argv[1:], 'h-', pin.Authorship('{{actor}}', 'x+{{actor}}@y'))"
    program = f"import sys\nfrom coord.identity import pin\n{call}"
    argv = [sys.executable, "-c", program, str(tree.private()), str(tree.common())]
    stage, tally = Stage(folder), Tally(f"pin.{how}, at each call")
    for _ in at_every_call(tree, argv, stage):
        if how == "ensure" and pin.read(str(tree.private())) is None:
            tree.commit("the hook pins")
        tally.count(_followed(tree, old))
    tally.show()
    assert sum(tally.states.values()) >= 8


@needs_strace
@pytest.mark.parametrize("how", ["create", "replace"])
def test_publishing_at_every_system_call(tmp_path: Path, env: dict[str, str], how: str) -> None:
    """Absent or whole; old or new."""
    path = tmp_path / "stage" / "record"
    path.parent.mkdir()
    if how == "replace":
        path.write_bytes(b"old")
    program = (
        f"import sys\nfrom coord.base import publish\npublish.{how}(sys.argv[1], b'new' * 9000)"
    )
    stage, tally = Stage(path.parent), Tally(f"publish.{how}, at each call")
    for _ in at_every_call(Repo(tmp_path, env), [sys.executable, "-c", program, str(path)], stage):
        found = path.read_bytes() if path.exists() else b""
        assert found in {b"old" if how == "replace" else b"", b"new" * 9000}
        tally.count("new" if len(found) > 3 else "old" if found else "absent")
    tally.show()
    assert sum(tally.states.values()) >= 3


@pytest.fixture
def hooked(stage_of: tuple[Path, Repo]) -> tuple[Path, Repo, Repo]:
    """A repository with a hook of its own and a linked worktree."""
    folder, repo = stage_of
    hook = repo.common("hooks") / "commit-msg"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    return folder, repo, repo.worktree(folder / "tree", "tree")


def installable(repo: Repo, tree: Repo, first: dict[str, tuple[int, bytes]], number: int) -> str:
    """Insist that git works and the foreign hook runs; then install or uninstall, in turn."""
    tree.commit("git works")
    assert (tree.path / "hook-ran").exists()
    state = "begun" if repo.common("hooks/coord/manifest").exists() else "untouched"
    if number % 2:
        again(repo, "coord-install --pin-existing")
        assert repo.started("coord-install", "--check").code == 0
        assert repo.coord("doctor").code == 0, repo.coord("doctor").out
    again(repo, "coord-install --uninstall")
    assert installed_parts(repo) == first
    return state


def installed_parts(repo: Repo) -> dict[str, tuple[int, bytes]]:
    """Return what is in the common git dir, but for what git's own commits write."""
    gits = ("objects", "refs", "logs", "index", "COMMIT_EDITMSG", "worktrees", "reftable")
    found = snapshot(repo.common())
    return {
        path: entry
        for path, entry in found.items()
        if not path.startswith(gits) or "/coord" in path
    }


def test_install_and_uninstall(hooked: tuple[Path, Repo, Repo]) -> None:
    """At any moment: git works, the foreign hook runs, and either command gets to its end."""
    folder, repo, tree = hooked
    first = installed_parts(repo)
    for flag in ("--pin-existing", "--uninstall"):
        stage, tally = Stage(folder), Tally(f"coord-install {flag}")
        for number, _ in enumerate(at_random(repo, f"coord-install {flag}", stage)):
            tally.count(installable(repo, tree, first, number))
        tally.show()
        shutil.rmtree(stage.kept)
        repo.started("coord-install", "--pin-existing")


@needs_strace
@pytest.mark.parametrize("flag", ["--pin-existing", "--uninstall"])
def test_installing_at_every_system_call(hooked: tuple[Path, Repo, Repo], flag: str) -> None:
    """The same at each call that changes a disk."""
    folder, repo, tree = hooked
    first = installed_parts(repo)
    if flag == "--uninstall":
        repo.install("--pin-existing")
    stage, tally = Stage(folder), Tally(f"coord-install {flag}, at each call")
    argv = [sys.executable, script("coord-install"), flag]
    for number, _ in enumerate(at_every_call(repo, argv, stage, POINTS)):
        tally.count(installable(repo, tree, first, number))
    tally.show()
    assert sum(tally.states.values()) >= (POINTS or 30)
