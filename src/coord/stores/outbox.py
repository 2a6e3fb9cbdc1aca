"""What a server has not answered: records of this clone that are to be published, byte for byte.

    coord/outbox/<when>-<id>   {"schema": 1, "board", "key", "value", "after", "also", "actor",
                                "instance", "words", "at", "sent"}

Each is one file, absent or whole. The bytes hold the record's nonce, so whoever publishes them does
so once, whoever else has done it before. They go to the board that they were meant for.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from coord.base import peerfile, publish, sharing
from coord.base.frozen import NamedTuple
from coord.stores import keys
from coord.stores.recordfile import MAX_VALUE
from coord.stores.store import Pending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from coord.identity.whoami import Identity

_KINDS = ("claims/", "letters/", "posted/")
_MOST = 16 * MAX_VALUE


class Entry(NamedTuple):
    """A record that is to be published.

    Attributes:
        path: its file here.
        pending: the record and what goes along.
        board: epoch of the board that it is meant for.
        actor: who left it, by name.
        instance: who left it.
        words: what was typed, after ``git coord``.
        at: when, in seconds since the epoch.
        sent: whether the server may have it already.
    """

    path: str
    pending: Pending
    board: str
    actor: str
    instance: str
    words: str
    at: float
    sent: bool

    @property
    def id(self) -> str:
        """A name that no other has."""
        return os.path.basename(self.path).rpartition("-")[2]

    @property
    def folder(self) -> str:
        """The prefix of the record's key."""
        return self.pending.key.rpartition("/")[0]


def folder(common_dir: str) -> str:
    """Return where a clone keeps them."""
    return os.path.join(common_dir, "coord", "outbox")


def lock(common_dir: str) -> AbstractContextManager[object]:
    """Keep others of the clone from publishing what is here, or taking it back, for a block."""
    return publish.lock(f"{folder(common_dir)}/lock", sharing.of(common_dir))


def unsettled(common_dir: str, instance: str | None) -> set[str]:
    """Return the folders of which an instance has records here: nothing may overtake those."""
    return {one.folder for one in every(common_dir) if one.instance == instance}


def takes(pending: Pending) -> bool:
    """Tell whether a record may be published later: a change of a scope, or words to somebody."""
    return pending.key.startswith(_KINDS)


def add(
    common_dir: str, pending: Pending, *, board: str, me: Identity, words: str, sent: bool
) -> None:
    """Write a record down; it survives a power cut when this returns.

    Raises:
        OSError: that cannot be.
    """
    name = f"{time.time_ns():020d}-{os.urandom(8).hex()}"
    path = os.path.join(folder(common_dir), name)
    made = Entry(path, pending, board, me.actor, me.instance or "", words, time.time(), sent)
    place, share = folder(common_dir), sharing.of(common_dir)
    sharing.folders(place, share)
    publish.sync_folder(place)
    publish.create(path, _encode(made), share=share)


def send(common_dir: str, entry: Entry) -> None:
    """Write down that the server may have a record from now on.

    Raises:
        OSError: that cannot be.
    """
    if not entry.sent:
        publish.replace(
            entry.path, _encode(entry._replace(sent=True)), share=sharing.of(common_dir)
        )


def names(common_dir: str) -> list[str]:
    """Return the files of them, the oldest first, those among them that cannot be read too."""
    try:
        found = os.listdir(folder(common_dir))
    except FileNotFoundError:
        return []
    return sorted(name for name in found if name[:1].isdigit() and ".tmp-" not in name)


def every(common_dir: str) -> Iterator[Entry]:
    """Yield them, the oldest first; what cannot be read is passed over, and stays.

    Raises:
        OSError: the folder cannot be read.
    """
    for name in names(common_dir):
        found = _read(os.path.join(folder(common_dir), name))
        if found is not None:
            yield found


def unreadable(common_dir: str) -> list[str]:
    """Return the paths of what stands among them and is none that can be read, the oldest first.

    Raises:
        OSError: the folder cannot be read.
    """
    paths = [os.path.join(folder(common_dir), name) for name in names(common_dir)]
    # Another may have settled it since it was listed.
    return [path for path in paths if _read(path) is None and os.path.lexists(path)]


def since(name: str) -> float:
    """Return when a file of theirs was made, in seconds since the epoch."""
    digits = name.partition("-")[0]
    return int(digits) / 1e9 if digits.isascii() and digits.isdigit() else 0.0


def drop(entry: Entry) -> None:
    """Forget a record that was settled; a power cut may bring it back, to be settled again."""
    publish.drop(entry.path)


def _encode(entry: Entry) -> bytes:
    key, value, after, also = entry.pending
    document = {
        "schema": 1,
        "board": entry.board,
        "key": key,
        "value": value.decode("latin-1"),
        "after": after,
        "also": [[name, text.decode("latin-1")] for name, text in also],
        "actor": entry.actor,
        "instance": entry.instance,
        "words": entry.words,
        "at": entry.at,
        "sent": entry.sent,
    }
    return json.dumps(document).encode() + b"\n"


def _read(path: str) -> Entry | None:
    try:
        found = json.loads(peerfile.read(path, _MOST))
        pending = Pending(
            found["key"],
            found["value"].encode("latin-1"),
            found["after"],
            [(key, value.encode("latin-1")) for key, value in found["also"]],
        )
        texts = (found["board"], found["actor"], found["instance"], found["words"])
        entry = Entry(path, pending, *texts, float(found["at"]), bool(found["sent"]))
        names = [pending.key, *(key for key, _ in pending.also)]
        is_ours = takes(pending) and all(map(keys.is_key, names))
        fits = pending.after is None or keys.is_key(pending.after)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return entry if is_ours and fits and all(isinstance(text, str) for text in texts) else None
