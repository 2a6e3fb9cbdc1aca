"""Which commits are asked for: a range as git reads it, or what is not published yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coord.base.errors import Usage

if TYPE_CHECKING:
    from coord.history.door import Door

_DOTS = re.compile(r"\.{2,3}")
_DEEPER = re.compile(r"[0-9a-f]{7,64}|[^ :]+[~^][^ :]*")
_BRANCHES = ("main", "master")


@dataclass(frozen=True)
class Range:
    """The commits of `tips` that `hidden` does not reach.

    Attributes:
        tips: commit ids; the last one is the tree that is judged as it stands.
        hidden: commit ids.
        words: the range as it was typed, empty for the default: for the commands that are printed.
        uncommitted: whether it is the snapshot of a working tree, which no commit can mend.
    """

    tips: tuple[str, ...]
    hidden: tuple[str, ...]
    words: str
    uncommitted: bool = False


def resolve(door: Door, asked: str) -> Range:
    """Return the range a person typed: ``A..B``, ``A...B`` or a revision with all it reaches.

    Raises:
        Usage: git finds no commits there.
    """
    done = door.ask("rev-parse", "--revs-only", asked) if not asked.startswith("-") else None
    found = done.text.split() if done is not None and done.code == 0 else []
    # Of A...B git names B first, and what is judged as it stands is B.
    tips = [_commit(door, rev) for rev in reversed(found) if not rev.startswith("^")]
    if not tips or not all(tips):
        raise _unknown(door, asked)
    hidden = [rev[1:] for rev in found if rev.startswith("^")]
    return Range(tuple(filter(None, tips)), tuple(hidden), asked)


def default(door: Door) -> Range | None:
    """Return what HEAD has and its upstream has not; without one, the default branch; else all.

    None on an unborn branch.
    """
    if head(door) is None:
        return None
    for base in ("@{upstream}", *_trunks(door)):
        if _commit(door, base) is not None:
            return replace(resolve(door, f"{base}..HEAD"), words="")
    return replace(resolve(door, "HEAD"), words="")


def head(door: Door) -> str | None:
    """Return the commit of HEAD, None on an unborn branch.

    Raises:
        GitError: git cannot read the repository, which is no unborn branch.
    """
    done = door.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if done.code > 1:
        door.tell("rev-parse", "--git-dir")
    return done.text or None


def _trunks(door: Door) -> list[str]:
    """Return the refs that may be the trunk, but never the branch that is checked out."""
    current = door.ask("symbolic-ref", "--quiet", "HEAD").text
    remotes = door.ask("for-each-ref", "--format=%(refname)", "refs/remotes/*/HEAD").text.split()
    remotes.sort(key=lambda ref: ref != "refs/remotes/origin/HEAD")
    named = door.ask("config", "--get", "init.defaultBranch").text
    local = [f"refs/heads/{name}" for name in (named, *_BRANCHES) if name]
    if current in local:
        local = []  # the trunk itself is checked out
    return [*remotes, *local]


def _commit(door: Door, rev: str) -> str | None:
    done = door.ask("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}")
    return done.text or None


def is_shallow(door: Door) -> bool:
    """Tell whether the clone's history is cut off."""
    return door.ask("rev-parse", "--is-shallow-repository").text == "true"


def _is_cut_off(door: Door, asked: str) -> bool:
    """Tell whether an end of the range names a commit that a longer history could have."""
    return any(
        _DEEPER.fullmatch(end) and door.ask("rev-parse", "--verify", "-q", f"{end}^{{object}}").code
        for end in _DOTS.split(asked)
    )


def _unknown(door: Door, asked: str) -> Usage:
    shallow = is_shallow(door) and _is_cut_off(door, asked)
    return Usage(
        "range-unknown",
        "no commits of that name",
        where=asked or "(empty)",
        why="this clone is shallow, its history is cut off" if shallow
        else "a range is A..B, A...B, or one revision with all it reaches",
        run="git fetch --unshallow" if shallow else "git log --oneline --decorate -20",
    )  # fmt: skip
