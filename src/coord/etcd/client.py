"""Calls to a cluster: its endpoints in turn within one deadline, as one user.

A call whose answer was lost is made again, elsewhere or over a new connection, with the same bytes;
so whoever calls must make that safe: etcd runs a transaction of compare and put as often as it is
sent, and the compare lets the second one do nothing. The answer says that it may be the second.
"""

from __future__ import annotations

import _thread
import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Absent, Denied, Failure, Lost, Refused, TooLarge, Unfit
from coord.etcd import wire

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from coord.etcd.address import Address
    from coord.etcd.wire import Answer, End, Link

PATIENCE = 10.0
MOST = 32 << 20  # bytes of one answer
_CONNECT = 1.0  # seconds for an endpoint that has others beside it
_PAUSE = 0.05
_NOTE = 4096  # bytes; all that a watch says but an event is shorter
_SAID = 200  # characters of a server's own words
# Of gRPC (google.rpc.Code), in the bodies of errors.
_DENIED, _EXHAUSTED, _PRECONDITION, _UNAUTHENTICATED = 7, 8, 9, 16
_OK, _SERVER = 200, 500  # of HTTP: done; the server's own failures from here
_NOTHING_DONE = ("no leader", "too many requests")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = 719_468  # days from March 1st of the year 0, with which the leap day comes last


class Reply(NamedTuple):
    """What a call gave.

    Attributes:
        document: the answer.
        again: an earlier try of the same call may have been applied before.
    """

    document: dict[str, object]
    again: bool


class Client:
    """One user of one cluster; may be used by threads, and after a fork by both processes."""

    def __init__(self, address: Address, *, cache: str = "", cwd: str = "/") -> None:
        """Prepare; nothing is opened before the first call.

        Args:
            address: the cluster and the user.
            cache: file that keeps the token from one command to the next; empty for none.
            cwd: where ``git credential`` is asked.
        """
        self._address = address
        self._cache = cache
        self._cwd = cwd
        self._links: dict[tuple[int, int, int], Link] = {}
        self._first = 0  # the endpoint that answered last
        self._token = ""
        self._context: ssl.SSLContext | None = None
        self._ahead: float | None = None

    def close(self) -> None:
        """Close all connections."""
        while self._links:
            self._links.popitem()[1].close()

    @property
    def ahead(self) -> float | None:
        """How far the server's clock is ahead of our monotonic one, to a second; None not known.

        By the ``Date`` of a connection's first answer. Ours stands still while a machine sleeps,
        and no connection outlives that.
        """
        return self._ahead

    @ahead.setter
    def ahead(self, seconds: float | None) -> None:
        self._ahead = seconds

    def call(self, path: str, request: Mapping[str, object], end: End) -> Reply:
        """Send a request until it is answered.

        Raises:
            Failure: as :mod:`coord.base.failures` says; Lost if any of the tries was.
        """
        body = json.dumps(request).encode()
        lost: Failure | None = None
        failed: Failure
        hasty = len(self._address.endpoints) > 1
        while True:
            alive = False
            for number in range(len(self._address.endpoints)):
                try:
                    return Reply(
                        self._tried(number, path, body, end, hasty=hasty), lost is not None
                    )
                except Lost as error:
                    lost, failed, alive = lost or error, error, True
                except Absent as error:
                    failed, alive = error, alive or error.alive
                except Failure as error:
                    raise lost or error from error
            if end.left < _PAUSE or not (alive or hasty):
                raise lost or failed
            hasty = hasty and alive  # where all are slow to connect, each has its share of the time
            time.sleep(_PAUSE)

    def watch(self, request: Mapping[str, object], end: End) -> bool:
        """Wait until something is written that `request` asks for; False when the time is over.

        A hint: whoever is told True looks, and whoever is told False may have missed it.

        Raises:
            Failure: nobody keeps watch.
        """
        index = self._first
        link = wire.connect(self._address.endpoints[index], self._trust(), end)
        body = json.dumps({"create_request": request}).encode()
        token = self._known_token(index, end) if self._address.user else ""
        heard = b""
        try:
            for piece in link.follow("/v3/watch", body, token, end):
                *lines, rest = (heard.rpartition(b"\n")[2] + piece).split(b"\n")
                heard = b"\n" + rest
                if len(rest) > _NOTE or any(_watched(line, link.where, token) for line in lines):
                    return True
        except TooLarge:
            return True
        except Lost:
            if not heard or end.left:
                raise
            return False
        raise Absent(link.where, "it stopped to watch", alive=True)

    def _tried(
        self, number: int, path: str, body: bytes, end: End, *, hasty: bool
    ) -> dict[str, object]:
        """Ask one endpoint, over the connection there is or a new one; with a fresh token once.

        Where `hasty`, it must be there at once, since others stand beside it.

        Raises:
            Failure: see :meth:`call`.
        """
        count = len(self._address.endpoints)
        index, mine = (self._first + number) % count, end.share(count - number)
        self._link(index, min(mine, wire.within(_CONNECT)) if hasty else mine)
        if not self._address.user:
            found = self._asked(index, path, body, "", mine)
        else:
            try:
                found = self._asked(index, path, body, self._known_token(index, mine), mine)
            except _Stale:
                fresh = self._authenticated(index, mine)
                found = self._asked(index, path, body, fresh, mine)
        self._first = index
        return found

    def _asked(
        self, index: int, path: str, body: bytes, token: str, end: End, *, hidden: str = ""
    ) -> dict[str, object]:
        link = self._link(index, end)
        sent, used = time.monotonic(), link.used
        answer = link.post(path, body, token, end, MOST)
        if not used and (stamp := _seconds(answer.date)) is not None:
            self._ahead = stamp + 0.5 - (sent + time.monotonic()) / 2
        return _document(answer, link.where, hidden or token)

    def _link(self, index: int, end: End) -> Link:
        mine = (os.getpid(), _thread.get_ident(), index)
        for other in [key for key in list(self._links) if key[0] != mine[0]]:
            self._links.pop(other).close()  # the other process's, before the fork
        link = self._links.pop(mine, None)
        if link is None or not link.open:
            link = wire.connect(self._address.endpoints[index], self._trust(), end)
        self._links[mine] = link
        return link

    def _trust(self) -> ssl.SSLContext | None:
        if self._address.tls and self._context is None:
            from coord.etcd import trust  # noqa: PLC0415  # 10 ms that only TLS pays

            self._context = trust.context(self._address)
        return self._context

    def _known_token(self, index: int, end: End) -> str:
        from coord.etcd import secret  # noqa: PLC0415  # of no use to who is nobody there

        if not self._token and self._cache:
            self._token = secret.kept_token(self._cache, self._name)
        return self._token or self._authenticated(index, end)

    def _authenticated(self, index: int, end: End) -> str:
        """Return a token for the user's password, and keep it."""
        from coord.etcd import secret  # noqa: PLC0415  # likewise

        known = secret.password(self._address, self._cwd, end)
        body = json.dumps({"name": self._address.user, "password": known}).encode()
        try:
            found = self._asked(index, "/v3/auth/authenticate", body, "", end, hidden=known)
        except Lost as error:  # it changes nothing, whether applied or not
            raise Absent(error.where, error.why, alive=True) from error
        token, where = found.get("token"), str(self._address.endpoints[index])
        if not isinstance(token, str) or not secret.is_token(token):
            raise Unfit(where, "it gives no token for a password")
        self._token = token
        if self._cache:
            secret.keep_token(self._cache, self._name, token)
        return token

    @property
    def _name(self) -> str:
        """What a token is kept for: it is shown to no other server, nor for another user."""
        hosts = ",".join(map(str, self._address.endpoints))
        return f"{'etcds' if self._address.tls else 'etcd'}://{self._address.user}@{hosts}"


class _Stale(Denied):
    """The token is not, or no longer, known to the server; a fresh one may be."""


def _document(answer: Answer, where: str, hidden: str) -> dict[str, object]:
    """Return the JSON of an answer that says yes.

    Raises:
        Failure: it says no, or is none of etcd's.
    """
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if answer.status == _OK:
        if isinstance(found, dict):
            return found
        raise Lost(where, "the answer is not etcd's")
    if answer.status >= _SERVER:
        raise _of_server(found, where, answer.status, hidden)
    if not isinstance(found, dict) or not isinstance(found.get("code"), int):
        raise Unfit(where, f"no gateway of etcd answers there, but HTTP status {answer.status}")
    raise _of_caller(found["code"], _said(found, hidden), where)


def _watched(line: bytes, where: str, token: str) -> bool:
    """Tell whether a line of a watch's answer is an event, or that events were missed.

    Raises:
        Failure: the watch was refused.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    result = found.get("result") if isinstance(found, dict) else None
    if not isinstance(result, dict):
        raise Lost(where, _said(found, token) or "the answer is not etcd's")
    if result.get("events") or result.get("compact_revision"):
        return True
    if result.get("canceled"):
        raise Denied(where, str(result.get("cancel_reason", "it does not watch"))[:_SAID])
    return False


def _of_server(found: object, where: str, status: int, hidden: str) -> Failure:
    said = _said(found, hidden) or f"HTTP status {status}"
    if any(words in said for words in _NOTHING_DONE):
        return Absent(where, said, alive=True)
    return Lost(where, said)


def _of_caller(code: int, said: str, where: str) -> Failure:
    if code == _UNAUTHENTICATED or "auth store is old" in said:
        return _Stale(where, said)
    if code == _DENIED or "authentication failed" in said:
        return Denied(where, said)
    if code == _PRECONDITION and "not enabled" in said:
        return Unfit(where, f"{said}, so whoever reaches it can write there")
    if "user name is empty" in said:
        return Unfit(where, "it asks for a user, and the URL names none")
    if code == _EXHAUSTED and "too many" in said:
        return Absent(where, said, alive=True)
    return Refused(where, said, code)


def _said(found: object, hidden: str) -> str:
    """Return a server's own words, without the secret that it was told."""
    said = found.get("message") or found.get("error") if isinstance(found, dict) else None
    text = " ".join(said.split()) if isinstance(said, str) else ""
    return (text.replace(hidden, "…") if hidden else text)[:_SAID]


def _seconds(date: str) -> float | None:
    """Return the seconds since the epoch of a ``Date`` header (RFC 9110), None for no date.

    By hand: what the library has for it depends on the locale, or costs 20 ms.
    """
    words = date.replace(":", " ").split()
    try:
        _, day, name, year, hour, minute, second, _ = words
        month = (_MONTHS.index(name) - 2) % 12
        years = int(year) - (month > 9)  # noqa: PLR2004  # January and February end their year
        days = years * 365 + years // 4 - years // 100 + years // 400 + (153 * month + 2) // 5
        days += int(day) - 1 - _EPOCH
        return days * 86400.0 + int(hour) * 3600 + int(minute) * 60 + int(second)
    except (ValueError, OverflowError):
        return None
