"""Can the board be used: are its folders folders, and can the newest record of a scope be read?"""

from __future__ import annotations

import itertools
import os
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.base.names import quote, shown
from coord.board import claims, renamed, sweep
from coord.doctor.findings import Finding, Verdict, verdict
from coord.liveness import clone
from coord.repo import git
from coord.settings import config
from coord.stores import answers, chosen, keys, retired, scopes, suggestion
from coord.stores.directory import DEEP, Directory
from coord.stores.probe import Probe
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from coord.board.events import Event
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store

_BOARD = "board"


def judge(here: Worktree, *, installed: bool) -> Verdict:
    """Judge the board of a repository, which is tried where we are installed.

    One that has no board yet is right.
    """
    suggested = _suggested(here.common_dir, here.top)
    try:
        store = chosen.board_of(here.common_dir)
        suggested = itertools.chain(suggested, _renamed(here))
        found = store.probe() if installed else Probe("")
    except StoreError as error:
        return verdict(_BOARD, "", [Finding(*answers.trouble(error))], suggested)
    troubles = [Finding(*one) for one in found.troubles]
    if troubles and store.caps.hosts:
        return verdict(_BOARD, "", troubles, itertools.chain(suggested, found.notes))
    findings = _in_the_folder(here.common_dir) if not store.caps.hosts else []
    notes: Iterator[str] = itertools.chain(suggested, found.notes)
    if not findings:
        tops = cache(lambda: list(claims.tops(store)))
        findings = _found(store, here.common_dir, found.where, tops)
        if not findings:
            left = _deleted(here, tops(), shared=store.caps.hosts)
            notes = itertools.chain(notes, _kept(store), left)
    return verdict(_BOARD, found.right, [*troubles, *findings], notes)


def again(common_dir: str) -> str:
    """Return the command that comes to the board anew: on a server, with its secret asked again."""
    try:
        found = chosen.choice(common_dir)
    except StoreError:
        found = None
    return "git coord store" if found is None else f"git coord store use {quote(found.url)}"


def _in_the_folder(common_dir: str) -> list[Finding]:
    """Return what is wrong with the folders themselves."""
    root = chosen.folder(common_dir)
    found = [
        Finding("store-unavailable", common_dir, _in_the_way(path), _aside(path))
        for path in _no_folders(root)
    ]
    return [*found, *_left(common_dir, root)]


def _found(
    store: Store, common_dir: str, where: str, tops: Callable[[], list[Event]]
) -> list[Finding]:
    """Return what is wrong with the records."""
    root = where if store.caps.hosts else chosen.folder(common_dir)
    return [
        *_unreadable(tops, common_dir, root),
        *_reused(store, common_dir),
        *_unpublished(store, common_dir),
    ]


def _suggested(common_dir: str, top: str | None) -> Iterator[str]:
    """Yield that a server is suggested; a declaration that cannot be read is another's to judge."""
    try:
        text = suggestion.pending(common_dir, config.load(top).store)
    except CoordError:
        return
    if text:
        yield text


def _renamed(here: Worktree) -> Iterator[str]:
    """Yield that the remote by which the board was chosen is elsewhere by now."""
    found = chosen.choice(here.common_dir)
    if found is None or not found.remote:
        return
    from coord.remote import named  # noqa: PLC0415  # most boards are files

    typed = f"git+{found.remote}"
    try:
        now = named.resolved(typed, here.cwd)
    except ValueError:
        now = "nowhere: there is no such remote any more"
    if now != found.url:
        yield (
            f"the board was chosen as {typed}, which is {suggestion.short(now)} by now; it stays "
            f"at {found.url}"
        )


def _kept(store: Store) -> Iterator[str]:
    """Yield how much is on the board that a sweep takes away, where it is more than a portion."""
    folders = len(store.folders("claims"))
    if folders > sweep.PORTION and (kept := sweep.kept(store)) > sweep.PORTION:
        yield f"{kept} of {folders} scopes are long free: git coord doctor --sweep"


def _deleted(here: Worktree, tops: Iterable[Event], *, shared: bool) -> Iterator[str]:
    """Yield how many finished branches are there no more, whose claims stay until they land."""
    done = [event for event in tops if event.state.finished_at is not None]
    if not done:
        return
    own, names = clone.may_own(here.common_dir, shared=shared), renamed.Names(here)
    listing = git.ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", cwd=here.cwd)
    refs = {keys.normal(name) for name in listing.text.split("\n")}
    gone = [
        name
        for event in done
        if event.state.holder is not None and own(event.state.holder.clone)
        if (name := _called(event, names)) not in refs
    ]
    if gone:
        first = f"{shown(gone[0])} and {len(gone) - 1} more" if gone[1:] else shown(gone[0])
        yield f"finished, deleted, and held until settled: {first}: git coord merge-order"


def _called(event: Event, names: renamed.Names) -> str:
    said = renamed.said_of_scope(event.state)
    return keys.normal(names.now(scopes.name_of(event.scope), *said))


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
    own = {"clock", "tmp"} if folder.endswith("/board") else set()
    return [os.path.join(folder, name) for name in names if keys.is_part(name) and name not in own]


def _unreadable(tops: Callable[[], list[Event]], common_dir: str, root: str) -> Iterator[Finding]:
    """Yield each scope whose newest record is none, or the last there can be."""
    try:
        for event in tops():
            if event.seq >= keys.MOST - 1:
                path = os.path.join(root, keys.event(keys.claim(event.scope), event.seq))
                message = f"{path} is none of ours, and after it {shown(event.scope)} has no number"
                yield Finding("record-unreadable", common_dir, message, _aside(path))
            elif not event.is_whole() and "denied" not in event.details:
                yield _torn(common_dir, root, event)
    except StoreError as error:
        yield Finding(error.rule, common_dir, f"{error.where}: {error.why}", error.run)


def _reused(store: Store, common_dir: str) -> Iterator[Finding]:
    """Yield each scope that a version without the mark began anew after it had been swept away."""
    mark = retired.first(store)
    if mark is None:
        return
    for folder in store.folders("claims"):
        first = store.read(keys.event(folder, 1))
        if first is not None and retired.is_before(store, mark, first):
            yield _given_twice(common_dir, folder)


def _left(common_dir: str, root: str) -> Iterator[Finding]:
    """Yield that nothing can be written in the git dir: its board goes elsewhere, or is in the way.

    Where the clone has followed its board that is as it should be.
    """
    scratch = os.path.join(root, "tmp")
    if not os.path.lexists(scratch) or os.path.isdir(scratch):
        return
    goal = Directory(root).left_for()
    if goal is None:
        yield Finding("store-unavailable", common_dir, _in_the_way(scratch), _aside(scratch))
    elif chosen.choice(common_dir) is None:
        message = (
            f"the board was being moved to {goal.to}, and that was cut off: nothing is written"
        )
        run = f"git coord store migrate {quote(goal.to)}"
        yield Finding("store-moved", common_dir, message, run)


def _unpublished(store: Store, common_dir: str) -> Iterator[Finding]:
    """Yield that a server has not had what this clone was to publish."""
    if chosen.copy_of(store) is None:
        return
    from coord.stores import outbox  # noqa: PLC0415  # most boards are files

    names = outbox.names(common_dir)
    if names:
        at = datetime.fromtimestamp(outbox.since(names[0]), UTC).isoformat(" ", "minutes")[:16]
        records = "1 record is" if len(names) == 1 else f"{len(names)} records are"
        message = f"{records} unpublished since {at}Z: nobody else knows of what they say"
        yield Finding("unpublished", outbox.folder(common_dir), message, "git coord store")


def _given_twice(common_dir: str, folder: str) -> Finding:
    name = shown(keys.guessed(folder.rpartition("/")[2]))
    message = (
        f"an earlier version of git-coord has begun {name} at 1 after a sweep: its generations may "
        "have been given before; upgrade whoever works here"
    )
    return Finding("generation-reused", common_dir, message, f"git coord log {quote(name)}")


def _torn(common_dir: str, root: str, event: Event) -> Finding:
    path = os.path.join(root, keys.event(keys.claim(event.scope), event.seq))
    holder = event.state.holder
    if holder is not None and holder.instance is not None:
        message = (
            f"{path} names one that cannot be read: who waits for {shown(event.scope)} as well"
        )
        run = f"git coord show {quote(event.scope)}"
        return Finding("record-unreadable", common_dir, f"{message} is not known", run)
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
