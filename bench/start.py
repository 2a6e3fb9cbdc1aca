"""What a verb that only answers costs, ``git coord whoami``, beside what any click program does."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import interleaved, ratio, report, scratch

ROUNDS = 40


def main() -> None:
    """Print the promise."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
        path = Path(folder, "repo")
        env = scratch(path)

        def run(*argv: str) -> None:
            subprocess.run(argv, cwd=path, env=env, check=True, capture_output=True)

        run("git", "commit", "-q", "--allow-empty", "-m", "start")
        run("coord-install")
        run("git", "coord", "pin", "--actor", "ada")
        times = interleaved(
            {
                "click": lambda: run(sys.executable, "-c", "import click"),
                "whoami": lambda: run("git-coord", "whoami"),
                "alias": lambda: run("git", "coord", "whoami"),
            },
            ROUNDS,
        )
    report(
        [
            ratio("git-coord whoami, beside import click", times["whoami"], times["click"], 2.0),
            ratio("  as git coord whoami", times["alias"], times["click"], 2.0),
        ]
    )


if __name__ == "__main__":
    main()
