"""Secrets: a password out of ``git credential`` or a file of one's own, and the token it gave.

A token is worth a password for as long as the server keeps it, so both files are the owner's alone.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from coord.base import peerfile, publish
from coord.base.failures import Denied, Unfit
from coord.repo import child, git

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.etcd.address import Address
    from coord.etcd.wire import End

_MOST = 4096
# Nobody may be asked: a worker's terminal has no person before it, or one who types elsewhere.
_SILENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": ""}


def password(address: Address, cwd: str, end: End) -> str:
    """Return the password of the user of `address`.

    Raises:
        Unfit: the file is not there, or others may read it.
        Denied: ``git credential`` knows none.
    """
    if not address.password_file:
        return _of_git(address, cwd, end)
    try:
        return _own(address.password_file).decode().removesuffix("\n")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise Unfit(address.password_file, f"the file with the password: {said}") from error


def _of_git(address: Address, cwd: str, end: End) -> str:
    where = str(address.endpoints[0])
    asked = {
        "protocol": "etcds" if address.tls else "etcd",
        "host": where,
        "username": address.user,
    }
    stdin = "".join(f"{name}={text}\n" for name, text in asked.items()) + "\n"
    argv = ("git", "-C", cwd, "-c", "core.askPass=", "credential", "fill")
    try:
        code, out, _ = child.run(argv, {**git.elsewhere(), **_SILENT}, stdin.encode(), end.left)
    except OSError as error:
        raise Unfit(where, f"git credential: {error.strerror}") from error
    for line in out.decode("utf-8", "replace").splitlines() if not code else ():
        name, _, text = line.partition("=")
        if name == "password":
            return text
    raise Denied(where, f"git credential knows no password of {address.user} for it")


def kept_token(path: str, key: str) -> str:
    """Return the token that :func:`keep_token` left for `key`; empty where there is none."""
    try:
        document = json.loads(_own(path))
    except (OSError, ValueError, RecursionError):
        return ""
    token = document.get(key) if isinstance(document, dict) else None
    return token if isinstance(token, str) and is_token(token) else ""


def keep_token(path: str, key: str, token: str) -> None:
    """Leave a token for the next command; where that cannot be, it asks for one of its own."""
    known: Mapping[str, str] = {key: token}
    try:
        publish.replace(path, json.dumps(known).encode(), 0o600)
    except OSError:
        return


def is_token(text: str) -> bool:
    """Tell whether `text` can stand in a header, and end no line of it."""
    return 0 < len(text) <= _MOST and text.isascii() and text.isprintable()


def _own(path: str) -> bytes:
    """Return a file that its owner alone can read.

    Raises:
        OSError: it is not there, or another's, or not its owner's alone.
    """
    facts = os.stat(path, follow_symlinks=False)
    if facts.st_uid not in {0, os.geteuid()} or stat.S_IMODE(facts.st_mode) & 0o077:
        raise PermissionError(1, "others may read or write it; chmod 600 makes it yours", path)
    return peerfile.read(path, _MOST)
