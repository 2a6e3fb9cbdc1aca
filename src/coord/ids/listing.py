"""``id list``: every identifier, whose it is, and where it is known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.history.blobs import Blobs
from coord.history.door import Door
from coord.ids import claim, said, series
from coord.ids.sources import HERE, survey
from coord.repo import heads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.ids.sources import Survey
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store

_SHOWN = 3  # branches in a row


class Row(NamedTuple):
    """One identifier.

    Attributes:
        namespace: its folder.
        id: the name of its file.
        path: from the top level; None for one that is only reserved.
        actor: whose it is.
        created: when it was claimed, as its file says; None where it does not.
        state: ``committed``, ``uncommitted`` or ``reserved``.
        branches: where it is committed.
    """

    namespace: str
    id: str
    path: str | None
    actor: str
    created: str | None
    state: str
    branches: tuple[str, ...] = ()


def rows(here: Worktree, store: Store, namespace: str | None) -> list[Row]:
    """Return the identifiers of a namespace, or of all, in order.

    Raises:
        GitError: git cannot read the repository.
        StoreError: the board cannot be read.
    """
    seen = survey(here, claim.FOLDER)
    found = [*_committed(here, seen), *_loose(seen)]
    names = {row.namespace for row in found} | ({namespace} if namespace else set())
    wanted = {name for name in names if not namespace or name.casefold() == namespace.casefold()}
    for name in wanted:
        reserved = list(_reserved(here, store, name))
        known = {row.id.casefold() for row in found} if reserved else set()
        found += [row for row in reserved if row.id.casefold() not in known]
    return sorted((row for row in found if row.namespace in wanted), key=_order)


def _order(row: Row) -> tuple[object, ...]:
    """Return what sorts a row; no date is before any, where all else is one."""
    return row if row.created is not None else (*row[:4], "", *row[5:])


def lines(found: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a person reads them."""
    wide = max((len(row.id) for row in found), default=0)
    whose = max((len(row.actor) for row in found), default=0)
    for _, id_, _, actor, _, state, branches in found:
        where = ", ".join(branches[:_SHOWN]) or state
        more = len(branches) - _SHOWN
        yield f"{id_:{wide}}  {actor:{whose}}  {where}{f', {more} more' if more > 0 else ''}"


def _committed(here: Worktree, seen: Survey) -> Iterator[Row]:
    where = seen.held()
    with Blobs(Door(here.cwd)) as blobs:
        claims = said.read(blobs, (blob for _, blob in where), here.common_dir)
    branch, staged = _branch(here), _staged(here)
    names = [source.name or branch for source in seen.sources]
    branches = {places: tuple(names[place] for place in places) for places in set(where.values())}
    here_alone = (0,) if seen.sources and seen.sources[0].name == HERE else None
    claimants, created = claims.claimant, claims.created
    full = os.fsdecode(b"\0".join(path for path, _ in where)).split("\0")
    for text, ((path, blob), places) in zip(full, where.items(), strict=False):
        found = branches[places]
        if places == here_alone and (staged is None or staged.get(path, blob) != blob):
            found = ()
        yield _row(text, claimants[blob], created[blob], found)


def _staged(here: Worktree) -> dict[bytes, str] | None:
    """Return path → blob of HEAD, zeros for none, where another is staged; None without HEAD."""
    ask = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "HEAD", "--")
    done = Door(here.cwd).ask(*ask, f":(top,literal){claim.FOLDER}")
    parts = done.out.split(b"\0")
    found = zip(parts[::2], parts[1::2], strict=False)  # ``:MODE MODE BLOB BLOB LETTER``, path
    return None if done.code else {path: raw.split(b" ")[2].decode() for raw, path in found}


def _branch(here: Worktree) -> str:
    return heads.checked_out(here.cwd) or "HEAD"


def _loose(seen: Survey) -> Iterator[Row]:
    for path, top in seen.loose.items():
        try:
            text = peerfile.head(os.path.join(top, os.fsdecode(path)), claim.LIMIT)
        except OSError:
            continue
        yield _row(os.fsdecode(path), claim.claimant(text), claim.fields(text).get("created"), ())


def _row(path: str, actor: str, created: str | None, branches: tuple[str, ...]) -> Row:
    namespace, _, name = path[len(claim.FOLDER) + 1 :].rpartition("/")
    state = "committed" if branches else "uncommitted"
    return Row(namespace, name.removesuffix(claim.SUFFIX), path, actor, created, state, branches)


def _reserved(here: Worktree, store: Store, namespace: str) -> Iterator[Row]:
    counted = series.of_namespace(here.top, namespace)
    for one in series.reserved(store, counted):
        text = counted.format.text(one.number)
        yield Row(namespace, text, None, one.actor or "unknown", one.at or None, "reserved")
