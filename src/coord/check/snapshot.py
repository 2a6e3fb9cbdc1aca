"""The working tree as the commit that ``git commit -a`` would make of it, beside the repository.

So ``--tree`` judges by the very rules of a range. Objects go to a scratch folder and the index is a
copy: nothing is written, not even in a sandbox that forbids the git dir.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from coord.guard import refusal
from coord.history import revisions
from coord.history.door import Door
from coord.history.revisions import Range
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.judge import Report
    from coord.repo.worktree import Worktree

_NOBODY = {
    f"GIT_{role}_{part}": text
    for role in ("AUTHOR", "COMMITTER")
    for part, text in (("NAME", "uncommitted"), ("EMAIL", ""), ("DATE", "@0 +0000"))
}


@contextmanager
def taken(here: Worktree) -> Iterator[tuple[Door, Range | None]]:
    """Yield a door through which the snapshot is seen, and the range that is the snapshot alone.

    The range is empty, ending at HEAD, where nothing is uncommitted and in a bare repository; None
    where there is neither a commit nor a file.

    Raises:
        GitError: a file cannot be read.
    """
    door = Door(here.cwd)
    head = revisions.head(door) or ""
    with tempfile.TemporaryDirectory(prefix="coord-check-") as folder:
        commit = _commit(here, door := _beside(door, folder), head) if here.top else head
        hidden = (head, *here.merging()) if head else ()
        yield door, Range((commit,), hidden, "", uncommitted=True) if commit else None


def _beside(door: Door, folder: str) -> Door:
    """Return a door that writes objects and index into `folder`."""
    objects = door.tell("rev-parse", "--path-format=absolute", "--git-path", "objects").text
    index = door.tell("rev-parse", "--path-format=absolute", "--git-path", "index").text
    copy = os.path.join(folder, "index")
    if os.path.exists(index):
        shutil.copyfile(index, copy)
    os.mkdir(os.path.join(folder, "objects"))
    beside = {
        "GIT_INDEX_FILE": copy,
        "GIT_OBJECT_DIRECTORY": os.path.join(folder, "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(objects),
    }
    return Door(door.cwd, {**door.env, **_NOBODY, **beside})


def _quoted(path: str) -> str:
    """Return a path as one entry of a list that colons separate."""
    if ":" not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _commit(here: Worktree, door: Door, head: str) -> str:
    """Return the snapshot's commit; `head` where it would change nothing."""
    door.tell("add", "--update")  # cwd is the top level
    tree = door.tell("write-tree").text
    merging = here.merging()
    if head and not merging and tree == door.tell("rev-parse", f"{head}^{{tree}}").text:
        return head
    if not head and not door.tell("ls-tree", tree).out:
        return ""
    parents = [option for rev in (head, *merging) if rev for option in ("-p", rev)]
    said = [word for line in _settled(here, door, tree) for word in ("-m", line)]
    return door.tell("commit-tree", tree, *parents, "-m", "uncommitted", *said).text


def _settled(here: Worktree, door: Door, tree: str) -> Iterator[str]:
    """Yield the trailers that the commit will bear, of what was settled and is staged so."""
    for record, facts in refusal.judged(here, git.elsewhere()):
        if refusal.is_settled(record, facts):
            found = door.ask("rev-parse", "--verify", "--quiet", f"{tree}:{record.path}").text
            if record.resolved == (found or refusal.ABSENT):
                yield refusal.trailer(record)


def uncommitted(report: Report, asked: Range) -> Report:
    """Return `report` without the snapshot's commit, which nobody else can see."""
    problems = tuple(
        replace(each, commit=None) if each.commit == asked.tips[-1] else each
        for each in report.problems
    )
    return replace(report, problems=problems, commits=0)
