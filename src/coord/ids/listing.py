"""``id list``: every identifier, whose it is, and where it is known."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.history.blobs import Blobs
from coord.history.door import Door
from coord.ids import claim, series
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
    return sorted(row for row in found if row.namespace in wanted)


def lines(found: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a person reads them."""
    wide = max((len(row.id) for row in found), default=0)
    whose = max((len(row.actor) for row in found), default=0)
    for row in found:
        where = ", ".join(row.branches[:_SHOWN]) or row.state
        more = len(row.branches) - _SHOWN
        yield f"{row.id:{wide}}  {row.actor:{whose}}  {where}{f', {more} more' if more > 0 else ''}"


def _committed(here: Worktree, seen: Survey) -> Iterator[Row]:
    where: dict[tuple[bytes, str], list[str]] = defaultdict(list)
    for source in seen.sources:
        for path, blob in source.files.items():
            where[path, blob].append(source.name)
    with Blobs(Door(here.cwd)) as blobs:
        texts = blobs.read_small(blob for _, blob in where)
        branch, staged = _branch(here), _staged(here)
        for (path, blob), names in where.items():
            fields = claim.fields(texts[blob])
            branches = [branch if name == HERE else name for name in names]
            if names == [HERE] and (staged is None or staged.get(path, blob) != blob):
                branches = []
            yield _row(path, claim.claimant(texts[blob], fields), fields.get("created"), branches)


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
        yield _row(path, claim.claimant(text), claim.fields(text).get("created"), [])


def _row(path: bytes, actor: str, created: str | None, branches: Sequence[str]) -> Row:
    full = os.fsdecode(path)
    namespace, _, name = full.removeprefix(claim.FOLDER + "/").rpartition("/")
    state = "committed" if branches else "uncommitted"
    text = name.removesuffix(claim.SUFFIX)
    return Row(namespace, text, full, actor, created, state, tuple(branches))


def _reserved(here: Worktree, store: Store, namespace: str) -> Iterator[Row]:
    counted = series.of_namespace(here.top, namespace)
    for one in series.reserved(store, counted):
        text = counted.format.text(one.number)
        yield Row(namespace, text, None, one.actor or "unknown", one.at or None, "reserved")
