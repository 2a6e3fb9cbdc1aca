"""The CI snippets: they parse, and their script lines do in a clone what they say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from harness.check import branch, declare

if TYPE_CHECKING:
    from harness import Done, Repo

ROOT = Path(__file__).parent.parent.parent
NOTHING = "0" * 40


def snippet(name: str) -> dict[Any, Any]:
    """Return a snippet as its service reads it."""
    found: dict[Any, Any] = yaml.safe_load((ROOT / "docs" / "ci" / name).read_text())
    return found


def github() -> list[dict[str, Any]]:
    """Return the steps of the workflow."""
    steps: list[dict[str, Any]] = snippet("github-actions.yml")["jobs"]["check"]["steps"]
    return steps


def run_github(clone: Repo, base: str) -> Done:
    """Run the last step as the runner does: one script, ended by the first failure."""
    step = github()[-1]
    assert list(step["env"]) == ["BASE"]
    return clone.with_env(BASE=base).run("bash", "-e", "-c", step["run"])


def run_gitlab(clone: Repo, **variables: str) -> Done:
    """Run the script lines as the runner does: one after another in one shell."""
    lines = snippet("gitlab-ci.yml")["coord"]["script"]
    return clone.with_env(**variables).run("sh", "-e", "-c", "\n".join(lines))


@pytest.fixture
def server(repo: Repo) -> Repo:
    """A repository whose branch ``side`` edits a log, while the trunk goes on."""
    declare(repo)
    branch(repo, "side", "edit", {"a.log": "one\nTWO\nthree\n"})
    repo.commit("trunk", {"x": "x"})
    return repo


def clone_of(server: Repo, rev: str) -> Repo:
    """Clone as a runner does: detached at a commit, no local branches."""
    path = server.path.parent / "clone"
    server.git("clone", "-q", "--no-checkout", str(server.path), str(path))
    clone = server.at(path)
    clone.git("checkout", "-q", "--detach", server.git("rev-parse", rev))
    return clone


def test_a_github_pull_request_is_judged_as_it_would_be_merged(server: Repo) -> None:
    """The runner stands on the merge that the server made."""
    tree = server.git("merge-tree", "--write-tree", "main", "side")
    merge = server.git("commit-tree", tree, "-p", "main", "-p", "side", "-m", "Merge")
    server.git("branch", "-q", "pull", merge)

    done = run_github(clone_of(server, "pull"), server.git("rev-parse", "main"))

    assert done.code == 1
    assert done.out.startswith("log-rewritten: a.log:")


@pytest.mark.parametrize("base", [NOTHING, "1" * 40, ""])
def test_a_push_without_a_known_base_is_judged_whole(server: Repo, base: str) -> None:
    """A new branch, a forced push, a run by hand."""
    assert run_github(clone_of(server, "side"), base).code == 1
    assert run_gitlab(server.at(server.path.parent / "clone"), CI_COMMIT_BEFORE_SHA=base).code == 1


def test_a_push_with_a_base_is_judged_from_there(server: Repo) -> None:
    """What was there before is not judged again."""
    before = server.git("rev-parse", "main^")

    done = run_github(clone_of(server, "main"), before)

    assert (done.code, done.out) == (0, "ok: 1 commit, 3 guarded files\n")


def test_a_gitlab_merge_request_is_judged_from_its_base(server: Repo) -> None:
    """The request's base outranks the push's."""
    base = server.git("merge-base", "main", "side")

    done = run_gitlab(
        clone_of(server, "side"),
        CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        CI_COMMIT_BEFORE_SHA=NOTHING,
    )

    assert done.code == 1
    assert "1 problem in 1 commit" in done.out


def test_both_fetch_the_history_and_install_what_this_is(server: Repo) -> None:
    """Nothing can be judged in a shallow clone; the package is ours."""
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    job = snippet("gitlab-ci.yml")["coord"]
    checkout, _, install, _ = github()

    assert checkout["with"]["fetch-depth"] == 0
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert install["run"].split()[-1] == name
    assert job["before_script"][0].split()[-1] == name
    assert server.run("git-coord", "--version").code == 0


def test_the_workflow_asks_for_no_right_it_does_not_need() -> None:
    """It only reads; a pull request of a stranger runs it."""
    assert snippet("github-actions.yml")["permissions"] == {"contents": "read"}
