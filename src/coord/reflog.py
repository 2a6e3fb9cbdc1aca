"""What a worktree itself made, told from its own HEAD reflog.

Git writes each entry with the very identity that it has just written as committer, so an entry and
the commit it names prove each other: whatever a checkout, a fast-forward or a fetch brought bears
somebody else's.

    commit, merge, revert          author and committer were chosen here
    pick, rebase, am               the committer was; the author came with the commit
    amend                          as the amended commit
    checkout, reset, fast-forward  nothing was made
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.worktree import Place

REBUILT = "coord-rebuilt"  # in the private git dir: lines `NEW OLD`, written by reauthor
# Actions that move HEAD to a commit that was there before.
_MOVES = frozenset(
    {"checkout", "reset", "branch", "Branch", "clone", "initial", "bisect", "push", "reauthor"}
)
_STEPS_THAT_MOVE = frozenset({"start", "finish", "abort"})
# Actions that write the author as well, unless a step of theirs says that it copied a commit.
_CHOOSES_AUTHOR = frozenset({"commit", "merge", "revert", "pull"})
_STEPS_THAT_CHOOSE = frozenset({"", "initial", "merge"})
_COPIES = frozenset({"cherry-pick", "rebase", "am"})


class Doubt(Exception):
    """Something could not be read, so nothing can be said about these commits."""


class Entry(NamedTuple):
    """One entry of a reflog."""

    old: str
    new: str
    who: tuple[str, str]
    time: int
    message: str


class Made(NamedTuple):
    """How this worktree made a commit: as whom, when, and whether it chose the author too.

    `author` is None where a tool gave its action a name of its own (GIT_REFLOG_ACTION).
    """

    who: tuple[str, str]
    time: int
    author: bool | None


def entries(log: bytes) -> list[Entry]:
    """Return the entries of a reflog file, oldest first; lines that are none are passed over."""
    found = []
    for line in log.decode("utf-8", "surrogateescape").split("\n"):
        facts, _, message = line.partition("\t")
        ids, end, stamp = facts.rpartition("> ")
        old, _, rest = ids.partition(" ")
        new, _, who = rest.partition(" ")
        name, _, email = who.rpartition("<")
        seconds = stamp.partition(" ")[0]
        if end and seconds.isdigit():
            found.append(Entry(old, new, (name.rstrip(), email), int(seconds), message))
    return found


def made(log: Iterable[Entry]) -> dict[str, Made]:
    """Return what the entries made, by commit id.

    Only the first entry that names a commit can have made it; a later one moved to it.
    """
    seen: dict[str, Made | None] = {}
    for entry in log:
        if entry.new not in seen:
            seen[entry.new] = _made(entry, seen.get(entry.old))
    return {commit: how for commit, how in seen.items() if how is not None}


def _made(entry: Entry, before: Made | None) -> Made | None:
    """Return how one entry made its commit, None when it only moved HEAD there."""
    action, _, subject = entry.message.partition(": ")
    verb = action.partition(" ")[0]
    step = action.rpartition(" (")[2][:-1] if action.endswith(")") else ""
    if not action or verb in _MOVES or step in _STEPS_THAT_MOVE:
        return None
    if subject[:12].lower() == "fast-forward":
        return None
    author: bool | None = None
    if step == "amend":
        author = False if before is None else before.author
    elif verb in _CHOOSES_AUTHOR:
        author = step in _STEPS_THAT_CHOOSE
    elif verb in _COPIES:
        author = False
    return Made(entry.who, entry.time, author)


def made_here(place: Place, env: Mapping[str, str]) -> dict[str, Made]:
    """Return what this worktree made, by commit id.

    With the new ids of commits that ``reauthor`` rebuilt but did not mend: they are in no reflog,
    and a partial repair must not hide the rest.

    Raises:
        Doubt: the worktree keeps no reflog.
    """
    ours = made(reflog(place, env))
    try:
        with open(place.private(REBUILT), encoding="ascii") as file:
            lines = file.read().split("\n")
    except FileNotFoundError:
        lines = []
    for line in lines:
        new, _, old = line.partition(" ")
        if old in ours:
            ours[new] = ours[old]
    return ours


def reflog(place: Place, env: Mapping[str, str]) -> list[Entry]:
    """Return this worktree's own HEAD reflog, oldest first.

    Raises:
        Doubt: there is none.
    """
    try:
        with open(place.private("logs/HEAD"), "rb") as file:
            return entries(file.read())
    except FileNotFoundError as error:
        if not os.path.exists(os.path.join(place.common_dir, "reftable")):
            # Not through git: without a log of HEAD it answers with the branch's, and that holds
            # what other worktrees made.
            raise Doubt("this worktree keeps no reflog of HEAD") from error
    # There is no format for the older id of an entry; it is the newer one of the entry before.
    done = git.ask(
        "log", "--walk-reflogs", "--date=raw", "--encoding=none",
        "--format=%H %gn <%ge> %gd%x09%gs", "HEAD", "--",
        cwd=place.cwd, env=env,
    )  # fmt: skip
    if done.code:
        raise Doubt("the reflog of HEAD cannot be read")
    return entries(_as_file(done.out))


def _as_file(walk: bytes) -> bytes:
    """Return a reflog walk, newest first, in the format of a reflog file."""
    lines, old = [], b"0"
    for line in reversed(walk.rstrip(b"\n").split(b"\n")):
        new = line.partition(b" ")[0]
        facts, _, message = line.partition(b"\t")
        who, _, selector = facts.rpartition(b"> ")  # HEAD@{1700000000 +0000}
        lines.append(old + b" " + who + b"> " + selector[6:-1] + b"\t" + message)
        old = new
    return b"\n".join(lines)
