"""Fixtures: every test starts in a cleared environment and leaves the real one alone."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from harness import Repo, clean_environment
from harness.repo import EMAIL, NAME
from harness.skips import pytest_runtest_makereport

__all__ = ["pytest_runtest_makereport"]  # a hook, found here by pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# How long an example takes is a matter of who else works here.
settings.register_profile("load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("load")

# What git does besides: after each commit a child that looks for too many objects, and for each
# object and ref a wait for the disk.
_BARE = "[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n[core]\n\tfsync = none\n"
_OURS = {
    "COORD_TEST_GIT",
    "COORD_HYPOTHESIS_EXAMPLES",
    "COORD_WHEEL",
    "COORD_PICTURES",
    "COORD_TABLE",
}


@pytest.fixture(autouse=True, scope="session")
def _no_leaked_git() -> None:
    """Drop git's variables: a suite run from a hook must never write into the real repository."""
    for key in [key for key in os.environ if key.startswith(("GIT_", "COORD_"))]:
        if key not in _OURS:
            del os.environ[key]


@pytest.fixture(autouse=True, scope="session")
def _none_deaf_to_interrupts() -> None:
    """Heed SIGINT: what a script starts in the background is deaf to it, and would make us so."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a human's git identity."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text(
        f"[user]\n\tname = {NAME}\n\temail = {EMAIL}\n[init]\n\tdefaultBranch = main\n"
        '[advice]\n\tdetachedHead = false\n[protocol "file"]\n\tallow = always\n' + _BARE
    )
    return folder


@pytest.fixture
def env(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a fresh login in that home; code called in-process sees it too."""
    made = clean_environment(home)
    for key, text in made.items():
        monkeypatch.setenv(key, text)
    return made


def _fresh(folder: Path) -> Repo:
    """Return an empty repository below `folder`, of a human at home there."""
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[user]\n\tname = {NAME}\n\temail = {EMAIL}\n{_BARE}")
    return Repo.init(folder / "repo", clean_environment(home))


@pytest.fixture(scope="session")
def _started_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, to copy: a quarter of what making it takes."""
    made = _fresh(tmp_path_factory.mktemp("started"))
    made.commit("start", {"README": "start\n"})
    return made.path


@pytest.fixture
def repo(tmp_path: Path, env: dict[str, str], _started_once: Path) -> Repo:
    """A repository with one commit, nothing installed."""
    shutil.copytree(_started_once, tmp_path / "repo", symlinks=True)
    return Repo(tmp_path / "repo", env)


@pytest.fixture
def hub(repo: Repo) -> Repo:
    """The main worktree, on main, pinned."""
    assert repo.coord("pin", "--self").code == 0
    return repo


@pytest.fixture(scope="session")
def _installed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git dir after ``coord-install``: it holds no path of its own, so it can be copied."""
    made = _fresh(tmp_path_factory.mktemp("installed"))
    made.install()
    return made.path / ".git"


@pytest.fixture
def installed(repo: Repo, _installed_once: Path) -> Repo:
    """The same repository after ``coord-install``; copied, because many tests start so."""
    for name in ("hooks", "coord", "info"):
        shutil.copytree(_installed_once / name, repo.common(name), dirs_exist_ok=True)
    shutil.copy(_installed_once / "config", repo.common("config"))
    return repo


@pytest.fixture
def odd_path(tmp_path: Path, env: dict[str, str]) -> Repo:
    """A repository whose folder has a space, a quote and a letter outside ASCII."""
    made = Repo.init(tmp_path / "a b'c é", env)
    made.commit("start", {"README": "start\n"})
    return made


@pytest.fixture
def bare_with_worktree(tmp_path: Path, repo: Repo) -> Repo:
    """A linked worktree of a bare repository."""
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    bare = repo.at(tmp_path / "bare.git")
    return bare.worktree(tmp_path / "of-bare", "side")


@pytest.fixture(scope="session")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an etcd of one member."""
    import harness.etcd  # noqa: PLC0415  # most tests need no server

    for cluster in harness.etcd.served(tmp_path_factory.mktemp("etcd") / "one"):
        yield f"etcd://{cluster.members[0].endpoint}"
