"""The screen in docs/rehearse.md is what the verb prints of the twelve branches it tells of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from coord.rehearse.run import rehearse
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

PAGE = Path(__file__).parent.parent.parent / "docs" / "rehearse.md"
RULES = "api/*.json coord-derived\n*.tsv coord-log\n"


def moved(day: int, what: str) -> str:
    """Return a record of the log."""
    return f"2026-03-0{day}T08:00:00Z\t{what}\n"


START = moved(1, "add red")
APP = "".join(f"def step_{number}():\n    pass\n\n\n" for number in range(12))
#: branch → what its one commit writes (None: the file is gone)
BRANCHES: dict[str, dict[str, str | None]] = {
    "feat/schema": {"proto/user.proto": "name\nmail\n", "api/schema.json": '["name", "mail"]\n'},
    "feat/export": {"proto/item.proto": "id\ncost\n", "api/schema.json": '["id", "cost"]\n'},
    "feat/colour": {"src/colour.py": "RED = 1\n", "notes/moves.tsv": START + moved(2, "add green")},
    "feat/size": {"uv.lock": "1\n", "notes/moves.tsv": START + moved(3, "add big")},
    "feat/parser": {"src/app.py": APP.replace("step_5()", "parse(text)")},
    "fix/cache": {"src/app.py": APP.replace("step_5()", "step_5(cache)")},
    "fix/tidy": {"notes/moves.tsv": moved(4, "begin anew")},
    "feat/rename": {"src/app.py": None, "src/main.py": APP},
    "feat/docs": {"README": "How to start.\n"},
    "infra/locks": {".gitattributes": f"{RULES}*.lock coord-derived\n"},
    "improve/deps": {"uv.lock": "2\n"},
    "reach/locale": {"src/locale.py": "DE = 1\n"},
}


def grow(repo: Repo) -> None:
    """Make the twelve branches."""
    ground = {"src/app.py": APP, "api/schema.json": "[]\n", "uv.lock": "0\n"}
    repo.commit("ground", {".gitattributes": RULES, "notes/moves.tsv": START, **ground})
    for name, files in BRANCHES.items():
        repo.git("switch", "-q", "-c", name, "main")
        for path, text in files.items():
            if text is None:
                repo.git("rm", "-q", path)
            else:
                repo.write(path, text)
        repo.git("add", "-A")
        repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", name)
    repo.git("switch", "-q", "main")
    repo.git("branch", "-q", "-D", "reach/locale")


def test_the_screen_on_the_page_is_real(installed: Repo) -> None:
    """But for the id of the commit."""
    grow(installed)

    found = rehearse(worktree.discover(str(installed.path)), "main", list(BRANCHES))

    screen = re.sub(r"\([0-9a-f]{12}\)", "(3f2a9c1d0e12)", "\n".join(found.lines()))
    assert screen in PAGE.read_text()
