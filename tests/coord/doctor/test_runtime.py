"""Launcher, interpreter, package, git and file system."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import coord
from coord.doctor import runtime
from coord.doctor.configured import Entry, Listing
from coord.doctor.facts import View
from coord.doctor.probes import Hooks
from coord.installer import launcher, manifest
from coord.repo.worktree import Worktree
from harness.clinic import findings, healthy, mended, notes, rules

if TYPE_CHECKING:
    from pathlib import Path

    from coord.installer.launcher import Home
    from harness import Repo


def recorded(repo: Repo) -> Home:
    """Return what the launcher records."""
    found = runtime.recorded(str(repo.common("hooks/coord/launch")))
    assert found is not None
    return found


def relaunch(repo: Repo, home: Home) -> None:
    """Record another home, as an install that ran from there would have."""
    data = launcher.text(home)
    repo.common("hooks/coord/launch").write_bytes(data)
    edit_manifest(repo, files={"hooks/coord/launch": manifest.digest(data)})


def edit_manifest(repo: Repo, **fields: object) -> None:
    """Change fields of the manifest; ``files`` are added to its own."""
    path = repo.common("hooks/coord/manifest")
    text = json.loads(path.read_text())
    files = fields.pop("files", {})
    assert isinstance(files, dict)
    path.write_text(json.dumps({**text, **fields, "files": {**text["files"], **files}}))


def test_what_the_launcher_records_is_started(installed: Repo) -> None:
    """It is there, starts, and is of the version that was installed."""
    assert recorded(installed).lib == os.path.dirname(os.path.dirname(coord.__file__))
    assert healthy(installed)


def test_a_file_of_ours_that_was_changed_or_deleted_comes_back(installed: Repo) -> None:
    """By the hashes of the manifest; the launcher is named once, by the cause."""
    installed.common("hooks/coord/launch").write_text("# nothing\n")
    installed.common("hooks/coord/log").unlink()

    found = findings(installed, "file-changed")

    assert [one.message for one in found] == [
        "hooks/coord/launch is not as installed",
        "hooks/coord/log is gone",
    ]
    assert "launcher-broken" not in rules(installed)
    assert installed.paste(found[0].run).code == 0
    assert healthy(installed)


def test_a_virtualenv_that_is_gone_ends_in_the_recorded_repair(
    installed: Repo, tmp_path: Path
) -> None:
    """Interpreters and package are named; the one command was written down at install."""
    home = recorded(installed)
    gone = tmp_path / "gone"
    relaunch(
        installed, replace(home, lib=str(gone), cli=f"{gone}/bin/python", repair="coord-install")
    )

    found = mended(installed, "launcher-broken")

    assert f"{gone}/bin/python and {gone}/coord/__init__.py" in found.message
    assert healthy(installed)


def test_a_package_that_does_not_start_is_told_by_its_own_words(
    installed: Repo, tmp_path: Path
) -> None:
    """All files are there, and one is broken: only a start tells."""
    package = tmp_path / "lib" / "coord"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "_version.py").write_text(f'VERSION = "{coord.VERSION}"\n')
    relaunch(
        installed, replace(recorded(installed), lib=str(package.parent), repair="coord-install")
    )

    found = mended(installed, "launcher-broken")

    assert "No module named 'coord.hooks'" in found.message


def test_another_version_than_installed_is_told_with_all_three(installed: Repo) -> None:
    """Hooks of one version run the package of another after an upgrade."""
    edit_manifest(installed, version="0.0.9")

    found = mended(installed, "other-version")

    assert "written by 0.0.9" in found.message
    assert coord.VERSION in found.message


def test_a_package_inside_of_a_worktree_dies_with_it(installed: Repo, side: Repo) -> None:
    """Installed from the virtualenv of a linked worktree, which somebody will remove."""
    lib = side.path / "lib"
    lib.mkdir()
    (lib / "coord").symlink_to(os.path.dirname(coord.__file__))
    relaunch(installed, replace(recorded(installed), lib=str(lib)))

    (found,) = findings(installed)

    assert (found.rule, found.worktree) == ("package-in-worktree", str(side.path))
    assert found.run.startswith("python3 -m venv ")
    assert found.run.endswith("/bin/coord-install")
    assert installed.started("coord-install").code == 0
    assert healthy(installed)


def test_an_alias_that_does_not_answer_is_a_finding(installed: Repo) -> None:
    """Its text is ours, and yet nothing comes back."""
    place = Worktree(str(installed.common()), str(installed.common()), str(installed.path))
    entry = Entry("local", "config", "alias.coord", launcher.alias())
    view = View(place, "main", config=Listing((entry,)), hooks=Hooks("hooks", {}))
    found = runtime.Runtime(
        place.common_dir,
        recorded=coord.VERSION,
        home=recorded(installed),
        version=coord.VERSION,
        git=(2, 39),
    )

    assert [one.rule for one in runtime.judge(found, [view]).findings] == ["alias-dead"]
    assert runtime.judge(found, [replace(view, alias=True)]).findings == []


def test_what_this_git_lacks_is_said_and_what_none_has(installed: Repo) -> None:
    """Capabilities by version; an older git than the oldest tested one is a finding."""
    old = runtime.Runtime(str(installed.common()), git=(2, 38, 1))
    new = runtime.Runtime(str(installed.common()), git=(2, 55))

    assert [one.rule for one in runtime.judge(old, []).findings] == ["git-too-old"]
    assert runtime.judge(old, []).notes[0].startswith("git 2.38.1 lacks --attr-source (2.41), ")
    assert runtime.judge(new, []).findings == []
    assert runtime.judge(new, []).notes == [
        "octopus merges and -s resolve call no merge driver: git coord check sees what they did"
    ]


def test_a_file_system_that_folds_case_is_told_by_git_dirs_own_file(installed: Repo) -> None:
    """HEAD answers under another case too."""
    assert "folds case" not in notes(installed)
    os.link(installed.common("HEAD"), installed.common("hEAD"))

    assert "folds case" in notes(installed)
