"""Where a board is kept, and how its server is reached: a URL without a secret.

``etcd://[USER@]HOST[:PORT][,HOST[:PORT]…]/PREFIX``, and ``etcds://`` for TLS. The members of one
cluster are named one beside the other; the prefix is the room of one board among its keys.
"""

from __future__ import annotations

from typing import NamedTuple

_PORT = 2379  # IANA's for etcd's clients
_SCHEMES = {"etcd": False, "etcds": True}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_HOST = _LETTERS | frozenset(".-_")
_LITERAL = frozenset("0123456789abcdefABCDEF:.")
_NAME = _LETTERS | frozenset("._-")
_PORTS = range(1, 1 << 16)
_DIGITS = 5
_LONGEST = 512


class Endpoint(NamedTuple):
    """One member of the cluster."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Address(NamedTuple):
    """One board on one cluster.

    Attributes:
        endpoints: the members, in the order in which they are asked.
        prefix: of its keys, without slashes at the ends.
        user: who we are there; empty where the server asks nobody.
        tls: whether it is spoken to in TLS alone.
        ca: file of the authority to trust; empty for the system's.
        cert: file of the certificate that is shown to the server, its key in it or in `key`.
        key: see `cert`.
        password_file: file with the user's password; empty for ``git credential``.
    """

    endpoints: tuple[Endpoint, ...]
    prefix: str
    user: str = ""
    tls: bool = False
    ca: str = ""
    cert: str = ""
    key: str = ""
    password_file: str = ""


def parsed(url: str) -> Address:
    """Return the address that a URL names.

    Raises:
        ValueError: it names none, or holds what may be a secret; the URL is not in the message.
    """
    scheme, found, rest = url.partition("://")
    if not found or scheme not in _SCHEMES:
        raise ValueError("a store is named etcd://HOST/PREFIX, or etcds://HOST/PREFIX for TLS")
    if len(url) > _LONGEST:
        raise ValueError(f"the URL is longer than {_LONGEST} characters")
    if any(char in rest for char in "?#"):
        raise ValueError("a URL that is recorded holds no query, where secrets would stand")
    hosts, _, prefix = rest.partition("/")
    user, _, hosts = hosts.rpartition("@")
    if ":" in user or "@" in user:
        raise ValueError("a URL that is recorded holds no password; git credential can keep it")
    if user and not _is_name(user, _NAME):
        raise ValueError("the user's name has other characters than letters, digits and . _ -")
    endpoints = tuple(_endpoint(text) for text in hosts.split(","))
    return Address(endpoints, _prefix(prefix), user, _SCHEMES[scheme])


def _prefix(text: str) -> str:
    parts = text.removesuffix("/").split("/")
    if not all(_is_name(part, _NAME) for part in parts):
        raise ValueError("the URL ends in no prefix of letters, digits, . _ - and /")
    return "/".join(parts)


def _endpoint(text: str) -> Endpoint:
    if text.startswith("["):
        host, closed, port = text[1:].partition("]")
        port = port if closed else "-"
        allowed = _LITERAL
    else:
        host, colon, port = text.partition(":")
        port, allowed = colon + port, _HOST
    port = port or f":{_PORT}"
    digits = port.removeprefix(":")
    is_port = port[0] == ":" and digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS
    if not _is_name(host, allowed) or not is_port or int(digits) not in _PORTS:
        raise ValueError("the URL names no host, or no port that can be")
    return Endpoint(host, int(digits))


def _is_name(text: str, allowed: frozenset[str]) -> bool:
    # What begins with a dash would be an option of some command that is handed it.
    return bool(text) and allowed.issuperset(text) and text[0] != "-"
