"""What each session leaves of itself: a file, renewed by its commands, with all that stands above.

    <private git dir>/coord-sessions/<instance>/<session>

A session is the declared one, else what the worker's process tells. Chains are kept whole, and what
an earlier command's had besides as well, until that has ended: an end is told of all, or of none.
Hot path: felt at each prompt. Mostly only numbers change, so a file is overwritten where it stands
(a rename costs ext4 a flush, 0.4 ms); a torn one is told by its last line, and says nothing.
"""

from __future__ import annotations

import os

from coord.base import peerfile, publish, sharing
from coord.base.frozen import NamedTuple
from coord.liveness import clone, machine, process, sessionfile
from coord.liveness.programs import CARRIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from coord.liveness.process import Link, Process
    from coord.liveness.sessionfile import Declared

SIGNED_OFF = "signed-off"
UNSEEN = "unseen"
_HEAD = "coord-sign 1"
_DIGITS, _MOST, _LINKS, _KEPT = 20, 8192, 40, 8
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Chain(NamedTuple):
    """The processes above a command.

    Attributes:
        links: the nearest first, without git and whatever outlives all work.
        whole: it was seen up to the first process of the machine, an init or a multiplexer.
        session: what COORD_SESSION says: the id of a declared session.
    """

    links: tuple[Process, ...]
    whole: bool
    session: str = ""

    @property
    def worker(self) -> Process | None:
        """The nearest process that is no shell and the like, else the outermost."""
        named = (one for one in self.links if one.name.partition(" ")[0] not in CARRIERS)
        return next(named, self.links[-1] if self.links else None)


class Sign(NamedTuple):
    """What a session has left.

    Attributes:
        name: the file.
        at: its last sign, in seconds by the clock of the file system.
        seen: the worktree's sign that it gave with it, in nanoseconds; 0 for none.
        host: where it was recorded.
        boot: what the numbers are relative to.
        session: the id of a declared session, else empty.
        chain: the processes.
        torn: it cannot be read: nothing is known of its session.
        clone: id of the clone it was left in, empty where that was not written down.
    """

    name: str
    at: float
    seen: int
    host: str
    boot: str
    session: str
    chain: Chain
    torn: bool = False
    clone: str = ""


_NONE = Chain((), whole=False)


def chain(above: Sequence[Link], word: str) -> Chain:
    """Return the chain of a command with the ancestors `above`, and COORD_SESSION as `word`.

    Digits are the number of a process (a wrapper's ``$$``): an ancestor is where the chain ends,
    any other is one more that must have ended.
    """
    links: list[Process] = []
    whole, cut = False, int(word) if word.isascii() and word.isdecimal() else 0
    for link in above:
        if link.supervises or (link.pid == 1 and machine.has_initial_pids()):
            whole = True
            break
        if link.program not in {"git", "git-coord"}:
            links.append(process.recorded(link))
        if link.pid == cut:
            return Chain(tuple(links), whole=True)
    if cut and 0 < cut < 1 << 31:
        links.append(process.of(cut))
    return Chain(tuple(links), whole, "" if cut else word)


def alone(one: Process) -> Chain:
    """Return the chain of a process that works for itself."""
    return Chain((one,), whole=True)


def leave(git_dir: str, instance: str, given: Chain, seen: int) -> None:
    """Leave a sign of a session; not synced, since a power cut ends the session too.

    Raises:
        OSError: it cannot be written.
    """
    folder = _folder(git_dir, instance)
    declared = _declared(git_dir, given)
    kept = given if declared is None else _below(given, declared)
    path = path_of(git_dir, instance, given)
    try:
        fd = os.open(path, _FLAGS)
    except FileNotFoundError:
        share = sharing.of_private(git_dir)
        sharing.folders(folder, share)
        _tidy(folder, share)
        fd = publish.opened(path, share)
    try:
        _write(fd, kept, (declared.id if declared else "", clone.of_private(git_dir)), seen)
    finally:
        os.close(fd)
    publish.unlink(os.path.join(folder, SIGNED_OFF))


def path_of(git_dir: str, instance: str, given: Chain) -> str:
    """Return the file in which a session of `instance` leaves its signs."""
    return os.path.join(_folder(git_dir, instance), name_of(git_dir, given))


def name_of(git_dir: str, given: Chain) -> str:
    """Return what tells a session from others of its worker: the name of its file."""
    declared = _declared(git_dir, given)
    return declared.id if declared else _name(given)


def see(path: str, seen: int) -> None:
    """Write down in a session's file that it has given the worktree's sign `seen`.

    Raises:
        OSError: it cannot be written.
    """
    fd = os.open(path, _FLAGS)
    try:
        there = os.read(fd, _MOST)
        at = there.find(b"\nseen ")
        if _read(there) is not None and at > 0:
            os.pwrite(fd, b"%0*d" % (_DIGITS, seen), at + len(b"\nseen "))
    finally:
        os.close(fd)


def every(git_dir: str, instance: str) -> Iterator[Sign]:
    """Yield what the sessions of an instance have left.

    Raises:
        OSError: the folder may not be read.
    """
    folder = _folder(git_dir, instance)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        if name != SIGNED_OFF and (found := _sign(folder, name)) is not None:
            yield found


def sign_off(git_dir: str, instance: str, stay: Collection[str]) -> None:
    """Say that whoever works as `instance` has left, all but the sessions named `stay`.

    Raises:
        OSError: the git dir cannot be written.
    """
    folder = _folder(git_dir, instance)
    for one in every(git_dir, instance):
        if one.name not in stay:
            publish.unlink(os.path.join(folder, one.name))
    if not stay:
        share = sharing.of_private(git_dir)
        sharing.folders(folder, share)
        os.close(publish.opened(os.path.join(folder, SIGNED_OFF), share))


def unknown(at: float, where: str) -> Sign:
    """Return the sign of a session of which nothing is known but its last sign and its clone."""
    return Sign("", at, 0, "", "", "", _NONE, clone=where)


def has_signed_off(git_dir: str, instance: str) -> bool:
    """Tell whether an instance said that it leaves, and gave no command since."""
    return os.path.lexists(os.path.join(_folder(git_dir, instance), SIGNED_OFF))


def _folder(git_dir: str, instance: str) -> str:
    return os.path.join(git_dir, sessionfile.FOLDER, instance)


def _name(given: Chain) -> str:
    """Return what tells a session that nobody has declared: its worker, and where that counts."""
    worker = given.worker
    words = [machine.host(), machine.boot().replace("[", "").replace("]", "")]
    words += [] if worker is None else [str(worker.pid), worker.start]
    plain = "-".join("-".join(words).split())
    return "".join(char if char.isalnum() or char in "-." else "_" for char in plain)[:200]


def _declared(git_dir: str, given: Chain) -> Declared | None:
    """Return the declared session of a command: one of this very worktree that is not over.

    Where its processes can be seen they stand above the command: a terminal's server that was
    started in a session hands its variables on to what outlives that.
    """
    if not given.session:
        return None
    try:
        found = sessionfile.read(git_dir, given.session)
    except OSError:
        return None
    if found is None or found.end is not None or found.kind != "session":
        return None
    keepers = {(one.pid, one.start) for one in (found.keeper, found.command) if one}
    above = {(one.pid, one.start) for one in given.links}
    return found if keepers & above or not found.keeper.is_here else None


def _below(given: Chain, declared: Declared) -> Chain:
    """Return what stands below the command of a session: that one is asked for itself."""
    keepers = [one.pid for one in (declared.command, declared.keeper) if one and one.is_here]
    places = [at for at, one in enumerate(given.links) if one.pid in keepers]
    return Chain(given.links[: min(places)], whole=True) if places else given._replace(whole=False)


def _write(fd: int, given: Chain, within: tuple[str, str], seen: int) -> None:
    there = os.read(fd, _MOST)
    old, count = _read(there), 1
    links = given.links
    if old is not None:
        count = int(old[0]) % 10**9 + 1
        now = {(one.pid, one.start) for one in links}
        before = [one for one in old[1].chain.links if (one.pid, one.start) not in now]
        links = (*links, *(one for one in before if not one.has_ended))
    whole = given.whole and len(links) <= _LINKS
    body = _encoded(links[:_LINKS], within, seen, count, whole=whole)
    os.pwrite(fd, body, 0)
    if len(there) > len(body):
        os.ftruncate(fd, len(body))


def _encoded(
    links: Iterable[Process], within: tuple[str, str], seen: int, count: int, *, whole: bool
) -> bytes:
    lines = [
        _HEAD,
        f"count {count:0{_DIGITS}}",
        f"seen {seen:0{_DIGITS}}",
        f"host {' '.join(machine.host().split())}",
        f"boot {machine.boot()}",
        f"uid {os.getuid()}",
        f"session {within[0]}",
        f"clone {within[1]}",
        f"whole {'yes' if whole else 'no'}",
        *(f"link {process.told(one)}" for one in links),
        f"end {count:0{_DIGITS}}",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _sign(folder: str, name: str) -> Sign | None:
    path = os.path.join(folder, name)
    try:
        at = os.stat(path, follow_symlinks=False).st_mtime
        found = _read(peerfile.read(path, _MOST))
    except FileNotFoundError:
        return None
    except OSError:
        found, at = None, 0.0
    if found is None:
        return Sign(name, at, 0, "", "", "", _NONE, torn=True)
    return found[1]._replace(name=name, at=at)


def _read(data: bytes) -> tuple[str, Sign] | None:
    """Return the count and the sign in a file; None of one that is torn, or none of ours."""
    lines = data.decode("utf-8", "replace").split("\n")
    found, links = {}, []
    for line in lines[1:]:
        key, _, text = line.partition(" ")
        if key == "link":
            links.append(text)
        elif key == "end":
            found["end"] = text
            break
        else:
            found[key] = text
    count, seen = found.get("count", ""), found.get("seen", "")
    whole = count.isdecimal() and found.get("end") == count and seen.isdecimal()
    if lines[0] != _HEAD or not whole:
        return None
    host, boot = found.get("host", ""), found.get("boot", "")
    made = [one for text in links if (one := process.heard(text, host, boot))]
    if len(made) < len(links):
        return None
    above = Chain(tuple(made), found.get("whole") == "yes")
    session, where = found.get("session", ""), found.get("clone", "")
    return count, Sign("", 0.0, int(seen), host, boot, session, above, clone=where)


def _tidy(folder: str, share: int) -> None:
    """Make room where each command is a session of its own.

    What is proved to have ended says nothing any more beside one that begins; the others share one
    file from then on.
    """
    names = sorted(set(os.listdir(folder)) - {SIGNED_OFF, UNSEEN})
    if len(names) < _KEPT:
        return
    found = [one for name in names if (one := _sign(folder, name)) is not None]
    over = {
        one.name
        for one in found
        if one.chain.whole and not one.torn and all(link.has_ended for link in one.chain.links)
    }
    found.sort(key=lambda one: (one.name not in over, one.at))
    for one in found[: len(found) - _KEPT + 1]:
        if one.name not in over:
            set_aside(folder, one, share)
        publish.unlink(os.path.join(folder, one.name))


def set_aside(folder: str, one: Sign, share: int) -> None:
    """Keep what stood above a session in the file of those that have none, beside what is there.

    Its numbers count here and now: of what is none of them nothing is known any more.
    """
    before = _sign(folder, UNSEEN)
    all_here = all(link.is_here for link in one.chain.links)
    whole = one.chain.whole and all_here and (before is None or before.chain.whole)
    at, seen = max((it.at, it.seen) for it in (one, before or one))
    fd = publish.opened(os.path.join(folder, UNSEEN), share)
    try:
        _write(fd, one.chain._replace(whole=whole), ("", one.clone), seen)
        os.utime(fd, (at, at))
    finally:
        os.close(fd)
