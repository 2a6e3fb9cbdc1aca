"""Workers that are gone and mail that was read go off the board; nobody's else does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from coord.board import actors, bygone, claims, events, handover, inbox, letters, messages
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.board.offer import Offer
from coord.board.roll import Roll
from coord.identity import pin, whoami
from coord.identity.whoami import Identity
from coord.liveness import clone, process, signs
from coord.repo import worktree
from coord.stores import keys
from coord.stores.directory import Directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from coord.liveness.process import Process
    from coord.stores.store import Store
    from harness import Repo

MONTH = 31 * 86400
SENDER = Party("peer", "i-peer")


@pytest.fixture
def board(repo: Repo) -> str:
    """The folder of a board in a clone that has an id."""
    here = worktree.discover(str(repo.path))
    clone.own(here.common_dir)
    return os.path.join(here.common_dir, "coord", "board")


def aged(root: str, key: str) -> None:
    """Let a record have come a month ago."""
    path = os.path.join(root, key)
    then = os.stat(path).st_mtime - MONTH
    os.utime(path, (then, then))


def enrolled(repo: Repo, root: str, home: str) -> str:
    """Put a worker on the roll whose private git dir is `home`, a month ago."""
    instance, common = pin.uuid(), worktree.discover(str(repo.path)).common_dir
    made = actors.Actor(f"w-{instance[:4]}", instance, home, "h", pin.now())
    actors.enrol(Directory(root), made, common)
    aged(root, keys.actor(instance))
    return instance


def sent(store: Store, root: str, to: str, text: str) -> Message:
    """Send a message, a month ago."""
    name, at = messages.stamped(store)
    made = Message(name, "help", SENDER, Party("me", to), None, None, text, at)
    letters.send(store, SENDER.instance, [made])
    aged(root, f"{keys.messages(to)}/{name}")
    return made


def roll(repo: Repo, store: Store) -> Roll:
    """Return what is known of workers."""
    return Roll(store, worktree.discover(str(repo.path)), 1800.0)


def test_a_gone_worker_goes_with_its_mail_and_others_stay(repo: Repo, board: str) -> None:
    """One whose worktree is there, one of another clone, one that holds something, a young one."""
    store = Directory(board)
    gone, here, holds, young, other = (
        enrolled(repo, board, home)
        for home in ("worktrees/a", ".", "worktrees/b", "worktrees/c", "worktrees/d")
    )
    os.utime(os.path.join(board, keys.actor(young)))
    path = os.path.join(board, keys.actor(other))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"clone": "', '"clone": "0'))
    aged(board, keys.actor(other))
    sent(store, board, gone, "never read")
    mine = Place("w", holds, "b", pin.now())
    me = Identity("w", holds, "pinned", 2)
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))

    assert bygone.workers(store, roll(repo, store)).records == 0  # first seen gone
    aged(board, f"gone/a-{gone}")
    while bygone.workers(store, roll(repo, store), most=1).records:
        pass

    assert {one.instance for one in actors.every(store)} == {here, holds, young, other}
    assert list(store.list(keys.messages(gone))) == []


def test_a_worker_goes_a_month_after_it_went(repo: Repo, board: str) -> None:
    """Not when it is away for a moment, nor when it has something unread of since, nor was back."""
    store, home = Directory(board), os.path.join(os.path.dirname(board), "..", "worktrees", "a")
    worker = enrolled(repo, board, "worktrees/a")
    sent(store, board, worker, "old")

    def sweep() -> list[str]:
        assert bygone.mail(store).records == 0
        bygone.workers(store, roll(repo, store))
        return [one.text for one in inbox.unread(store, worker)]

    assert sweep() == ["old"]
    os.makedirs(home)  # back from where it was moved
    aged(board, f"gone/a-{worker}")
    assert sweep() == ["old"]
    os.rmdir(home)
    assert sweep() == ["old"]  # the mark of before went when it was back
    aged(board, f"gone/a-{worker}")
    young = sent(store, board, worker, "young")
    os.utime(os.path.join(board, f"{keys.messages(worker)}/{young.id}"))
    assert sweep() == ["old", "young"]
    aged(board, f"{keys.messages(worker)}/{young.id}")
    store.create(keys.event(keys.claim("task:torn"), 1), b"{")
    assert sweep() == ["old", "young"]  # who has that place, or is offered it, nobody can tell
    store.delete(keys.event(keys.claim("task:torn"), 1), b"{")
    assert sweep() == []
    assert list(actors.every(store)) == list(store.list("gone")) == []


def named(repo: Repo, root: str, name: str, process: Process) -> str:
    """Let a worker act by a name in the main worktree, a month ago, below a process."""
    here = worktree.discover(str(repo.path))
    instance = whoami.minted(here, name) or ""
    made = actors.Actor(name, instance, ".", "h", pin.now())
    actors.enrol(Directory(root), made, here.common_dir)
    aged(root, keys.actor(instance))
    signs.leave(here.git_dir, instance, signs.alone(process), 0)
    for folder in (f"coord-sessions/{instance}", "coord-instances"):
        for path in (here.private(folder), *map(str, Path(here.private(folder)).iterdir())):
            aged("/", path)
    return instance


def test_a_worker_without_a_pin_goes_with_its_name(repo: Repo, board: str) -> None:
    """Each name that ever acted in the main worktree was looked up by all; not one that lives."""
    store, here = Directory(board), worktree.discover(str(repo.path))
    with subprocess.Popen(["sleep", "60"]) as child:
        over = process.of(child.pid)
        child.kill()
    ended, holds, back, lives = (
        named(repo, board, name, process.own() if name == "lives" else over)
        for name in ("ended", "holds", "back", "lives")
    )
    mine = Place("holds", holds, "b", pin.now())
    me = Identity("holds", holds, "explicit", 1)
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))
    assert bygone.workers(store, roll(repo, store)).records == 0  # first seen gone
    for rec in store.list("gone", values=False):
        aged(board, rec.key)
    signs.leave(here.git_dir, back, signs.alone(over), 0)

    while bygone.workers(store, roll(repo, store)).records:
        pass

    assert {one.instance for one in actors.every(store)} == {holds, back, lives}
    assert set(os.listdir(here.private("coord-sessions"))) == {holds, back, lives}
    assert whoami.minted(here, "holds") == holds
    assert whoami.minted(here, "ended") not in {ended, None}


def test_the_receipt_of_an_offer_that_stands_is_kept(repo: Repo, board: str) -> None:
    """It was shown a month ago; without its receipt it would be news again."""
    del repo
    store, to = Directory(board), "i-to"
    me = Identity("w", "i-me", "pinned", 2)
    mine = Place("w", me.instance, "b", pin.now())
    offer = Offer("0123456789abcdef", (to,), "to", "note", pin.now(), "pinned")
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))
    claims.change(store, "task:x", me, lambda at: handover.offered(at, offer))
    inbox.mark_read(store, to, inbox.unread(store, to))
    inbox.mark_read(store, to, [sent(store, board, to, "later")])
    for rec in store.list(keys.read(to), values=False):
        aged(board, rec.key)

    bygone.mail(store)

    assert [(one.text, one.read) for one in inbox.unread(store, to)] == [("note", True)]


def test_what_was_read_a_month_ago_goes_with_its_receipt(repo: Repo, board: str) -> None:
    """Unread, young, and what a letter may bring again stay, and all stay as read as they were."""
    del repo
    store, me = Directory(board), "i-me"
    old = sent(store, board, me, "old")
    inbox.mark_read(store, me, [old])
    halfway = sent(store, board, me, "halfway")
    unread = sent(store, board, me, "unread")
    young = sent(store, board, me, "young")
    os.utime(os.path.join(board, f"{keys.messages(me)}/{young.id}"))
    inbox.mark_read(store, me, [halfway, young])
    store.create(f"{keys.letters(SENDER.instance)}/{halfway.id}", b"{}\n")
    for rec in store.list(keys.read(me), values=False):
        aged(board, rec.key)

    while bygone.mail(store).records:
        pass

    texts = {one.text: one.read for one in inbox.every(store, me)}
    assert texts == {"halfway": True, "unread": False, "young": True}
    assert [one.text for one in inbox.unread(store, me)] == [unread.text]
    assert len(list(store.list(keys.read(me)))) == 1


class Stopped:
    """A client that is stopped once, before it looks at its letter."""

    def __init__(self, store: Store, meanwhile: Callable[[], None]) -> None:
        self._store, self._meanwhile = store, meanwhile

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def writing(self) -> AbstractContextManager[object]:
        """Share the lock, after what happened meanwhile."""
        self._meanwhile()
        return self._store.writing()


@pytest.mark.parametrize("once", [True, False])
def test_a_sender_that_was_stopped_for_a_month_delivers_nothing_again(
    repo: Repo, board: str, once: bool
) -> None:
    """Its next command has, all was read, and swept; or it came to be too late to tell."""
    del repo
    store, to = Directory(board), ("i-b", "i-c")
    name, now = messages.stamped(store)
    made = [Message(name, "help", SENDER, Party(one, one), None, None, "text", now) for one in to]

    def a_month() -> None:
        for folder in ("letters/a-i-peer", "posted/a-i-peer"):
            for rec in store.list(folder, values=False):
                aged(board, rec.key)
        letters.settle(store, SENDER.instance)
        for one in to:
            inbox.mark_read(store, one, inbox.unread(store, one))
            for rec in (*store.list(keys.messages(one)), *store.list(keys.read(one))):
                aged(board, rec.key)
        while bygone.mail(store).records:
            pass
        assert [inbox.every(store, one) for one in to] == [[], []]

    stopped: Store = Stopped(store, a_month)  # type: ignore[assignment]
    if once:
        letters.once(stopped, f"{keys.posted(SENDER.instance)}/pause-x", lambda: made)
    else:
        letters.send(stopped, SENDER.instance, made)

    assert [inbox.every(store, one) for one in to] == [[], []]


def test_mail_that_came_to_a_worker_as_it_was_taken_away_goes(repo: Repo, board: str) -> None:
    """Not what is young, nor what is for somebody on record, or pinned and not on record yet."""
    store, here = Directory(board), worktree.discover(str(repo.path))
    known = enrolled(repo, board, "worktrees/a")
    rule = pin.Authorship("", "", keep=True)
    pinned, _ = pin.ensure(here.git_dir, here.common_dir, "me", rule)
    for to in ("i-taken", known, pinned.instance, "i-holds"):
        sent(store, board, to, "text")
    young = sent(store, board, "i-young", "text")
    os.utime(os.path.join(board, f"{keys.messages('i-young')}/{young.id}"))
    mine = Place("w", "i-holds", "b", pin.now())
    me = Identity("w", "i-holds", "pinned", 2)
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, lambda _: False))

    while bygone.strays(store, roll(repo, store), most=1).records:
        pass

    left = {folder.partition("/a-")[2] for folder in store.folders("messages")}
    assert left == {known, pinned.instance, "i-holds", "i-young"}


def test_what_was_sent_for_claims_that_ended_goes(repo: Repo, board: str) -> None:
    """Not what is young, nor what a claim that stands since before may have been told of."""
    del repo
    store, old = Directory(board), "2025-01-01T00:00:00.000000Z"
    for name in ("a-i-new/pause-x", "a-i-old/pause-x", "a-i-none/pause-x", "pairs/1"):
        store.create(f"posted/{name}", b"{}\n")
        aged(board, f"posted/{name}")
    store.create("posted/a-i-new/young", b"{}\n")
    for instance, since in (("i-new", pin.now()), ("i-old", old)):
        mine = Place("w", instance, "b", since, paths=("*.py",) if instance == "i-new" else ())
        me = Identity("w", instance, "pinned", 2)
        claims.change(
            store,
            f"task:{instance}",
            me,
            lambda at, mine=mine: events.joined(at, mine, lambda _: False),
        )

    while bygone.posted(store, most=1).records:
        pass

    left = {rec.key for rec in store.list("posted", values=False)}
    assert left == {"posted/a-i-old/pause-x", "posted/a-i-new/young"}
