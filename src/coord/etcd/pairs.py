"""Keys and values as etcd's gateway has them: requests as JSON, and what is read out of answers.

etcd leaves out what is zero or empty, and writes 64-bit numbers as strings.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Document = Mapping[str, object]
_MOST = (1 << 63) - 1  # of a 64-bit number with a sign, which these are
_DIGITS = len(str(_MOST))


class Pair(NamedTuple):
    """One key with its value.

    Attributes:
        key: the whole key.
        value: empty where only keys were asked for.
        rev: the revision of the cluster that wrote it.
    """

    key: bytes
    value: bytes
    rev: int


class Header(NamedTuple):
    """Of whose history an answer is, and up to which revision of it."""

    cluster: str
    rev: int


class Range(NamedTuple):
    """The answer to a range: what was found, up to the limit, and of how many."""

    pairs: list[Pair]
    more: bool
    total: int
    header: Header


class Done(NamedTuple):
    """The answer to a transaction: whether its comparisons held, and what its reads found."""

    held: bool
    ranges: list[Range]
    header: Header


def one(key: bytes) -> dict[str, object]:
    """Return the request for one key."""
    return {"key": _text(key)}


def below(
    prefix: bytes, start: bytes = b"", *, keys_only: bool = False, limit: int = 0
) -> dict[str, object]:
    """Return the request for the keys that begin with `prefix`, from `start` on, by their bytes."""
    asked: dict[str, object] = {"key": _text(start or prefix), "range_end": _text(_end(prefix))}
    if keys_only:
        asked["keys_only"] = True
    if limit:
        asked["limit"] = limit
    return asked


def count(prefix: bytes) -> dict[str, object]:
    """Return the request for the number of keys below `prefix` alone."""
    return {**below(prefix), "count_only": True}


def transaction(
    compare: Sequence[Document], then: Sequence[Document], otherwise: Sequence[Document] = ()
) -> dict[str, object]:
    """Return the request that does `then` if all of `compare` holds, and else `otherwise`."""
    return {"compare": compare, "success": then, "failure": otherwise}


def is_absent(key: bytes) -> Document:
    """Return the comparison that holds while nobody has created `key`."""
    return {"key": _text(key), "target": "CREATE", "result": "EQUAL", "create_revision": "0"}


def is_there(key: bytes) -> Document:
    """Return the comparison that holds while there is `key`."""
    return {"key": _text(key), "target": "CREATE", "result": "GREATER", "create_revision": "0"}


def is_empty(prefix: bytes) -> Document:
    """Return the comparison that holds while no key begins with `prefix`."""
    return {**is_absent(prefix), "range_end": _text(_end(prefix))}


def is_at(key: bytes, rev: int) -> Document:
    """Return the comparison that holds while `key` is as revision `rev` wrote it."""
    return {"key": _text(key), "target": "MOD", "result": "EQUAL", "mod_revision": str(rev)}


def put(key: bytes, value: bytes) -> Document:
    """Return the operation that writes `key`."""
    return {"request_put": {"key": _text(key), "value": _text(value)}}


def get(request: Document) -> Document:
    """Return the operation that reads what `request` asks for."""
    return {"request_range": request}


def delete(key: bytes) -> Document:
    """Return the operation that deletes `key`."""
    return {"request_delete_range": {"key": _text(key)}}


def of_transaction(document: Document) -> Done:
    """Return what a transaction gave.

    Raises:
        ValueError: the answer is not of etcd's form.
    """
    found = [one.get("response_range") for one in _documents(document.get("responses"))]
    header = _header(document)
    ranges = [_range(one, header) for one in found if isinstance(one, dict)]
    return Done(document.get("succeeded") is True, ranges, header)


def of_range(document: Document) -> Range:
    """Return what a range found.

    Raises:
        ValueError: the answer is not of etcd's form.
    """
    return _range(document, _header(document))


def _range(document: Document, header: Header) -> Range:
    found = [_pair(one) for one in _documents(document.get("kvs"))]
    total = _number(document.get("count", "0"))
    return Range(found, document.get("more") is True, total, header)


def _header(document: Document) -> Header:
    found = document.get("header")
    header = found if isinstance(found, dict) else {}
    cluster = header.get("cluster_id")
    return Header(cluster if isinstance(cluster, str) else "", _number(header.get("revision")))


def _end(prefix: bytes) -> bytes:
    """Return the least key above all that begin with `prefix`."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def _pair(document: Document) -> Pair:
    rev = _number(document.get("mod_revision"))
    return Pair(_bytes(document.get("key")), _bytes(document.get("value", "")), rev)


def _documents(found: object) -> list[Document]:
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("no list of objects")
    return found


def _number(found: object) -> int:
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) <= _DIGITS:
        return min(int(found), _MOST)
    raise ValueError("no revision")


def _text(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _bytes(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("no bytes")  # noqa: TRY004  # whoever reads answers catches one kind
    return binascii.a2b_base64(text, strict_mode=True)
