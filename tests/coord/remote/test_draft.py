"""What a transaction compares, on a real chain, and what goes into one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.remote import address, draft, objects, pushing, queue, tips
from coord.remote.draft import Ask, Change, Draft, Held
from coord.remote.share import Share
from coord.remote.tips import Place
from harness.remotes import Bare

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("env")
_SHARE = Share(0, lambda _: None)


@pytest.fixture
def place(tmp_path: Path, env: dict[str, str]) -> Place:
    """A clone's home of a board: commit 2 has a/x and a/y, commit 3 wrote b/z and took a/y away."""
    assert env
    bare = Bare(tmp_path / "bare")
    (tmp_path / "kept").mkdir()
    made = Place(address.parsed(f"git+{bare.path}"), str(tmp_path / "kept"), 20, "boot")
    _do(made, Ask((), (Change("a/x", b"1", 7.25), Change("a/y", b"2"))))
    _do(made, Ask((), (Change("b/z", b"3"), Change("a/y", None))))
    return made


def _do(place: Place, ask: Ask) -> queue.Answer:
    return pushing.publish(place, _SHARE, ask)


def _there(place: Place) -> dict[str, draft.Record]:
    tip = tips.known(place)
    return draft.records(place, tip, objects.files(place.cache, tip.name))


def test_what_a_comparison_holds_on(place: Place) -> None:
    """Commit 2 wrote a/x and a/y, commit 3 wrote b/z and took a/y away."""
    cases = {
        Held(draft.AT, "a/x", 2): True,
        Held(draft.AT, "a/x", 3): False,
        Held(draft.AT, "a/y", 2): False,
        Held(draft.THERE, "b/z"): True,
        Held(draft.THERE, "a/y"): False,
        Held(draft.THERE, "a"): False,
        Held(draft.ABSENT, "a/y"): True,
        Held(draft.ABSENT, "a/x"): False,
        Held(draft.EMPTY, "c"): True,
        Held(draft.EMPTY, "a"): False,
        Held(draft.EMPTY, "a/x"): True,
        Held(draft.STILL, "a", 2): True,
        Held(draft.STILL, "b", 2): False,
        Held(draft.STILL, "b", 3): True,
        Held(draft.STILL, "c", 1): True,
        Held(draft.STILL, "a", 99): False,
        Held(draft.LINE, "another"): False,
        Held(draft.LINE, tips.known(place).line): True,
    }

    found = {}
    for held in cases:
        made = Draft(place, tips.known(place))
        found[held] = made.take(Ask((held,), (Change("c/new", b""),)))
        assert made.is_empty is not found[held]

    assert found == cases


def test_what_is_about_another_of_the_same_commit_is_decided_later(place: Place) -> None:
    """Whoever is told no because of it may be told of what never stood."""
    made = Draft(place, tips.known(place))
    assert made.take(Ask((), (Change("n/1", b""),)))

    for held in (
        Held(draft.ABSENT, "n/1"),
        Held(draft.THERE, "n/1"),
        Held(draft.AT, "n/1", 4),
        Held(draft.EMPTY, "n"),
        Held(draft.STILL, "n", 3),
    ):
        assert made.take(Ask((held,), (Change("m/1", b""),))) is None
    assert made.take(Ask((), (Change("n/1", b"other"),))) is None
    assert made.take(Ask((Held(draft.EMPTY, "m"),), (Change("m/1", b""),)))


def test_the_same_change_twice_is_two_commits(place: Place) -> None:
    """Of two hosts that made one and the same each would be told that it was accepted."""
    made = Draft(place, tips.known(place))
    made.add([Change("a/x", None)])

    one, two = made.commit(), made.commit()

    assert one.name != two.name
    assert one.rev == two.rev == tips.known(place).rev + 1


def test_what_goes_along_overwrites_no_transaction(place: Place) -> None:
    """Whatever the order in which both were added."""
    ask = Ask((), (Change("a/x", b"mine"),), also=(Change("a/x", b"along"), Change("d/e", b"4")))

    assert _do(place, ask).done

    assert {key: one.value for key, one in _there(place).items()} == {
        "a/x": b"mine", "b/z": b"3", "d/e": b"4",
    }  # fmt: skip


def test_a_record_keeps_its_number_and_stamp(place: Place) -> None:
    """The number is that of the commit that wrote it."""
    assert _there(place)["a/x"] == draft.Record(b"1", 2, 7.25)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"rev 1 at 2", b"rev x at 2\n", b"rev 1 at \n", b"rev -1 at 2\n", b"1 at 2\n",
        b"rev 5 at 2\nahead of the tip", b"rev 1 at 1234567890123456789\n",
        "rev ² at 2\n".encode(),
    ],
)  # fmt: skip
def test_what_is_no_record_comes_as_it_is(data: bytes) -> None:
    """It has no number that a comparison could hold on, and no stamp."""
    assert draft.decoded(data, 4) == draft.Record(data)


def test_a_record_comes_back_as_it_was_written() -> None:
    """Whatever its bytes."""
    value = bytes(range(256))

    assert draft.decoded(draft.encoded(value, 3, 1.5), 4) == draft.Record(value, 3, 1.5)
