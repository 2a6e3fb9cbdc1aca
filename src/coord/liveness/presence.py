"""Who is present, silent, has left, has ended, is gone: the six words, and what proves each.

Nobody is said to have ended or to be gone but on positive proof that this reader can check itself;
whatever it cannot see is unknown, which is treated as silence. None of it ever frees a claim: a
25-hour run is silent.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.identity import pin
from coord.liveness import beats, clone, machine, mounts, reboot, sessionfile, signs
from coord.liveness.home import Home, mtime
from coord.liveness.programs import CARRIERS, SHELLS

if TYPE_CHECKING:
    from coord.liveness.process import Process

PRESENT, SILENT, LEFT, ENDED, GONE, UNKNOWN = (
    "present", "silent", "left", "ended", "gone", "unknown",
)  # fmt: skip
_OVER = "its session is over"
ELSEWHERE = "recorded in another clone"
NOT_YET = "it has not been here yet"
_AHEAD = 300.0  # seconds; a sign further ahead of the store's clock is none


class Status(NamedTuple):
    """What is known of an instance.

    Attributes:
        liveness: one of the six words.
        seen: its last sign of life in seconds by the store's clock, None when there was none.
        why: what that was told by, in a clause; empty where there is nothing to add.
        heard: that is when this clone had the last news of it, on a board that has no clock.
    """

    liveness: str
    seen: float | None = None
    why: str = ""
    heard: bool = False

    @property
    def present(self) -> bool:
        """Whether it gave a sign of life within the expiry."""
        return self.liveness == PRESENT

    @property
    def dead(self) -> bool:
        """Whether it is proved to have ended."""
        return self.liveness == ENDED

    @property
    def has_left(self) -> bool:
        """Whether all that is known of it has ended: no proof, if it has only left."""
        return self.liveness in {LEFT, ENDED}

    @property
    def gone(self) -> bool:
        """Whether git has forgotten its worktree."""
        return self.liveness == GONE


class _Session(NamedTuple):
    """A session of an instance as it was judged: ``lives``, ``left``, ``ended`` or ``unknown``."""

    word: str
    at: float
    seen: int
    why: str


class Judge:
    """Judges instances by the files of a repository; each process is asked after once.

    Args:
        common_dir: the common git dir.
        now: the store's clock, None where it has none.
        expires: how much silence ends presence, in seconds.
    """

    def __init__(self, common_dir: str, now: float | None, expires: float) -> None:
        self._common_dir = common_dir
        self._now = now
        self._expires = expires
        self._clone = clone.known(common_dir)
        self._ended: dict[Process, bool] = {}
        self._homes: dict[str, Home] = {}
        self._reboot: reboot.Reboot | None = None

    def of(self, home: str, instance: str) -> Status:
        """Return what is known of `instance`, whose private git dir is `home`."""
        git_dir = os.path.normpath(os.path.join(self._common_dir, home))
        there = self._homes.setdefault(git_dir, Home(git_dir))
        hidden = self._hidden(there, instance)
        if hidden is not None:
            return hidden
        try:
            left, declared = there.signs(instance), there.declared
        except OSError as error:
            return self._unreadable(there, instance, error)
        sessions = [self._sign(git_dir, one, declared) for one in left]
        named = {one.session for one in left}
        sessions += [
            self._declared(git_dir, one)
            for one in declared
            if one.instance == instance and one.id not in named
        ]
        if old := there.beat(instance):
            sessions.append(_Session(UNKNOWN, old, 0, "recorded by a version before"))
        return self._joined(there, instance, [one for one in sessions if one.word])

    @cached_property
    def _may_be_covered(self) -> bool:
        """Whether something may be mounted over what other worktrees are told by."""
        return mounts.may_cover(self._common_dir)

    def has_ended(self, process: Process) -> bool:
        """Tell whether a process is proved to have ended."""
        if process not in self._ended:
            self._ended[process] = process.has_ended
        return self._ended[process]

    def all_ended(self, links: tuple[Process, ...]) -> bool:
        """Tell whether all have ended; the outermost is asked first, one that lives is enough."""
        return all(map(self.has_ended, reversed(links)))

    def _hidden(self, there: Home, instance: str) -> Status | None:
        """Return what is known where the private git dir says nothing of an instance."""
        git_dir = there.git_dir
        try:
            os.stat(os.path.join(git_dir, "HEAD"))
        except FileNotFoundError:
            if not _is_absent(git_dir) or self._may_be_covered:
                return Status(UNKNOWN, why=f"{git_dir} is not to be seen from here")
            return Status(GONE, why="git has forgotten its worktree")
        except OSError as error:
            return Status(UNKNOWN, why=f"{git_dir} may not be read: {error.strerror}")
        try:
            pinned = there.pinned
        except (pin.Unreadable, OSError):
            return None
        if pinned is None or pinned.instance == instance or _has_trace(there, instance):
            return None
        return Status(GONE, why=f"its worktree is {pinned.actor}'s by now")

    def _unreadable(self, there: Home, instance: str, error: OSError) -> Status:
        seen = self._valid(mtime(os.path.join(there.git_dir, beats.SEEN)))
        if seen is not None and self._is_recent(seen) and there.works(instance):
            return Status(PRESENT, seen)
        return Status(UNKNOWN, seen, f"{error.filename} may not be read: {error.strerror}")

    def _sign(
        self, git_dir: str, sign: signs.Sign, declared: list[sessionfile.Declared]
    ) -> _Session:
        """Judge a session by what it has left."""
        word, why = UNKNOWN, "what it has left cannot be read"
        if sign.torn:
            pass
        elif self._is_elsewhere(sign.clone):
            why = ELSEWHERE
        elif sign.session:
            found = next((one for one in declared if one.id == sign.session), None)
            if found is not None:
                word, _, _, why = self._declared(git_dir, found)
            if why == _OVER and found and not found.end and not self.all_ended(sign.chain.links):
                word, why = self._chain(sign)
        elif self._rebooted(git_dir, sign):
            word, why = ENDED, "before this boot"
        else:
            word, why = self._chain(sign)
        return _Session(word, sign.at, sign.seen, why)

    def _chain(self, sign: signs.Sign) -> tuple[str, str]:
        """Judge a chain of processes: that it has ended is a fact, and never a proof."""
        links = sign.chain.links
        there = (one for one in reversed(links) if one.is_here and not self.has_ended(one))
        outermost = next(there, None)
        if outermost is not None:
            return "lives", _facts(sign.chain, outermost, self)
        if links and sign.chain.whole and all(one.is_here for one in links):
            return LEFT, "all that stood above its last command has ended"
        return UNKNOWN, _where(sign)

    def _declared(self, git_dir: str, found: sessionfile.Declared) -> _Session:
        """Judge a declared session, a run or a wait; the latter two tell only that they live."""
        command = found.process
        if self._is_elsewhere(found.clone):
            return _Session(UNKNOWN if found.kind == "session" else "", 0.0, 0, ELSEWHERE)
        if sessionfile.has_ended(git_dir, found):
            word, why = ENDED, _OVER
        elif found.end == "left" or (command is not None and self.has_ended(command)):
            word, why = LEFT, "the command of its session has ended, not all it has started"
        elif sessionfile.lives(git_dir, found):
            word, why = "lives", f"{command.name} ({command.pid}) lives" if command else ""
        elif found.kind == "session" and self._is_before_boot(
            git_dir, found.keeper.host, found.keeper.boot, found.at
        ):
            word, why = ENDED, "before this boot"
        else:
            word, why = UNKNOWN, f"recorded on {found.keeper.host}: look there"
        if found.kind != "session" and word != "lives":
            word = ""
        return _Session(word, 0.0, 0, why)

    def _is_elsewhere(self, recorded: str) -> bool:
        """Tell whether what is recorded is another clone's: it was copied here."""
        return bool(recorded) and recorded != self._clone

    def _rebooted(self, git_dir: str, sign: signs.Sign) -> bool:
        return self._is_before_boot(git_dir, sign.host, sign.boot, sign.at)

    def _is_before_boot(self, git_dir: str, host: str, boot: str, at: float) -> bool:
        if not boot or machine.boot_id_of(boot) == machine.boot_id_of(machine.boot()):
            return False
        if self._reboot is None:
            self._reboot = reboot.Reboot(self._common_dir)
        return self._reboot.ended(git_dir, host, at)

    def _joined(self, there: Home, instance: str, sessions: list[_Session]) -> Status:
        """Return what all sessions make of an instance: it is as alive as its most alive one."""
        seen, sign = self._of_worktree(there, instance, sessions)
        ended = bool(sessions) and all(one.word == ENDED for one in sessions)
        if signs.has_signed_off(there.git_dir, instance) and not sessions and seen is None:
            return Status(ENDED, None, "it has signed off")
        times = [at for one in sessions if (at := self._valid(one.at)) is not None]
        last = max([*times, *([seen] if seen is not None else [])], default=None)
        living = [at for one in sessions if one.word != ENDED and (at := self._valid(one.at))]
        if sign and seen is not None:
            living.append(seen)
        if any(map(self._is_recent, living)):
            return Status(PRESENT, last)
        if ended:
            return Status(ENDED, last, sessions[0].why)
        for word in ("lives", UNKNOWN, LEFT):
            found = [one for one in sessions if one.word == word]
            if found:
                newest = max(found, key=lambda one: one.at)
                return Status(SILENT if word == "lives" else word, last, newest.why)
        if seen is None and self._is_ahead(there, instance):
            return Status(SILENT, last, "its last sign of life is ahead of the clock")
        away = "" if seen is not None else NOT_YET
        return Status(SILENT if not sessions and seen is not None else UNKNOWN, last, away)

    def _is_ahead(self, there: Home, instance: str) -> bool:
        """Tell whether a worktree's own sign was given when this clock has not come to yet."""
        return there.works(instance) and bool(mtime(os.path.join(there.git_dir, beats.SEEN)))

    def _of_worktree(
        self, there: Home, instance: str, sessions: list[_Session]
    ) -> tuple[float | None, bool]:
        """Return the worktree's own sign, and whether somebody may live who gave it.

        One that an ended session gave is none of life; the hooks say nothing of whose theirs is.
        """
        if not there.works(instance):
            return None, False
        try:
            facts = os.stat(os.path.join(there.git_dir, beats.SEEN), follow_symlinks=False)
        except OSError:
            return None, False
        owners = [one.word for one in sessions if one.seen == facts.st_mtime_ns]
        return self._valid(facts.st_mtime), not owners or any(one != ENDED for one in owners)

    def _valid(self, at: float | None) -> float | None:
        if not at or (self._now is not None and at > self._now + _AHEAD):
            return None
        return at

    def _is_recent(self, at: float) -> bool:
        return self._now is None or self._now - at < self._expires


def _facts(chain: signs.Chain, alive: Process, judge: Judge) -> str:
    """Return who lives of a chain, and that who gave its last command does not, if so."""
    shell = "its shell " if alive.name in SHELLS else ""
    said = f"{shell}{alive.name} ({alive.pid}) lives"
    worker = chain.worker
    if worker is None or worker == alive or worker.name in CARRIERS or not judge.has_ended(worker):
        return said
    return f"{said}; {worker.name} ({worker.pid}), which gave its last command, has ended"


def _where(sign: signs.Sign) -> str:
    """Return where a session was recorded that cannot be looked for from here."""
    here = machine.boot()
    if sign.host != machine.host():
        return f"recorded on {sign.host}: look there"
    if machine.boot_id_of(sign.boot) != machine.boot_id_of(here):
        return f"recorded on {sign.host} in another boot, or by another kernel"
    if sign.boot != here:
        return f"recorded on {sign.host}, in another namespace of processes: look there"
    return f"recorded on {sign.host}, where not all that stood above it can be seen"


def _has_trace(there: Home, instance: str) -> bool:
    """Tell whether an instance may have been in a worktree that is another's by now."""
    if instance in there.minted:
        return True
    folders = (sessionfile.FOLDER, beats.BEATS)
    return not all(_is_absent(os.path.join(there.git_dir, folder, instance)) for folder in folders)


def _is_absent(path: str) -> bool:
    """Tell whether there is nothing by that name; one that may not be looked up is something."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
