"""Public reports about hooks that did not run, ran wrongly, or broke git, each as reported."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness import system_path
from harness.clinic import findings, healthy
from harness.grounds import git_version
from harness.hooked import ran
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def hook(repo: Repo, event: str, text: str) -> Path:
    """Write somebody else's hook into the common git dir."""
    path = repo.common("hooks") / event
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_hooks_installed_from_a_linked_worktree_run_everywhere(repo: Repo, tmp_path: Path) -> None:
    """Hooks written to ``.git/worktrees/NAME/hooks`` never run.

    pre-commit/pre-commit#808, typicode/husky#202, gastownhall/beads#1127, git-lfs/git-lfs#1385.
    """
    side = repo.worktree(tmp_path / "side", "side")

    side.install()

    assert ran(side)
    assert ran(repo)
    assert not side.private("hooks").exists()


def test_a_relative_hooks_path_that_a_new_worktree_lacks_is_loud(
    repo: Repo, tmp_path: Path
) -> None:
    """An untracked folder: it runs in the main worktree and is dead, silently, in every other.

    gastownhall/beads#2414, bloknayrb/tandem#2030, OffbandMesh#639, OmniRoute#13236.
    """
    (repo.path / ".myhooks").mkdir()
    repo.git("config", "core.hooksPath", ".myhooks")
    told = repo.install()
    side = repo.worktree(tmp_path / "side", "side")

    assert "each worktree runs the hooks of its own checkout" in told.err
    assert ran(repo)
    assert not ran(side)
    (found,) = findings(repo, "hooks-path")
    assert found.worktree == str(side.path)
    assert repo.started("coord-install", "--check").code == 1
    assert repo.paste(found.run).code == 0
    assert ran(side)


def test_verbs_in_a_hook_with_foreign_git_dir_act_on_the_cwd(
    installed: Repo, tmp_path: Path
) -> None:
    """In a linked worktree git exports GIT_DIR to hooks, and it beats the folder and ``-C``.

    gastownhall/beads#3311, evilmartians/lefthook#1265, Parslee-ai/neo#179,
    2389-research/tracker#399, Digital-Process-Tools/claude-supertool#420,
    pre-commit/pre-commit#300.
    """
    a, b = (installed.worktree(tmp_path / name, name) for name in "ab")
    other = b.init(tmp_path / "other", b.env)
    a.commit("one")
    before = snapshot(a.private())
    words = f"cd {b.path} && git coord whoami --json && cd {other.path} && coord-install"

    done = a.tried("rebase", "-q", "--force-rebase", "--exec", words, "HEAD~1")

    assert done.code == 0, done.err
    assert '"b-' in done.out
    assert other.coord("whoami").code == 0
    assert other.tried("config", "core.bare").out.strip() == "false"
    after = snapshot(a.private())
    names = ("config", "coord-identity.toml", "coord.config")
    assert [after.get(name) for name in names] == [before.get(name) for name in names]


def test_our_hook_runs_after_a_foreign_hook_that_execs(repo: Repo) -> None:
    """Lines appended below an ``exec`` never run, a copied hook misses its siblings.

    gastownhall/beads#254, #2729, #3536, #3537, #3132, opencode-beads#83, overcommit#367.
    """
    hook(repo, "prepare-commit-msg", 'echo theirs >>ran; exec "$(dirname "$0")/sibling"')
    hook(repo, "sibling", "echo sibling >>ran")
    before = snapshot(repo.common())

    repo.install()
    repo.install()
    assert ran(repo)
    assert repo.read("ran").split() == ["theirs", "sibling"]
    repo.install("--uninstall")

    after = {name: entry for name, entry in snapshot(repo.common()).items() if "hooks" in name}
    assert after == {name: entry for name, entry in before.items() if "hooks" in name}


def test_a_worktree_of_an_agent_does_not_take_the_hooks_of_all(
    installed: Repo, tmp_path: Path
) -> None:
    """A subagent's worktree installed and uninstalled for itself (claude-mpm#948)."""
    hook(installed, "pre-commit", "echo theirs >>ran")
    side = installed.worktree(tmp_path / "side", "side")

    side.install()
    installed.git("worktree", "remove", "--force", str(side.path))

    assert ran(installed)
    assert installed.read("ran") == "theirs\n"


@pytest.mark.parametrize("reader", ["cat", "read line", "exec 0</dev/null"])
def test_every_reader_of_a_push_gets_all_of_it(
    installed: Repo, tmp_path: Path, reader: str
) -> None:
    """The first reader starved the others, and git-lfs uploaded nothing.

    evilmartians/lefthook#511, #731, #147, git-lfs/git-lfs#5532, pre-commit/pre-commit#693.
    """
    installed.install("--uninstall")
    hook(installed, "pre-push", f"{reader} >/dev/null")
    installed.install()
    side = installed.worktree(tmp_path / "side", "side")
    side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    installed.git("init", "-q", "--bare", str(tmp_path / "remote.git"))

    done = side.tried("push", "-q", str(tmp_path / "remote.git"), "side")

    assert done.code == 0
    assert done.refusal.rule == "author-mismatch"


def test_a_checkout_hook_does_not_read_stdin(installed: Repo, tmp_path: Path) -> None:
    """Reading stdin in post-checkout deadlocked (evilmartians/lefthook#1523)."""
    end, held_open = os.pipe()
    try:
        done = subprocess.run(
            ["git", "worktree", "add", "-q", "-b", "side", str(tmp_path / "side")],
            cwd=installed.path,
            env=dict(installed.env),
            stdin=end,
            timeout=30,
            check=False,
        )
    finally:
        os.close(end)
        os.close(held_open)

    assert done.returncode == 0


def test_our_git_children_run_no_hooks(installed: Repo, tmp_path: Path) -> None:
    """An internal push fired the user's pre-push, and a hook waited for itself.

    gastownhall/beads#2453, #2732, #1841, #3724.
    """
    side = installed.worktree(tmp_path / "side", "side")
    side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    for event in ("reference-transaction", "post-index-change", "pre-commit", "post-commit"):
        hook(installed, event, f'echo {event} >>"{tmp_path}/fired"')

    assert side.coord("reauthor", "HEAD").code == 0
    assert side.coord("claim", "task:x").code == 0
    assert side.coord("sign-off").code == 0

    assert not (tmp_path / "fired").exists()


def test_our_git_children_run_no_hook_of_the_config(installed: Repo, tmp_path: Path) -> None:
    """From git 2.54 on they run whatever core.hooksPath is, in scratch folders of ours as well.

    One that says no made a check fail. What a verb tells the user's post-rewrite is meant for it.
    """
    if git_version(installed) < (2, 55):
        pytest.skip("git switches an event of its config's hooks off since 2.55")
    assert installed.coord("track", "derived", "out", "--regenerate", "cp in out").code == 0
    installed.git("add", "-A")
    installed.commit("declare", {"in": "1\n", "out": "1\n"})
    side = installed.worktree(tmp_path / "side", "side")
    side.commit("work", {"in": "2\n", "out": "2\n"})
    side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    fired = tmp_path / "fired"
    for event in ("reference-transaction", "post-index-change", "post-checkout", "pre-commit"):
        installed.git("config", "--global", f"hook.no-{event}.event", event)
        command = f"echo {event} >>'{fired}'; exit 1"
        installed.git("config", "--global", f"hook.no-{event}.command", command)
    assert side.tried("update-ref", "refs/heads/x", "HEAD").code
    assert fired.read_text().startswith("reference-transaction\n")
    fired.unlink()

    asked = ["reauthor HEAD", "claim task:x", "finish", "regenerate out", "check HEAD", "sign-off"]
    for words in (*asked, "check --tree", "merge-order --rehearse", "board", "doctor"):
        done = side.coord(*words.split())
        assert done.code == 0, (words, done.out, done.err)
        assert not fired.exists(), (words, fired.read_text())


@pytest.mark.parametrize(
    "words",
    [
        "commit -q --allow-empty -s -m x",
        "commit -q --allow-empty --no-verify -s -m x",
        "commit -q --amend --no-edit -s",
        "cherry-pick -s picked",
        "revert -s --no-edit HEAD",
        "merge -q --no-ff --signoff -m x picked",
    ],
)
def test_every_way_to_sign_off_meets_the_rule(installed: Repo, tmp_path: Path, words: str) -> None:
    """Only prepare-commit-msg runs in all of them (pfBlockerNG#1304).

    The trailer is judged by the committer (makecindy/cindy#396, IsaacTeleop#1013).
    """
    installed.git("switch", "-q", "-c", "picked")
    installed.commit("picked", {"x": "x\n"})
    installed.git("switch", "-q", "main")
    installed.commit("to revert", {"y": "y\n"})
    installed.worktree(tmp_path / "side", "side")
    before = installed.git("rev-parse", "HEAD")

    done = installed.tried(*words.split())

    assert done.code != 0
    assert "coord: identity-inferred" in done.err
    assert installed.git("rev-parse", "HEAD") == before


@pytest.mark.parametrize("words", [["-a"], ["--only", "f"], ["--include", "f"]])
def test_hooks_neither_write_nor_wait_for_the_index(
    installed: Repo, tmp_path: Path, words: list[str]
) -> None:
    """``commit -a`` and ``commit PATH`` hold index.lock; what a hook stages there is half staged.

    pre-commit/pre-commit#322, prek#486, #1815, captainhook#263, aurpublish#7.
    """
    side = installed.worktree(tmp_path / "side", "side")
    side.coord("track", "log", "f")
    side.commit("log", {"f": "a\n"})
    side.write("f", "a\nb\n")

    done = side.tried("commit", "-q", "-m", "x", *words)

    assert (done.code, done.err) == (0, "")
    assert side.git("status", "--porcelain", "f") == ""


def test_a_hook_in_a_linked_worktree_does_not_take_a_folder_for_the_top(
    installed: Repo, tmp_path: Path
) -> None:
    """GIT_DIR without GIT_WORK_TREE makes any folder the top: all else looked deleted.

    pre-commit/pre-commit#2295, prek#1239, #1258, comet-ml/opik#6387.
    """
    side = installed.worktree(tmp_path / "side", "side")
    side.coord("track", "log", "sub/f")
    side.commit("log", {"sub/f": "a\nb\n", "top": "x\n"})
    installed.git("merge", "-q", "side")
    side.write("sub/f", "b\n")
    inside = side.at(side.path / "sub")
    inside.git("add", "-u", ".")

    done = inside.tried("commit", "-q", "-m", "x")

    assert done.refusal.rule == "log-rewritten"
    assert side.git("status", "--porcelain", "--untracked-files=no") == "M  sub/f"


def test_a_checkout_hook_minds_only_new_worktrees_and_fails_nothing(
    installed: Repo, tmp_path: Path
) -> None:
    """It fires in stashes, rebases and file checkouts too; its exit code lost good worktrees.

    pre-commit/pre-commit#1418, #1496, langwatch#3881, iterative/dvc#3241, stablyai/orca#9347,
    drn/argus#324, code-dot-org#73165.
    """
    installed.install("--uninstall")
    hook(installed, "post-checkout", "exit 3")
    installed.install()
    broken = installed.tried("worktree", "add", "-q", "-b", "a", str(tmp_path / "a"))
    assert broken.code == 3  # theirs, as before
    assert installed.at(tmp_path / "a").private("coord-identity.toml").exists()
    installed.common("hooks/post-checkout.coord-prior").unlink()

    for options in ([], ["--object-format=sha256"]):
        made = installed.init(tmp_path / f"r{len(options)}", installed.env, *options)
        made.install()
        made.commit("one", {"f": "1\n"})
        side = made.worktree(tmp_path / f"w{len(options)}", "side")
        pinned = side.private("coord-identity.toml").read_bytes()
        made.commit("two", {"g": "2\n"})
        side.commit("three", {"h": "3\n"})
        side.git("rebase", "-q", "main")
        side.git("checkout", "-q", "--", "f")
        assert side.private("coord-identity.toml").read_bytes() == pinned
        assert not made.private("coord-identity.toml").exists()


def test_a_client_with_a_bare_path_is_guarded(installed: Repo, tmp_path: Path) -> None:
    """A GUI starts git with no PATH of the user's.

    pre-commit/pre-commit#359, #2306, husky#42, #49, #390, #606, jesseduffield/lazygit#3149.
    """
    side = installed.worktree(tmp_path / "side", "side")
    side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")
    installed.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    bare = {"HOME": str(installed.env["HOME"]), "PATH": system_path()}

    done = subprocess.run(
        ["git", "push", "-q", str(tmp_path / "remote.git"), "side"],
        cwd=side.path,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "coord: author-mismatch" in done.stderr


def test_a_package_that_is_gone_stops_a_guessed_sign_off_alone(
    installed: Repo, tmp_path: Path
) -> None:
    """The interpreter is there and the module is not: git goes on where nothing is at stake."""
    installed.worktree(tmp_path / "side", "side")
    launch = installed.common("hooks/coord/launch")
    launch.write_text(launch.read_text().replace("coord_lib='", "coord_lib='/gone"))

    done = installed.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert (done.code, done.refusal.rule) == (1, "guard-fault")
    assert "-m coord.installer" in done.refusal.run
    assert installed.tried("commit", "-q", "--allow-empty", "-m", "x").code == 0


def test_our_hooks_are_for_any_sh_with_unix_line_ends(installed: Repo) -> None:
    """Other tools accept ``#!/bin/sh`` and LF alone (pre-commit/pre-commit#2182, #780)."""
    hooks = installed.common("hooks")
    ours = [path for path in hooks.rglob("*") if path.is_file() and "sample" not in path.name]

    for path in ours:
        assert b"\r" not in path.read_bytes(), path
        if path.stat().st_mode & 0o100:
            assert path.read_bytes().startswith(b"#!/bin/sh\n"), path


@pytest.mark.parametrize("message", ["x", "x\n\nbody\n---\nmore", "x\n\nKey: value"])
def test_a_trailer_is_written_once_and_above_the_scissors(
    installed: Repo, tmp_path: Path, message: str
) -> None:
    """By hand it landed below the scissors, twice, or split the block (git-mit#203, #229)."""
    side = installed.worktree(tmp_path / "side", "side")
    side.coord("track", "log", "f")
    side.commit("log", {"f": "a\nb\n"})
    installed.git("merge", "-q", "side")
    side.write("f", "b\n")
    side.git("add", "f")
    reason = ("--take", "worktree", "--reason", "by hand")
    assert side.coord("resolve", "f", *reason).code == 0

    side.git("commit", "-q", "-v", "-e", "-m", message)
    side.git("commit", "-q", "--amend", "--no-edit")

    body = side.git("log", "-1", "--format=%B")
    assert body.count("Coord-Resolved: f") == 1
    assert "diff --git" not in body
    found = side.git("log", "-1", "--format=%(trailers:key=Coord-Resolved,valueonly)")
    assert found.strip() == "f by hand"


def test_a_replaced_message_still_says_what_was_settled(installed: Repo) -> None:
    """After prepare-commit-msg an editor, or a tool in its place, writes the file anew.

    Zhengqbbb/cz-cli#820.
    """
    installed.coord("track", "log", "f")
    installed.git("add", "-A")
    installed.commit("log", {"f": "a\nb\n"})
    installed.write("f", "b\n")
    reason = ("--take", "worktree", "--reason", "by hand")
    assert installed.coord("resolve", "f", *reason).code == 0
    editor = installed.with_env(GIT_EDITOR="sh -c 'echo fix: a typo >\"$0\"'")

    editor.git("commit", "-q", "-a")

    found = installed.git("log", "-1", "--format=%(trailers:key=Coord-Resolved,valueonly)")
    assert found.strip() == "f by hand"
    assert installed.git("log", "-1", "--format=%s") == "fix: a typo"


def test_every_hook_answers_after_an_install(installed: Repo, tmp_path: Path) -> None:
    """Not what lies in a folder counts: a probe is fired through git, from each worktree."""
    installed.worktree(tmp_path / "side", "side")

    assert healthy(installed)
    assert installed.started("coord-install", "--check").code == 0


def test_a_kept_hook_sees_its_own_name_and_its_neighbours(repo: Repo, tmp_path: Path) -> None:
    """Dispatchers go by ``$0``, by its basename, or by ``NAME.d`` beside it.

    Dicklesworthstone/mcp_agent_mail#256, entireio/cli#802, DataDog/dd-trace-py#19945,
    arxanas/git-branchless#1534.
    """
    seen = tmp_path / "seen"
    hook(repo, "commit-msg", f'echo "${{0##*/}}" >>"{seen}"; . "${{0%/*}}/lib"; "${{0%/*}}/tool"')
    hook(repo, "lib", f'echo lib >>"{seen}"')
    hook(repo, "tool", f'echo "tool ${{0##*/}}" >>"{seen}"')
    hook(repo, "post-rewrite", f'echo "${{0##*/}}" >>"{seen}"')
    hook(repo, "applypatch-msg", 'exec "${0%/*}/commit-msg" "$@"')
    repo.common("hooks/pre-push.d").mkdir()
    hook(repo, "pre-push.d/veto", "cat >&2; exit 1")
    hook(repo, "pre-push", 'for one in "$0".d/*; do [ ! -x "$one" ] || "$one" || exit; done')
    repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
    before = snapshot(repo.common("hooks"))
    repo.install()
    side = repo.worktree(tmp_path / "side", "side")

    for one in (repo, side):
        seen.unlink(missing_ok=True)
        one.commit("x")
        assert seen.read_text() == "commit-msg\nlib\ntool tool\n"
        push = one.tried("push", "-q", str(tmp_path / "remote"), "HEAD:refs/heads/x")
        assert push.code == 1
        assert "refs/heads/x" in push.err
        one.git("commit", "-q", "--amend", "--allow-empty", "--no-edit", "--no-verify")
        assert seen.read_text().endswith("post-rewrite\n")
    (repo.common("hooks/lib")).rename(repo.common("hooks/lib.gone"))
    assert repo.tried("commit", "-q", "--allow-empty", "-m", "y").code != 0
    (repo.common("hooks/lib.gone")).rename(repo.common("hooks/lib"))
    assert healthy(repo)
    repo.started("coord-install", "--uninstall", "--purge")
    assert snapshot(repo.common("hooks")) == before
