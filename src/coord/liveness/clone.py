"""This clone among others: a random id below the common dir, which a copy of it cannot keep.

    <common git dir>/coord/clone   coord-clone 1, the id, and what the file itself is: device,
                                   inode, kind of file system

A repository that was copied whole (``cp -a``, rsync, a backup played back) has the board, the pins
and the id of its original, and nothing of ours holds a path; but no copy has the inode. One that
was moved by ``mv``, or is mounted at another place as well, keeps it.
"""

from __future__ import annotations

import functools
import os

from coord.base import peerfile, publish, sharing
from coord.base.frozen import NamedTuple
from coord.liveness import mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "coord/clone"
_LOCK = "coord/clone.lock"
_HEAD = "coord-clone 1"
_LENGTH, _MOST = 32, 4096


class Clone(NamedTuple):
    """What the file of a clone says.

    Attributes:
        id: its random id, empty where none can be read.
        proved: the file is the one that was made for this clone; else this is a copy, or what was
            moved or restored by copying, which nothing here tells apart.
    """

    id: str
    proved: bool


def read(common_dir: str) -> Clone | None:
    """Return what is known of this clone; None where it has no id yet."""
    path = os.path.join(common_dir, FILE)
    try:
        facts = os.stat(path, follow_symlinks=False)
        lines = peerfile.read(path, _MOST).decode("ascii", "replace").split("\n")
    except FileNotFoundError:
        return None
    except PermissionError:  # another user's: nothing is decided on it
        return Clone("", proved=True)
    except OSError:
        return Clone("", proved=False)
    found = dict(line.partition(" ")[::2] for line in lines[1:])
    made, device, inode = (found.get(key, "") for key in ("id", "device", "inode"))
    if lines[0] != _HEAD or not is_id(made) or not (device and inode and "end" in found):
        return Clone("", proved=False)
    same = (device, inode) == (str(facts.st_dev), str(facts.st_ino))
    return Clone(made, same or _is_same(path, inode, facts.st_ino, found.get("kind", "")))


def known(common_dir: str) -> str:
    """Return the id by which this clone's records are told; empty: it has none, or is a copy."""
    found = read(common_dir)
    return found.id if found is not None and found.proved else ""


def may_own(common_dir: str, *, shared: bool) -> Callable[[str | None], bool]:
    """Return what tells whether a record may be this clone's, by the clone that it names.

    On a board that is `shared` with other clones it names this one. On any other it may name none,
    as versions before did; and where this clone cannot prove its id, all there is may be its own.
    """
    found = read(common_dir)
    if shared:
        return ((found.id,) if found is not None and found.id else ()).__contains__
    if found is None or not found.proved:
        return lambda _: True
    return (None, "", found.id).__contains__


def of_private(git_dir: str) -> str:
    """Return :func:`known` for the repository of a private git dir."""
    return known(sharing.common_dir(git_dir))


def own(common_dir: str) -> str:
    """Return :func:`known` for a record to be written, after making an id where there is none.

    Empty where none can be made: such a record reads like those of versions before.
    """
    if read(common_dir) is None:
        try:
            _make(common_dir)
        except OSError:
            return ""
    return known(common_dir)


def settle(common_dir: str, made: str = "") -> str:
    """Write down that this is the clone `made`, by default a new one; return its id.

    Raises:
        OSError: the common git dir cannot be written.
    """
    made = made or _random()
    path = os.path.join(common_dir, FILE)
    temp = _written(path, made, sharing.of(common_dir))
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rename(path, f"{path}.{os.urandom(4).hex()}")  # none of ours; a file takes its place
        os.replace(temp, path)
    except OSError:
        publish.forget(temp)
        raise
    return made


def lock(common_dir: str) -> publish.lock:
    """Return the lock under which it is settled what clone this is."""
    return publish.lock(os.path.join(common_dir, _LOCK), sharing.of(common_dir))


def is_id(text: str) -> bool:
    """Tell whether `text` can be the id of a clone."""
    return len(text) == _LENGTH and not text.strip("0123456789abcdef")


def _random() -> str:
    return os.urandom(_LENGTH // 2).hex()


@functools.cache  # the table of mounts is read once a command
def _is_same(path: str, recorded: str, inode: int, made_on: str) -> bool:
    """Tell whether the file may be the one that was made, though its device is another.

    Devices are numbered anew at each boot and mount. An overlay shows the inodes of what lies
    below, and keeps to itself what is written: to the board below it is a copy.
    """
    kind = mounts.kind(path)
    if kind == mounts.OVERLAY and made_on not in {"", kind}:
        return False
    return str(inode) == recorded or not mounts.keeps_numbers(kind)


def _make(common_dir: str) -> None:
    """Make the id, once, whoever else does at the same moment."""
    path, share = os.path.join(common_dir, FILE), sharing.of(common_dir)
    sharing.folders(os.path.dirname(path), sharing.of_folder(common_dir))
    temp = _written(path, _random(), share)
    try:
        if publish.link(temp, path) is None:  # no hard links here
            with lock(common_dir):
                if not os.path.lexists(path):
                    os.rename(temp, path)
    finally:
        publish.forget(temp)
    publish.sync_folder(path)


def _written(path: str, made: str, share: int) -> str:
    """Return a temporary file beside `path` that names itself."""
    temp = publish.written(path, b"", share=share)
    facts = os.stat(temp)
    said = {"id": made, "device": facts.st_dev, "inode": facts.st_ino, "kind": mounts.kind(temp)}
    lines = [_HEAD, *(f"{key} {text}" for key, text in said.items()), "end", ""]
    try:
        peerfile.append(temp, "\n".join(lines).encode())
    except OSError:
        publish.forget(temp)
        raise
    return temp
