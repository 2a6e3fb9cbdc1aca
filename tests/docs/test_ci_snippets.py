"""The CI snippets: they parse, and their script lines do in a clone what they say."""

from __future__ import annotations

import json
import shutil
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
    """Return a snippet as its service reads it; of GitLab's, what follows the inputs."""
    *_, found = yaml.safe_load_all((ROOT / name).read_text())
    assert isinstance(found, dict)
    return found


def run_github(clone: Repo, base: str, chosen: str = "") -> Done:
    """Run the action's last step as the runner does: one script, ended by the first failure."""
    bin_dir = clone.path.parent / "git-coord" / "bin"
    bin_dir.mkdir(parents=True, exist_ok=True)
    (bin_dir / "git-coord").unlink(missing_ok=True)
    (bin_dir / "git-coord").symlink_to(shutil.which("git-coord") or "")
    step = snippet("action.yml")["runs"]["steps"][-1]
    assert list(step["env"]) == ["BASE", "RANGE"]
    known = {"BASE": base, "RANGE": chosen, "RUNNER_TEMP": str(clone.path.parent)}
    return clone.with_env(**known).run("bash", "-e", "-c", step["run"])


def run_gitlab(clone: Repo, **variables: str) -> Done:
    """Run the script lines as the runner does: one after another in one shell."""
    lines = snippet("docs/ci/gitlab-ci.yml")["coord"]["script"]
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


def test_each_broken_rule_is_shown_at_its_line(server: Repo) -> None:
    """GitHub reads the log of the step, GitLab a report that is kept when the job fails."""
    clone = clone_of(server, "side")

    on_github = run_github(clone, NOTHING)
    run_gitlab(clone, CI_COMMIT_BEFORE_SHA=NOTHING)

    assert "::error title=log-rewritten,file=a.log,line=2::edited or deleted" in on_github.err
    job = snippet("docs/ci/gitlab-ci.yml")["coord"]["artifacts"]
    assert job["when"] == "always"
    issue = json.loads(clone.read(job["reports"]["codequality"]))[0]
    assert issue["location"] == {"path": "a.log", "lines": {"begin": 2}}


def test_a_range_of_ones_own_is_judged_instead(server: Repo) -> None:
    """The input of the action outranks what is pushed."""
    done = run_github(clone_of(server, "side"), NOTHING, "HEAD~1..HEAD")

    assert done.code == 1
    assert "1 problem in 1 commit" in done.out


def test_both_fetch_the_history_and_install_what_this_is(server: Repo) -> None:
    """Nothing can be judged in a shallow clone; the action installs the very version it is."""
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    text = (ROOT / "docs/ci/gitlab-ci.yml").read_text()
    inputs = next(iter(yaml.safe_load_all(text)))["spec"]["inputs"]
    job = snippet("docs/ci/gitlab-ci.yml")["coord"]
    checkout, used = snippet("docs/ci/github-actions.yml")["jobs"]["check"]["steps"]

    assert checkout["with"]["fetch-depth"] == 0
    assert f"/{name}@" in used["uses"]
    assert '"$HERE"' in snippet("action.yml")["runs"]["steps"][0]["run"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert inputs["package"]["default"] == name
    assert server.run("git-coord", "--version").code == 0


def test_the_workflow_asks_for_no_right_it_does_not_need() -> None:
    """It only reads; a pull request of a stranger runs it."""
    assert snippet("docs/ci/github-actions.yml")["permissions"] == {"contents": "read"}
