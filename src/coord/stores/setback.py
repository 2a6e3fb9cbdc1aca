"""What a clone had read of a board on a server, and is not there any more: it was set back.

Restored from a backup, emptied, or moved by hand, a server has another history, in which what it
had acknowledged never was. The newest event of a scope goes only by a sweep, which leaves its mark,
and a number never does: so these tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.names import quote
from coord.stores import keys, retired, scopes
from coord.stores.store import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAMED = 5


def lost(known: Mapping[str, int], there: Mapping[str, int], upto: int) -> list[str]:
    """Return the folders of scopes and series that have lost something since.

    Args:
        known: what was read, key → the revision that wrote it.
        there: what is there, likewise.
        upto: the revision of which `known` is; what was written anew after it is no other history.
    """
    tops: dict[str, int] = {}
    for key in there:
        folder = key.rpartition("/")[0]
        tops[folder] = max(tops.get(folder, 0), keys.seq_of(key))
    mark = retired.highest(key for key in there if key.startswith(f"{retired.FOLDER}/"))
    found: dict[str, None] = {}
    for key, rev in known.items():
        kind, folder = key.partition("/")[0], key.rpartition("/")[0]
        is_gone = key not in there
        if kind == "claims":
            is_gone = is_gone and keys.seq_of(key) > tops.get(folder, mark)
        is_other = there.get(key, rev) != rev and there[key] <= upto
        if matters(key) and (is_gone or is_other):
            found[folder] = None
    return list(found)


def matters(key: str) -> bool:
    """Tell whether a record that is gone may be missed: of a scope, or a number."""
    return key.startswith(("claims/", "ids/"))


def error(folders: Iterable[str], where: str, url: str) -> Misconfigured:
    """Return that a board was set back, with what is gone by name, and how to go on with it."""
    names = [
        scopes.shown(keys.guessed(folder.rpartition("/")[2]))
        for folder in sorted(folders)
        if folder.startswith("claims/")
    ]
    series = sum(1 for folder in folders if folder.startswith("ids/"))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    said = [f"of {', '.join(names[:_NAMED])}{more}"] if names else []
    said += [f"numbers of {series} series"] if series else []
    return Misconfigured(
        "store-set-back",
        "the board was set back: what stood on it is not there any more",
        where=where,
        why=f"gone is what this clone has read {', and '.join(said)}; who goes on with the board "
        "as it is claims these anew",
        run=f"git coord store use {quote(url)}",
    )
