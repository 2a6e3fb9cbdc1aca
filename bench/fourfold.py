"""What four times as much costs: ``python bench/fourfold.py [NAME…]``; a quarter, then the whole.

A line in seconds says how the time grew, so 4× is linear; one beside git says how the ratio to git
did, so 1× is as git grows. `check` and `order` measure their own growth.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
SUBJECTS = ("doctor", "drivers", "ids", "push")
TIMES = 4


def main(asked: list[str]) -> None:
    """Print how each promise of the benches `asked` for grew, of all by default."""
    for name in asked or SUBJECTS:
        rows = runpy.run_path(str(HERE / f"{name}.py"))["rows"]
        for before, after in zip(rows(1 / TIMES), rows(1.0), strict=True):
            grown = after.median / before.median if before.median else 1.0
            sys.stdout.write(f"{after.what:<62} {grown:6.2f}× for {TIMES}×\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
