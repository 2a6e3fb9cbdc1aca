"""After a rebase: name the commits that fell out because their one change was refused.

``git add -A`` stages a refused file as the new base has it; when a commit changed nothing else,
``rebase --continue`` finds nothing to commit and drops it, and no hook is asked. ``--skip`` cannot
be told from it, so the wording leaves room for that.
"""

from __future__ import annotations

import os

from coord.base import peerfile
from coord.base.names import shown
from coord.guard import refusal
from coord.guard.normal import Forms
from coord.repo import git
from coord.repo.worktree import Worktree


def dropped(dirs: tuple[str, str]) -> str:
    """Return what to say about dropped commits, and forget the refusals that dropped them.

    git lists every commit it went through in ``rewritten-list``, as ``OLD NEW``: a dropped one with
    the commit it was to stand on, which is where the driver found HEAD.
    """
    here = Worktree(os.path.realpath(dirs[0]), os.path.realpath(dirs[1]), os.getcwd())
    try:
        listed = peerfile.read(here.private("rebase-merge/rewritten-list"), peerfile.WHOLE)
    except FileNotFoundError:
        return ""
    lines = (line.split(" ") for line in listed.decode("ascii", "replace").split("\n"))
    pairs = [(line[0], line[1]) for line in lines if len(line) > 1]
    found: dict[str, list[str]] = {}
    for record in refusal.read_all(here.git_dir):
        for old, new in pairs:
            if new == record.head and _holds(here, old, record):
                found.setdefault(old, []).append(record.path)
                refusal.forget(record)
    whole = {old: paths for old, paths in found.items() if _paths(here, old) <= set(paths)}
    return _told(here, whole) if whole else ""


def _holds(here: Worktree, commit: str, record: refusal.Record) -> bool:
    """Tell whether a commit has what was refused, but for what git converts."""
    held = _ask(here, "rev-parse", "--verify", "-q", f"{commit}:{record.path}")
    return Forms(here.cwd, git.here(), [record.path]).same(record.path, held, record.theirs)


def _paths(here: Worktree, commit: str) -> set[str]:
    """Return what `commit` changed: one that changed more was left out by ``--skip``."""
    names = ("--no-commit-id", "--name-only", "--no-renames", "-r", "-z")
    return set(_ask(here, "diff-tree", *names, commit).split("\0")) - {""}


def _told(here: Worktree, found: dict[str, list[str]]) -> str:
    first, *others = found
    who = shown(_ask(here, "log", "-1", "--format=%h (%s)", first))
    more = f" and {len(others)} more" if others else ""
    # An empty line first: git is in the middle of its progress line.
    return (
        f"\ncoord: refusal-pending: the rebase went on without {who}{more}: "
        f"{shown(found[first][0])}\n"
        "  why: all it changed was refused, so nothing was left to commit; unless you skipped it, "
        "this brings it back\n"
        f"  run: git cherry-pick {' '.join(found)}\n"
    )


def _ask(here: Worktree, *args: str) -> str:
    return git.ask(*args, cwd=here.cwd, env=git.here()).text
