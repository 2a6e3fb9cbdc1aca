"""``coord-install`` as it is typed: options, output, exit codes, bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from coord.installer.hookfile import EVENTS
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_an_install_is_in_force_everywhere(repo: Repo, tmp_path: Path) -> None:
    """Hooks, drivers, alias and macros, from the main and a linked worktree alike."""
    side = repo.worktree(tmp_path / "side", "side")

    done = repo.install()

    assert done.out.splitlines()[-1].startswith("installed git-coord ")
    for event in EVENTS:
        assert os.access(repo.common("hooks") / event, os.X_OK)
    for worktree in (repo, side):
        assert worktree.git("config", "merge.coord-log.driver")
        assert worktree.git("check-attr", "coord-log", "merge", "--", "x") == (
            "x: coord-log: unspecified\nx: merge: unspecified"
        )
        assert worktree.coord("whoami").code == 0
    assert repo.started("coord-install", "--check").code == 0


def test_the_copy_that_other_tests_start_from_is_an_install(repo: Repo, installed: Repo) -> None:
    """The fixture `installed` is a copy; an install finds nothing to change, or to add."""
    copied = snapshot(installed.common())

    assert repo.install().out.startswith("nothing to do")
    assert snapshot(repo.common()) == copied


def test_a_second_install_changes_nothing(installed: Repo) -> None:
    """Not even a modification time."""
    before = snapshot(installed.common())
    times = {path: path.stat().st_mtime_ns for path in installed.common("hooks").rglob("*")}

    done = installed.install()

    assert done.out.startswith("nothing to do")
    assert snapshot(installed.common()) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_a_dry_run_prints_the_plan_and_touches_nothing(repo: Repo) -> None:
    """What it prints is what the install then prints."""
    before = snapshot(repo.common())

    planned = repo.install("--dry-run")

    assert snapshot(repo.common()) == before
    steps = [line for line in planned.out.splitlines() if not line.startswith("would")]
    done = repo.install()
    assert steps == [line for line in done.out.splitlines() if not line.startswith("installed")]


def test_a_dry_run_of_the_uninstall_touches_nothing(installed: Repo) -> None:
    """Not even the lock."""
    before = snapshot(installed.common())

    done = installed.install("--uninstall", "--dry-run")

    assert "delete  hooks/" in done.out
    assert snapshot(installed.common()) == before


def test_json_is_one_document_with_steps_and_authors(repo: Repo, tmp_path: Path) -> None:
    """The same in a dry run; authors before and after, for each worktree."""
    repo.worktree(tmp_path / "side", "side")

    for options, state in ((("--dry-run",), "planned"), ((), "installed")):
        answer = json.loads(repo.install("--json", *options).out)
        assert (answer["schema"], answer["state"], answer["changed"]) == (1, state, True)
        assert {"action": "edit", "path": str(repo.common("config"))} in answer["steps"]
        main, side = answer["authors"]
        assert (main["state"], main["before"]) == ("unpinned", main["after"])
        assert side["state"] == "later"
        assert side["before"] == "Ada Human <ada@example.com>"
        assert side["after"] == "side-<4 hex> <ada+side-<4 hex>@example.com>"


def test_an_error_is_one_json_document(repo: Repo) -> None:
    """With rule, what, where, why and run."""
    done = repo.started("coord-install", "--json", "--check", "--uninstall")

    assert done.code == 2
    assert json.loads(done.out)["error"]["rule"] == "usage"


@pytest.mark.parametrize(
    "options",
    [
        ("--check", "--uninstall"),
        ("--check", "--pin-existing"),
        ("--uninstall", "--no-hooks"),
        ("--purge",),
        ("--check", "--dry-run"),
        ("--nonsense",),
        ("argument",),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    repo: Repo, options: tuple[str, ...]
) -> None:
    """Exit 2 and the three lines; the printed command shows the help."""
    done = repo.started("coord-install", *options)

    assert done.code == 2
    assert repo.paste(done.refusal.run).out.startswith("Usage: coord-install")


def test_outside_of_a_repository_it_says_so_in_gits_words(tmp_path: Path, repo: Repo) -> None:
    """Exit 3."""
    (tmp_path / "empty").mkdir()

    done = repo.at(tmp_path / "empty").started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "not-a-repository")
    assert "not a git repository" in done.refusal.why


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_foreign_owned_git_dir_is_refused_in_gits_words(repo: Repo) -> None:
    """Git's own safe.directory command is the one to run, and it resolves it."""
    os.chown(repo.path, 12345, 12345)
    os.chown(repo.path / ".git", 12345, 12345)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "repository-unreadable")
    assert "dubious ownership" in done.refusal.why
    assert repo.paste(done.refusal.run).code == 0
    repo.install()


def test_a_git_that_is_too_old_is_refused(repo: Repo, tmp_path: Path) -> None:
    """Exit 3 with the version."""
    tools = tmp_path / "tools"
    tools.mkdir()
    real = shutil.which("git", path=repo.env["PATH"])
    (tools / "git").write_text(
        "#!/bin/sh\n"
        'for word; do [ "$word" != --version ] || { echo git version 2.30.1; exit; }; done\n'
        f'exec {real} "$@"\n'
    )
    (tools / "git").chmod(0o755)

    done = repo.with_env(PATH=f"{tools}:{repo.env['PATH']}").started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "git-too-old")
    assert "2.30.1" in done.refusal.headline


def test_a_broken_declaration_names_its_line(repo: Repo) -> None:
    """Nothing is installed by half a declaration."""
    repo.write(".coord.toml", '[identity]\nauthor = "nobody"\n')
    before = snapshot(repo.common())

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "config-invalid")
    assert ".coord.toml:2" in done.refusal.headline
    assert snapshot(repo.common()) == before


@pytest.mark.parametrize("name", ["hooks", "hooks/coord", "coord", "info"])
def test_a_link_in_the_place_of_a_folder_is_never_followed(
    repo: Repo, tmp_path: Path, name: str
) -> None:
    """Nothing is written outside of the git dir; the printed command makes room, and installs."""
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = repo.common(name)
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.parent.mkdir(exist_ok=True)
    folder.symlink_to(outside)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "symlink")
    assert list(outside.iterdir()) == []
    assert repo.paste(done.refusal.run).code == 0
    assert repo.started("coord-install", "--check").code == 0


@pytest.mark.parametrize("name", ["config", "info/attributes"])
def test_a_linked_file_is_never_written_through(repo: Repo, tmp_path: Path, name: str) -> None:
    """What it leads to stays as it is; the command puts a copy in the link's place."""
    file = repo.common(name)
    outside = tmp_path / "outside"
    text = file.read_bytes() if file.exists() else b"*.c diff=cpp\n"
    outside.write_bytes(text)
    file.unlink(missing_ok=True)
    file.parent.mkdir(exist_ok=True)
    file.symlink_to(outside)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "symlink")
    assert repo.paste(done.refusal.run).code == 0
    assert outside.read_bytes() == text
    assert file.read_bytes().startswith(text)
    assert not file.is_symlink()


@pytest.mark.parametrize("place", ["repo", "odd_path", "bare_with_worktree"])
def test_it_works_at_any_path_and_in_bare_repositories(
    place: str, request: pytest.FixtureRequest
) -> None:
    """With blanks, quotes, and letters outside ASCII; the check agrees."""
    where: Repo = request.getfixturevalue(place)

    where.install()

    assert where.started("coord-install", "--check").out.startswith("ok")
    assert where.coord("whoami").code == 0


def test_a_bare_repository_itself_can_be_installed_into(bare_with_worktree: Repo) -> None:
    """Its declaration is the one of HEAD."""
    bare = bare_with_worktree.bare(bare_with_worktree.common())
    bare_with_worktree.commit(
        "guard", {".gitattributes": "[attr]coord-log -merge\n*.tsv coord-log\n"}
    )
    bare_with_worktree.git("push", "-q", ".", "HEAD:main")

    bare.install()

    assert "*.tsv coord-log" in bare.common("info/attributes").read_text()
    assert bare.started("coord-install", "--check").code == 0
    assert bare.coord("--version").code == 0


def test_a_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path) -> None:
    """Its .git is a file, its git dir lies in the parent's."""
    other = repo.at(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.commit("start")
    repo.git("submodule", "--quiet", "add", str(other.path), "sub")
    sub = repo.at(repo.path / "sub")

    sub.install()

    assert sub.common("hooks/coord/launch").exists()
    assert not repo.common("hooks/coord").exists()
    assert sub.started("coord-install", "--check").code == 0


def test_git_variables_from_elsewhere_do_not_lead_it_astray(repo: Repo, tmp_path: Path) -> None:
    """A hook of another repository exports GIT_DIR: the current folder decides."""
    victim = repo.at(tmp_path / "victim")
    victim.path.mkdir()
    victim.git("init", "-q")
    before = snapshot(victim.path)

    repo.with_env(GIT_DIR=str(victim.path / ".git"), GIT_INDEX_FILE="x").install()

    assert snapshot(victim.path) == before
    assert repo.common("hooks/coord/launch").exists()


def test_twenty_concurrent_installs_leave_one_whole_install(repo: Repo) -> None:
    """One lock: every one succeeds, and the result is that of one."""
    children = [repo.begun("coord-install") for _ in range(20)]
    ends = [(child.communicate()[1], child.returncode) for child in children]

    assert ends == [(b"", 0)] * 20
    assert repo.common("config").read_text().count("hooks/coord/config") == 1
    assert repo.started("coord-install", "--check").code == 0
    assert repo.install().out.startswith("nothing to do")


def test_a_stale_lock_on_the_config_is_named_with_its_age(repo: Repo) -> None:
    """It is never deleted; nothing else was written; the printed command resolves it."""
    lock = repo.common("config.lock")
    lock.touch()
    long_ago = time.time() - 3 * 3600 - 60
    os.utime(lock, (long_ago, long_ago))
    before = snapshot(repo.common())

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "locked")
    assert "3h old" in done.refusal.why
    assert str(lock) in done.refusal.headline
    assert snapshot(repo.common()) == before
    assert repo.paste(done.refusal.run).code == 0
    assert repo.started("coord-install", "--check").code == 0


@pytest.mark.parametrize(
    "options", [("--uninstall", "--purge"), ("--uninstall", "--dry-run"), ("--fleet", "--trust")]
)
def test_the_command_past_a_stale_lock_keeps_the_options(
    repo: Repo, options: tuple[str, ...]
) -> None:
    """Without --purge it gave nothing up, without --dry-run it did what was to be shown."""
    repo.install()
    lock = repo.common("config.lock")
    lock.write_bytes(b"" if "--dry-run" in options else repo.common("config").read_bytes())

    done = repo.started("coord-install", *options)

    assert (done.code, done.refusal.rule) == (3, "locked")
    assert done.refusal.run.endswith(f"coord-install {' '.join(options)}")


def test_the_way_past_a_foreign_hooks_path_keeps_the_options(repo: Repo, tmp_path: Path) -> None:
    """What was asked for besides hooks is laid down all the same."""
    (tmp_path / "theirs").mkdir()
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "theirs"))

    done = repo.started("coord-install", "--fleet")

    assert done.refusal.rule == "hooks-path"
    assert done.refusal.run.endswith("coord-install --fleet --no-hooks")
    assert repo.paste(done.refusal.run).code == 0


def test_install_waits_for_a_config_lock_that_is_released(repo: Repo) -> None:
    """Other commands write the config too, and take a moment."""
    lock = repo.common("config.lock")
    lock.touch()
    child = subprocess.Popen(["sh", "-c", f"sleep 0.6; rm '{lock}'"])

    done = repo.started("coord-install")
    child.wait()

    assert done.code == 0, done.err


def read_only(repo: Repo, folder: Path, command: str) -> list[str]:
    """Return the command under a read-only view of `folder`, as in a sandbox."""
    mounts = f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"
    argv = ["unshare", "-rm", "sh", "-c", f"{mounts} && cd '{repo.path}' && {command}"]
    if repo.run(*argv[:-1], f"{mounts}").code:
        pytest.skip("mounting is not allowed here")
    return argv


def test_a_read_only_git_dir_names_the_writable_root(repo: Repo) -> None:
    """A sandbox forbids the common git dir: exit 3, with the line to add."""
    done = repo.run(*read_only(repo, repo.common(), "coord-install"))

    assert (done.code, done.refusal.rule) == (3, "not-writable")
    assert str(repo.common()) in done.refusal.why
    assert repo.paste(done.refusal.run).code == 0
    assert repo.started("coord-install", "--check").code == 0
    done = repo.run(*read_only(repo, repo.common(), "coord-install --check"))
    assert (done.code, done.out.partition(":")[0]) == (1, "not-writable")


@pytest.mark.parametrize("folder", ["hooks", "info"])
def test_a_folder_that_is_read_only_leaves_nothing_half_made(repo: Repo, folder: str) -> None:
    """Everything is staged before anything is renamed."""
    repo.common(folder).mkdir(exist_ok=True)
    before = snapshot(repo.common())

    done = repo.run(*read_only(repo, repo.common(folder), "coord-install"))

    assert (done.code, done.refusal.rule) == (3, "not-writable")
    assert snapshot(repo.common()) == before


def test_a_full_disk_leaves_nothing_half_made(repo: Repo, tmp_path: Path) -> None:
    """The git dir is as it was, and the message says that there is no room."""
    small = tmp_path / "small"
    small.mkdir()
    copy = f"cp -a '{repo.path}/.' '{small}'"
    fill = "head -c 10000000 /dev/zero >fill 2>/dev/null; head -c 8000 fill >.git/x; rm .git/x"
    state = "find .git -type f | sort | xargs sha1sum"
    script = (
        f"mount -t tmpfs -o size=600k none '{small}' && {copy} && cd '{small}' && {fill};"
        f"{state} >'{tmp_path}/before'; coord-install; echo $? >'{tmp_path}/code';"
        f"{state} >'{tmp_path}/after'"
    )
    done = repo.run("unshare", "-rm", "sh", "-c", script)
    if not (tmp_path / "code").exists():
        pytest.skip("mounting is not allowed here")

    assert (tmp_path / "code").read_text() == "3\n"
    assert done.refusal.rule == "disk-full"
    assert (tmp_path / "after").read_text() == (tmp_path / "before").read_text()


def test_producers_that_are_declared_at_install_are_accepted(repo: Repo) -> None:
    """The install shows them; a later change of the text asks again."""
    from coord.guard import trust  # noqa: PLC0415

    repo.write(".coord.toml", '[derived."x.json"]\nregenerate = "make x"\n')

    done = repo.install()

    assert "accept  make x" in done.out
    assert trust.is_accepted(str(repo.common()), "make x")
    assert not trust.is_accepted(str(repo.common()), "make y")


@pytest.mark.parametrize(
    ("file", "word"),
    [
        (".pre-commit-config.yaml", "pre-commit or prek is used here"),
        ("lefthook.yml", "lefthook is used here"),
        (".husky/pre-commit", "husky is used here"),
    ],
)
def test_another_hook_tool_is_named(repo: Repo, file: str, word: str) -> None:
    """With what it means for both."""
    repo.write(file, "")

    assert word in repo.install().err


def test_no_hooks_installs_the_rest_and_prints_the_lines(repo: Repo, tmp_path: Path) -> None:
    """The printed lines, put into hooks that somebody else owns, call ours."""
    done = repo.install("--no-hooks")

    assert not (repo.common("hooks") / "commit-msg").exists()
    assert "hooks-path" in repo.started("coord-install", "--check").out  # nobody calls ours yet
    lines = [line for line in done.out.splitlines() if line.startswith(("hook=", "[ ! -x"))]
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for event in EVENTS:
        (theirs / event).write_text("\n".join(["#!/bin/sh", *lines[:2], ""]))
        (theirs / event).chmod(0o755)
    repo.git("config", "core.hooksPath", str(theirs))

    side = repo.worktree(tmp_path / "side", "side")

    assert (side.private("coord-identity.toml")).exists()
    assert repo.started("coord-install", "--check").code == 0


def test_the_lines_for_pre_push_leave_stdin_to_the_hook_around_them(
    repo: Repo, tmp_path: Path
) -> None:
    """Ours reads it, and what follows reads the same bytes."""
    done = repo.install("--no-hooks")
    lines = done.out.splitlines()
    first = max(number for number, line in enumerate(lines) if line.startswith("hook="))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    heard = tmp_path / "heard"
    text = "\n".join(["#!/bin/sh", *lines[first:], f"cat >'{heard}'", ""])
    (theirs / "pre-push").write_text(text)
    (theirs / "pre-push").chmod(0o755)
    repo.git("config", "core.hooksPath", str(theirs))
    repo.git("init", "-q", "--bare", str(tmp_path / "remote.git"))

    repo.git("push", "-q", str(tmp_path / "remote.git"), "main")

    assert heard.read_text().startswith("refs/heads/main ")


def test_hooks_can_follow_later(repo: Repo) -> None:
    """After --no-hooks, a plain install brings the hooks, and clears what they replace."""
    repo.install("--no-hooks")

    repo.install()

    assert (repo.common("hooks") / "commit-msg").exists()
    assert not (repo.common("hooks/coord") / "commit-msg").exists()
    assert repo.started("coord-install", "--check").code == 0


def test_an_install_inside_a_worktree_warns_that_it_can_be_removed(
    repo: Repo, tmp_path: Path
) -> None:
    """`git worktree remove` would take the package away from every hook."""
    import coord  # noqa: PLC0415

    side = repo.worktree(tmp_path / "side", "side")
    shutil.copytree(os.path.dirname(coord.__file__), side.path / "site" / "coord", symlinks=False)
    environment = {**repo.env, "PYTHONPATH": str(side.path / "site")}
    code = "from coord.installer.cli import run; run()"

    python = shutil.which("python", path=repo.env["PATH"]) or "python"
    done = side.at(repo.path).with_env(**environment).run(python, "-c", code)

    assert done.code == 0, done.err
    assert f"installed inside {side.path}" in done.err


@pytest.mark.parametrize("name", ["hooks", "info"])
def test_a_file_in_the_place_of_a_folder_is_named(repo: Repo, name: str) -> None:
    """Moved aside by the command, it is not lost."""
    folder = repo.common(name)
    if folder.exists():
        shutil.rmtree(folder)
    folder.write_text("mine\n")

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "not-a-folder")
    assert done.refusal.headline.endswith(f": {folder}")
    assert repo.paste(done.refusal.run).code == 0
    assert folder.with_name(f"{name}.aside").read_text() == "mine\n"
    assert repo.started("coord-install", "--check").code == 0


def test_the_version_is_a_document_where_one_is_asked_for(repo: Repo) -> None:
    """As every other answer; without --json one line."""
    plain = repo.started("coord-install", "--version").out
    assert plain.startswith("coord-install ")
    for args in (("--version", "--json"), ("--json", "--version")):
        answer = json.loads(repo.started("coord-install", *args).out)
        assert answer == {"schema": 1, "version": plain.split()[1]}
