"""Beside other tools that manage hooks: every sequence of installs and uninstalls, for real.

A repository is taken through everything that it and the other tool can do: install, install again,
uninstall, in any order and number, until no new state of the git dir appears. In each state a
commit, a switch and a push are made, and tell who ran.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from harness.tools import EVENTS, TOOLS, TRACE, Bench, fired

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping
    from pathlib import Path

    from harness import Repo
    from harness.tools import Tool

_HUMAN = '#!/bin/sh\ncat >/dev/null\necho human >>"$SPIED"\n'
_MANY = 60


@dataclass(frozen=True)
class Step:
    """A state, how it was reached, and who is installed in it."""

    state: str
    path: tuple[str, ...] = ()
    ours: bool = False
    theirs: bool = False


class Walk:
    """Every state that a tool and we can bring a repository into."""

    def __init__(self, repo: Repo, tool: Tool, folder: Path) -> None:
        """Start in `repo` as it is; `folder` holds the states and a remote."""
        self.repo, self.tool = repo, tool
        self.remote = folder / "remote.git"
        repo.git("init", "-q", "--bare", str(self.remote))
        self.bench = Bench(repo, folder / "states")
        self.start = Step(self.bench.state())
        self.alone = self.act(self.act(self.start, "theirs-in"), "theirs-out")

    def act(self, step: Step, action: str) -> Step:
        """Do what `action` says and return the step it leads to."""
        self.bench.back(step.state)
        path = (*step.path, action)
        if action == "ours-in":
            self._install()
            return Step(self.bench.state(), path, True, step.theirs)
        if action == "ours-out":
            self.repo.install("--uninstall")
            return Step(self.bench.state(), path, False, step.theirs)
        argv = self.tool.enter if action == "theirs-in" else self.tool.leave
        done = self.repo.run(*argv)
        assert done.code == 0, f"{path}: {done.out}{done.err}"
        return Step(self.bench.state(), path, step.ours, action == "theirs-in")

    def _install(self) -> None:
        done = self.repo.started("coord-install")
        if done.code:
            assert self.repo.paste(done.refusal.run).code == 0, done.err

    def actions(self, step: Step) -> list[str]:
        """Return what can be done in a state."""
        leave = [*(["ours-out"] if step.ours else []), *(["theirs-out"] if step.theirs else [])]
        return ["ours-in", "theirs-in", *leave]

    def all(self) -> list[Step]:
        """Return every state there is, each by a shortest way."""
        found = [self.start]
        known = {(self.start.state, False, False)}
        for step in found:
            for action in self.actions(step):
                new = self.act(step, action)
                if (new.state, new.ours, new.theirs) not in known:
                    known.add((new.state, new.ours, new.theirs))
                    found.append(new)
            assert len(found) < _MANY, found[-1]
        return found

    def fired(self, step: Step) -> Mapping[str, Counter[str]]:
        """Return who runs in a state, event by event."""
        self.bench.back(step.state)
        ran = fired(self.repo, self.remote)
        self.bench.back(step.state)
        return ran


@pytest.fixture
def spied(repo: Repo, tmp_path: Path) -> Repo:
    """A repository in which traces are written outside of it."""
    shutil.rmtree(repo.common("hooks"))  # the samples of git
    return repo.with_env(
        SPIED=str(tmp_path / "spied"),
        TRACED=str(tmp_path / "traced"),
        PRE_COMMIT_HOME=str(tmp_path / "pre-commit"),
        PREK_HOME=str(tmp_path / "prek"),
        LEFTHOOK_QUIET="true",
    )


@pytest.fixture(scope="session")
def npm_bin(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with ``husky``, which only npm has; empty when it cannot be had."""
    folder = tmp_path_factory.mktemp("npm")
    try:
        done = subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "husky@9"],
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return str(folder / "node_modules/.bin") if done.returncode == 0 else ""


def walk(spied: Repo, name: str, folder: Path, npm_bin: str, *, human: bool = False) -> Walk:
    """Return the walk beside tool `name`, skipping where it is not installed."""
    tool = TOOLS[name]
    path = f"{spied.env['PATH']}:{npm_bin}"
    if shutil.which(name, path=path) is None:
        pytest.skip(f"{name} is not installed")
    repo = spied.with_env(PATH=path)
    repo.commit("configure", dict(tool.files))
    if human:
        for event in EVENTS:
            hook = repo.common("hooks") / event
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(_HUMAN)
            hook.chmod(0o755)
    return Walk(repo, tool, folder)


BESIDE = [(name, False) for name in TOOLS] + [("pre-commit", True), ("prek", True)]


@pytest.mark.parametrize(("name", "human"), BESIDE, ids=str)
def test_any_install_order_runs_each_hook_once(
    spied: Repo, tmp_path: Path, request: pytest.FixtureRequest, name: str, human: bool
) -> None:
    """What `coord-install --check` says is true in each state; its command brings all to run.

    Where a tool puts ours aside (lefthook, husky, a forced git-lfs) the check is red until then.
    """
    npm_bin = request.getfixturevalue("npm_bin") if name == "husky" else ""
    walked = walk(spied, name, tmp_path, npm_bin, human=human)
    steps = walked.all()
    for step in steps:
        ran = walked.fired(step)
        assert_true_of(walked, step, ran, human=human)
    assert {(step.ours, step.theirs) for step in steps} == {
        (ours, theirs) for ours in (False, True) for theirs in (False, True)
    }


def everywhere(ran: Mapping[str, Counter[str]], who: str) -> bool:
    """Tell whether `who` ran at each event, once."""
    return all(found[who] == 1 for found in ran.values())


def nowhere(ran: Mapping[str, Counter[str]], who: str) -> bool:
    """Tell whether `who` ran at no event."""
    return not any(found[who] for found in ran.values())


def assert_true_of(
    walked: Walk, step: Step, ran: Mapping[str, Counter[str]], *, human: bool
) -> None:
    """Insist on what has to hold in every state."""
    about = f"{step.path}: {ran}"
    check = walked.repo.started("coord-install", "--check", "--json")
    assert max([0, *(count for found in ran.values() for count in found.values())]) <= 1, about
    assert not human or everywhere(ran, "human"), about
    assert (
        everywhere(ran, "theirs") if step.theirs else (walked.tool.stays or nowhere(ran, "theirs"))
    ), about
    assert step.ours or nowhere(ran, "ours"), about
    assert (check.code == 0) == (step.ours and everywhere(ran, "ours")), f"{about}: {check.out}"
    if step.ours and check.code:
        assert walked.tool.asides, about
        assert_mended(walked, step, json.loads(check.out)["problems"][0]["run"])
    if not step.ours and not step.theirs:
        assert_untouched(walked, step)


def assert_mended(walked: Walk, step: Step, command: str) -> None:
    """Insist that the command of the check ends with everybody's hooks running."""
    walked.bench.back(step.state)
    assert walked.repo.paste(command).code == 0, step.path
    ran = fired(walked.repo, walked.remote)
    assert everywhere(ran, "ours"), f"{step.path} && {command}: {ran}"
    assert everywhere(ran, "theirs") or not step.theirs, f"{step.path} && {command}: {ran}"


def assert_untouched(walked: Walk, step: Step) -> None:
    """Insist that nothing is left that the other tool alone would not leave."""
    walked.bench.back(step.state)
    if walked.tool.stays and step.path:  # once more: its hooks are back under their own names
        walked.repo.run(*walked.tool.leave)
    assert walked.bench.state() in {walked.start.state, walked.alone.state}, step.path


def test_an_uninstall_says_that_the_hooks_of_git_lfs_are_back(spied: Repo) -> None:
    """`git lfs uninstall` does not find its hooks while ours stand above them."""
    if shutil.which("git-lfs", path=spied.env["PATH"]) is None:
        pytest.skip("git-lfs is not installed")
    spied.git("lfs", "install", "--local")
    spied.install()
    spied.git("lfs", "uninstall", "--local")

    done = spied.install("--uninstall")

    assert "`git lfs uninstall` takes them out now" in done.err
    assert spied.common("hooks/pre-push").exists()
    spied.git("lfs", "uninstall", "--local")
    assert not spied.common("hooks/pre-push").exists()


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_an_object_of_git_lfs_is_uploaded(spied: Repo, tmp_path: Path, first: str) -> None:
    """Its pre-push reads on stdin what is pushed; a reader before it would starve it.

    evilmartians/lefthook#511, pre-commit/pre-commit#693, jdx/hk#825.
    """
    if shutil.which("git-lfs", path=spied.env["PATH"]) is None:
        pytest.skip("git-lfs is not installed")
    if spied.common("reftable").exists():
        pytest.skip("git-lfs reads no reftable")
    if first == "ours":
        spied.install()
    spied.git("lfs", "install", "--local", "--force")
    spied.install()
    remote = tmp_path / "remote.git"
    spied.git("init", "-q", "--bare", str(remote))
    spied.git("remote", "add", "origin", remote.as_uri())
    spied.commit("large", {".gitattributes": "*.bin filter=lfs -text\n", "a.bin": "x" * 1000})
    oid = hashlib.sha256(b"x" * 1000).hexdigest()

    spied.git("push", "-q", "origin", "main")

    assert spied.git("show", "HEAD:a.bin").startswith("version https://git-lfs")
    assert list(remote.rglob(oid))
    assert spied.started("coord-install", "--check").code == 0


def test_a_hook_renamed_by_lefthook_warns_at_its_last_run(spied: Repo) -> None:
    """A pulled lefthook.yml makes it install itself anew, in the middle of a commit, by itself."""
    if shutil.which("lefthook", path=spied.env["PATH"]) is None:
        pytest.skip("lefthook is not installed")
    tool = TOOLS["lefthook"]
    spied.commit("configure", dict(tool.files))
    assert spied.run(*tool.enter).code == 0
    spied.install()
    spied.commit("before")
    more = f"post-merge:\n  commands:\n    trace:\n      run: {TRACE}\n"
    changed = spied.write("lefthook.yml", spied.read("lefthook.yml") + more)
    os.utime(changed, (time.time() + 5,) * 2)  # it looks at the whole second first

    done = spied.tried("commit", "-q", "-a", "-m", "changed")
    after = spied.tried("commit", "-q", "--allow-empty", "-m", "after")

    assert done.refusal.rule == "hooks-path"
    assert "has just put our hook aside" in done.err
    assert after.err.count("coord:") == 0
    assert spied.started("coord-install", "--check").code == 1
    assert spied.paste(done.refusal.run).code == 0
    assert spied.started("coord-install", "--check").code == 0
    assert spied.tried("commit", "-q", "--allow-empty", "-m", "mended").err.count("coord:") == 0


def test_the_lines_for_lefthook_survive_all_that_lefthook_does(spied: Repo, tmp_path: Path) -> None:
    """Called by its own declaration, ours need no place among its hooks."""
    if shutil.which("lefthook", path=spied.env["PATH"]) is None:
        pytest.skip("lefthook is not installed")
    spied.write("lefthook.yml", "")
    printed = spied.install("--no-hooks")
    assert spied.started("coord-install", "--check").code == 1
    traced = f"post-merge:\n  commands:\n    trace:\n      run: {TRACE}\n"
    spied.commit("ours", {"lefthook.yml": printed.out.partition("lefthook.yml:\n")[2] + traced})
    assert spied.run("lefthook", "install").code == 0
    spied.git("init", "-q", "--bare", str(tmp_path / "remote.git"))

    ran = fired(spied, tmp_path / "remote.git")

    assert everywhere(ran, "ours")
    assert spied.started("coord-install", "--check").code == 0
    side = spied.worktree(tmp_path / "side", "side")
    assert side.private("coord-identity.toml").exists()
    side.with_env(GIT_AUTHOR_EMAIL="ada@example.com").commit("by the wrong author")
    pushed = side.tried("push", "-q", str(tmp_path / "remote.git"), "side")
    assert "coord: author-mismatch" in pushed.err + pushed.out
