"""Actors on the board: who ever worked here, so that a removed worktree's claims can be told.

    actors/<instance>   {"schema": 1, "actor", "instance", "home", "host", "created",
                         "clone"}

``home`` is the private git dir relative to the common one, so that it holds after a move: in the
clone that is named, of another nothing is looked for here. Versions before named none.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from coord.base import peerjson
from coord.base.frozen import NamedTuple
from coord.identity import pin
from coord.liveness import clone
from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.stores.store import Rec, Store


_NO_NAMES = frozenset({"", ".", ".."})


class Actor(NamedTuple):
    """One instance that was here.

    Attributes:
        actor: readable name.
        instance: what owns.
        home: private git dir relative to the common one; ``.`` for the main worktree.
        host: machine it was pinned on.
        created: when, RFC 3339.
        clone: id of the clone it works in, empty where that was not written down.
        at: when it came to the board, by the store's clock.
        rev: the place of its record in the board's sequence, if it has one.
    """

    actor: str
    instance: str
    home: str
    host: str
    created: str
    clone: str = ""
    at: float | None = None
    rev: int | None = None


_REQUIRED = Actor._fields[:-3]


def home_of(git_dir: str, common_dir: str) -> str:
    """Return a private git dir as it is kept in a record."""
    return os.path.relpath(git_dir, common_dir)


def enrol(store: Store, actor: Actor, common_dir: str) -> None:
    """Record an actor of this clone, once."""
    if not is_on(store, actor.instance):
        store.create(*record(actor, common_dir))


def is_on(store: Store, instance: str) -> bool:
    """Tell whether an instance is on the roll; what once was is not changed."""
    with store.unrefreshed():
        return store.read(keys.actor(instance)) is not None


def record(actor: Actor, common_dir: str) -> tuple[str, bytes]:
    """Return the record of an actor of this clone, key and value."""
    document = {"schema": 1, **{name: getattr(actor, name) for name in _REQUIRED}}
    made = clone.own(common_dir)
    if made:
        document["clone"] = made
    return keys.actor(actor.instance), json.dumps(document).encode() + b"\n"


def enrol_pinned(store: Store, common_dir: str) -> None:
    """Record whoever is pinned in a worktree now: hooks pin without a word to the board."""
    for git_dir, pinned in pin.live_pins(common_dir):
        home = home_of(git_dir, common_dir)
        known = Actor(pinned.actor, pinned.instance, home, pinned.host, pinned.created)
        enrol(store, known, common_dir)


def find(store: Store, instance: str) -> Actor | None:
    """Return the record of an instance, None when there is none to be read."""
    rec = store.read(keys.actor(instance))
    return None if rec is None else _decoded(rec)


def every(store: Store) -> Iterator[Actor]:
    """Yield every actor on the board; records that are none are passed over."""
    for rec in store.list("actors"):
        found = _decoded(rec)
        if found is not None:
            yield found


def _is_home(home: str) -> bool:
    """Tell whether this is a private git dir of this repository: files in there will be opened."""
    folder, _, name = home.partition("/")
    return home == "." or (folder == "worktrees" and name not in _NO_NAMES and "/" not in name)


def _decoded(rec: Rec) -> Actor | None:
    try:
        found = peerjson.document(rec.value)
        fields = {key: found[key] for key in _REQUIRED} | {"clone": found.get("clone") or ""}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    if not all(isinstance(text, str) for text in fields.values()) or not _is_home(fields["home"]):
        return None
    if keys.actor(fields["instance"]) != rec.key:
        return None
    return Actor(**fields, at=rec.at, rev=rec.rev)
