"""The ways people install: a fresh user each, from the built wheel to the first claim."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import Repo, clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    "COORD_WHEEL" not in os.environ, reason="CI names the wheel it has built"
)


@pytest.fixture
def user(tmp_path: Path) -> Repo:
    """A user who has git and Python, a repository, and nothing of ours on PATH."""
    home = tmp_path / "a home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    env = clean_environment(home)
    # How this machine reaches an index, which is no part of what is tested.
    env |= {
        key: text for key, text in os.environ.items() if key.startswith(("PIP_", "UV_", "SSL_"))
    }
    env |= {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
    bare = [part for part in os.defpath.split(":") if part] + ["/usr/local/bin"]
    env |= {
        "PATH": ":".join([str(home / ".local/bin"), *bare]),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    repo = Repo.init(tmp_path / "repo", env)
    repo.commit("start", {"README": "start\n"})
    return repo


def _run(user: Repo, *argv: str | Path) -> str:
    done = subprocess.run(
        [*map(str, argv)], cwd=user.path, env=user.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _python() -> str:
    """Return an interpreter that is no virtual environment."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _pip(user: Repo) -> str:
    home = Path(user.env["HOME"]) / ".local/share/git-coord"
    _run(user, _python(), "-m", "venv", home)
    _run(user, home / "bin/pip", "install", "-q", os.environ["COORD_WHEEL"])
    return str(home / "bin/coord-install")


def _pipx(user: Repo) -> str:
    pipx = Path(sys.executable).with_name("pipx")
    _run(user, pipx, "install", "--python", _python(), os.environ["COORD_WHEEL"])
    return "coord-install"


def _uv(user: Repo) -> str:
    uv = Path(sys.executable).with_name("uv")
    _run(user, uv, "tool", "install", "--python", _python(), os.environ["COORD_WHEEL"])
    return "coord-install"


def _devcontainer(user: Repo) -> str:
    script = Path(__file__).parent.parent / "devcontainer/git-coord/install.sh"
    user.env.update({"PREFIX": f"{user.env['HOME']}/.local", "SOURCE": os.environ["COORD_WHEEL"]})
    _run(user, "sh", script)
    return "git-coord-created"


def _first_use(user: Repo, tmp_path: Path) -> None:
    git = ("git", "-C", str(tmp_path / "size"))
    _run(user, "git", "worktree", "add", "-q", "-b", "feat/size", tmp_path / "size")
    assert "pinned" in _run(user, *git, "coord", "whoami")
    assert "task:x is yours" in _run(user, *git, "coord", "claim", "task:x")
    assert "task:x" in _run(user, "git", "coord", "board")


@pytest.mark.parametrize("install", [_pip, _pipx, _uv, _devcontainer], ids=lambda one: one.__name__)
def test_a_fresh_user_installs_and_makes_a_first_claim(
    user: Repo, tmp_path: Path, install: Callable[[Repo], str]
) -> None:
    """As each of them tells people to; the feature of a container has its prefix in this home."""
    _run(user, install(user))

    _first_use(user, tmp_path)


def test_git_shows_the_manual_of_what_uv_installed(user: Repo) -> None:
    """Uv leaves it where no `man` looks, and `git coord --help` would find no entry."""
    done = user.run(_uv(user))
    _, _, command = done.err.partition("let man find it: ")

    assert user.paste(command).code == 0
    assert "let man find it" not in user.started("coord-install").err
    assert (Path(user.env["HOME"]) / ".local/share/man/man1/git-coord.1").exists()
    if shutil.which("man"):
        assert "GIT-COORD(1)" in user.with_env(MANPAGER="cat").git("help", "coord")


def test_one_file_is_all_that_a_user_without_pip_needs(user: Repo, tmp_path: Path) -> None:
    """It unpacks itself into the data folder, and brings itself back when that was damaged."""
    archive = tmp_path / "git-coord.pyz"
    subprocess.run([sys.executable, "-P", "-m", "coord.installer.onefile", archive], check=True)

    _run(user, _python(), archive)
    _first_use(user, tmp_path)
    home = Path(user.env["HOME"]) / ".local/share/git-coord"
    assert archive.stat().st_size < 2 << 20
    (home / "bin/python").unlink()
    broken = user.tried("coord", "board")
    repair = broken.err.rpartition("run: ")[2].strip()

    assert repair == f"python3 '{home}/git-coord.pyz'"
    user.env["PATH"] = f"{Path(_python()).parent}:{user.env['PATH']}"
    _run(user, "sh", "-c", repair)
    assert "task:x" in _run(user, "git", "coord", "board")
    _run(user, home / "bin/coord-install", "--check")


def test_the_one_file_tells_an_old_python_so_in_one_line(tmp_path: Path) -> None:
    """No older Python is to be had here: this one says that it is older."""
    source = Path(__file__).parent.parent / "installer/unpack.py"
    code = f"import sys; sys.version_info = (3, 9, 2); exec(open({str(source)!r}).read())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "needs Python 3.11 or later, and this is 3.9" in done.stderr
