"""Can the board be used: are its folders folders, and can the newest record of a scope be read?"""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING

from coord.base.names import quote, shown
from coord.board import answers, chosen, claims, keys, retired, sweep
from coord.board.directory import DEEP
from coord.board.probe import Probe
from coord.board.store import StoreError
from coord.doctor.findings import Finding, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Event
    from coord.board.store import Store

_BOARD = "board"


def judge(common_dir: str, *, installed: bool) -> Verdict:
    """Judge the board of a repository, which is tried where we are installed.

    One that has no board yet is right.
    """
    try:
        store = chosen.board_of(common_dir)
        found = store.probe() if installed else Probe("")
    except StoreError as error:
        found = Probe("", troubles=(answers.trouble(error),))
        return verdict(_BOARD, "", [Finding(*one) for one in found.troubles])
    troubles = [Finding(*one) for one in found.troubles]
    if store.caps.hosts:
        root = found.where
        if troubles:
            return verdict(_BOARD, "", troubles, found.notes)
        findings: list[Finding] = []
    else:
        root = chosen.folder(common_dir)
        findings = [
            Finding("store-unavailable", common_dir, _in_the_way(path), _aside(path))
            for path in _no_folders(root)
        ]
    notes = iter(found.notes)
    if not findings:
        findings = [*_unreadable(store, common_dir, root), *_reused(store, common_dir)]
        notes = notes if findings else chain(notes, _kept(store))
    return verdict(_BOARD, found.right, [*troubles, *findings], notes)


def _kept(store: Store) -> Iterator[str]:
    """Yield how much is on the board that a sweep takes away, where it is more than a portion."""
    folders = len(store.folders("claims"))
    if folders > sweep.PORTION and (kept := sweep.kept(store)) > sweep.PORTION:
        yield f"{kept} of {folders} scopes are free for a week and more: git coord doctor --sweep"


def _no_folders(root: str) -> Iterator[str]:
    """Yield what stands where the board has a folder."""
    if os.path.lexists(root) and not os.path.isdir(root):
        yield root
        return
    tops = list(_parts(root))
    inner = (path for top in tops if os.path.basename(top) in DEEP for path in _parts(top))
    yield from (path for path in (*tops, *inner) if not os.path.isdir(path))


def _parts(folder: str) -> list[str]:
    """Return what stands in a folder under the name of a part of a key; nothing of a closed one."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    own = {"clock"} if folder.endswith("/board") else set()
    return [os.path.join(folder, name) for name in names if keys.is_part(name) and name not in own]


def _unreadable(store: Store, common_dir: str, root: str) -> Iterator[Finding]:
    """Yield each scope whose newest record is none: nobody knows who holds it."""
    try:
        for event in claims.tops(store):
            if event.kind == "unreadable" and "denied" not in event.details:
                yield _torn(common_dir, root, event)
    except StoreError as error:
        yield Finding(error.rule, common_dir, f"{error.where}: {error.why}", error.run)


def _reused(store: Store, common_dir: str) -> Iterator[Finding]:
    """Yield each scope that a version without the mark began anew after it had been swept away."""
    since = retired.since(store)
    if since is None:
        return
    for folder in store.folders("claims"):
        first = store.read(keys.event(folder, 1))
        if first is not None and first.at is not None and first.at > since:
            yield _given_twice(common_dir, folder)


def _given_twice(common_dir: str, folder: str) -> Finding:
    name = shown(keys.guessed(folder.rpartition("/")[2]))
    message = (
        f"an earlier version of git-coord has begun {name} at 1 after a sweep: its generations may "
        "have been given before; upgrade whoever works here"
    )
    return Finding("generation-reused", common_dir, message, f"git coord log {quote(name)}")


def _torn(common_dir: str, root: str, event: Event) -> Finding:
    path = os.path.join(root, keys.event(keys.claim(event.scope), event.seq))
    message = f"{path} cannot be read: who holds {shown(event.scope)} is not known"
    run = (
        f"git coord take-over {quote(event.scope)} --generation {event.state.generation} "
        "--reason 'its record cannot be read'"
    )
    return Finding("record-unreadable", common_dir, message, run)


def _in_the_way(path: str) -> str:
    return f"{path} is no folder, where the board has one: nothing can be claimed or said"


def _aside(path: str) -> str:
    return f"mv {quote(path)} {quote(path)}.aside"
