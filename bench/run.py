"""Every measured promise in one run, as ratios with their spread: ``python bench/run.py [NAME…]``.

Each sibling module measures one subject and prints a line a promise. Times are taken interleaved,
round by round, so that a busy machine slows both sides of a ratio alike.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOT_A_SUBJECT = {"run", "measure", "growth", "counted", "grown", "fourfold"}


def subjects() -> list[str]:
    """Return the names of the benches beside this file."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_A_SUBJECT)


def main(asked: list[str]) -> None:
    """Run the benches `asked` for, all of them by default."""
    for name in asked or subjects():
        sys.stdout.write(f"\n== {name}\n")
        sys.stdout.flush()
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    asked = sys.argv[1:]
    del sys.argv[1:]  # a bench run by itself takes its scale from there
    main(asked)
