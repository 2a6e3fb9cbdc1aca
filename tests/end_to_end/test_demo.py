"""The README's first command, and the transcript of it that the README shows."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_main_job_runs_end_to_end_as_the_readme_shows_it(env: dict[str, str]) -> None:
    """Pinned worktrees, a refused sign-off, a mended push, merges, and no byte left behind."""
    module = runpy.run_path(str(ROOT / "docs" / "transcript.py"))

    done = subprocess.run(
        ["sh", str(ROOT / "docs" / "demo.sh")],
        env=env,
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    readme = module["of_readme"]((ROOT / "README.md").read_text(encoding="utf-8"))
    assert module["normalised"](readme) == module["normalised"](module["shown"](done.stdout))


@pytest.mark.parametrize("args", [["--help"], ["/nowhere"], ["a", "b"], [""]])
def test_a_demo_of_what_is_no_repository_is_refused_in_one_line(
    env: dict[str, str], args: list[str]
) -> None:
    """Before anything is made."""
    command = ["sh", str(ROOT / "docs" / "demo.sh"), *args]

    done = subprocess.run(command, env=env, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
