"""The screen in docs/rehearse.md is what the verb prints of the branches it tells of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from coord.rehearse.run import rehearse
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

PAGE = Path(__file__).parent.parent.parent / "docs" / "rehearse.md"


def moved(day: int, what: str) -> str:
    """Return a record of the log."""
    return f"2026-03-0{day}T08:00:00Z\t{what}\n"


APP = "".join(f"def step_{number}():\n    pass\n\n\n" for number in range(12))
START = moved(1, "add red")
#: branch → what its one commit writes
BRANCHES: dict[str, dict[str, str]] = {
    "feat/parser": {
        "src/app.py": APP.replace("step_5()", "parse(text)"),
        "notes/moves.tsv": START + moved(2, "parse"),
    },
    "fix/cache": {"src/app.py": APP.replace("step_5()", "step_5(cache)")},
    "fix/tidy": {"notes/moves.tsv": moved(4, "begin anew")},
}


def grow(repo: Repo) -> None:
    """Make the branches."""
    ground = {"src/app.py": APP, "notes/moves.tsv": START}
    repo.commit("ground", {".gitattributes": "*.tsv coord-log\n", **ground})
    for name, files in BRANCHES.items():
        repo.git("switch", "-q", "-c", name, "main")
        for path, text in files.items():
            repo.write(path, text)
        repo.git("add", "-A")
        repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", name)
    repo.git("switch", "-q", "main")


def test_the_screen_on_the_page_is_real(installed: Repo) -> None:
    """But for the id of the commit."""
    grow(installed)

    found = rehearse(worktree.discover(str(installed.path)), "main", list(BRANCHES))

    screen = re.sub(r"\([0-9a-f]{12}\)", "(3f2a9c1d0e12)", "\n".join(found.lines()))
    assert screen in PAGE.read_text()
