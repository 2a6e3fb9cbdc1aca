"""A transaction is pushed, and its process told: whoever is killed, stopped or behind then."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Lost
from coord.remote import address, draft, objects, pushing, queue, share, tips, transport
from coord.remote.draft import Ask, Change, Held
from coord.remote.share import Share
from coord.remote.tips import Place
from coord.stores.chain import Chain
from coord.stores.replica import Replica
from coord.stores.store import Misconfigured
from harness import gitservers
from harness.board import eventually
from harness.remotes import Bare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("env")
_SHARE = Share(0, lambda _: None)
_FLUSH = """
import sys
from coord.remote import address, pushing, share
from coord.remote.tips import Place
place = Place(address.parsed(sys.argv[1]), sys.argv[2], 20, "boot")
pushing.push_waiting(place, share.Share(0, print))
"""


@pytest.fixture
def bare(tmp_path: Path, env: dict[str, str]) -> Bare:
    """A repository without a board."""
    assert env
    (tmp_path / "served").mkdir()
    return Bare(tmp_path / "served" / "board")


@pytest.fixture
def far(bare: Bare) -> Iterator[str]:
    """It by git daemon, whose hooks run."""
    with gitservers.daemon(bare.path.parent) as port:
        yield f"git+git://{gitservers.HOST}:{port}/board"


def _until_over(tmp_path: Path) -> str:
    """Return a shell line that lasts until a test says that it is over, or a minute."""
    return f"for n in $(seq 600); do [ -e {tmp_path}/over ] || sleep 0.1; done"


def _at_work(folder: Path) -> list[str]:
    """Return the processes that work in a folder (Linux)."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.readlink(f"/proc/{name}/cwd") == str(folder):
                found.append(name)
    return found


def _place(tmp_path: Path, text: str, patience: float = 20) -> Place:
    (tmp_path / "kept").mkdir(exist_ok=True)
    return Place(address.parsed(text), str(tmp_path / "kept"), patience, "boot")


def _new(key: str, value: bytes = b"mine") -> Ask:
    return Ask((Held(draft.ABSENT, key),), (Change(key, value, time.time()),))


def _there(place: Place) -> dict[str, tuple[int, bytes]]:
    tip = tips.fetched(place, tips.clock())
    found = draft.records(place, tip, objects.files(place.cache, tip.name)) if tip.name else {}
    return {key: (one.rev, one.value) for key, one in found.items()}


def test_two_on_one_record_go_into_two_commits_and_others_into_one(
    bare: Bare, tmp_path: Path
) -> None:
    """Who is told a number goes by it: it is that of one writing of one record."""
    place = _place(tmp_path, f"git+{bare.path}")
    with (
        queue.asked(place.home, _new("a/1", b"first")) as one,
        queue.asked(place.home, _new("b/1")) as other,
        queue.asked(place.home, _new("a/1", b"second")) as two,
    ):
        pushing.flush(place, _SHARE)
        answers = [one.answer(), other.answer(), two.answer()]
        assert [found and (found.done, found.rev) for found in answers] == [
            (True, 2), (True, 2), None,
        ]  # fmt: skip
        assert _there(place) == {"a/1": (2, b"first"), "b/1": (2, b"mine")}

        pushing.flush(place, _SHARE)

        found = two.answer()
        assert found is not None
        assert (found.done, found.again, found.rev) == (False, False, 2)


@pytest.mark.parametrize("hook", ["pre-receive", "post-receive"])
def test_what_a_killed_pusher_had_taken_is_decided_again_and_stands_once(
    bare: Bare, far: str, tmp_path: Path, hook: str
) -> None:
    """It may stand by then: its process is told so, and never that another has it."""
    place = _place(tmp_path, far)
    assert pushing.publish(place, _SHARE, _new("a/0")).done
    mark = tmp_path / "mark"
    bare.hook(hook, f"test -e {mark} && exit 0; touch {mark}; {_until_over(tmp_path)}")
    with queue.asked(place.home, _new("a/1")) as mine:
        pusher = subprocess.Popen([sys.executable, "-c", _FLUSH, far, place.home])
        assert eventually(mark.exists, 30)
        pusher.kill()
        pusher.wait()
        assert mine.answer() is None
        assert not mine.withdraw()

        pushing.flush(place, _SHARE)

        found = mine.answer()
    assert found is not None
    assert (found.done, found.again) == ((True, False) if hook == "pre-receive" else (False, True))
    (tmp_path / "over").touch()
    assert eventually(lambda: not _at_work(bare.path))  # the push of the one that was killed ends
    there = _there(place)
    assert there == {"a/0": (2, b"mine"), "a/1": (3, b"mine")}
    assert tips.known(place).rev == 3


def test_a_stopped_pusher_is_not_waited_for_for_ever(
    bare: Bare, far: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has not taken is withdrawn: surely not done, and its process is told so."""
    monkeypatch.setattr(share, "_MOST", 0.5)
    place = _place(tmp_path, far)
    assert pushing.publish(place, _SHARE, _new("a/0")).done
    mark = tmp_path / "mark"
    bare.hook("pre-receive", f"touch {mark}; {_until_over(tmp_path)}")
    with queue.asked(place.home, _new("a/1")):
        pusher = subprocess.Popen([sys.executable, "-c", _FLUSH, far, place.home])
        try:
            assert eventually(mark.exists, 30)
            pusher.send_signal(signal.SIGSTOP)
            begun = time.monotonic()
            with pytest.raises(Absent, match="does not end"):
                pushing.publish(place._replace(patience=0.2), _SHARE, _new("b/1"))
            assert time.monotonic() - begun < 40
        finally:
            (tmp_path / "over").touch()
            pusher.kill()
            pusher.wait()
    assert "b/1" not in _there(place)


def test_a_copy_of_the_folder_is_another_host(bare: Bare, tmp_path: Path) -> None:
    """Its queue is empty there, and both go on."""
    place = _place(tmp_path, f"git+{bare.path}")
    assert pushing.publish(place, _SHARE, _new("a/1")).done
    for name in ("kept", "kept.git"):
        shutil.copytree(tmp_path / name, tmp_path / f"copy{name[4:]}")
    copy = place._replace(home=str(tmp_path / "copy"))

    assert tips.known(copy).host != tips.known(place).host
    assert pushing.publish(copy, _SHARE, _new("a/2")).done
    assert pushing.publish(place, _SHARE, _new("a/3")).done
    assert set(_there(copy)) == {"a/1", "a/2", "a/3"}


def test_a_push_whose_answer_is_no_while_it_stands_is_done(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where something between sends it twice: the tip tells."""
    place, real = _place(tmp_path, f"git+{bare.path}"), transport.push
    assert pushing.publish(place, _SHARE, _new("a/0")).done

    def push(*args: object) -> bool:
        real(*args)  # type: ignore[arg-type]
        return False

    monkeypatch.setattr(transport, "push", push)

    assert pushing.publish(place, _SHARE, _new("a/1")).done

    assert _there(place)["a/1"] == (3, b"mine")


def test_a_push_whose_answer_is_lost_may_stand_whatever_fails_then(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its repository is away when the tip is asked for: that says nothing of what was sent before.

    No server can be made to lose an answer and be gone at that very moment.
    """
    place = _place(tmp_path, f"git+{bare.path}")
    pushing.publish(place, _SHARE, _new("claims/s-x/00000001"))
    real = transport.push

    def push(*args: object) -> bool:
        assert real(*args)  # type: ignore[arg-type]
        bare.path.rename(tmp_path / "away")
        raise Lost(place.where.text, "the answer was lost")

    monkeypatch.setattr(transport, "push", push)

    with pytest.raises(Lost):
        pushing.publish(place, _SHARE, _new("claims/s-y/00000001"))

    (tmp_path / "away").rename(bare.path)
    assert "claims/s-y/00000001" in _there(place)


def test_who_loses_a_race_is_told_that_it_lost(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that its own may stand: its push was refused, and nobody was killed."""
    place, real = _place(tmp_path, f"git+{bare.path}"), transport.push
    os.mkdir(f"{place.home}-other")
    other = place._replace(home=f"{place.home}-other")
    assert pushing.publish(place, _SHARE, _new("a/0")).done

    def push(*args: object) -> bool:
        monkeypatch.setattr(transport, "push", real)
        assert pushing.publish(other, _SHARE, _new("a/1", b"theirs")).done
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "push", push)

    found = pushing.publish(place, _SHARE, _new("a/1"))

    assert (found.done, found.again) == (False, False)
    assert queue.take(place.home, ()) == ([], [])


def _lagging(monkeypatch: pytest.MonkeyPatch, bare: Bare, back: int, times: int) -> None:
    """Have as many fetches show the tip as it was, so many commits ago."""
    real, left = transport.fetch, [times]

    def fetch(cache: str, *args: object) -> str:
        found = real(cache, *args)  # type: ignore[arg-type]
        left[0] -= 1
        return objects.ancestor(cache, found, back) or "" if left[0] >= 0 else found

    monkeypatch.setattr(transport, "fetch", fetch)
    monkeypatch.setattr(tips, "_PAUSE", 0.0)
    assert bare.tip


@pytest.mark.parametrize("times", [2, 50])
def test_a_server_that_lags_takes_nothing_back(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """What we know to have stood there a moment ago still does; it is the same line."""
    place = _place(tmp_path, f"git+{bare.path}")
    for key in ("a/1", "a/2", "a/3"):
        assert pushing.publish(place, _SHARE, _new(key)).done
    line = tips.known(place).line
    _lagging(monkeypatch, bare, 2, times)

    assert set(_there(place)) == {"a/1", "a/2", "a/3"}
    found = pushing.publish(place, _SHARE, _new("a/3", b"another"))

    assert (found.done, found.line) == (False, line)


def test_a_tip_that_stays_behind_for_longer_is_another_line(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set back: nothing that was known is taken for granted."""
    place = _place(tmp_path, f"git+{bare.path}")
    for key in ("a/1", "a/2"):
        assert pushing.publish(place, _SHARE, _new(key)).done
    line = tips.known(place).line
    bare.move(objects.ancestor(place.cache, bare.tip, 1) or "")
    assert set(_there(place)) == {"a/1", "a/2"}
    monkeypatch.setattr(tips, "_LAGS", -1.0)

    assert set(_there(place)) == {"a/1"}
    assert tips.known(place).line != line


def _deleted(bare: Bare, _: Place) -> None:
    subprocess.run(["git", "-C", str(bare.path), "update-ref", "-d", transport.REF], check=True)


def _set_back(bare: Bare, place: Place) -> None:
    bare.move(objects.ancestor(place.cache, bare.tip, 1) or "")


def _rewritten(bare: Bare, place: Place) -> None:
    _set_back(bare, place)
    other = place._replace(home=f"{place.home}-other")
    os.mkdir(other.home)
    pushing.publish(other, _SHARE, _new("claims/s-y/00000001"))


@pytest.mark.parametrize("done", [_deleted, _set_back, _rewritten])
def test_a_board_that_is_not_what_it_was_is_refused_by_name(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: Callable[..., None]
) -> None:
    """At each call, until a clone begins with it anew."""
    monkeypatch.setattr(tips, "_LAGS", -1.0)
    place = _place(tmp_path, f"git+{bare.path}")
    chain = Chain(place.where, place.home)
    store = Replica(chain, str(tmp_path / "copy"), fresh=0, url=place.where.text)
    store.create("about/board", b"{}")
    store.create("claims/s-x/00000001", b"held")
    assert store.list("claims")
    done(bare, place)

    for _ in range(2):
        with pytest.raises(Misconfigured) as error:
            store.list("claims")
        assert error.value.rule == "store-set-back"
        assert "x" in error.value.why
        with pytest.raises(Misconfigured):
            store.create("claims/s-x/00000001", b"other")
    store.close()

    anew = Replica(Chain(place.where, place.home), str(tmp_path / "new"), fresh=0)
    assert anew.create("claims/s-x/00000001", b"other").value == b"other"


def test_a_cache_that_is_torn_costs_a_write_nothing(bare: Bare, tmp_path: Path) -> None:
    """As after a power cut: it is made anew."""
    place = _place(tmp_path, f"git+{bare.path}")
    chain = Chain(place.where, place.home)
    chain.create("a/1", b"1")
    for folder, _, names in os.walk(f"{place.cache}/objects"):
        for name in names:
            os.unlink(os.path.join(folder, name))

    assert chain.create("a/2", b"2").value == b"2"
    assert {rec.key for rec in chain.list("a")} == {"a/1", "a/2"}
