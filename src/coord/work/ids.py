"""``id``: a number of one's own, and another one for a claim that is disputed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import CoordError, Environment
from coord.base.names import quote
from coord.guard import guarded
from coord.identity import pin, whoami
from coord.ids import claim as claims
from coord.ids import files, listing, namespaces, series
from coord.repo import git
from coord.settle import index
from coord.stores import chosen
from coord.work import where

if TYPE_CHECKING:
    from coord.ids.claim import Claim
    from coord.ids.listing import Row
    from coord.ids.renumber import Done
    from coord.settle.index import Spot
    from coord.work.call import Call


class Numbered(NamedTuple):
    """A claim that was written.

    Attributes:
        namespace: what it is counted in.
        id: its number.
        path: its file.
        unstaged: why git did not stage it, None where it did.
    """

    namespace: str
    id: str
    path: str
    unstaged: Environment | None


def take(call: Call, namespace: str) -> Numbered:
    """Take the next free identifier of a namespace, and write and stage its file.

    Raises:
        Usage: no namespace.
        Refused: who acts here contradicts the pin, or the file would lie outside of the worktree.
        Environment: there is no working tree.
        StoreError: the board cannot be written.
    """
    namespaces.require_namespace(namespace)
    spot, mine = _claimant(call, namespace)
    counted_in = series.of_namespace(spot.top, namespace)
    spot.require_inside(counted_in.path("x"))
    files.require_folder(spot, counted_in.path("x"))
    text = series.take(chosen.board_of(spot.here.common_dir), spot.here, counted_in, mine)
    path = counted_in.path(text)
    files.write(spot, path, mine._replace(id=text).text())
    return Numbered(namespace, text, path, _staged(call, spot, path))


def listed(call: Call, namespace: str | None = None) -> list[Row]:
    """Return the identifiers of a namespace, or of all.

    Raises:
        Usage: no namespace.
        GitError: git cannot read the repository.
        StoreError: the board cannot be read.
    """
    if namespace is not None:
        namespaces.require_namespace(namespace)
    here = where.located(call)
    return listing.rows(here, chosen.board_of(here.common_dir), namespace)


def renumber(call: Call, path: str) -> Done:
    """Give one of two claims of `path` a number of its own; the other keeps the path.

    Raises:
        Usage: nothing is known of such a path.
        Refused: nothing disputes it, it is no write-once file, or who acts contradicts the pin.
        StoreError: the board cannot be written; nothing was changed.
    """
    from coord.ids import renumber as renumbering  # noqa: PLC0415  # most numbers are undisputed

    spot, mine = _claimant(call, "")
    return renumbering.carry_out(spot, path, chosen.board_of(spot.here.common_dir), mine)


def _claimant(call: Call, namespace: str) -> tuple[Spot, Claim]:
    """Return where the worker stands, and a claim of theirs that has no number yet."""
    here = where.located(call)
    where.require_own(call, here)
    where.lazily_pin(call, here)
    me = whoami.resolve(here, call.actor, call.environ)
    whoami.require_consistent(me, here, call.words)
    spot = index.spot(here, call.cwd, call.words)
    nonce = os.urandom(8).hex()
    return spot, claims.Claim("", namespace, me.actor, me.instance or "", nonce, pin.now())


def _staged(call: Call, spot: Spot, path: str) -> Environment | None:
    """Stage a claim, so that the next commit takes it along; return why git did not."""
    try:
        files.stage(spot, path)
    except CoordError as error:
        force = git.ask("check-ignore", "-q", "--", path, cwd=spot.top).code == 0
        return Environment(
            "not-staged",
            "the claim is written, but git did not stage it",
            where=path,
            why=error.why,
            run=f"git add {'-f ' if force else ''}{spot.typed(path)}",
        )
    call.note(f"wrote {path} and staged it: the next commit takes it along")
    if guarded.kinds(spot.here, [path]).get(path) != "once":
        pattern = quote(f"{claims.FOLDER}/**")
        call.note(f"two branches could claim one: git coord track once {pattern}")
    return None
