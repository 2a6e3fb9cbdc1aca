"""What age and order decide on a board that has no clock, whatever its writers' clocks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.board import bygone, claims, events, inbox, letters, notices, sweep
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.identity import pin
from coord.identity.whoami import Identity
from coord.stores import keys, retired
from coord.stores.replica import Replica
from harness.clockless import YEAR, Clockless, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from coord.etcd.address import Address
    from coord.stores.store import Store

DAY = 86400.0
SKEWS = pytest.mark.parametrize("skewed", [0.0, -YEAR, YEAR])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Clocks that show what this test says."""
    return World(monkeypatch)


@pytest.fixture
def opened(address: Address, tmp_path: Path, world: World) -> Iterator[Callable[[str], Store]]:
    """Open the board as the clone of a name."""
    del world
    made: dict[str, Replica] = {}

    def open_as(name: str = "one") -> Store:
        if name not in made:
            made[name] = Replica(Clockless(address), str(tmp_path / name), fresh=0)
        return made[name]

    yield open_as
    for store in made.values():
        store.close()


def claim(store: Store, who: str, scope: str, since: float) -> None:
    """Claim a scope as `who`, whose clock shows `since`."""
    me = Identity(who, f"i-{who}", "pinned", 2)
    mine = Place(who, f"i-{who}", who, pin.at(since), paths=("x/**",))
    claims.change(store, scope, me, lambda at: events.joined(at, mine, lambda _: False))


def release(store: Store, who: str, scope: str) -> None:
    """Release a scope as `who`."""
    me = Identity(who, f"i-{who}", "pinned", 2)
    claims.change(
        store, scope, me,
        lambda at: events.left(at, lambda one: one.instance == me.instance, lambda _: False),
    )  # fmt: skip


def message(name: str, sent: float) -> Message:
    """Return a message from a to b, whose sender's clock shows `sent`."""
    stamp = f"{int(sent * 1_000_000):014x}-{name * 8}"
    return Message(
        stamp, "help", Party("a", "i-a"), Party("b", "i-b"), None, None, name, pin.at(sent)
    )


@SKEWS
def test_a_scope_goes_a_week_after_it_was_seen_free(
    opened: Callable[..., Store], world: World, skewed: float
) -> None:
    """By who was here all that week; to a clone that comes later it is new."""
    one = opened()
    claim(one, "a", "task:x", world.time() + skewed)
    release(one, "a", "task:x")

    assert sweep.scopes(one).records == 0
    world.passed += 8 * DAY
    assert sweep.scopes(opened("late")).records == 0
    assert sweep.kept(one) == 1
    assert sweep.scopes(one).records == 2


@SKEWS
def test_a_history_is_as_old_as_it_was_seen(
    opened: Callable[..., Store], world: World, skewed: float
) -> None:
    """Whatever its events say."""
    one = opened()
    for number in range(5):
        claim(one, f"w{number}", "task:x", world.time() + skewed)
    world.passed += 8 * DAY
    claim(one, "last", "task:x", world.time() + skewed)

    assert claims.compact(opened("late"), keys.claim("task:x")) == 0
    assert claims.compact(one, keys.claim("task:x")) == 4


def test_a_notice_of_nothing_goes_a_minute_after_it_was_seen(
    opened: Callable[..., Store], world: World
) -> None:
    """Its event may be about to come, wherever its writer's clock stands."""
    one, key = opened(), f"{keys.notices('i-b')}/n"
    value = b'{"schema":1,"kind":"lost","scope":"task:x","seq":9,"by":"a","at":"x",'
    one.create(key, value + b'"generation":1,"reason":""}\n')

    assert notices.unread(one, "i-b") == []
    assert one.read(key) is not None
    world.passed += 61
    assert notices.unread(opened("late"), "i-b") == []
    assert one.read(key) is not None
    assert notices.unread(one, "i-b") == []
    assert one.read(key) is None


@SKEWS
def test_what_was_sent_once_for_a_claim_that_stands_is_not_forgotten(
    opened: Callable[..., Store], world: World, skewed: float
) -> None:
    """It came after the claim, as both were written; its claimant's clock says what it likes."""
    one, key = opened(), f"{keys.PAIRS}/p"
    claim(one, "a", "task:before", world.time())
    one.create(f"{keys.posted('i-a')}/x", b"{}\n")
    claim(one, "a", "task:x", world.time() + skewed)
    one.create(key, b"{}\n")
    release(one, "a", "task:before")
    one.list("posted")
    world.passed += 40 * DAY

    assert bygone.posted(one).records == 1  # that before it, which was for the other
    assert one.read(key) is not None
    release(one, "a", "task:x")
    assert bygone.posted(one).records == 1
    assert one.read(key) is None


def test_what_was_sent_once_stays_where_its_claim_may_be_older(
    opened: Callable[..., Store], world: World
) -> None:
    """Of a claim whose first record is kept no more nobody can tell when it was made."""
    one, key = opened(), f"{keys.PAIRS}/p"
    claim(one, "a", "task:x", world.time())
    one.create(key, b"{}\n")
    for number in range(4):
        claim(one, f"w{number}", "task:x", world.time())
    one.list("claims")
    world.passed += 40 * DAY
    claim(one, "last", "task:x", world.time())
    assert claims.compact(one, keys.claim("task:x")) == 4

    assert bygone.posted(one).records == 0


def test_what_was_sent_once_is_delivered_once_to_whomever_it_is_new(
    opened: Callable[..., Store], world: World
) -> None:
    """A message stays as long as the mark that it was sent: to a new copy that is of today."""
    one, made, key = opened(), message("a", world.time()), f"{keys.posted('i-a')}/x"
    claim(one, "a", "task:x", world.time())
    assert letters.once(one, key, lambda: [made])[0]
    inbox.mark_read(one, "i-b", inbox.unread(one, "i-b"))
    world.passed += 40 * DAY

    assert bygone.mail(one).records == 0
    assert not letters.once(opened("late"), key, lambda: [made])[0]
    assert inbox.unread(one, "i-b") == []
    release(one, "a", "task:x")
    assert bygone.posted(one).records == 1
    assert bygone.mail(one).records == 1
    assert inbox.every(one, "i-b") == []


def test_old_mail_goes_though_younger_letters_are_named_as_older(
    opened: Callable[..., Store], world: World
) -> None:
    """Names are in the order of one writer's time, and another's is a year behind."""
    one = opened()
    letters.send(one, "i-a", [message("a", world.time())])
    inbox.mark_read(one, "i-b", inbox.unread(one, "i-b"))
    world.passed += 40 * DAY
    letters.send(one, "i-a", [message("b", world.time() - YEAR)])
    inbox.mark_read(one, "i-b", inbox.unread(one, "i-b"))

    assert bygone.mail(one).records == 2  # it, and that it was read
    assert [found.text for found in inbox.every(one, "i-b")] == ["b"]


def test_mail_and_news_come_in_the_order_in_which_they_were_written(
    opened: Callable[..., Store], world: World
) -> None:
    """Not in that of their writers' clocks."""
    one = opened()
    for number, skewed in enumerate((YEAR, 0.0, -YEAR)):
        letters.send(one, "i-a", [message("abc"[number], world.time() + skewed)])
        now = pin.at(world.time() + skewed)
        value = (
            f'{{"schema":1,"kind":"circle","scope":"task:{number}","seq":0,"by":"a","at":"{now}",'
        )
        value += '"generation":1,"reason":""}'
        one.create(f"{keys.notices('i-b')}/{9 - number}", value.encode())

    assert [found.text for found in inbox.unread(one, "i-b")] == ["a", "b", "c"]
    assert [found.scope for found in notices.unread(one, "i-b")] == ["task:0", "task:1", "task:2"]


def test_what_was_shown_last_is_what_was_written_last(
    opened: Callable[..., Store], world: World
) -> None:
    """Also where the clock was set back in between."""
    for skewed, number in ((0.0, 1), (-YEAR, 2)):
        world.at.skewed = skewed
        one = opened(str(number))  # which has the time of the command that opens it
        sent = [message("abcd"[number + at], world.time()) for at in range(number)]
        for each in sent:
            letters.send(one, "i-a", [each])
        inbox.mark_read(one, "i-b", inbox.unread(one, "i-b"))

    shown = inbox.shown_last(one, "i-b")
    assert shown is not None
    assert shown.number == 2
    assert shown.at == pytest.approx(world.time(), abs=2)


def test_a_scope_that_began_at_one_after_a_sweep_is_known_to_a_new_copy(
    opened: Callable[..., Store],
) -> None:
    """To which all is of one moment: by a version that knows no mark, it has numbers once more."""
    one = opened()
    one.create(keys.event(keys.claim("task:before"), 1), b"x\n")
    retired.lift(one, 7)
    one.create(keys.event(keys.claim("task:after"), 1), b"x\n")
    late = opened("late")
    mark = retired.first(late)
    assert mark is not None

    found = [late.read(keys.event(keys.claim(f"task:{name}"), 1)) for name in ("before", "after")]
    assert [rec and retired.is_before(late, mark, rec) for rec in found] == [False, True]
