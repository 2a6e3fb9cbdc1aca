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

from coord.base import peerfile
from coord.base.frozen import NamedTuple
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.repo.worktree import Worktree

_DIGITS = 18  # of a time in seconds; Python refuses to read 4,301 of them
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
    who: tuple[str, str]
    time: int
    action: str
    subject: str

    @property
    def verb(self) -> str:
        """The command that made the entry: ``commit``, ``rebase``."""
        return self.action.partition(" ")[0]

    @property
    def step(self) -> str:
        """What it was doing, as in ``rebase (pick)``; empty when it does not say."""
        return self.action.rpartition(" (")[2][:-1] if self.action.endswith(")") else ""

    @property
    def moves(self) -> bool:
        """Whether it only moved HEAD to a commit that was there before."""
        return (
            not self.action
            or self.verb in _MOVES
            or self.step in _STEPS_THAT_MOVE
            or self.subject[:12].lower() == "fast-forward"
        )


class Made(NamedTuple):
    """How this worktree made a commit: as whom, when, and whether it chose the author too.

    `author` is None where a tool gave its action a name of its own (GIT_REFLOG_ACTION).
    """

    who: tuple[str, str]
    time: int
    author: bool | None


class Log:
    """A reflog, of which an entry is parsed only when it is asked for.

    Only the first entry that names a commit can have made it; a later one moved to it.
    """

    def __init__(self, text: bytes = b"", rebuilt: bytes = b"") -> None:
        self._first: dict[bytes, bytes] = {}
        self._lines = text.split(b"\n")
        self._assumed: dict[str, Made] = {}
        for line in self._lines:
            new = line.partition(b" ")[2].partition(b" ")[0]
            self._first.setdefault(new, line)
        pairs = [line.partition(b" ") for line in rebuilt.splitlines()]
        self._rebuilt = {new: old for new, _, old in pairs}

    def made(self, commit: str) -> Made | None:
        """Return how this worktree made `commit`, None when it did not."""
        name, seen = os.fsencode(commit), set[bytes]()
        while name in self._rebuilt and name not in seen:  # as often as it was rebuilt
            seen.add(name)
            name = self._rebuilt[name]
        entry = self._entry(name)
        if entry is None:
            return self._assumed.get(commit)
        if entry.moves:
            return None
        return Made(entry.who, entry.time, self._chose_author(entry))

    def last(self) -> str:
        """Return the commit that the newest entry names, empty where there is none."""
        line = next((line for line in reversed(self._lines) if line), b"")
        return os.fsdecode(line.partition(b" ")[2].partition(b" ")[0])

    def gaps(self, head: str) -> list[tuple[str, str]]:
        """Return (from, to) of each move of HEAD that no entry tells of; it is at `head` now."""
        ids = [line.partition(b"\t")[0].split(b" ", 2)[:2] for line in self._lines if line]
        pairs = [tuple(map(os.fsdecode, pair)) for pair in ids if len(pair) == 2]  # noqa: PLR2004
        ends = [*(old for old, _ in pairs[1:]), head]
        return [(new, end) for (_, new), end in zip(pairs, ends, strict=True) if new != end]

    def assume(self, found: Mapping[str, Made]) -> None:
        """Take commits that no entry names for made here."""
        self._assumed.update(found)

    def _chose_author(self, entry: Entry) -> bool | None:
        """Tell whether an action chose the author; an amended commit is asked instead."""
        seen = set()
        while entry.step == "amend" and entry.old not in seen:
            seen.add(entry.old)
            before = self._entry(os.fsencode(entry.old))
            if before is None or before.moves:
                return False
            entry = before
        if entry.verb in _CHOOSES_AUTHOR:
            return entry.step in _STEPS_THAT_CHOOSE
        return False if entry.verb in _COPIES else None

    def _entry(self, commit: bytes) -> Entry | None:
        line = self._first.get(commit, b"").decode("utf-8", "surrogateescape")
        facts, _, message = line.partition("\t")
        ids, end, stamp = facts.rpartition("> ")
        who, _, email = ids.rpartition("<")
        seconds = stamp.partition(" ")[0]
        old, _, rest = who.partition(" ")
        if not end or len(seconds) > _DIGITS or not (seconds.isascii() and seconds.isdigit()):
            return None
        action, _, subject = message.partition(": ")
        name = rest.partition(" ")[2].rstrip()
        return Entry(old, (name, email), int(seconds), action, subject)


def read(git_dir: str, common_dir: str, cwd: str, env: Mapping[str, str]) -> Log:
    """Return a worktree's own HEAD reflog.

    With it the new ids of commits that ``reauthor`` rebuilt but did not mend: they are in no
    reflog, and a partial repair must not hide the rest.

    Raises:
        Doubt: the worktree keeps no reflog.
    """
    rebuilt = _content(os.path.join(git_dir, REBUILT)) or b""
    text = _content(os.path.join(git_dir, "logs", "HEAD"))
    if text is None and os.path.exists(os.path.join(common_dir, "reftable")):
        # Git finds the private dir of a bare repository's worktree by no folder, if it is strict.
        text = _walked(cwd, {**env, "GIT_DIR": git_dir})
    if text is None:
        raise Doubt("this worktree keeps no reflog of HEAD")
    return Log(text, rebuilt)


def of_ref(here: Worktree, ref: str) -> bytes:
    """Return the reflog of a ref that worktrees share, empty where none is kept or can be read."""
    try:
        text = _content(os.path.join(here.common_dir, "logs", ref))
        if text is None and os.path.exists(os.path.join(here.common_dir, "reftable")):
            text = _walked(here.cwd, here.env, ref)
    except (OSError, Doubt):
        return b""
    return text or b""


def _content(path: str) -> bytes | None:
    try:
        return peerfile.read(path, peerfile.WHOLE)
    except FileNotFoundError:
        return None


def _walked(cwd: str, env: Mapping[str, str], ref: str = "HEAD") -> bytes | None:
    """Return a ref's log that is no file, in the format of one; None where there is none.

    Asked for that of a HEAD that has none, git answers with the branch's, and that holds what
    other worktrees made.

    There is no format for the older id of an entry; it is the first parent of what was committed,
    or the newer one of the entry before.
    """
    if git.ask("reflog", "exists", ref, cwd=cwd, env=env).code:
        return None
    done = git.ask(
        "log", "--walk-reflogs", "--date=raw", "--encoding=none",
        "--format=%P%x00%H %gn <%ge> %gd%x09%gs", ref, "--",
        cwd=cwd, env=env,
    )  # fmt: skip
    if done.code:
        raise Doubt(f"the reflog of {ref} cannot be read")
    lines, old = [], b"0"
    for line in reversed(done.out.rstrip(b"\n").split(b"\n")):
        parents, _, entry = line.partition(b"\0")
        facts, _, message = entry.partition(b"\t")
        who, _, selector = facts.rpartition(b"> ")  # HEAD@{1700000000 +0000}
        if parents and message.startswith((b"commit: ", b"commit (merge): ")):
            old = parents.partition(b" ")[0]
        time = selector.rpartition(b"@{")[2].removesuffix(b"}")
        lines.append(old + b" " + who + b"> " + time + b"\t" + message)
        old = entry.partition(b" ")[0]
    return b"\n".join(lines)
