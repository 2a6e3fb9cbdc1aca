"""The sh in front: when Python is started, when it is not, and what happens when it is gone."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from harness import Repo, system_path
from harness.drivers import library
from harness.hooked import add_hooks

REPAIR = "echo repaired"


@pytest.fixture
def counted(repo: Repo, tmp_path: Path) -> Repo:
    """A pinned worktree of two; each start of Python leaves a line in ``starts``."""
    spy = tmp_path / "python"
    log = tmp_path / "starts"
    spy.write_text(f'#!/bin/sh\necho "$6 $7" >>{log}\nexec {sys.executable} "$@"\n')
    spy.chmod(0o755)
    add_hooks(repo, python=str(spy))
    side = repo.worktree(tmp_path / "side", "side")
    side.commit("base", {"log.tsv": "one\n", "s.json": "1\n", "f": "1\n"})
    log.unlink()
    return side


def starts(repo: Repo) -> list[str]:
    """Return the events Python was started for, with what it was to judge."""
    log = repo.path.parent / "starts"
    return log.read_text().split("\n")[:-1] if log.exists() else []


@pytest.mark.parametrize(
    "command",
    [
        "git commit -q --allow-empty -m x",
        "echo 2 >f && git commit -qam x",
        "echo two >>log.tsv && git commit -qam 'an append'",
        "echo 2 >s.json && git commit -qam 'one side regenerates'",
        "echo new >new.tsv && git add new.tsv && git commit -qm 'a new log'",
        "git commit -q --allow-empty -s -m 'signed while pinned'",
        "git commit -q --amend --no-edit",
        "git checkout -q -b other && git checkout -q side",
        "git checkout -q HEAD -- f",
        "git rebase -q --force-rebase HEAD~1",
        "git merge -q --no-ff -m x main",
        "git stash -q -u; echo 2 >f; git stash -q; git stash pop -q",
    ],
)
def test_a_pinned_worktree_at_its_daily_work_starts_no_python(counted: Repo, command: str) -> None:
    """Every start costs more than a whole commit."""
    done = counted.paste(command)

    assert (done.code, done.err) == (0, "")
    assert starts(counted) == []


def test_a_merge_that_joins_logs_starts_only_the_driver(counted: Repo) -> None:
    """The hooks see that neither side has lost a line."""
    counted.git("branch", "other")
    counted.commit("mine", {"log.tsv": "one\nmine\n"})
    counted.git("checkout", "-q", "other")
    counted.commit("theirs", {"log.tsv": "one\ntheirs\n"})
    counted.git("merge", "-q", "-m", "x", "side")

    assert set(counted.read("log.tsv").split()) == {"one", "mine", "theirs"}
    assert [line for line in starts(counted) if not line.startswith("drivers")] == []


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        ("echo ONE >log.tsv && git commit -qam x", "hooks prepare-commit-msg"),
        ("git push -q ../repo HEAD:refs/heads/pushed", "hooks pre-push"),
    ],
)
def test_there_is_something_to_judge(counted: Repo, command: str, needs: str) -> None:
    """The counter counts."""
    counted.paste(command)

    assert starts(counted) == [needs]


# What becomes of the interpreter and the package.
def interpreter_gone(home: Path) -> None:
    """The base interpreter was upgraded away."""
    launch = home / "launch"
    launch.write_text(launch.read_text().replace(f"'{sys.base_prefix}", "'/gone"))
    assert "/gone" in launch.read_text() or sys.executable not in launch.read_text()


def package_gone(home: Path) -> None:
    """The virtualenv was removed."""
    launch = home / "launch"
    launch.write_text(launch.read_text().replace(library(), "/gone/lib"))


def package_torn(home: Path) -> None:
    """An upgrade was killed half-way: the package is there, a module is not."""
    torn = home.parent / "torn"
    (torn / "coord").mkdir(parents=True)
    (torn / "coord/__init__.py").write_text("")
    launch = home / "launch"
    launch.write_text(launch.read_text().replace(library(), str(torn)))


def interpreter_broken(home: Path) -> None:
    """It is there but does not start."""
    _ends(home, "exit 139")


def _ends(home: Path, line: str) -> None:
    """Let the interpreter end by a line of sh."""
    broken = home.parent / "broken"
    broken.write_text(f"#!/bin/sh\n{line}\n")
    broken.chmod(0o755)
    launch = home / "launch"
    lines = launch.read_text().split("\n")
    kept = [line for line in lines if not line.startswith("coord_python=")]
    launch.write_text("\n".join([f"coord_python='{broken}'", *kept]))


def launcher_gone(home: Path) -> None:
    """Somebody tidied up."""
    (home / "launch").unlink()


FAULTS = [interpreter_gone, package_gone, package_torn, interpreter_broken, launcher_gone]


@pytest.fixture
def forked(hooked: Repo) -> Repo:
    """Branches main and side that both regenerated s.json and an odd path."""
    odd = 'o "d\té.json'
    hooked.commit("base", {"s.json": "0\n", odd: "0\n"})
    hooked.git("checkout", "-q", "-b", "side")
    hooked.commit("side", {"s.json": "side\n", odd: "side\n"})
    hooked.git("checkout", "-q", "main")
    hooked.commit("main", {"s.json": "main\n", odd: "main\n"})
    return hooked


@pytest.mark.parametrize("fault", FAULTS)
def test_git_goes_on_and_is_told_once_how_to_repair(
    hooked: Repo, tmp_path: Path, fault: object
) -> None:
    """An unpinned worktree is to be pinned; a commit says once, in three lines, that it is not."""
    side = hooked.worktree(tmp_path / "side", "side", "--no-checkout")
    assert callable(fault)
    fault(hooked.common("hooks/coord"))
    done = side.tried("commit", "-q", "--allow-empty", "-m", "x")

    assert done.code == 0
    assert done.refusal.rule == "hooks-broken"
    assert done.refusal.run == ("coord-install" if fault is launcher_gone else REPAIR)
    assert side.paste(done.refusal.run).code in {0, 1}


@pytest.mark.parametrize("signal", [9, 15])
def test_what_was_killed_is_not_installed_anew(hooked: Repo, tmp_path: Path, signal: int) -> None:
    """It is there; the reinstall would take it from everybody for as long as that lasts."""
    side = hooked.worktree(tmp_path / "side", "side", "--no-checkout")
    _ends(hooked.common("hooks/coord"), f"kill -{signal} $$")
    done = side.tried("commit", "-q", "--allow-empty", "-m", "x")

    assert done.code == 0
    assert f"signal {signal}" in done.refusal.why
    assert done.refusal.run == "git coord doctor"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["s.json", 'o "d\té.json'])
def test_a_live_refusal_blocks_all_the_same(forked: Repo, fault: object, path: str) -> None:
    """Decided in sh: a record, an operation in progress, and one of the two sides staged."""
    forked.tried("merge", "side")
    forked.git("add", "-A")
    for other in {"s.json", 'o "d\té.json'} - {path}:
        forked.write(other, "both\n")
        forked.git("add", other)
    assert callable(fault)
    fault(forked.common("hooks/coord"))
    done = forked.tried("commit", "-q", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"
    forked.write(path, "both\n")
    assert forked.tried("commit", "-q", "-a", "-m", "x").code == 0


LINES = ("", "1\n", "1\nours\n", "1\ntheirs\n")
BLOCKS = ('[log."*.tsv"]\nstart = "## "\n', "## 1\n", "## 1\n## ours\n", "## 1\n## theirs\n")


@pytest.mark.parametrize("texts", [LINES, BLOCKS], ids=["lines", "blocks"])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_markers_of_a_refused_log_are_not_committed(
    hooked: Repo, fault: object, texts: tuple[str, ...]
) -> None:
    """Its driver was gone as well, so an ordinary conflict was left; sh tells it from records."""
    config, base, ours, theirs = texts
    hooked.commit("base", {"l.tsv": base, ".coord.toml": config})
    hooked.git("checkout", "-q", "-b", "side")
    hooked.commit("side", {"l.tsv": theirs})
    hooked.git("checkout", "-q", "main")
    hooked.commit("main", {"l.tsv": ours})
    assert callable(fault)
    fault(hooked.common("hooks/coord"))
    assert "driver-failed" in hooked.tried("merge", "-q", "side").err
    done = hooked.tried("commit", "-q", "-a", "-m", "x")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"
    hooked.write("l.tsv", ours + theirs.removeprefix(base))
    assert hooked.tried("commit", "-q", "-a", "-m", "x").code == 0


def test_without_an_operation_a_record_blocks_nothing(forked: Repo) -> None:
    """After an abort, sh cannot tell more, and must not stop innocent work."""
    forked.tried("merge", "side")
    forked.git("merge", "--abort")
    package_gone(forked.common("hooks/coord"))
    done = forked.tried("commit", "-q", "--allow-empty", "-m", "x")

    assert done.code == 0
    assert done.refusal.rule == "hooks-broken"


def test_commit_all_after_a_refused_stash_is_stopped_in_sh_too(forked: Repo) -> None:
    """The path is unmerged in the index that it is about to replace; once staged, it is free."""
    forked.git("checkout", "-q", "main~1")
    forked.write("s.json", "mine\n")
    forked.git("stash", "-q")
    forked.git("checkout", "-q", "main")
    forked.tried("stash", "pop")
    forked.write("README", "other\n")
    package_gone(forked.common("hooks/coord"))
    done = forked.tried("commit", "-q", "-a", "-m", "x")

    assert (done.code, done.refusal.rule) == (1, "refusal-pending")
    forked.git("add", "-A")
    assert forked.tried("commit", "-q", "-a", "-m", "x").code == 0


def test_a_settled_path_does_not_block_in_sh_either(forked: Repo) -> None:
    """The record says what it was settled with."""
    forked.tried("merge", "side")
    forked.git("add", "-A")
    for record in forked.private("coord-refused").iterdir():
        ours = record.read_text().partition("ours ")[2].partition("\n")[0]
        record.write_text(record.read_text().replace("path ", f"resolved {ours}\nreason x\npath "))
    package_gone(forked.common("hooks/coord"))

    assert forked.tried("commit", "-q", "-m", "x").code == 0


def test_a_settling_that_was_cut_off_blocks_in_sh_too(forked: Repo) -> None:
    """Half of an artifact is neither of the two sides; nothing of it may be committed."""
    forked.tried("merge", "side")
    for record in forked.private("coord-refused").iterdir():
        record.write_text(record.read_text().replace("path ", "begun make it\npath "))
    forked.write("s.json", "half")
    forked.git("add", "-A")
    package_gone(forked.common("hooks/coord"))

    assert forked.tried("commit", "-q", "-m", "x").refusal.rule == "refusal-pending"


def test_a_rebase_is_told_once(repo: Repo, tmp_path: Path) -> None:
    """Not at every commit it replays."""
    side = repo.worktree(tmp_path / "side", "side")
    for number in range(4):
        side.commit(str(number))
    package_gone(add_hooks(repo).common("hooks/coord"))
    done = side.tried("rebase", "-q", "--force-rebase", "HEAD~4")

    assert done.code == 0
    assert done.err.count("hooks-broken") == 1


def test_a_missing_package_fails_no_push_and_no_checkout(hooked: Repo, tmp_path: Path) -> None:
    """Exit 0, and the line that repairs it."""
    side = hooked.worktree(tmp_path / "side", "side")
    package_gone(hooked.common("hooks/coord"))
    added = hooked.tried("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    pushed = side.tried("push", "-q", "../repo", "HEAD:refs/heads/pushed")

    assert (added.code, pushed.code) == (0, 0)
    assert added.refusal.rule == pushed.refusal.rule == "hooks-broken"


def test_a_commit_that_goes_to_another_worktree_says_so(counted: Repo, repo: Repo) -> None:
    """GIT_DIR leaked: one line, in sh; it may be the user's own word, so git goes on."""
    for here, other in ((counted, repo), (repo, counted)):
        there = here.with_env(GIT_DIR=str(other.private()))
        done = there.tried("commit", "-q", "--allow-empty", "-m", "x")

        assert done.code == 0
        assert done.err.count("\n") == 1
        assert done.err.startswith("coord: identity-conflict: GIT_DIR names another worktree")
    assert not starts(counted)


def test_a_commit_that_goes_where_its_folder_is_says_nothing(hooked: Repo, tmp_path: Path) -> None:
    """However git was told so, and whatever the path of the worktree looks like."""
    side = hooked.worktree(tmp_path / "side", "side")
    (tmp_path / "link").symlink_to(tmp_path)
    linked = str(side.private()).replace(str(tmp_path), f"{tmp_path}/link", 1)
    for git_dir in (str(side.private()), linked):
        done = side.with_env(GIT_DIR=git_dir).tried("commit", "-q", "--allow-empty", "-m", "x")
        assert (done.code, done.err) == (0, "")
    (side.path / ".git").write_text(f"gitdir: ../repo/.git/worktrees/{side.private().name}\n")
    assert side.tried("commit", "-q", "--allow-empty", "-m", "x").err == ""
    for flags in (["--git-dir=.git"], ["--git-dir=.git", "--work-tree=."]):
        done = hooked.tried(*flags, "commit", "-q", "--allow-empty", "-m", "x")
        assert (done.code, done.err) == (0, "")


def test_a_gui_with_a_bare_environment_is_served(counted: Repo) -> None:
    """``env -i`` with a PATH of system folders, as desktop programs have it."""
    home = counted.env["HOME"]
    bare = Repo(counted.path, {"HOME": home, "PATH": system_path()})
    bare.commit("from the desktop")
    bare.git("branch", "seen")
    done = bare.paste("echo ONE >log.tsv && git commit -qam x")

    assert done.refusal.rule == "log-rewritten"


def test_the_sed_script_is_posix() -> None:
    """No bashisms: dash -n, and busybox or bash where they are."""
    folder = Path(__file__).parent.parent.parent / "hooks/sh"
    for shell in ("dash", "bash", "busybox"):
        if not shutil.which(shell):
            continue
        for name in ("hook", "hookfile", "launch"):
            command = [shell, *(["sh"] if shell == "busybox" else []), "-n", str(folder / name)]
            assert Repo(folder, {"PATH": "/usr/bin:/bin"}).run(*command).code == 0
