"""``git coord doctor`` as it is typed: one screen, one document, any surroundings, no change."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harness import Repo, system_path
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {"rule", "worktree", "message", "run"}


def answer(repo: Repo) -> dict[str, object]:
    """Return the document, and insist that the exit code says the same."""
    done = repo.coord("doctor", "--json")
    document: dict[str, object] = json.loads(done.out)
    assert document["schema"] == 1, done.err
    assert done.code == (0 if document["ok"] else 1)
    assert done.err == ""
    return document


def rules(repo: Repo) -> list[str]:
    """Return the rules of the findings, in order."""
    found = answer(repo)["findings"]
    assert isinstance(found, list)
    assert all(set(one) == KEYS for one in found)
    return [one["rule"] for one in found]


def test_a_healthy_repository_is_exit_0_and_says_what_is_right(
    installed: Repo, tmp_path: Path
) -> None:
    """Remarks do not count; every subject has its line."""
    installed.worktree(tmp_path / "w", "feat/cache")

    done = installed.coord("doctor")

    lines = done.out.splitlines()
    assert done.code == 0, done.out
    assert lines[-1] == "nothing is wrong"
    right = [line.split()[1] for line in lines if line.startswith("ok ")]
    assert right == [
        *("config", "runtime", "hooks", "pins", "guarded", "branches", "pending", "board", "users"),
    ]
    (row,) = [line for line in lines if "feat-cache-" in line]
    assert row.split()[1] == "feat/cache"
    assert row.split()[3:] == ["7/7", "as", "pinned"]
    assert answer(installed)["ok"] is True


def test_the_document_has_the_contract_keys_and_every_worktree(
    installed: Repo, tmp_path: Path
) -> None:
    """Others script against these; more about each worktree comes beside."""
    tree = installed.at(tmp_path / "w")
    installed.git("worktree", "add", "-q", "--no-checkout", "--detach", str(tree.path))

    document = answer(installed)

    assert document["ok"] is False
    assert document["findings"] == [
        {
            "rule": "identity-inferred",
            "worktree": str(tree.path),
            "message": "unpinned: who works here is only guessed from the branch",
            "run": "coord-install --pin-existing",
        }
    ]
    views = document["worktrees"]
    assert isinstance(views, list)
    assert [(one["worktree"], one["pinned"], len(one["hooks"])) for one in views] == [
        (str(installed.path), False, 7),
        (str(tree.path), False, 7),
    ]
    assert set(views[0]["hooks"].values()) == {"runs"}


def test_nothing_installed_is_one_finding_that_the_command_ends(repo: Repo, tmp_path: Path) -> None:
    """The doctor can be asked before an install too."""
    repo.worktree(tmp_path / "w", "w")

    found = repo.run("git-coord", "doctor", "--json")

    (finding,) = json.loads(found.out)["findings"]
    assert found.code == 1
    assert finding["rule"] == "not-installed"
    assert repo.paste(finding["run"]).code == 0
    assert rules(repo) == ["identity-inferred"]


def test_forty_worktrees_with_the_same_fault_fit_on_one_screen(
    installed: Repo, tmp_path: Path
) -> None:
    """One line and one command for all of them; the document names each."""
    for number in range(40):
        installed.git("worktree", "add", "-q", "--detach", "--no-checkout", f"{tmp_path}/w{number}")

    done = installed.coord("doctor")

    lines = done.out.splitlines()
    assert len(lines) <= 40
    assert lines[-1] == "1 thing to mend"
    assert lines[-2] == "  run: coord-install --pin-existing"
    assert lines[-3].startswith("identity-inferred: 40 worktrees: unpinned")
    assert lines[-3].endswith("and 37 more")
    assert "and 29 more worktrees" in lines
    assert rules(installed) == ["identity-inferred"] * 40
    assert installed.paste(lines[-2].removeprefix("  run: ")).code == 0
    assert rules(installed) == []


def test_many_different_faults_are_cut_to_a_screen_and_counted(
    installed: Repo, tmp_path: Path
) -> None:
    """The rest is in the document."""
    for number in range(20):
        tree = installed.worktree(tmp_path / f"w{number}", f"w{number}")
        tree.private("coord-identity.toml").write_text("junk\n")

    lines = installed.coord("doctor").out.splitlines()

    assert lines[-1] == "20 things to mend"
    assert lines[-2] == "and 8 more: git coord doctor --json"
    assert len(lines) <= 60
    assert rules(installed) == ["pin-unreadable"] * 20


def test_nothing_is_changed_by_looking(installed: Repo, tmp_path: Path) -> None:
    """No file, no mode, no time stamp, in the git dir or in a worktree, whatever is wrong."""
    tree = installed.worktree(tmp_path / "w", "w")
    installed.commit("log", {"moves.tsv": "at\n", ".gitattributes": "moves.tsv coord-log\n"})
    installed.git("config", "user.email", "a@x")
    (installed.common("hooks") / "commit-msg").chmod(0o644)
    tree.private("coord.config").unlink()
    tree.private("coord-refused").mkdir()
    tree.private("coord-refused/1").write_text("torn")

    def state() -> object:
        stamps = {
            path: path.lstat().st_mtime_ns
            for top in (installed.path, tree.path)
            for path in (top, *top.rglob("*"))
        }
        return snapshot(installed.path), snapshot(tree.path), stamps

    before = state()

    assert len(set(rules(installed))) >= 5
    assert state() == before


def test_from_a_subfolder_of_a_detached_worktree_by_the_alias_alone(
    installed: Repo, tmp_path: Path
) -> None:
    """The printed command runs from any shell, outside of the virtualenv."""
    tree = installed.at(tmp_path / "w")
    installed.git("worktree", "add", "-q", "--detach", str(tree.path))
    tree.write("a/b/file", "x")
    bare_path = tree.at(tree.path / "a" / "b").with_env(PATH=system_path())

    assert rules(bare_path) == []


@pytest.mark.parametrize(
    "options", [(), ("--object-format=sha256",)], ids=["unborn", "unborn with SHA-256"]
)
def test_an_unborn_branch_is_no_fault(
    tmp_path: Path, env: dict[str, str], options: tuple[str, ...]
) -> None:
    """Before the first commit, and in a repository of long ids."""
    repo = Repo.init(tmp_path / "new", env, *options)
    repo.install()

    assert rules(repo) == []

    repo.commit("first", {".gitattributes": "[attr]coord-log -merge\nlog coord-log\n", "log": ""})
    assert rules(repo) == ["not-guarded"]


def test_in_a_bare_repository_and_in_its_worktree(bare_with_worktree: Repo) -> None:
    """The bare one runs hooks as well, and has no author to judge."""
    bare_with_worktree.install("--pin-existing")
    bare = bare_with_worktree.bare(bare_with_worktree.common())

    for repo in (bare_with_worktree, bare):
        assert rules(repo) == []
    assert "(bare)" in bare.coord("doctor").out


@pytest.mark.parametrize("name", ["a b'c é", "-dash", "new\nline", 'q"uote'])
def test_any_path_can_be_examined_and_its_commands_pasted(
    tmp_path: Path, env: dict[str, str], name: str
) -> None:
    """Names that a shell, an option parser or a list of lines could take for something else."""
    repo = Repo.init(tmp_path / name / "main", env)
    repo.commit("start", {"README": "start\n"})
    repo.install()
    tree = repo.worktree(tmp_path / name / "side", "side")
    repo.git("config", "core.hooksPath", ".myhooks")
    (repo.path / ".myhooks").mkdir()
    repo.install()
    tree.private("coord-identity.toml").write_text("junk\n")

    found = answer(repo)["findings"]

    assert isinstance(found, list)
    assert [(one["rule"], one["worktree"]) for one in found] == [
        ("hooks-path", str(tree.path)),
        ("pin-unreadable", str(tree.path)),
    ]
    for one in found:
        done = repo.paste(one["run"])
        assert done.code == 0, f"{one['run']}\n{done.out}{done.err}"
    assert rules(repo) == []
    assert all(line.isprintable() for line in repo.coord("doctor").out.splitlines())


def test_outside_of_a_repository_it_is_exit_3(tmp_path: Path, env: dict[str, str]) -> None:
    """The usual three lines, and the error document."""
    done = Repo(tmp_path, env).run("git-coord", "doctor", "--json")

    assert done.code == 3
    assert json.loads(done.out)["error"]["rule"] == "not-a-repository"
    assert done.refusal.rule == "not-a-repository"


def test_doctor_does_not_import_stdlib_names_from_the_repository(
    installed: Repo,
) -> None:
    """A repository root full of ``json.py`` and its like."""
    for name in ("json", "dataclasses", "tempfile", "concurrent", "coord"):
        installed.write(f"{name}.py", "raise SystemExit(99)\n")

    assert rules(installed) == []


def test_a_temporary_folder_that_is_gone_is_an_environment_error(
    installed: Repo, tmp_path: Path
) -> None:
    """Probes answer into a file of it: without one there is another, or exit 3 in three lines."""
    done = installed.with_env(TMPDIR=str(tmp_path / "gone")).coord("doctor")

    assert done.code in {0, 3}
    assert "Traceback" not in done.err


def test_after_the_package_is_gone_from_a_copied_clone(installed: Repo, tmp_path: Path) -> None:
    """``cp -r`` of a clone takes hooks and pins along: the copy is its own repository."""
    copy = installed.at(tmp_path / "copy")
    shutil.copytree(installed.path, copy.path, symlinks=True)

    assert rules(copy) == []
    assert os.path.samefile(copy.common(), copy.path / ".git")


def test_a_sweep_says_when_somebody_was_writing(installed: Repo, tmp_path: Path) -> None:
    """Nothing went: that must not read as if there were nothing to take."""
    worker = installed.worktree(tmp_path / "w", "w")
    worker.coord("claim", "task:a")
    with (installed.common("coord") / "board/sweep.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        kept = installed.coord("doctor", "--sweep")

    assert "0 records went off the board; some stayed, since somebody is writing" in kept.err
    assert "some stayed" not in installed.coord("doctor", "--sweep").err
