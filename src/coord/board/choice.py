"""Which server a clone has chosen for its board: kept where sandboxes of agents may not write.

Chosen for each clone and never by what is committed: a branch that is fetched would send the board
elsewhere, and two worktrees could stand on two boards.

    hooks/coord/store   {"schema": 1, "url", "ca", "cert", "key", "password_file", "epoch"}
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from coord.base import peerfile, publish, sharing
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.board.store import Misconfigured

if TYPE_CHECKING:
    from coord.etcd.address import Address

_URL = re.compile(rb'"url"\s*:\s*"([^"\\\s]+)"')
_UNKNOWN = "which board is this clone's cannot be told"
_TEXTS = ("url", "ca", "cert", "key", "password_file", "epoch")


class Torn(Misconfigured):
    """A clone's choice can be read, and says nothing that can be followed."""


class Choice(NamedTuple):
    """A board on a server.

    Attributes:
        url: as :func:`coord.etcd.address.parsed` reads it, without a secret.
        ca: file of the authority to trust in TLS; empty for the system's.
        cert: file of the certificate that is shown to the server.
        key: its key, where that is in a file of its own.
        password_file: file with the user's password; empty for ``git credential``.
        epoch: what the board called itself when it was chosen; another one is another board.
    """

    url: str
    ca: str = ""
    cert: str = ""
    key: str = ""
    password_file: str = ""
    epoch: str = ""

    @property
    def address(self) -> Address:
        """The server, and the prefix of the board's keys.

        Raises:
            Misconfigured: the URL names none.
        """
        from coord.etcd import address  # noqa: PLC0415  # most boards are files

        try:
            found = address.parsed(self.url)
        except ValueError as error:
            raise _unfit(self.url, str(error)) from error
        return found._replace(
            ca=self.ca, cert=self.cert, key=self.key, password_file=self.password_file
        )


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
        raise _torn(place, text, "it names no server")
    if not all(isinstance(found.get(name, ""), str) for name in _TEXTS):
        raise _torn(place, text, "a value of it is no text")
    return Choice(*(found.get(name, "") for name in _TEXTS))


def write(common_dir: str, chosen: Choice) -> None:
    """Choose a server for a clone.

    Raises:
        OSError: ``hooks/coord`` cannot be written.
    """
    document = {"schema": 1, **{name: text for name, text in chosen._asdict().items() if text}}
    text = json.dumps(document, indent=1).encode() + b"\n"
    place = path(common_dir)
    if os.path.isdir(place):
        publish.drop(place)
    publish.replace(place, text, share=sharing.as_config(common_dir))


def drop(common_dir: str) -> None:
    """Go back to the board in the git dir."""
    publish.drop(path(common_dir))


def _unfit(where: str, why: str) -> Misconfigured:
    run = f"git coord store use {quote('etcd://HOST/PREFIX')}"
    return Misconfigured("store-unusable", _UNKNOWN, where=where, why=why, run=run)


def _torn(where: str, text: bytes, why: str) -> Torn:
    """Return that a choice is to be made again: of the server that it still names, else of none."""
    from coord.etcd import address  # noqa: PLC0415  # after a failure alone

    found = _URL.search(text)
    url = found.group(1).decode(errors="replace") if found else ""
    try:
        address.parsed(url)
        run = f"git coord store use {quote(url)}"
    except ValueError:
        why = f"{why}, so name the server that it was to be, or leave it"
        run = "git coord store use local --force"
    return Torn("store-unusable", _UNKNOWN, where=where, why=why, run=run)


def _closed(where: str, error: OSError) -> Misconfigured:
    run = f"ls -ld {quote(where)}"
    why = error.strerror or str(error)
    return Misconfigured("store-unusable", _UNKNOWN, where=where, why=why, run=run)
