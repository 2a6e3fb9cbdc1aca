"""Which board a clone has chosen elsewhere: kept where sandboxes of agents may not write.

Chosen for each clone and never by what is committed: a branch that is fetched would send the board
elsewhere, and two worktrees could stand on two boards.

    hooks/coord/store   {"schema": 1, "url", "ca", "cert", "key", "password_file", "remote", "rate",
                         "epoch"}
"""

from __future__ import annotations

import json
import math
import os
import re

from coord.base import peerfile, publish, sharing
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.stores.store import Misconfigured

PACE = 6.0  # pushes a minute, which is what GitHub recommends for one repository
_URL = re.compile(rb'"url"\s*:\s*"([^"\\\s]+)"')
_UNKNOWN = "which board is this clone's cannot be told"
_TEXTS = ("url", "ca", "cert", "key", "password_file", "remote", "epoch")


class Torn(Misconfigured):
    """A clone's choice can be read, and says nothing that can be followed."""


class Choice(NamedTuple):
    """A board on a server or a git remote.

    Attributes:
        url: as :mod:`coord.stores.engine` reads it, without a secret.
        ca: file of the authority to trust in TLS; empty for the system's.
        cert: file of the certificate that is shown to the server.
        key: its key, where that is in a file of its own.
        password_file: file with the user's password; empty for ``git credential``.
        remote: the remote by which a git URL was named; what it becomes later is not followed.
        epoch: what the board called itself when it was chosen; another one is another board.
        rate: how many pushes a minute all clones of a board on a git remote may make together; 0
            for any number, None where nobody has said.
    """

    url: str
    ca: str = ""
    cert: str = ""
    key: str = ""
    password_file: str = ""
    remote: str = ""
    epoch: str = ""
    rate: float | None = None

    @property
    def pace(self) -> float:
        """The rate that holds: as it was said, or :data:`PACE`."""
        return PACE if self.rate is None else self.rate


def path(common_dir: str) -> str:
    """Return the file that holds a clone's choice."""
    return os.path.join(common_dir, "hooks", "coord", "store")


def read(common_dir: str) -> Choice | None:
    """Return what a clone has chosen; None where its board is in its git dir.

    Raises:
        Misconfigured: the file says nothing that can be followed. Two boards would be the end of
            both, so nothing is made up in its place.
    """
    place = path(common_dir)
    try:
        text = peerfile.read(place)
    except FileNotFoundError:
        return None
    except peerfile.Unfit as error:
        raise _torn(place, b"", str(error.strerror)) from error
    except OSError as error:
        raise _closed(place, error) from error
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _torn(place, text, "it is no JSON") from error
    if not isinstance(found, dict) or not found.get("url"):
        raise _torn(place, text, "it names no board")
    if not all(isinstance(found.get(name, ""), str) for name in _TEXTS):
        raise _torn(place, text, "a value of it is no text")
    rate = found.get("rate")
    if not (rate is None or is_rate(rate)):
        raise _torn(place, text, "its rate is no number of pushes a minute")
    return Choice(**{name: found.get(name, "") for name in _TEXTS}, rate=rate)


def is_rate(found: object) -> bool:
    """Tell whether something says how many pushes there may be in a minute."""
    if not isinstance(found, int | float) or isinstance(found, bool):
        return False
    return math.isfinite(found) and found >= 0


def write(common_dir: str, chosen: Choice) -> None:
    """Choose a board for a clone.

    Raises:
        OSError: ``hooks/coord`` cannot be written.
    """
    said = {name: value for name, value in chosen._asdict().items() if value not in {"", None}}
    document = {"schema": 1, **said}
    text = json.dumps(document, indent=1).encode() + b"\n"
    place = path(common_dir)
    if os.path.isdir(place):
        publish.drop(place)
    publish.replace(place, text, share=sharing.as_config(common_dir))


def drop(common_dir: str) -> None:
    """Go back to the board in the git dir."""
    publish.drop(path(common_dir))


def unfit(where: str, why: str) -> Misconfigured:
    """Return that a choice names no board, and how another is made."""
    run = f"git coord store use {quote('etcd://HOST/PREFIX')}"
    return Misconfigured("store-unusable", _UNKNOWN, where=where, why=why, run=run)


def _torn(where: str, text: bytes, why: str) -> Torn:
    """Return that a choice is to be made again: of the board that it still names, else of none."""
    found = _URL.search(text)
    url = found.group(1).decode(errors="replace") if found else ""
    run = f"git coord store use {quote(url)}"
    if not _names_board(url):
        why = f"{why}, so name the board that it was to be, or leave it"
        run = "git coord store use local --force"
    return Torn("store-unusable", _UNKNOWN, where=where, why=why, run=run)


def _names_board(url: str) -> bool:
    from coord.etcd import address as servers  # noqa: PLC0415  # after a failure alone
    from coord.remote import address as repositories  # noqa: PLC0415  # likewise

    parsed = repositories.parsed if url.startswith(repositories.SCHEME) else servers.parsed
    try:
        parsed(url)
    except ValueError:
        return False
    return True


def _closed(where: str, error: OSError) -> Misconfigured:
    run = f"ls -ld {quote(where)}"
    why = error.strerror or str(error)
    return Misconfigured("store-unusable", _UNKNOWN, where=where, why=why, run=run)
