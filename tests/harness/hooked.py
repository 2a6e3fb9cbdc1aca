"""The hooks alone in a repository, beside the drivers, without coord-install."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.drivers import add_drivers

if TYPE_CHECKING:
    from harness.repo import Repo

_SH = Path(__file__).parent.parent.parent / "hooks" / "sh"
EVENTS = (
    "post-checkout",
    "prepare-commit-msg",
    "commit-msg",
    "applypatch-msg",
    "pre-applypatch",
    "post-rewrite",
    "pre-push",
)
AUTHOR = '[coord]\n\tname = "{actor}"\n\temail = "ada+{actor}@example.com"\n'


def add_hooks(
    repo: Repo,
    patterns: str = "*.json coord-derived\n*.tsv coord-log\n",
    *,
    author: str = AUTHOR,
    **launcher: str,
) -> Repo:
    """Put hooks and drivers into the common git dir as coord-install does; return `repo`.

    `launcher` may replace `python`, `lib` and `repair` of the launcher.
    """
    home = add_drivers(repo, patterns, **launcher)
    shutil.copy(_SH / "hook", home / "hook")
    with (home / "config").open("a") as config:
        config.write(author)
        config.write(f'[alias]\n\tcoord = "!{sys.executable} -P -m coord"\n')
    repo.git("config", "--add", "include.path", "coord/identities")
    hooks = repo.common("hooks")
    for event in EVENTS:
        add_hook(hooks, event)
    return repo


def add_hook(hooks: Path, event: str) -> Path:
    """Put our hook file for `event` into `hooks`; what stands there is kept beside."""
    path = hooks / event
    if path.exists():
        path.rename(path.with_name(f"{event}.coord-prior"))
    path.write_text((_SH / "hookfile").read_text().replace("@EVENT@", event))
    path.chmod(0o755)
    return path


def ran(repo: Repo) -> bool:
    """Commit and tell whether our hook ran: it renews presence."""
    seen = repo.private("coord-seen")
    seen.unlink(missing_ok=True)
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    return seen.exists()
