"""What waits to be pushed is taken or withdrawn, by one of both, and never twice."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Lost, Spoiled, Unfit
from coord.remote import queue
from coord.remote.draft import Ask, Change, Held
from coord.remote.words import Locked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ASK = Ask((Held("absent", "a/b"),), (Change("a/b", b"\0\xff", 1.5),), (Change("c/d", None),))
_DONE = queue.Answer(done=True, name="1" * 40, rev=2, line="l")


def _killed(act: Callable[[], object]) -> None:
    """Do something in a process that is killed with it."""
    child = os.fork()
    if not child:
        try:
            act()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9


def _names(home: str) -> list[str]:
    return [os.path.splitext(name)[1] for name in sorted(os.listdir(f"{home}/queue"))]


def test_what_is_asked_is_taken_as_it_is_and_answered_once(tmp_path: Path) -> None:
    """Nothing is left of it then."""
    home = str(tmp_path)
    with queue.asked(home, _ASK) as mine:
        assert mine.answer() is None
        (taken,), along = queue.take(home, ())
        assert (taken.ask, taken.again, along) == (_ASK, False, [])
        assert not mine.withdraw()

        queue.settle(taken, _DONE)

        assert mine.answer() == _DONE
        assert queue.take(home, ()) == ([], [])
    assert _names(home) == []


@pytest.mark.parametrize("kind", [Absent, Lost, Unfit, Spoiled])
def test_a_failure_is_told_as_it_is(tmp_path: Path, kind: type[Absent]) -> None:
    """Whether it was surely not applied is what its caller goes by."""
    with queue.asked(str(tmp_path), _ASK) as mine:
        (taken,), _ = queue.take(str(tmp_path), ())
        queue.settle(taken, kind("there", "why"))

        with pytest.raises(kind, match="why"):
            mine.answer()


def test_a_locked_ref_is_told_as_what_was_not_done_and_can_be_later(tmp_path: Path) -> None:
    """A kind that has no name of its own in an answer is the one that it is a kind of."""
    with queue.asked(str(tmp_path), _ASK) as mine:
        (taken,), _ = queue.take(str(tmp_path), ())
        queue.settle(taken, Locked("there", "why", alive=True))

        with pytest.raises(Absent, match="why"):
            mine.answer()


def test_what_is_withdrawn_is_not_taken(tmp_path: Path) -> None:
    """Surely not done."""
    with queue.asked(str(tmp_path), _ASK) as mine:
        assert mine.withdraw()
        assert queue.take(str(tmp_path), ()) == ([], [])


def test_of_who_takes_and_who_withdraws_one_does(tmp_path: Path) -> None:
    """Never both, never neither."""
    home = str(tmp_path)
    for _ in range(50):
        with queue.asked(home, _ASK) as mine:
            start, found = threading.Barrier(2), []

            def take(start: threading.Barrier = start, found: list[object] = found) -> None:
                start.wait()
                found += queue.take(home, ())[0]

            thread = threading.Thread(target=take)
            thread.start()
            start.wait()
            is_withdrawn = mine.withdraw()
            thread.join()

            assert is_withdrawn is not bool(found)


def test_what_a_killed_process_asked_is_dropped(tmp_path: Path) -> None:
    """Nobody would learn what became of it."""
    home = str(tmp_path)

    def ask() -> None:
        with queue.asked(home, _ASK):
            os.kill(os.getpid(), 9)

    _killed(ask)
    assert _names(home) == [".ask"]

    assert queue.take(home, ()) == ([], [])

    assert _names(home) == []


@pytest.mark.parametrize("is_answered", [False, True])
def test_what_a_killed_pusher_took_is_taken_again(tmp_path: Path, *, is_answered: bool) -> None:
    """Unless it was answered before; the next one knows that it may stand."""
    home = str(tmp_path)
    with queue.asked(home, _ASK) as mine:

        def take() -> None:
            (taken,), _ = queue.take(home, ())
            if is_answered:
                queue.settle(taken, _DONE)
            os.kill(os.getpid(), 9)

        _killed(take)

        asked, _ = queue.take(home, ())

        assert [one.again for one in asked] == [True] * (not is_answered)
        assert mine.answer() == (_DONE if is_answered else None)


def test_what_goes_along_stays_until_it_has_gone(tmp_path: Path) -> None:
    """Who takes it and is killed takes nothing away."""
    home = str(tmp_path)
    queue.later(home, [Change("a/b", None)])
    _, along = queue.take(home, ())
    assert [one.ask.also for one in along] == [(Change("a/b", None),)]
    assert queue.take(home, ())[1] == along

    queue.drop(along)

    assert queue.take(home, ()) == ([], [])


def test_what_is_put_back_is_taken_next(tmp_path: Path) -> None:
    """And may be withdrawn until then."""
    with queue.asked(str(tmp_path), _ASK) as mine:
        (taken,), _ = queue.take(str(tmp_path), ())
        queue.put_back(taken)
        assert queue.take(str(tmp_path), ())[0] == [taken]
        queue.put_back(taken)
        assert mine.withdraw()


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    """A file of another version's, or half of one."""
    (tmp_path / "queue").mkdir()
    for number, text in enumerate(("", "{", "[]", "[[],[],[[1]]]", "[" * 9999)):
        (tmp_path / "queue" / f"{number}.later").write_text(text)

    assert queue.take(str(tmp_path), ()) == ([], [])
