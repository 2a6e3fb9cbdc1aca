"""After a rebase: name the commits that fell out because their one change was refused.

``git add -A`` stages a refused file as the new base has it; when a commit changed nothing else,
``rebase --continue`` finds nothing to commit and drops it, and no hook is asked.
"""

from __future__ import annotations

import os

from coord import git, refusal
from coord.names import shown
from coord.worktree import Place


def dropped(dirs: tuple[str, str]) -> str:
    """Return what to say about dropped commits, and forget the refusals that dropped them.

    git lists every commit it went through in ``rewritten-list``, as ``OLD NEW``: a dropped one with
    the commit it was to stand on, which is where the driver found HEAD.
    """
    place = Place(os.path.realpath(dirs[0]), os.path.realpath(dirs[1]), os.getcwd())
    try:
        with open(place.private("rebase-merge/rewritten-list"), encoding="ascii") as file:
            pairs = [tuple(line.split()) for line in file]
    except FileNotFoundError:
        return ""
    found: dict[str, str] = {}
    for record in refusal.read_all(place.git_dir):
        for old, new in pairs:
            if new == record.head and _holds(place, old, record):
                found.setdefault(old, record.path)
                refusal.forget(record)
    return _told(place, found) if found else ""


def _holds(place: Place, commit: str, record: refusal.Record) -> bool:
    blob = git.ask("rev-parse", "--verify", "--quiet", f"{commit}:{record.path}", cwd=place.cwd)
    return blob.text == record.theirs


def _told(place: Place, found: dict[str, str]) -> str:
    commits = list(found)
    shown_first = git.ask("log", "-1", "--format=%h (%s)", commits[0], cwd=place.cwd).text
    more = f" and {len(commits) - 1} more" if len(commits) > 1 else ""
    return (
        f"coord: refusal-pending: the rebase dropped {shown(shown_first)}{more}: "
        f"{shown(found[commits[0]])}\n"
        "  why: its change was refused and the file staged as the new base has it, which left "
        "nothing to commit\n"
        f"  run: git cherry-pick {' '.join(commits)}\n"
    )
