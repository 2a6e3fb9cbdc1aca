"""The README's first command, which CI also runs as it stands there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import Repo

ROOT = Path(__file__).parent.parent.parent


def test_a_clone_is_shown_with_its_own_changelog_and_files(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """The whole main job, with a path relative to the caller; the origin stays as it is."""
    repo = Repo.init(tmp_path / "a shop", env)
    repo.commit("start", {"CHANGELOG.md": "# Log\n\n## Next\n\n* First\n", "app.py": "a\n"})
    repo.commit("more", {"app.py": "b\n"})
    before = repo.git("show-ref")

    done = subprocess.run(
        ["sh", str(ROOT / "docs" / "demo.sh"), "a shop"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "both workers will add to: CHANGELOG.md" in done.stdout
    assert "means to touch the same: app.py" in done.stdout
    assert "+* Add colour" in done.stdout
    assert repo.git("show-ref") == before


@pytest.mark.parametrize("args", [["--help"], ["/nowhere"], ["a", "b"], [""]])
def test_a_demo_of_what_is_no_repository_is_refused_in_one_line(
    env: dict[str, str], args: list[str]
) -> None:
    """Before anything is made."""
    command = ["sh", str(ROOT / "docs" / "demo.sh"), *args]

    done = subprocess.run(command, env=env, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


_PYTHON = """#!/bin/sh
echo "$0 $*" >>"$LOG"
case "$1 $2" in
"--version ") echo "Python $VERSION" ;;
"-c "*) [ "$VERSION" = 3.12.1 ] ;;
"-m venv") mkdir -p .venv/bin && rm -f .venv/bin/python && cp "$0" .venv/bin/python ;;
esac
"""


def _sourced(tmp_path: Path, env: dict[str, str], version: str) -> tuple[int, str, str]:
    """Source tests/venv.sh in an empty checkout, where every Python is a stub of that version."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name in ("python3", *(f"python3.{minor}" for minor in range(11, 15))):
        (stubs / name).write_text(_PYTHON)
        (stubs / name).chmod(0o755)
    log = tmp_path / "log"
    log.touch()
    checkout = tmp_path / "checkout"
    checkout.mkdir(exist_ok=True)
    (checkout / "pyproject.toml").touch()
    subprocess.run(["git", "init", "-q", str(checkout)], env=env, check=True)
    done = subprocess.run(
        ["sh", "-c", f"coord_extras=; . {ROOT}/tests/venv.sh"],
        cwd=checkout,
        env=env | {"PATH": f"{stubs}:{env['PATH']}", "LOG": str(log), "VERSION": version},
        capture_output=True,
        check=False,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr, log.read_text()


def test_a_python_that_is_too_old_is_refused_in_one_line_before_pip_looks(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """Pip would go through each older release of what the tests need, without a word."""
    code, said, ran = _sourced(tmp_path, env, "3.10.13")

    assert (code, said.count("\n")) == (3, 1)
    assert "needs Python 3.11 or later" in said
    assert "Python 3.10.13" in said
    assert "-m" not in ran


def test_a_venv_whose_interpreter_is_gone_is_made_anew(tmp_path: Path, env: dict[str, str]) -> None:
    """A first try that failed, or an upgrade of Python, must not fail every later one."""
    binaries = tmp_path / "checkout" / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to("/nowhere/python3")

    code, said, ran = _sourced(tmp_path, env, "3.12.1")

    assert (code, said.count("\n")) == (0, 1)
    assert "-m venv --clear .venv" in ran
    assert ".venv/bin/python -m pip install" in ran
