"""What a branch is called now: work is known by more than the name that it was claimed under.

A rename moves the branch's reflog along, and says so there:

    git branch -m, -M   ``Branch: renamed refs/heads/OLD to refs/heads/NEW``
    git refs rename     an entry that moves nothing and says nothing
    git branch -c       ``Branch: copied …``: a copy of the log, of another branch

A name can be used again, so what was said is asked for with its time: RFC 3339 in UTC, as records
have it, compared as text (``datetime`` would cost each claim 2 ms), by the second, as logs count.
"""

from __future__ import annotations

import itertools
import os
import time
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.frozen import NamedTuple
from coord.repo import git
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.line import Place, State
    from coord.repo.worktree import Worktree

_HEADS = "refs/heads/"
_RENAMED, _COPIED = "Branch: renamed refs/heads/", "Branch: copied "
_DIGITS = 12  # of a time in seconds, at most
_SECOND = len("2026-01-31T12:34:56")
LATER = "~"  # than any time
_BEFORE = "@{before}"  # behind a name, which it cannot be part of: what was overwritten


def said_of(place: Place) -> tuple[str, str | None]:
    """Return when something was last said of what a place is for, and its branch's commit then."""
    return place.renewed or place.since, place.tip


def said_of_scope(state: State) -> tuple[str, str | None]:
    """Return when the holder last said something of its branch's own scope, and the commit then."""
    if state.holder is None:
        return LATER, None
    said, tip = said_of(state.holder)
    return max(said, state.finished_at or ""), state.finished_tip or tip


def plain(name: str) -> str:
    """Return a name as git has it, also of a branch that another one has overwritten."""
    return name.removesuffix(_BEFORE)


class _Entry(NamedTuple):
    """An entry of a branch's reflog: when, to which commit, and what for."""

    at: str
    commit: str
    words: str


class _Move(NamedTuple):
    """What was meant by a name before `until` is called `now`."""

    until: str
    now: str


class Names:
    """Looks up what branches are called now; all logs are read only where a name has changed."""

    def __init__(self, here: Worktree, away: Callable[[Place], bool] = lambda _: False) -> None:
        """Look nothing up yet; of what is `away` no log is here, and its name is what was said."""
        self._here = here
        self._away = away
        self._born: dict[str, tuple[str, bytes] | None] = {}
        self._moves: dict[str, list[_Move]] = {}
        self._borne: dict[str, set[str]] = {}
        self._logs: dict[str, list[_Entry]] | None = None
        self._refs: set[str] = set()

    def __len__(self) -> int:
        """Return how many other names are known."""
        return sum(map(len, self._moves.values()))

    def now(self, branch: str, said: str = LATER, tip: str | None = None) -> str:
        """Return what the branch is called that was `branch` when something was said of it.

        Args:
            branch: short name.
            said: when that was.
            tip: its commit then.
        """
        if self._stands(branch, said, tip):
            return branch
        self._load()
        moves = self._moves.get(normal(branch), [])
        if tip is None:  # it was yet to come: none that another has overwritten
            moves = [one for one in moves if one.now == plain(one.now)]
        found = self._moved_to(moves, said, tip)
        if found != plain(found or ""):  # unless somebody knows better of what was overwritten
            found = self._moved_to(self._moves.get(normal(found or ""), []), said, tip) or found
        if found is None and branch not in self._refs:
            found = moves[-1].now if moves else self._unnamed(tip)
        return found or branch

    def of(self, place: Place) -> str:
        """Return what the branch of a place is called now; empty where it has none."""
        branch = place.branch or ""
        return branch if self._away(place) else self.now(branch, *said_of(place))

    def of_scope(self, name: str, state: State) -> str:
        """Return what the branch is called now that the scope ``branch:NAME`` stands for."""
        if state.holder is not None and self._away(state.holder):
            return name
        return self.now(name, *said_of_scope(state))

    def are_away(self, places: Sequence[Place]) -> bool:
        """Tell whether all of some places are of other clones: then so is their branch."""
        return bool(places) and all(map(self._away, places))

    def borne(self, branch: str) -> set[str]:
        """Return the names in NFC that the branch called `branch` has had, this one included."""
        if not self._stands(branch, LATER):
            self._load()
        return {normal(branch), *self._borne.get(branch, ())}

    def born(self, branch: str) -> str | None:
        """Return when the log of a branch begins; None where there is none."""
        first = None if self._logs is not None else self._first(branch)
        log = self._load().get(branch) if first is None else None
        return log[0].at if log else first and first[0]

    def learn(self, branch: str, until: str, now: str) -> None:
        """Take it from somebody who knows it that what was `branch` before is called `now`."""
        self._load()
        self._moved(branch, until, now)

    def overwritten(self, branch: str, until: str) -> None:
        """Take it that what was `branch` before is no more, and another one has the name."""
        self.learn(branch, until, f"{branch}{_BEFORE}")

    def stood_at(self, commit: str) -> set[str]:
        """Return the branches that have ever stood at a commit, by their logs."""
        logs = self._load().items()
        return {name for name, log in logs if any(one.commit == commit for one in log)}

    def _stands(self, branch: str, said: str, tip: str | None = None) -> bool:
        """Tell whether nothing speaks for another name; one file is read for it, once.

        Born in the second in which something was said it may be what came after, unless it stood
        at that commit.
        """
        if self._logs is not None:
            return False
        born = self._first(branch)
        if born is None or born[0] > said:
            return False
        return born[0] != said[:_SECOND] or tip is None or tip.encode("utf-8", "replace") in born[1]

    def _first(self, branch: str) -> tuple[str, bytes] | None:
        if branch not in self._born:
            self._born[branch] = _born(self._here, branch)
        return self._born[branch]

    def _load(self) -> dict[str, list[_Entry]]:
        if self._logs is None:
            listing = git.ask("for-each-ref", "--format=%(refname)", _HEADS, cwd=self._here.cwd)
            self._refs = {full.removeprefix(_HEADS) for full in listing.text.split("\n")}
            self._logs = {
                name: log for name, log in _logs(self._here).items() if name in self._refs
            }
            for name, log in self._logs.items():
                self._follow(name, log)
        return self._logs

    def _follow(self, name: str, log: Iterable[_Entry]) -> None:
        """Take from the log of the branch `name` what it was called before."""
        moves: list[tuple[str, str, str]] = []
        for entry in log:
            if entry.words.startswith(_COPIED):
                moves = []
            elif entry.words.startswith(_RENAMED):
                old, _, new = entry.words.removeprefix(_RENAMED).partition(f" to {_HEADS}")
                moves.append((entry.at, old, new))
        borne: set[str] = set()
        for at, old, new in moves:
            borne.add(normal(old))
            self._moved(old, at + LATER, name)  # what was said in that second too
            if normal(new) not in borne:  # whatever had that name before is not it
                self._moved(new, at, f"{new}{_BEFORE}")
        self._borne[name] = borne

    def _moved(self, old: str, until: str, now: str) -> None:
        moves = self._moves.setdefault(normal(old), [])
        moves.append(_Move(until, now))
        moves.sort()

    def _moved_to(self, moves: Iterable[_Move], said: str, tip: str | None) -> str | None:
        """Return what the first of `moves` after something was said says.

        Of several in one second, the first one to a branch that ever stood at `tip`: a name that
        was given away can be another's before the second is over.
        """
        later = [one for one in moves if said[:_SECOND] < one.until]
        if not later:
            return None
        second = later[0].until[:_SECOND]
        tied = [one.now for one in later if one.until[:_SECOND] == second]
        logs = self._logs or {}
        held = (now for now in tied if any(one.commit == tip for one in logs.get(now, ())))
        return next(held, tied[0])

    def _unnamed(self, tip: str | None) -> str | None:
        """Return the only branch that was renamed without a word after it stood at `tip`."""
        logs = (self._logs or {}).items()
        found = [name for name, log in logs if tip is not None and _was_moved(log, tip)]
        return found[0] if len(found) == 1 else None


def _was_moved(log: Sequence[_Entry], tip: str) -> bool:
    """Tell whether a log has stood at `tip`, and has an entry that says and changes nothing."""
    pairs = itertools.pairwise(log)
    quiet = any(not after.words and after.commit == before.commit for before, after in pairs)
    return quiet and any(one.commit == tip for one in log)


def _born(here: Worktree, branch: str) -> tuple[str, bytes] | None:
    """Return when the log of a branch begins, and the log; None of none, or one that was moved."""
    if ".." in branch or branch.startswith("/") or not branch.isprintable():
        return "", b""  # a peer's record may say anything: it is no branch's name
    try:
        path = os.path.join(here.common_dir, "logs", _HEADS, branch)
        text = peerfile.read(path, peerfile.WHOLE)
    except OSError:
        return None
    if f"\t{_RENAMED}".encode() in text:
        return None
    entry = _entry(text.partition(b"\n")[0].decode("utf-8", "replace"))
    return None if entry is None else (entry.at, text)


def _logs(here: Worktree) -> dict[str, list[_Entry]]:
    """Return the reflog of every branch, oldest entry first."""
    top = os.path.join(here.common_dir, "logs", _HEADS)
    if os.path.isdir(os.path.join(here.common_dir, "reftable")):
        return _walked(here)
    found = {}
    for folder, _, files in os.walk(top):
        for file in files:
            path = os.path.join(folder, file)
            try:
                text = peerfile.read(path, peerfile.WHOLE).decode("utf-8", "replace")
            except OSError:
                continue
            entries = map(_entry, text.split("\n"))
            found[os.path.relpath(path, top)] = [one for one in entries if one is not None]
    return found


def _entry(line: str) -> _Entry | None:
    facts, _, words = line.partition("\t")
    _, _, rest = facts.partition(" ")  # OLD NEW name <email> SECONDS ZONE
    commit, _, who = rest.partition(" ")
    return _made(who.rpartition("> ")[2].partition(" ")[0], commit, words)


def _made(stamp: str, commit: str, words: str) -> _Entry | None:
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= _DIGITS):
        return None
    return _Entry(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(stamp))), commit, words)


def _walked(here: Worktree) -> dict[str, list[_Entry]]:
    """Return the logs that are no files; git tells them newest first."""
    form = "--format=%gD%x00%H%x00%gs"
    walk = ("log", "--walk-reflogs", "--branches", "--date=unix", form, "--")
    found: dict[str, list[_Entry]] = {}
    for line in git.ask(*walk, cwd=here.cwd).text.split("\n"):
        where, _, rest = line.partition("\0")
        commit, _, words = rest.partition("\0")
        name, _, stamp = where.removesuffix("}").rpartition("@{")
        entry = _made(stamp, commit, words)
        if entry is not None:
            found.setdefault(name.removeprefix(_HEADS), []).append(entry)
    return {name: log[::-1] for name, log in found.items()}
