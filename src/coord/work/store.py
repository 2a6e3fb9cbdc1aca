"""``store``: where this clone's board is kept, and to choose it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from coord.base import publish
from coord.base.command import install
from coord.base.errors import Refused, Usage
from coord.base.names import operand, quote
from coord.board import claims
from coord.identity import whoami as identities
from coord.repo import git
from coord.stores import about, answers, chosen, engine, outbox
from coord.stores import choice as choices
from coord.stores.choice import Choice
from coord.stores.moved import LOCAL, Moved
from coord.stores.store import Misconfigured
from coord.work import settling, where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.repo.worktree import Worktree
    from coord.stores.about import About
    from coord.stores.outbox import Entry
    from coord.stores.probe import Probe
    from coord.stores.replica import Replica
    from coord.stores.store import Store
    from coord.work.call import Call


class Unreadable(NamedTuple):
    """A file that cannot be read, and the command that removes it."""

    path: str
    run: str


class Stands(NamedTuple):
    """How a clone's board stands.

    Attributes:
        url: of the board elsewhere, empty where it is in the git dir.
        folder: where the board is in the git dir.
        held: how many scopes are held.
        at: when what is known of it was true, None for now.
        why: why it cannot be reached, empty where it can.
        epoch: which board it is, empty where it is in the git dir.
        unpublished: what of this clone waits to be published there.
        unreadable: files among that, of which nobody can tell what they say.
        pace: how many pushes a minute all its clones may make together, 0 for any number; None
            where it is on no git remote.
    """

    url: str
    folder: str
    held: int
    at: float | None = None
    why: str = ""
    epoch: str = ""
    unpublished: tuple[Entry, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    pace: float | None = None


def show(call: Call) -> Stands:
    """Return where the board of the caller's clone is kept, and whether it can be reached.

    Raises:
        StoreError: it cannot be told which board that is, or nothing is known of it.
    """
    here = where.located(call)
    me = identities.resolve(here, call.actor, call.environ)
    settling.settle(call, here, chosen.board_of(here.common_dir), me)
    return _stands(here, chosen.choice(here.common_dir))


def probe(call: Call) -> Probe:
    """Try the board of the caller's clone: whether it keeps what a board has to promise.

    Raises:
        StoreError: it cannot be told which board that is.
    """
    return chosen.board_of(where.located(call).common_dir).probe()


def use(call: Call, found: Choice, *, force: bool = False, create: bool = False) -> Stands:
    """Keep the board of the caller's clone on a server or a git remote from now on.

    A place that holds no board yet becomes the board of this repository.

    Args:
        call: who calls.
        found: where.
        force: whatever is held on the board that is left.
        create: make the repository, where it is to be on a git remote.

    Raises:
        Usage: the URL names no board.
        Refused: something is claimed on the board there is; the place is another repository's, or
            in a worktree; nothing is installed here.
        StoreError: the board cannot be reached.
    """
    here = where.located(call)
    where.require_own(call, here)
    require_home(here)
    found = named(call, found, create=create)
    with contact(call, found):
        before = _before(here)
        if not force and not _is_same_board(here, before, found):
            _require_free(here, before, found.url)
        found = _again(call, here, before, found)
        chosen.forget(here.common_dir)
        board = chosen.afar(here.common_dir, found)
        board.fresh()
    known = _about(board, here, found.url)
    _require_same(known, here, found.url)
    settled = found._replace(epoch=known.epoch)
    choices.write(here.common_dir, settled)
    for entry in outbox.every(here.common_dir) if force else ():
        if entry.board != known.epoch:
            outbox.drop(entry)
            call.note(f"{entry.words} of {entry.actor} is dropped: its board is gone")
    for path in outbox.unreadable(here.common_dir) if force else ():
        publish.drop(path)
        call.note(f"{path} is dropped: it cannot be read")
    return _stands(here, settled)


def _before(here: Worktree) -> Choice | None:
    """Return what was chosen; None too where that is torn: whoever types a URL says it again."""
    try:
        return chosen.choice(here.common_dir)
    except choices.Torn:
        return None


def _is_same_board(here: Worktree, before: Choice | None, found: Choice) -> bool:
    """Tell whether the chosen board answers there too: at another member, in TLS, to a user.

    Raises:
        StoreError: nobody answers.
    """
    if before is None or not before.epoch or before.url == found.url:
        return False
    board = chosen.afar(here.common_dir, found._replace(epoch=""))
    board.fresh()
    rec = board.read(about.KEY)
    known = None if rec is None else about.decode(rec.value)
    return known is not None and known.epoch == before.epoch


def _again(call: Call, here: Worktree, before: Choice | None, found: Choice) -> Choice:
    """Return a choice that is made again, with its files, after saying what has become of it."""
    if before is None or before.url != found.url:
        return found
    try:
        chosen.afar(here.common_dir, before).fresh()
    except Misconfigured as error:
        if error.rule == answers.SPOILED:  # what is kept of it here is what puts it back
            raise
        call.note(f"{error.what}: {error.why}")
    if found != Choice(found.url, remote=found.remote, rate=found.rate):
        return found
    rate = before.rate if found.rate is None else found.rate
    return before._replace(epoch="", remote=found.remote, rate=rate)


def leave(call: Call, *, force: bool = False) -> Stands:
    """Keep the board of the caller's clone in its git dir from now on.

    Args:
        call: who calls.
        force: whatever is held on the server.

    Raises:
        Refused: something is claimed by a worker of this clone.
        StoreError: nothing is known of what is claimed.
    """
    here = where.located(call)
    where.require_own(call, here)
    if not force:
        _require_free(here, chosen.choice(here.common_dir), "")
    left = chosen.local(here.common_dir)
    goal = left.left_for()
    if goal is not None:
        if not force:
            raise Moved(goal, chosen.folder(here.common_dir))
        left.stay()
    choices.drop(here.common_dir)
    chosen.forget(here.common_dir)
    return _stands(here, None)


def _stands(here: Worktree, found: Choice | None) -> Stands:
    store = chosen.board_of(here.common_dir)
    held = sum(event.state.holder is not None for event in claims.tops(store))
    folder = chosen.folder(here.common_dir)
    if found is None:
        return Stands("", folder, held)
    missed = chosen.afar(here.common_dir, found).unreached
    stands = Stands(
        found.url,
        folder,
        held,
        epoch=found.epoch,
        unpublished=tuple(outbox.every(here.common_dir)),
        unreadable=tuple(map(_unreadable, outbox.unreadable(here.common_dir))),
        pace=found.pace if engine.is_git(found.url) else None,
    )
    if missed is None:
        return stands
    return stands._replace(at=missed.at, why=missed.error.why)


def _unreadable(path: str) -> Unreadable:
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    return Unreadable(path, f"rm {'-r ' if is_folder else ''}{operand(path)}")


def named(call: Call, found: Choice, *, create: bool = False, verb: str = "use") -> Choice:
    """Return a choice as it is recorded, once its URL names a board.

    Args:
        call: who calls.
        found: the choice as typed.
        create: make the repository that it names, if there is none.
        verb: which verb of ``store`` chooses.

    Raises:
        Usage: it names none, or has options that are not for it.
        Refused: a repository that may not be pushed to, or that is not there.
    """
    from coord.work import repository  # noqa: PLC0415  # for a choice alone

    try:
        if engine.is_git(found.url):
            return repository.named(call, found, create=create, verb=verb)
        engine.require(found.url)
    except ValueError as error:
        raise _no_board(call, verb, str(error)) from error
    if create or found.rate is not None:
        why = "--create and --pushes-a-minute are for a board on a git remote"
        raise _no_board(call, verb, why)
    return found


@contextmanager
def contact(call: Call, found: Choice, verb: str = "use") -> Iterator[None]:
    """Come to a board for the first time, for a block: say how its repository is made.

    Raises:
        Refused: there is none.
    """
    try:
        yield
    except Misconfigured as error:
        from coord.remote import words  # noqa: PLC0415  # most boards are none
        from coord.work import repository  # noqa: PLC0415  # likewise

        if not engine.is_git(found.url) or not words.is_absent(error.why):
            raise
        raise repository.absent(found.url, verb, error.why, call.cwd) from error


def _no_board(call: Call, verb: str, why: str) -> Usage:
    run = f"git coord store {verb} -h"
    return Usage("usage", "that names no board", where=call.words, why=why, run=run)


def require_home(here: Worktree) -> None:
    """Insist on a place for the choice.

    Raises:
        Refused: nothing is installed here.
    """
    home = os.path.dirname(choices.path(here.common_dir))
    if not os.path.isdir(home):
        raise Refused(
            "not-installed",
            "a board is chosen for an installed clone",
            where=here.common_dir,
            why="hooks/coord, where the choice is kept, is made by the install",
            run=install(),
        )


def _require_free(here: Worktree, before: Choice | None, url: str) -> None:
    """Insist that nobody of this clone holds anything on the board that is left for `url`.

    By what is known here of a server that cannot be reached, or that has no board any more.

    Raises:
        Refused: somebody does: there would be two holders, one on each board.
        StoreError: that cannot be told.
    """
    if ("" if before is None else before.url) == url:
        return
    run = ""
    try:
        afar = None if before is None else chosen.afar(here.common_dir, before)
        mine = _held(afar or chosen.local(here.common_dir), here)
    except Moved as error:
        if error.goal.to == url or (url == "" and error.goal.to == LOCAL):
            return
        raise
    except Misconfigured:
        if before is None:
            raise
        mine = _held_when_read(here, before)
        run = f"git coord store use {quote(url) if url else LOCAL} --force"
    if before is not None:
        settling.require_none(here.common_dir)
    if mine:
        raise Refused(
            "store-in-use",
            f"{mine[0]} is held on the board that would be left",
            where=chosen.folder(here.common_dir) if before is None else before.url,
            why=f"on the other board nobody would know of it, nor of {len(mine) - 1} more"
            if mine[1:]
            else "on the other board nobody would know of it",
            run=run or f"git coord show {quote(mine[0])}",
        )


def _held_when_read(here: Worktree, before: Choice) -> list[str]:
    """Return as :func:`_held` does, by what was read of a board before it had to be refused."""
    try:
        board = chosen.afar(here.common_dir, before)
        with board.unrefreshed():
            return _held(board, here)
    except Misconfigured:  # it was never read
        return []


def _held(store: Store, here: Worktree) -> list[str]:
    from coord.liveness import clone  # noqa: PLC0415  # for a change of boards alone

    own = clone.may_own(here.common_dir, shared=store.caps.hosts)
    held = ((event.scope, event.state.holder) for event in claims.tops(store))
    return [scope for scope, holder in held if holder is not None and own(holder.clone)]


def _about(board: Replica, here: Worktree, url: str) -> About:
    """Return what the board says of itself; an empty one is made this repository's."""
    made = about.encode(about.made(roots(here)))
    rec = board.read(about.KEY) or board.append(about.KEY, made, None, [])
    if rec is None:
        raise Refused(
            "store-foreign",
            "a board is being moved there",
            where=board.where,
            why="it can be used when all of it is there; whoever moves it can go on",
            run=f"git coord store migrate {quote(url)}",
        )
    found = about.decode(rec.value)
    if found is None:
        raise Refused(
            "store-foreign",
            "what stands there is no board of ours",
            where=about.KEY,
            why="what it says of itself cannot be read",
            run="git coord store use -h",
        )
    return found


def roots(here: Worktree) -> list[str]:
    """Return commits without parents of a repository, a few of them."""
    done = git.ask("rev-list", "--max-parents=0", "--all", "--max-count=16", cwd=here.cwd)
    return [] if done.code else done.text.split()


def _require_same(known: About, here: Worktree, url: str) -> None:
    """Insist that a board is this repository's: one of its root commits is here.

    Raises:
        Refused: none is. Whoever would coordinate there has other branches and files.
    """
    asked = ["cat-file", "-e"]
    if not known.roots or any(not git.ask(*asked, root, cwd=here.cwd).code for root in known.roots):
        return
    shallow = os.path.exists(os.path.join(here.common_dir, "shallow"))
    raise Refused(
        "store-foreign",
        "that is another repository's board",
        where=url,
        why="this clone is shallow, and has no commit that it began with"
        if shallow
        else f"it began with {known.roots[0][:12]}, which is not here",
        run="git fetch --unshallow" if shallow else "git fetch --all",
    )


def typed(call: Call, url: str, files: dict[str, str], rate: float | None = None) -> Choice:
    """Return a choice as typed: its files by their whole paths."""
    return Choice(url, **{name: _whole(call, path) for name, path in files.items()}, rate=rate)


def _whole(call: Call, path: str) -> str:
    return os.path.normpath(os.path.join(call.cwd, path)) if path else ""
