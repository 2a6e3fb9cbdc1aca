"""An uninstall gives back every byte of the git dir, whatever happened in between."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import Repo
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

HOOK = "#!/bin/sh\nexit 0\n"


def test_everything_is_as_before_in_every_worktree(repo: Repo, tmp_path: Path) -> None:
    """Pins, private configs, instances, records, presence, locks, trust: all of it goes."""
    sides = [repo.worktree(tmp_path / name, name) for name in ("one", "two")]
    before = snapshot(repo.common())

    repo.install("--pin-existing")
    repo.coord("track", "derived", "x.json", "--regenerate", "make x")
    for worktree in (repo, *sides):
        worktree.coord("whoami")
        worktree.with_env(COORD_ACTOR="somebody").coord("whoami")
        worktree.git("hook", "run", "prepare-commit-msg", "--", "/dev/null")
        (worktree.private("coord-refused")).mkdir()
        (worktree.private("coord-refused") / "1").write_text("torn")
        assert worktree.private("coord-seen").exists()
    repo.coord("pin", "--self")

    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


def test_worktrees_that_are_gone_are_cleaned_too(repo: Repo, tmp_path: Path) -> None:
    """Their private git dirs stay until git prunes them."""
    side = repo.worktree(tmp_path / "side", "side")
    before = snapshot(repo.common())
    repo.install("--pin-existing")
    shutil.rmtree(side.path)

    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


def test_an_uninstall_where_nothing_is_says_so(repo: Repo) -> None:
    """Exit 0, nothing touched; an empty hooks folder stays, too."""
    shutil.rmtree(repo.common("hooks"))
    repo.common("hooks").mkdir()
    before = snapshot(repo.common())

    done = repo.install("--uninstall")

    assert done.out.startswith("nothing to do")
    assert snapshot(repo.common()) == before


@pytest.mark.parametrize("missing", [("hooks",), ("info",), ("hooks", "info")])
def test_folders_that_were_not_there_go_again(repo: Repo, missing: tuple[str, ...]) -> None:
    """`git init --template=` makes no hooks and no info."""
    for name in missing:
        shutil.rmtree(repo.common(name))
    before = snapshot(repo.common())

    repo.install()
    repo.install()
    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


STATES = {
    "executable": lambda path: (path.write_text(HOOK), path.chmod(0o755)),
    "odd mode": lambda path: (path.write_text(HOOK), path.chmod(0o711)),
    "not executable": lambda path: (path.write_text(HOOK), path.chmod(0o644)),
    "link": lambda path: path.symlink_to("../../script"),
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "binary": lambda path: path.write_bytes(b"\x7fELF\0\xff"),
    "empty": lambda path: path.touch(),
}


@settings(
    max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "5")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    hooks=st.dictionaries(
        st.sampled_from(["commit-msg", "pre-push", "post-checkout"]), st.sampled_from([*STATES])
    ),
    config=st.sampled_from([b"", b"\n", b"[x]\n\ty = z", b"# end", b"\r\n", b"[include]\n"]),
    attributes=st.none() | st.sampled_from([b"", b"*.c diff=cpp", b"*.c diff=cpp\n", b"\n\n"]),
)
def test_whatever_was_there_comes_back(
    tmp_path: Path,
    env: dict[str, str],
    hooks: dict[str, str],
    config: bytes,
    attributes: bytes | None,
) -> None:
    """Foreign hooks of every kind, and files of others with and without a final newline."""
    repo = Repo.init(tmp_path / os.urandom(4).hex(), env)
    for name, state in hooks.items():
        STATES[state](repo.common("hooks") / name)
    with repo.common("config").open("ab") as file:
        file.write(config)
    repo.common("info").mkdir(exist_ok=True)
    if attributes is not None:
        repo.common("info/attributes").write_bytes(attributes)
    before = snapshot(repo.common())

    repo.install()
    repo.coord("track", "log", "*.tsv")
    repo.install()
    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


def test_a_setting_made_meanwhile_stays(installed: Repo) -> None:
    """Git wrote it below our lines, and they had taken a final newline's place."""
    installed.git("config", "user.name", "Somebody")
    installed.git("config", "--add", "include.path", "theirs")
    installed.common("info/attributes").write_bytes(
        installed.common("info/attributes").read_bytes() + b"*.c diff=cpp\n"
    )

    installed.install("--uninstall")

    assert installed.git("config", "--local", "user.name") == "Somebody"
    assert installed.git("config", "--get-all", "include.path") == "theirs"
    assert installed.common("info/attributes").read_text() == "*.c diff=cpp\n"


def test_a_hook_that_replaced_ours_is_kept_and_said(installed: Repo) -> None:
    """The user wrote a file of their own over ours: it is theirs."""
    hook = installed.common("hooks") / "commit-msg"
    hook.write_text(HOOK)

    installed.install("--uninstall")

    assert hook.read_text() == HOOK


def test_a_hook_that_replaced_ours_leaves_the_older_one_beside(repo: Repo) -> None:
    """Two foreign hooks, one name: neither is lost, and it is said."""
    hook = repo.common("hooks") / "commit-msg"
    hook.write_text("#!/bin/sh\n# older\n")
    hook.chmod(0o755)
    repo.install()
    hook.write_text("#!/bin/sh\n# newer\n")

    done = repo.install("--uninstall")

    assert "newer" in hook.read_text()
    assert "older" in hook.with_name("commit-msg.coord-prior").read_text()
    assert "commit-msg.coord-prior" in done.err


@pytest.mark.parametrize("trace", ["claim", "coord-seen"])
def test_an_empty_hooks_folder_that_no_install_made_stays(repo: Repo, trace: str) -> None:
    """A claim without an install leaves a board, an earlier version left signs of life."""
    for hook in repo.common("hooks").iterdir():
        hook.unlink()
    before = snapshot(repo.common())
    if trace == "claim":
        assert repo.run("git-coord", "claim", "x").code == 0
    else:
        repo.private(trace).touch()

    repo.install("--uninstall", *(["--purge"] if trace == "claim" else []))

    assert snapshot(repo.common()) == before


def test_a_lost_manifest_is_no_obstacle(repo: Repo) -> None:
    """What is ours is known by what it is."""
    hook = repo.common("hooks") / "commit-msg"
    hook.write_text(HOOK)
    before = snapshot(repo.common())
    repo.install("--pin-existing")
    (repo.common("hooks/coord") / "manifest").unlink()

    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


def test_a_pending_refusal_stops_it(installed: Repo) -> None:
    """Its record is all that keeps the next commit from dropping a side; the command settles it."""
    installed.coord("track", "derived", "x.json", "--regenerate", "echo 3 >x.json")
    installed.commit("guard", {".gitattributes": installed.read(".gitattributes"), "x.json": "0"})
    installed.git("switch", "-q", "-c", "other")
    installed.commit("theirs", {"x.json": "1"})
    installed.git("switch", "-q", "main")
    installed.commit("ours", {"x.json": "2"})
    assert installed.tried("merge", "other").code == 1

    done = installed.started("coord-install", "--uninstall")

    assert (done.code, done.refusal.rule) == (1, "refusal-pending")
    assert "x.json" in done.refusal.headline
    assert installed.common("hooks/coord/launch").exists()
    assert installed.paste(done.refusal.run).code == 0
    installed.git("commit", "-q", "--no-edit")
    assert installed.read("x.json") == "3\n"
    installed.install("--uninstall")
    assert not installed.common("hooks/coord").exists()


def test_a_pending_refusal_can_be_given_up(installed: Repo) -> None:
    """By who says so."""
    installed.coord("track", "log", "a.log")
    installed.commit("guard", {".gitattributes": installed.read(".gitattributes"), "a.log": "0\n"})
    installed.git("switch", "-q", "-c", "other")
    unguarded = installed.with_env(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.hooksPath",
                                   GIT_CONFIG_VALUE_0="/dev/null")  # fmt: skip
    unguarded.commit("theirs", {"a.log": "1\n"})
    unguarded.git("switch", "-q", "main")
    unguarded.commit("ours", {"a.log": "2\n"})
    assert installed.tried("merge", "other").code == 1

    installed.install("--uninstall", "--purge")

    assert not installed.common("hooks/coord").exists()
    assert not installed.private("coord-refused").exists()


def test_a_stale_refusal_is_no_obstacle(installed: Repo) -> None:
    """The merge was aborted: its record binds nobody."""
    installed.private("coord-refused").mkdir()
    (installed.private("coord-refused") / "1").write_text(
        f"coord-refused 1\nkind log\nhead {'1' * 40}\nours {'2' * 40}\ntheirs {'3' * 40}\npath x\n"
    )

    assert installed.started("coord-install", "--uninstall").code == 0


def test_it_never_deletes_through_a_link(installed: Repo, tmp_path: Path) -> None:
    """Somebody moved our folder out and linked it: what it leads to is not ours to delete."""
    home = installed.common("hooks/coord")
    home.rename(tmp_path / "moved")
    home.symlink_to(tmp_path / "moved")

    done = installed.started("coord-install", "--uninstall")

    assert (done.code, done.refusal.rule) == (1, "symlink")
    assert (tmp_path / "moved" / "launch").exists()
    assert installed.paste(done.refusal.run).code == 0


def test_a_moved_repository_is_cleaned_just_as_well(repo: Repo, tmp_path: Path) -> None:
    """Nothing in the git dir holds its path."""
    before = snapshot(repo.common())
    repo.install()
    for path, (_, data) in snapshot(repo.common()).items():
        assert os.fsencode(repo.path) not in data, path
    moved = repo.at(tmp_path / "moved")
    repo.path.rename(moved.path)

    assert moved.started("coord-install", "--check").code == 0
    assert moved.coord("whoami").code == 0
    moved.install("--uninstall")

    assert snapshot(moved.common()) == before


KILLED = """
import os, sys
from coord.base import publish
from coord.installer import apply
from coord.installer.cli import run
steps = iter(range(int(sys.argv.pop(1))))
for module, name in (
    (apply, "_staged_file"), (apply, "_keep"), (publish, "drop"), (apply, "_leave")
):
    def dying(*args, real=getattr(module, name), **options):
        if next(steps, None) is None:
            os.kill(os.getpid(), 9)
        return real(*args, **options)
    setattr(module, name, dying)
real_replace = os.replace
def replace(*args):
    if next(steps, None) is None:
        os.kill(os.getpid(), 9)
    real_replace(*args)
os.replace = replace
run()
"""


def killed(repo: Repo, after: int, *options: str) -> bool:
    """Run coord-install and kill it after so many steps; tell whether it was killed."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(after), *options],
        cwd=repo.path,
        env=dict(repo.env),
        capture_output=True,
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode != 0


@pytest.mark.parametrize("after", [0, 9, 14, 19, 25])
def test_an_install_that_was_killed_is_finished_by_the_next(repo: Repo, after: int) -> None:
    """And undone without a trace, by an uninstall right after the kill too."""
    hook = repo.common("hooks") / "commit-msg"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    before = snapshot(repo.common())

    assert killed(repo, after)
    repo.common("config.lock").unlink(missing_ok=True)
    repo.install("--uninstall")
    assert snapshot(repo.common()) == before

    assert killed(repo, after)
    repo.common("config.lock").unlink(missing_ok=True)
    repo.install()
    assert repo.started("coord-install", "--check").code == 0
    repo.install("--uninstall")
    assert snapshot(repo.common()) == before


@pytest.mark.parametrize("after", [0, 5, 10, 16])
def test_an_uninstall_that_was_killed_is_finished_by_the_next(
    repo: Repo, tmp_path: Path, after: int
) -> None:
    """Whatever was gone already."""
    repo.worktree(tmp_path / "side", "side")
    hook = repo.common("hooks") / "commit-msg"
    hook.write_text(HOOK)
    before = snapshot(repo.common())
    repo.install("--pin-existing")

    assert killed(repo, after, "--uninstall")
    repo.common("config.lock").unlink(missing_ok=True)
    repo.install("--uninstall")

    assert snapshot(repo.common()) == before


@pytest.mark.parametrize("flag", ["--pin-existing", "--uninstall"])
def test_uninstall_with_nothing_left_names_a_stale_config_lock(repo: Repo, flag: str) -> None:
    """Git could not write its config any more, and an uninstall had said that all is well."""
    before = repo.common("config").read_bytes()
    repo.install()
    after = repo.common("config").read_bytes()
    if flag == "--uninstall":
        repo.install("--uninstall")
    repo.common("config.lock").write_bytes(after if flag == "--uninstall" else before)

    done = repo.started("coord-install", flag)

    assert (done.code, done.refusal.rule) == (3, "locked")
    assert repo.paste(done.refusal.run).code == 0
    assert not repo.common("config.lock").exists()
