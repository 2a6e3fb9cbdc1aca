"""Give one of two claims of a path a number of its own; committed history stays as it is.

Three cases. A conflict: one claim moves, the other keeps the path, and the refusal is settled. A
claim that a merge has dropped, or that two people made with the same bytes: it is written anew
beside. A claim that only another branch contests, or that nobody else has yet: it moves.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.base.errors import CoordError, Refused
from coord.base.names import shown
from coord.guard import guarded, refusal
from coord.history.blobs import Blobs
from coord.history.door import Door
from coord.ids import claim, claimed, claimtext, contest, files, series
from coord.ids.sources import staged
from coord.repo import git
from coord.settle import index, resolve

if TYPE_CHECKING:
    from coord.ids.claim import Claim
    from coord.settle.index import Spot
    from coord.settle.resolve import Case
    from coord.stores.store import Store


class Done(NamedTuple):
    """What was changed.

    Attributes:
        path: the contested path.
        kept: whose it is now; None where it was left free.
        id: the new identifier.
        new_path: its file.
        moved: whose claim that is.
    """

    path: str
    kept: str | None
    id: str
    new_path: str
    moved: str


class _Found(NamedTuple):
    """The claim that moves, the one that stays (None: the path becomes free), and how to settle."""

    moved: bytes
    kept: bytes | None
    take: str  # of `coord.settle.resolve`; empty: nothing at the path changes


def carry_out(spot: Spot, word: str, store: Store, mine: Claim) -> Done:
    """Give a claim of the path that `word` names the next number; stage both.

    Args:
        spot: where the user stands.
        word: the path as typed.
        store: the board.
        mine: who asks; the reservation is theirs.

    Raises:
        Refused: there is no claim at the path, nothing disputes it, or it is no write-once file.
        Usage: nothing is known of such a path.
        StoreError: the board cannot be written; nothing was changed.
    """
    case = _once(resolve.case(spot, word, assumed="plain"))
    found = _in_conflict(case) if case.is_conflict else _dropped(case) or _alone(case, mine)
    counted = series.of_path(spot.top, case.path)
    new = series.take(store, spot.here, counted, mine)
    path = counted.path(new)
    files.write(spot, path, _renamed(spot, case.path, new, found))
    try:
        files.stage(spot, path)
    except CoordError:
        os.unlink(spot.full(path))  # run again, the command would write it a second time
        raise
    moved = claim.claimant(found.moved)
    _settle(case, found, f"the claim of {shown(moved)} is {shown(new)} now")
    kept = None if found.kept is None else claim.claimant(found.kept)
    return Done(case.path, kept, new, path, moved)


def _once(case: Case) -> Case:
    """Return the case as one of a write-once file: declared, or below the folder of identifiers.

    The attribute is what counts, for a clone without the drivers has them too.

    Raises:
        Refused: it is no write-once file.
    """
    name = guarded.attribute("once")
    declared = guarded.attributes(case.spot.here, (name,), [case.path])
    below = os.fsencode(case.path).startswith(claimtext.FOLDER)
    plain = case.kind == "plain"
    if case.kind == "once" or (plain and (below or declared == [(case.path, name, "set")])):
        return replace(case, kind="once")
    raise Refused(
        "not-once",
        f"a {'file that nothing guards' if plain else f'{case.kind} file'} has no number to change",
        where=case.path,
        why="only what is written once is told apart by its name",
        run=f"git status -- {case.spot.typed(case.path)}",
    )


def _in_conflict(case: Case) -> _Found:
    """Choose which side moves.

    A pick, a rebase, a popped stash continue the history of HEAD, which has the path already: what
    is brought in moves. Of two histories that are merged the younger claim does, so that both come
    to one result wherever they are merged; without dates this branch's.
    """
    contest.require_open(case)
    sides = {take: case.side(take) for take in ("ours", "theirs")}
    texts = {take: _content(case, entry.blob) for take, entry in sides.items() if entry}
    if len(texts) < len(sides):
        raise Refused(
            "nothing-refused",
            "only one side of the conflict has this file",
            where=case.path,
            why="the other side deleted it, so there are no two claims",
            run=f"git coord resolve {case.spot.typed(case.path)} --take {next(iter(texts))} "
            "--reason 'written once'",
        )
    mover, stays = "theirs", "ours"
    if os.path.exists(case.spot.here.private("MERGE_HEAD")) and not _is_younger(texts):
        mover, stays = stays, mover
    return _Found(texts[mover], texts[stays], stays)


def _is_younger(texts: dict[str, bytes]) -> bool:
    """Tell whether the claim of theirs is younger than that of ours."""
    created = {take: claim.fields(text).get("created", "") for take, text in texts.items()}
    return bool(created["ours"]) and created["theirs"] > created["ours"]


def _dropped(case: Case) -> _Found | None:
    """Return a claim of the path that HEAD's history holds and its files do not."""
    door, path = Door(case.spot.here.cwd), os.fsencode(case.path)
    added = claimed.additions(door, ["HEAD"], [path]) if _at_head(case) else {}
    if not added:
        return None
    beside = staged(case.spot.here, os.path.dirname(case.path)).files
    with Blobs(door) as blobs:
        texts = {name: blobs.read(blob) for name, blob in beside.items()}
        for what, (number, blob) in claimed.claims(blobs, added).items():
            if claimed.holders(texts, path, what) < number:
                return _Found(blobs.read(blob), texts.get(path), "")
    return None


def _alone(case: Case, mine: Claim) -> _Found:
    full = case.spot.full(case.path)
    if os.path.isfile(full) and not os.path.islink(full):
        text = peerfile.read(full, peerfile.WHOLE)
        if _at_head(case):
            contest.require_disputed(case, text, mine)
        return _Found(text, None, "worktree")
    staged_too = "--staged --worktree " if _at_head(case) else ""
    raise Refused(
        "nothing-refused",
        "there is no claim to move",
        where=case.path,
        why="the file is gone from the working tree",
        run=f"git restore {staged_too}-- {case.spot.typed(case.path)}",
    )


def _renamed(spot: Spot, path: str, new: str, found: _Found) -> bytes:
    """Return the claim under its new identifier; one without a nonce of its own is given one."""
    stem = os.path.splitext(os.path.basename(path))[0]
    is_id = claimtext.is_id(os.fsencode(path))
    if not is_id and claim.fields(found.moved).get("id") != stem:
        return found.moved  # a document that does not speak of its name
    is_json = found.moved.lstrip().startswith(b"{")
    fresh = is_id and not is_json and _needs_nonce(spot, path, found)
    return claim.renamed(found.moved, new, os.urandom(8).hex() if fresh else "")


def _needs_nonce(spot: Spot, path: str, found: _Found) -> bool:
    """Tell whether the claim has no nonce, or another file that stays has the same."""
    if not claimtext.has_nonce(found.moved):
        return True
    what = claimtext.claim_of(found.moved)
    if found.kept is not None and claimtext.claim_of(found.kept) == what:
        return True
    beside = staged(spot.here, os.path.dirname(path)).files
    with Blobs(Door(spot.here.cwd)) as blobs:
        others = (blobs.read(blob) for name, blob in beside.items() if name != os.fsencode(path))
        return any(claimtext.claim_of(text) == what for text in others)


def _settle(case: Case, found: _Found, reason: str) -> None:
    """Stage what stays at the path, and note why for the commit."""
    if found.take == "worktree":
        os.unlink(case.spot.full(case.path))
        if not _at_head(case):
            index.stage_removal(case.spot.here, case.path)
            return
    if found.take:
        resolve.settle(case, found.take, reason)
        return
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=case.spot.top).text
    blob = _at_head(case)
    note = refusal.Record("", "once", case.path, head, blob, blob, blob, reason)
    refusal.add(case.spot.here.git_dir, note)


def _at_head(case: Case) -> str:
    return git.ask("rev-parse", "--verify", "--quiet", f"HEAD:{case.path}", cwd=case.spot.top).text


def _content(case: Case, blob: str) -> bytes:
    return git.tell("cat-file", "blob", blob, cwd=case.spot.here.cwd).out
