"""A server tried as a board: who answers, what it lets us do, and who else could.

Under the board's own prefix, where alone a role may let us; other copies see records that come and
go.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Denied, Failure, Unfit
from coord.base.names import quote
from coord.etcd import pairs, wire
from coord.etcd.client import Client
from coord.stores import about, answers
from coord.stores.probe import Probe, Trouble
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from coord.etcd.address import Address, Endpoint
    from coord.stores.store import Store

_RACERS, _ROUNDS, _READS = 4, 5, 9
_PATIENCE = 3.0  # seconds for a member, which may be one of several
_APART = 5.0  # seconds between clocks, of which less is nothing
_SHOWN = 40  # characters of what a server calls its version


class _Member(NamedTuple):
    """One of the servers that the URL names.

    Attributes:
        endpoint: where.
        version: what it runs, empty where it does not answer.
        leads: it is the leader.
        others: how many members the cluster has, 0 where it does not say.
        why: why it does not answer.
    """

    endpoint: Endpoint
    version: str
    leads: bool = False
    others: int = 0
    why: str = ""


def probe(store: Store, where: str, address: Address, cwd: str) -> Probe:
    """Try a cluster as a board.

    Args:
        store: the board there.
        where: how it is called.
        address: the cluster, and who we are there.
        cwd: where ``git credential`` is asked.
    """
    members = [_member(address, endpoint, cwd) for endpoint in address.endpoints]
    away = [_unreachable(address, one) for one in members if not one.version]
    facts = [_told(one) for one in members if one.version]
    if len(away) == len(members):
        return Probe(where, troubles=tuple(away))
    try:
        _written(store, where)
        odd = sum(_is_odd(store) for _ in range(_ROUNDS))
        facts += [_latency(store)]
        clock = _clock(store)
    except StoreError as error:
        return Probe(where, facts=tuple(facts), troubles=(*away, answers.trouble(error)))
    if odd:
        away.append(_not_atomic(where, odd))
    right = f"at {where}, of {_RACERS} who create one record at once, one wins"
    notes = [*_open(address, cwd), *([clock] if clock else [])]
    return Probe(where, "" if odd else right, tuple(facts), tuple(notes), tuple(away))


def _member(address: Address, endpoint: Endpoint, cwd: str) -> _Member:
    client = Client(address._replace(endpoints=(endpoint,)), cwd=cwd)
    try:
        status = client.call("/v3/maintenance/status", {}, wire.within(_PATIENCE)).document
        header = status.get("header")
        own = header.get("member_id") if isinstance(header, dict) else None
        leads = own is not None and own == status.get("leader")
        version = str(status.get("version"))[:_SHOWN]
        with contextlib.suppress(Failure):  # not everybody may ask
            listed = client.call("/v3/cluster/member/list", {}, wire.within(_PATIENCE)).document
            found = listed.get("members")
            return _Member(endpoint, version, leads, len(found) if isinstance(found, list) else 0)
        return _Member(endpoint, version, leads)
    except Failure as error:
        return _Member(endpoint, "", why=error.why)
    finally:
        client.close()


def _told(one: _Member) -> str:
    of = f", of {one.others} members" if one.others > 1 else ""
    return f"{one.endpoint} runs etcd {one.version}{of}{', and leads' if of and one.leads else ''}"


def _unreachable(address: Address, one: _Member) -> Trouble:
    """Return that a member does not answer, and the command that asks it without us."""
    scheme, files = ("https", address.ca) if address.tls else ("http", "")
    trust = f" --cacert {quote(files)}" if files else ""
    return Trouble(
        "store-unavailable",
        str(one.endpoint),
        f"it does not answer as a member of the board's cluster: {one.why}",
        f"curl -sS --max-time 5{trust} {scheme}://{one.endpoint}/version",
    )


def _written(store: Store, where: str) -> None:
    """Create a record, read it and delete it.

    Raises:
        StoreError: one of these cannot be done.
    """
    key, value = _scratch(), os.urandom(8).hex().encode()
    made = store.create(key, value)
    there = store.read(key)
    gone = store.delete(key, value)
    if there is None or {made.value, there.value} != {value} or not gone or store.read(key):
        raise answers.failed(Unfit(where, "it does not keep what it says it keeps"))


def _is_odd(store: Store) -> bool:
    """Tell whether of some who create one record at once, other than one has won."""
    key, start = _scratch(), Barrier(_RACERS)
    values = [b"%d" % number for number in range(_RACERS)]

    def create(value: bytes) -> bytes:
        start.wait()
        return store.create(key, value).value

    with ThreadPoolExecutor(_RACERS) as pool:
        tries = [pool.submit(create, value) for value in values]
    seen = {one.result() for one in tries if one.exception() is None}
    for value in seen:
        store.delete(key, value)
    for one in tries:
        one.result()
    return len(seen) != 1 or not seen <= set(values)


def _not_atomic(where: str, odd: int) -> Trouble:
    return Trouble(
        "store-not-atomic",
        where,
        f"of {_ROUNDS} records that {_RACERS} created at once, {odd} had not exactly one winner: "
        "claims there have two holders",
        "git coord store use local --force",
    )


def _scratch() -> str:
    return f"about/probe-{os.urandom(8).hex()}"


def _latency(store: Store) -> str:
    took = []
    for _ in range(_READS):
        begun = time.perf_counter()
        store.read(about.KEY)
        took.append(time.perf_counter() - begun)
    return f"a request takes {1000 * statistics.median(took):.1f} ms (median of {_READS})"


def _clock(store: Store) -> str:
    """Return that the server's clock is another than ours; empty where it is not."""
    apart = (store.now() or 0.0) - time.time()
    if abs(apart) < _APART:
        return ""
    than = "ahead of" if apart > 0 else "behind"
    return (
        f"the server's clock, by which ages are told, is {abs(apart):.0f} s {than} this machine's"
    )


def _open(address: Address, cwd: str) -> list[str]:
    """Return who else could come to the board, as far as a stranger's question tells."""
    nobody = address._replace(user="", cert="", key="", password_file="")
    stranger = Client(nobody, cwd=cwd)
    try:
        asked = pairs.count(f"{address.prefix}/".encode())
        stranger.call("/v3/kv/range", asked, wire.within(_PATIENCE))
    except (Denied, Unfit):
        if address.tls:
            return []
        return ["spoken to without TLS: the password, and all that is said, can be read"]
    except Failure:
        return []
    finally:
        stranger.close()
    tls = "in TLS, but " if address.tls else "without TLS, and "
    return [f"spoken to {tls}asks nobody for a password: who reaches it can rewrite the board"]
