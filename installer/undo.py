"""The plan of an uninstall: every byte of the git dir as it was before, in every worktree.

Commits, and the declarations in them, are the user's and stay; but what ``--fleet`` laid down goes
where nobody has changed it since.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims
from coord.guard import refusal
from coord.identity import copied
from coord.installer import (
    attributesfile,
    disk,
    fleet,
    hookfile,
    hooktools,
    include,
    manifest,
    plan,
    worktrees,
)
from coord.installer.apply import leftovers
from coord.installer.manifest import Manifest
from coord.installer.steps import Drop, Edit, Leave, Move, Step
from coord.installer.survey import hook_files
from coord.liveness import clone
from coord.repo import git
from coord.stores import chosen, outbox
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Place as Claim
    from coord.installer.steps import Change
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store

_BOOKKEEPING = ("board", "clone", "identities", "outbox", "pin.lock", "worktree-add")
_OURS = ("coord-", "coord.config")  # every file of a private git dir that is ours starts so


def uninstall(here: Worktree, hooks_now: str) -> tuple[list[Step], list[str]]:
    """Return the steps that undo an install, and what is left to say.

    Args:
        here: where the command was run.
        hooks_now: where git looks for hooks today, for an install whose manifest is lost.
    """
    common = here.common_dir
    known = manifest.parse(disk.read(os.path.join(common, manifest.FILE)))
    lost = ("hooks",) if os.path.lexists(os.path.join(common, plan.HOME)) else ()
    before = known or Manifest(made=lost, hooks=(hooks_now,))
    steps, notes = _hooks(before, common)
    for top in [there.top for there in worktrees.present(here) if there.top is not None]:
        undone, kept = fleet.taken_back(top, before.declared)
        steps += undone
        notes += kept
    steps += _edits(common)
    steps += [Drop(path) for git_dir in private_dirs(common) for path in private_files(git_dir)]
    steps += leftovers([common, os.path.join(common, "info")])
    for path in _inside(os.path.join(common, "coord")):
        if _is_known(path):
            steps.append(Drop(path))
        else:
            notes.append(f"{path} is not of this version and stays")
    home, last = os.path.join(common, plan.HOME), os.path.join(common, manifest.FILE)
    steps += [Drop(path) for path in _inside(home) if path != last]
    steps += [Drop(last)] if os.path.lexists(last) else []
    folders = {*before.made, "coord", plan.HOME}
    # The deepest first.
    steps += [Leave(os.path.join(common, name)) for name in sorted(folders, reverse=True)]
    return steps, notes


def _is_known(path: str) -> bool:
    """Tell whether an entry of ``<common git dir>/coord`` is ours: bookkeeping, and the board."""
    return os.path.basename(path).startswith(_BOOKKEEPING)


def require_settled(here: Worktree, *, again: str) -> None:
    """Insist that no refusal is pending and nothing is claimed here: undoing would drop both.

    Raises:
        Refused: something is.
    """
    for scope, holder in _held(chosen.board_of(here.common_dir), here):
        server = chosen.choice(here.common_dir)
        if server is not None:
            raise _claimed_afar(scope, holder, server.url, again)
        raise _claimed(scope, holder, again)
    server = chosen.choice(here.common_dir)
    if server is not None and outbox.names(here.common_dir):
        raise _unpublished(here, server.url, again)
    for there in worktrees.present(here):
        for record, facts in refusal.judged(there, git.elsewhere()):
            if refusal.is_pending(record, facts):
                raise _unsettled(there, record, again)


def left_behind(here: Worktree) -> list[str]:
    """Return what to say of claims of this clone that stay on a server when it is undone.

    Of a server that does not answer, it is what is known here.
    """
    try:
        server = chosen.choice(here.common_dir)
        if server is None:
            return []
        board = chosen.afar(here.common_dir, server)
        held = [scope for scope, _ in _held(board, here)]
    except StoreError as error:
        return [f"what this clone holds on a server stays held there: {error.what}: {error.why}"]
    away = "" if board.unreached is None else ", as far as is known here: it cannot be reached"
    if not held:
        return [f"this clone holds nothing on {server.url}{away}"] if away else []
    return [f"{', '.join(held)} stay{'' if held[1:] else 's'} held on {server.url}{away}"]


def _held(board: Store, here: Worktree) -> Iterator[tuple[str, Claim]]:
    """Yield the scopes that may be held by this clone, and by whom."""
    own = clone.may_own(here.common_dir, shared=board.caps.hosts)
    for event in claims.tops(board):
        if event.state.holder is not None and own(event.state.holder.clone):
            yield event.scope, event.state.holder


def has_traces(here: Worktree) -> bool:
    """Tell whether anything of ours is in the git dir."""
    common = here.common_dir
    named = [os.path.join(common, name) for name in (plan.HOME, "coord")]
    private = [path for git_dir in private_dirs(common) for path in private_files(git_dir)]
    return any(map(os.path.lexists, named)) or bool(private or _edits(common))


def private_dirs(common_dir: str) -> list[str]:
    """Return every private git dir, those of removed worktrees too."""
    linked = _inside(os.path.join(common_dir, "worktrees"))
    return [common_dir, *(path for path in linked if not os.path.islink(path))]


def private_files(git_dir: str) -> list[str]:
    """Return what is ours in a private git dir: pin, author, records, presence."""
    return [path for path in _inside(git_dir) if os.path.basename(path).startswith(_OURS)]


def _claimed(scope: str, holder: Claim, again: str) -> Refused:
    return Refused(
        "claims-live",
        f"{scope} is held by {holder.actor}",
        where=scope,
        why="the board goes with the rest, and nobody would see who works on what; let its holder "
        f"release it, or take it over. {again} --purge gives up all that the board shows",
        run="git coord board",
    )


def _claimed_afar(scope: str, holder: Claim, url: str, again: str) -> Refused:
    return Refused(
        "claims-live",
        f"{scope} is held by {holder.actor}",
        where=scope,
        why=f"it would stay held on {url}, where nobody of this clone could give it up any more; "
        f"let its holder release it: git coord release {quote(scope)}. {again} --purge leaves it "
        "held there",
        run="git coord board",
    )


def _unpublished(here: Worktree, url: str, again: str) -> Refused:
    return Refused(
        "claims-live",
        "this clone has not published all that it has to say",
        where=outbox.folder(here.common_dir),
        why=f"nobody would ever learn of it; it goes to {url} with the next command that reaches "
        f"that. {again} --purge gives it up",
        run="git coord store",
    )


def _unsettled(there: Worktree, record: refusal.Record, again: str) -> Refused:
    return Refused(
        "refusal-pending",
        "a refused merge is not settled yet",
        where=f"{there.cwd}: {record.path or 'unreadable record'}",
        why="without its record the next commit there may drop one side; settle it and commit the "
        f"merge, or abort that. {again} --purge gives the record up",
        run=f"cd {quote(there.cwd)} && {refusal.way_out(record)}",
    )


def _hooks(before: Manifest, common: str) -> tuple[list[Step], list[str]]:
    steps: list[Step] = []
    notes: list[str] = []
    for folder in (manifest.located(name, common) for name in before.hooks):
        for path in (os.path.join(folder, event) for event in hookfile.EVENTS):
            seen = disk.look_all(hookfile.names(path))
            undone, note = hookfile.removed(path, seen, _written(path, before, common))
            steps += undone
            prior = seen[path + hookfile.PRIOR]
            note = note or (hooktools.returned(prior.data) if prior else "")
            notes += [note] if note and note not in notes else []
            kept = [name for name in seen if seen[name]]
            kept += [step.to for step in undone if isinstance(step, Move)]
            notes += [
                f"{name} stays: somebody had changed that hook of ours"
                for name in kept
                if hookfile.is_changed_copy(name)
            ]
            aside = [name for name in seen if seen[name] and hookfile.is_set_aside(name)]
            notes += [f"{name} stays: another tool had replaced that hook" for name in aside]
        links = os.path.join(folder, hookfile.STAND_IN)
        steps += [Drop(links)] if os.path.isdir(links) and not os.path.islink(links) else []
        steps += leftovers([folder])
    return steps, notes


def _written(path: str, before: Manifest, common: str) -> list[str]:
    """Return the digests of what an install has left at a path, or would leave now."""
    name, text = manifest.name(path, common), hook_files()[os.path.basename(path)]
    return [manifest.digest(text), *(digest for known, digest in before.files if known == name)]


def _edits(common: str) -> list[Step]:
    """Return the edits that take our lines out of the files of others."""
    found: list[Step] = []
    changes = (
        (attributesfile.INFO, attributesfile.without_block, "guarded paths"),
        (plan.CONFIG, _removed(copied.of(common)), "include.path"),
    )
    for name, change, about in changes:
        path = os.path.join(common, name)
        old = disk.read(path)
        if change(old) != old:
            found.append(Edit(path, change, about, locked=name == plan.CONFIG))
    return found


def _removed(copies: copied.Copies) -> Change:
    """Return the change that leaves nothing of ours in the shared config, nor a copy of it."""

    def change(old: bytes | None) -> bytes | None:
        return include.removed(None if old is None else copies.taken_out(old))

    return change


def _inside(folder: str) -> list[str]:
    """Return the paths in a folder, sorted; none when it is not there."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except (FileNotFoundError, NotADirectoryError):
        return []
