"""What is skipped in CI is listed with its reason, or fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.skips import LIST, listed

HERE = Path(__file__).parent
TESTS = """\
import pytest

def test_skips():
    pytest.skip({reason!r})

@pytest.mark.skipif(True, reason={reason!r})
def test_is_marked():
    pass

@pytest.mark.xfail(strict=True)
def test_fails_as_it_should():
    assert False
"""


def run(folder: Path, reason: str, **environ: str) -> str:
    """Run tests that skip for a reason; return pytest's last line."""
    (folder / "test_them.py").write_text(TESTS.format(reason=reason))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "harness.skips",
            "-p",
            "no:cacheprovider",
            ".",
        ],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(HERE), **environ},
        capture_output=True,
        check=False,
        text=True,
    )
    return done.stdout.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("reason", "environ", "ends"),
    [
        ("no moon tonight", {"CI": "true"}, "1 failed, 1 xfailed, 1 error"),
        ("no moon tonight", {}, "2 skipped, 1 xfailed"),
        (next(iter(listed())), {"CI": "true"}, "2 skipped, 1 xfailed"),
    ],
    ids=["in CI", "elsewhere", "listed"],
)
def test_a_skip_that_is_not_listed_fails_in_ci(
    tmp_path: Path, reason: str, environ: dict[str, str], ends: str
) -> None:
    """However it is said; and nowhere else, for a contributor's machine may lack a tool."""
    assert run(tmp_path, reason, **environ).startswith(ends)


def test_every_listed_reason_is_one_that_a_test_gives() -> None:
    """A line that has outlived its test would excuse the next one of that name."""
    texts = "\n".join(path.read_text() for path in HERE.rglob("*.py") if path != Path(__file__))

    assert [reason for reason in listed() if f'"{reason}"' not in texts] == []
    assert all(listed().values()), LIST
