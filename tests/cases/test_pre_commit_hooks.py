"""``.pre-commit-hooks.yaml``: the way in for repositories that use pre-commit or prek."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from coord.installer.hookfile import EVENTS

if TYPE_CHECKING:
    from harness import Repo

ROOT = Path(__file__).parent.parent.parent
MANIFEST = ".pre-commit-hooks.yaml"
_CALLED = ("post-checkout", "prepare-commit-msg", "commit-msg", "post-rewrite", "pre-push")
_STAGES = [word for event in _CALLED for word in ("-t", event)]


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> str:
    """This project as a repository with its working files committed, as a release would be."""
    folder = tmp_path_factory.mktemp("product") / "git-coord"
    names = ("src", "hooks", "drivers", "installer", "pyproject.toml", "README.md", "LICENSE")
    (folder / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "git-coord.1", folder / "docs")
    for name in (*names, MANIFEST):
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(path, folder / name)
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for args in (("init", "-q"), ("add", "-A"), (*author, "commit", "-q", "-m", "release")):
        subprocess.run(["git", *args], cwd=folder, check=True)
    return str(folder)


@pytest.fixture(params=["pre-commit", "prek"])
def consumer(
    request: pytest.FixtureRequest,
    repo: Repo,
    product: str,
    tmp_path: Path,
) -> Repo:
    """A repository whose configuration names ours, with a framework installed and ours called."""
    tool = str(request.param)
    if shutil.which(tool, path=repo.env["PATH"]) is None:
        pytest.skip(f"{tool} is not installed")
    made = repo.with_env(
        PRE_COMMIT_HOME=str(tmp_path / "pre-commit"), PREK_HOME=str(tmp_path / "prek")
    )
    revision = made.at(Path(product)).git("rev-parse", "HEAD")
    ids = "".join(f"  - id: coord-{event}\n" for event in _CALLED)
    config = f"repos:\n- repo: {product}\n  rev: {revision}\n  hooks:\n{ids}"
    made.install("--no-hooks")
    made.commit("configure", {".pre-commit-config.yaml": config})
    done = made.run(tool, "install", *_STAGES)
    assert done.code == 0, done.out + done.err
    return made


def hooks() -> list[dict[str, object]]:
    """Return the entries of the manifest."""
    found: list[dict[str, object]] = yaml.safe_load((ROOT / MANIFEST).read_text())
    return found


def test_the_manifest_is_what_pre_commit_takes_for_one(repo: Repo) -> None:
    """And it has a hook for each of our events that pre-commit knows."""
    done = repo.run("pre-commit", "validate-manifest", str(ROOT / MANIFEST))

    assert done.code == 0, done.out
    assert "WARNING" not in done.out
    ids = {str(hook["id"]).removeprefix("coord-") for hook in hooks()}
    assert ids - {"check"} == set(EVENTS) - {"applypatch-msg", "pre-applypatch"}


def test_each_guard_works_when_a_framework_calls_it(consumer: Repo, tmp_path: Path) -> None:
    """Pin, sign-off, refused merge, dropped commit, outgoing authors: as with hooks of our own."""
    side = consumer.worktree(tmp_path / "side", "side")
    assert side.private("coord-identity.toml").exists()

    signed = consumer.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")
    assert signed.code == 1
    assert "identity-inferred" in signed.out + signed.err

    side.with_env(GIT_AUTHOR_EMAIL="ada@example.com").commit("by the wrong author")
    consumer.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    pushed = side.tried("push", "-q", str(tmp_path / "remote.git"), "side")
    assert pushed.code == 0
    assert "author-mismatch" in pushed.out + pushed.err


def test_a_refused_merge_is_not_committed_when_a_framework_calls_us(consumer: Repo) -> None:
    """prepare-commit-msg is told its source, so that a merge is known as one."""
    consumer.coord("track", "derived", "schema.json", "--regenerate", "true", "--trust")
    consumer.commit("base", {"schema.json": "0\n", ".gitattributes": DECLARED})
    consumer.install("--no-hooks")
    consumer.git("switch", "-q", "-c", "other")
    consumer.commit("theirs", {"schema.json": "theirs\n"})
    consumer.git("switch", "-q", "main")
    consumer.commit("ours", {"schema.json": "ours\n"})
    assert consumer.tried("merge", "-q", "other").code == 1

    consumer.git("add", "schema.json")
    done = consumer.tried("commit", "-q", "--no-edit")

    assert done.code == 1
    assert "refusal-pending" in done.out + done.err


DECLARED = "[attr]coord-derived -merge\nschema.json coord-derived\n"


def test_the_check_tells_who_calls_us(consumer: Repo) -> None:
    """Green for what the configuration names, red for the two events that no framework knows."""
    done = consumer.started("coord-install", "--check")

    assert done.code == 1
    assert "applypatch-msg pre-applypatch" in done.out
    assert "prepare-commit-msg" not in done.out


def test_without_an_install_the_framework_says_so_and_goes_on(consumer: Repo) -> None:
    """A clone of somebody who has only run `pre-commit install`."""
    consumer.install("--uninstall")

    done = consumer.tried("commit", "-q", "--allow-empty", "-m", "x")

    assert done.code == 0
    assert "coord: not-installed" in done.out + done.err


@pytest.mark.slow
def test_the_check_runs_in_an_environment_of_its_own(
    repo: Repo, product: str, tmp_path: Path
) -> None:
    """``language: python`` builds the product from its repository, as CI of a consumer would."""
    made = repo.with_env(PRE_COMMIT_HOME=str(tmp_path / "pre-commit"))
    revision = made.at(Path(product)).git("rev-parse", "HEAD")
    config = f"repos:\n- repo: {product}\n  rev: {revision}\n  hooks:\n  - id: coord-check\n"
    made.commit("configure", {".pre-commit-config.yaml": config})
    ready = made.run("pre-commit", "install-hooks", timeout=100)
    if ready.code and "No matching distribution" in ready.out + ready.err:
        pytest.skip("no package index can be reached")
    assert ready.code == 0, ready.out

    log = "[attr]coord-log -merge\n*.tsv coord-log\n"
    made.commit("log", {".gitattributes": log, "x.tsv": "a\nb\n"})
    fine = made.run("pre-commit", "run", "--all-files")
    made.write("x.tsv", "b\n")
    made.git("add", "x.tsv")
    faulty = made.run("pre-commit", "run", "--all-files")

    assert fine.code == 0, fine.out
    assert faulty.code == 1, faulty.out
    assert "log-rewritten" in faulty.out
