"""The hook file: foreign hooks first, as they would have run; then ours, wherever git calls it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness import Repo
from harness.hooked import EVENTS, add_hook, add_hooks

if TYPE_CHECKING:
    from pathlib import Path

SPY = '#!/bin/sh\nprintf "%s" "$0" >>"$SPIED"; printf " <%s>" "$@" >>"$SPIED"; echo >>"$SPIED"\n'


@pytest.fixture
def spied(repo: Repo, tmp_path: Path) -> Repo:
    """A repository whose foreign hooks write what they were called with to ``$SPIED``."""
    return repo.with_env(SPIED=str(tmp_path / "spied"))


def foreign(repo: Repo, event: str, text: str, mode: int = 0o755) -> Path:
    """Write a foreign hook."""
    path = repo.common(f"hooks/{event}")
    path.write_text(text)
    path.chmod(mode)
    return path


def seen(repo: Repo) -> str:
    """Return what foreign hooks wrote."""
    try:
        with open(repo.env["SPIED"], encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def test_the_template_has_one_placeholder_and_an_id_line() -> None:
    """The installer fills in the event, and knows our file by its second line."""
    text = (add_hook.__globals__["_SH"] / "hookfile").read_text()

    assert text.splitlines()[:2] == ["#!/bin/sh", "# git-coord hook, version 1"]
    assert text.count("@") - text.count("$@") == 2
    assert text.count("@EVENT@") == 1
    assert "\r" not in text


def test_a_foreign_hook_runs_first_with_the_same_arguments(spied: Repo) -> None:
    """``prepare-commit-msg`` gets message file, source and commit."""
    foreign(spied, "prepare-commit-msg", SPY)
    add_hooks(spied)
    spied.commit("one")
    spied.git("commit", "-q", "--amend", "--allow-empty", "--no-edit")

    assert seen(spied) == (
        ".git/hooks/coord-prior/prepare-commit-msg <.git/COMMIT_EDITMSG> <message>\n"
        ".git/hooks/coord-prior/prepare-commit-msg <.git/COMMIT_EDITMSG> <commit> <HEAD>\n"
    )


@pytest.mark.parametrize("status", [1, 3, 127])
def test_a_failing_foreign_hook_blocks_as_it_would_have(spied: Repo, status: int) -> None:
    """Its own words and status reach git; ours does not run any more."""
    foreign(spied, "commit-msg", f"#!/bin/sh\necho no, because >&2\nexit {status}\n")
    add_hooks(spied)
    for event in set(EVENTS) - {"commit-msg"}:
        spied.common(f"hooks/{event}").unlink()
    done = spied.tried("commit", "-q", "--allow-empty", "-m", "x")

    assert done.code == 1
    assert done.err == "no, because\n"
    assert not spied.private("coord-seen").exists()


def test_a_failing_foreign_checkout_hook_does_not_cost_the_pin(spied: Repo, tmp_path: Path) -> None:
    """The worktree exists all the same; git reports the foreign status."""
    foreign(spied, "post-checkout", "#!/bin/sh\nexit 7\n")
    add_hooks(spied)
    done = spied.tried("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    assert done.code == 7
    assert spied.at(tmp_path / "side").private("coord-identity.toml").exists()


def test_a_foreign_hook_without_the_x_bit_does_not_run(spied: Repo) -> None:
    """Git would have passed it over too."""
    foreign(spied, "commit-msg", "#!/bin/sh\nexit 1\n", mode=0o644)
    add_hooks(spied)
    spied.commit("passes")


def test_a_dangling_foreign_symlink_is_passed_over(spied: Repo) -> None:
    """Git skips such a hook in silence."""
    add_hooks(spied)
    spied.common("hooks/commit-msg.coord-prior").symlink_to("nowhere")
    spied.commit("passes")


def test_a_foreign_hook_may_exec(spied: Repo) -> None:
    """A hook that ends in ``exec`` runs beside ours, which is another file (beads#3537)."""
    foreign(spied, "post-checkout", f"#!/bin/sh\n{SPY.partition(chr(10))[2]}exec true\n")
    add_hooks(spied)
    spied.git("worktree", "add", "-q", "-b", "side", "../side")
    side = spied.at(spied.path.parent / "side")

    assert seen(spied).count("post-checkout") == 1
    assert side.private("coord-identity.toml").exists()


def test_a_foreign_hook_without_a_shebang_runs_as_a_shell_script(spied: Repo) -> None:
    """As git runs it."""
    foreign(spied, "commit-msg", 'echo ran >>"$SPIED"\n')
    add_hooks(spied)
    spied.commit("one")

    assert seen(spied) == "ran\n"


def test_stdin_of_other_hooks_is_left_to_the_foreign_one(spied: Repo) -> None:
    """``post-rewrite`` gets its list there; nothing of ours reads it."""
    foreign(spied, "post-rewrite", '#!/bin/sh\ncat >>"$SPIED"\n')
    add_hooks(spied)
    old = spied.commit("one")
    spied.git("commit", "-q", "--amend", "--allow-empty", "-m", "two")

    assert seen(spied) == f"{old} {spied.git('rev-parse', 'HEAD')}\n"


@pytest.fixture
def remote(spied: Repo, tmp_path: Path) -> Path:
    """A bare repository that `spied` pushes to as origin."""
    path = tmp_path / "remote.git"
    spied.git("init", "-q", "--bare", str(path))
    spied.git("remote", "add", "origin", str(path))
    return path


# Reads its stdin to the end, line by line, as git-lfs does, and fails on a short one.
READER = """#!/bin/sh
count=0
while read -r local tip remote old; do count=$((count + 1)); echo "$local $remote" >>"$SPIED"; done
[ "$count" -gt 0 ] || exit 5
"""


def test_pre_push_hands_its_stdin_to_every_reader(spied: Repo, remote: Path) -> None:
    """The first reader must not starve the next: git-lfs would upload nothing (lefthook#511)."""
    foreign(spied, "pre-push", READER)
    add_hooks(spied)
    side = spied.worktree(spied.path.parent / "side", "side")
    side.commit("made here")
    side.git("config", "user.email", "ada@example.com")
    wrong = side.with_env(GIT_AUTHOR_EMAIL="ada@example.com").commit("by the wrong author")
    done = side.tried("push", "origin", "side", "main")

    assert remote.exists()
    assert done.code == 0, done.err
    assert seen(spied) == "refs/heads/side refs/heads/side\nrefs/heads/main refs/heads/main\n"
    assert wrong[:7] in done.err  # ours had its copy


def test_pre_push_passes_an_empty_stdin_on(spied: Repo, remote: Path) -> None:
    """Nothing to push is no line, not an empty one."""
    assert remote.exists()
    spied.git("push", "-q", "origin", "main")
    foreign(spied, "pre-push", '#!/bin/sh\nwc -c >>"$SPIED"\n')
    add_hooks(spied)
    spied.git("push", "-q", "origin", "main")

    assert seen(spied).strip() == "0"


def test_a_reader_that_leaves_early_harms_nobody(spied: Repo, remote: Path) -> None:
    """No broken pipe is shown, and the push goes on."""
    assert remote.exists()
    foreign(spied, "pre-push", "#!/bin/sh\nexit 0\n")
    add_hooks(spied)
    for number in range(400):
        spied.git("update-ref", f"refs/heads/b{number}", "main")
    done = spied.tried("push", "-q", "--all", "origin")

    assert (done.code, done.err) == (0, "")


def test_a_foreign_pre_push_refuses(spied: Repo, remote: Path) -> None:
    """Its status reaches git through the pipe."""
    assert remote.exists()
    foreign(spied, "pre-push", "#!/bin/sh\nexit 3\n")
    add_hooks(spied)

    assert spied.tried("push", "-q", "origin", "main").code == 1


def test_without_hooks_coord_the_foreign_hook_still_decides(spied: Repo) -> None:
    """Half an uninstall, by hand: our file is then a plain link in the chain."""
    foreign(spied, "commit-msg", SPY + "exit $FAILS\n")
    add_hooks(spied)
    subprocess.run(["rm", "-r", str(spied.common("hooks/coord"))], check=True)
    spied.git("config", "--unset-all", "include.path")

    assert spied.with_env(FAILS="0").tried("commit", "-qm", "x", "--allow-empty").code == 0
    assert spied.with_env(FAILS="1").tried("commit", "-qm", "x", "--allow-empty").code == 1
    assert seen(spied).count("commit-msg") == 2


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_finds_its_git_dirs(hooked: Repo, tmp_path: Path, event: str) -> None:
    """In main and linked worktrees, with GIT_DIR or without, absolute or not, presence is left."""
    side = hooked.worktree(tmp_path / "of main" / "side", "side")
    message = tmp_path / "message"
    message.write_text("words\n")
    hook = str(hooked.common(f"hooks/{event}"))
    private = str(side.private())
    calls = [
        (hooked, {}),
        (hooked, {"GIT_DIR": ".git"}),
        (hooked, {"GIT_DIR": str(hooked.common())}),
        (side, {}),
        (side, {"GIT_DIR": private}),
        (side, {"GIT_DIR": str(side.path / ".git")}),
        (side, {"GIT_DIR": os.path.relpath(private, side.path)}),
    ]
    for repo, extra in calls:
        seen_file = repo.private("coord-seen")
        seen_file.unlink(missing_ok=True)
        done = repo.with_env(**extra).run(hook, str(message), "message")

        assert (done.code, done.err) == (0, ""), extra
        assert seen_file.exists(), extra


def test_a_relative_gitfile_is_followed(hooked: Repo, tmp_path: Path) -> None:
    """Submodules have them, and worktrees of git 2.48 with ``worktree.useRelativePaths``."""
    side = hooked.worktree(tmp_path / "side", "side")
    (side.path / ".git").write_text("gitdir: ../repo/.git/worktrees/side\n")
    seen_file = side.private("coord-seen")
    (tmp_path / "message").write_text("x\n")
    for given in ({}, {"GIT_DIR": ".git"}, {"GIT_DIR": str(side.path / ".git")}):
        seen_file.unlink(missing_ok=True)
        hook = str(hooked.common("hooks/commit-msg"))
        done = side.with_env(**given).run(hook, str(tmp_path / "message"))

        assert (done.code, done.err) == (0, "")
        assert seen_file.exists(), given


def test_a_submodule_has_hooks_of_its_own(hooked: Repo, tmp_path: Path) -> None:
    """Its git dir is ``.git/modules/NAME`` of the superproject."""
    inner = Repo.init(tmp_path / "inner", hooked.env)
    inner.commit("inner", {"f": "1\n"})
    hooked.git("submodule", "-q", "add", str(inner.path), "sub")
    sub = hooked.at(hooked.path / "sub")
    add_hooks(sub)
    sub.commit("in the submodule")

    assert sub.private("coord-seen").exists()
    assert sub.private("coord-seen").parent.name == "sub"


def test_a_hooks_path_inside_the_worktree_works(hooked: Repo) -> None:
    """``core.hooksPath`` of the repository may be a real directory, tracked or not."""
    (hooked.path / "our hooks").mkdir()
    os.rename(hooked.common("hooks/commit-msg"), hooked.path / "our hooks/commit-msg")
    hooked.git("config", "core.hooksPath", "our hooks")
    hooked.private("coord-seen").unlink(missing_ok=True)
    hooked.commit("one")

    assert hooked.private("coord-seen").exists()


def test_a_read_only_git_dir_is_no_error(hooked: Repo, tmp_path: Path) -> None:
    """Presence fails in silence where a sandbox forbids to write (no one is root there)."""
    (tmp_path / "message").write_text("x\n")
    hooked.private("coord-seen").unlink(missing_ok=True)
    hooked.private("coord-seen").mkdir()  # root may write anywhere, but not into a folder like this
    done = hooked.run(str(hooked.common("hooks/commit-msg")), str(tmp_path / "message"))

    assert (done.code, done.err) == (0, "")


def test_hooks_run_in_a_path_with_odd_characters(odd_path: Repo, tmp_path: Path) -> None:
    """Blanks, quotes and letters outside ASCII in the repository's own path."""
    add_hooks(odd_path)
    side = odd_path.worktree(tmp_path / "b 'c ü", "side")
    side.commit("one")

    assert side.git("log", "-1", "--format=%an").startswith("side-")
