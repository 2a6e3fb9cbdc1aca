"""``coord-install --check``: what git sees from every worktree, each problem with one command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Repo

DECLARED = "[attr]coord-log -merge\n*.tsv coord-log\n"


def problems(repo: Repo) -> list[dict[str, str]]:
    """Return the problems of a check; its exit code agrees with its answer."""
    done = repo.started("coord-install", "--check", "--json")
    answer = json.loads(done.out)
    assert answer["ok"] == (done.code == 0) == (answer["problems"] == [])
    found: list[dict[str, str]] = answer["problems"]
    return found


def test_a_check_changes_nothing(installed: Repo) -> None:
    """Neither where all is well nor where it is not."""
    (installed.common("hooks") / "commit-msg").unlink()
    before = snapshot(installed.common())

    assert problems(installed)
    assert snapshot(installed.common()) == before


def test_where_nothing_is_installed_it_says_so(repo: Repo) -> None:
    """Exit 1, and the command that installs."""
    (found,) = problems(repo)

    assert found["rule"] == "not-installed"
    assert repo.paste(found["run"]).code == 0
    assert problems(repo) == []


DAMAGES: dict[str, tuple[str, Callable[[Repo], object]]] = {
    "a hook deleted": (
        "hooks-path",
        lambda repo: (repo.common("hooks") / "pre-push").unlink(),
    ),
    "a hook without its x bit": (
        "hooks-path",
        lambda repo: (repo.common("hooks") / "pre-push").chmod(0o644),
    ),
    "a script changed": (
        "file-changed",
        lambda repo: repo.common("hooks/coord/log").write_text("exit 0\n"),
    ),
    "the config deleted": (
        "config-missing",
        lambda repo: repo.common("hooks/coord/config").unlink(),
    ),
    "the include dropped": (
        "config-missing",
        lambda repo: repo.git("config", "--unset-all", "include.path"),
    ),
    "the block dropped": (
        "not-guarded",
        lambda repo: repo.common("info/attributes").unlink(),
    ),
    "a declaration pulled": (
        "not-guarded",
        lambda repo: repo.write(".gitattributes", DECLARED + "*.log coord-log\n"),
    ),
    "the interpreter gone": (
        "launcher-broken",
        lambda repo: repo.common("hooks/coord/launch").write_text("coord_python=/nowhere\n"),
    ),
    "a repository called bare that has files": (
        "core-bare",
        lambda repo: repo.git("config", "core.bare", "true"),
    ),
    "a worktree that leads elsewhere": (
        "core-worktree",
        lambda repo: repo.git("config", "core.worktree", "/"),
    ),
    "the author files lost": (
        "author-mismatch",
        lambda repo: repo.common("coord/identities").write_text(""),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_its_command_mends_it(repo: Repo, tmp_path: Path, damage: str) -> None:
    """Each problem names its rule, and the first one's command resolves it."""
    repo.write(".gitattributes", DECLARED)
    repo.worktree(tmp_path / "side", "side")
    repo.install("--pin-existing")
    assert problems(repo) == []
    rule, harm = DAMAGES[damage]

    harm(repo)
    found = problems(repo)

    assert rule in {problem["rule"] for problem in found}
    assert repo.paste(next(p["run"] for p in found if p["rule"] == rule)).code == 0
    assert problems(repo) == []


def test_a_later_line_that_takes_a_guarded_file_away_is_named(installed: Repo) -> None:
    """The attribute is "set", and that is not "guarded": the effective merge attribute counts."""
    installed.coord("track", "log", "*.tsv")
    installed.commit("log", {"x.tsv": "a\n"})
    with installed.common("info/attributes").open("a") as info:
        info.write("*.tsv merge=npm\n")

    (found,) = problems(installed)

    assert found["rule"] == "attribute-overridden"
    assert "x.tsv" in found["message"]
    assert installed.with_env(EDITOR="echo").paste(found["run"]).out.endswith("info/attributes\n")


def test_a_setting_of_one_worktree_that_hides_ours_is_shown(repo: Repo, tmp_path: Path) -> None:
    """The printed command says who sets it."""
    repo.git("config", "extensions.worktreeConfig", "true")
    side = repo.worktree(tmp_path / "side", "side")
    repo.install()
    side.git("config", "--worktree", "merge.coord-log.driver", "true")

    (found,) = problems(repo)

    assert (found["rule"], found["worktree"]) == ("config-overridden", str(side.path))
    assert "config.worktree" in repo.paste(found["run"]).out


def test_a_guarded_path_on_an_older_branch_is_guarded_too(repo: Repo, tmp_path: Path) -> None:
    """Its tree declares nothing, and yet git calls the driver: the lines are in info/attributes."""
    older = repo.worktree(tmp_path / "older", "older")
    repo.commit("declare", {".gitattributes": DECLARED, "x.tsv": "a\n"})
    repo.install()

    assert older.git("check-attr", "merge", "--", "x.tsv") == "x.tsv: merge: coord-log"
    older.install()
    assert problems(repo) == []
