"""A git remote that is tried as a board: every trouble by one line and one command."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from coord.remote import address, tips, transport
from coord.remote.place import unfit
from coord.stores import about, moved, remoteprobe
from coord.stores.chain import Chain
from harness import gitservers
from harness.remotes import Bare

if TYPE_CHECKING:
    import http.server
    from collections.abc import Iterator
    from pathlib import Path

    from coord.stores.probe import Probe

pytestmark = pytest.mark.usefixtures("env")


@pytest.fixture
def bare(tmp_path: Path, env: dict[str, str]) -> Bare:
    """A repository with a board of one record."""
    assert env
    (tmp_path / "served").mkdir()
    made = Bare(tmp_path / "served" / "board")
    made.set("http.receivepack", "true")
    assert unfit(str(made.path)) == ""
    _chain(made.path, tmp_path / "begun").create(about.KEY, b"{}")
    return made


@pytest.fixture
def web(bare: Bare) -> Iterator[gitservers.Http]:
    """The repository by smart HTTP."""
    with gitservers.smart(bare.path.parent) as server:
        yield server


def _url(web: gitservers.Http) -> str:
    return f"http://{gitservers.HOST}:{web.server_port}/board"


def _chain(url: object, home: Path, rate: float = 0, patience: float = 5) -> Chain:
    home.mkdir(exist_ok=True)
    return Chain(address.parsed(f"git+{url}"), str(home / "board"), rate=rate, patience=patience)


def _probed(url: object, tmp_path: Path, rate: float = 0, patience: float = 5) -> Probe:
    (tmp_path / "mine" / "board").mkdir(parents=True, exist_ok=True)
    return _chain(url, tmp_path / "mine", rate, patience).probe()


def _place(bare: Bare, tmp_path: Path) -> tips.Place:
    return _chain(bare.path, tmp_path / "mine")._place  # what it keeps


@pytest.mark.parametrize("protocol", ["file", "git", "http"])
def test_a_server_that_does_as_it_should_is_right_and_nothing_is_left(
    bare: Bare, tmp_path: Path, protocol: str
) -> None:
    """Two commits at most come of it. That whoever may push can rewrite it is a note."""
    with (
        gitservers.daemon(bare.path.parent) as port,
        gitservers.smart(bare.path.parent) as web,
    ):
        url = {"file": bare.path, "git": f"git://{gitservers.HOST}:{port}/board", "http": _url(web)}

        found = _probed(url[protocol], tmp_path)

    assert found.troubles == ()
    assert "one wins" in found.right
    assert any("a fetch takes" in fact for fact in found.facts)
    assert any("a push takes" in fact for fact in found.facts)
    assert "1 records, the board's commit 2" in " ".join(found.facts)
    (note,) = found.notes
    assert "can rewrite or delete" in note
    there = _chain(bare.path, tmp_path / "begun")
    assert there.revisions() == {about.KEY: 2}
    assert tips.known(there._place).rev == 4  # of the chain


def test_it_is_paid_for_with_the_turns_to_come(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three pushes, of the six that a board has in a minute."""
    pushes, real = [], transport.push

    def counted(*args: object) -> bool:
        pushes.append(args)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "push", counted)

    found = _probed(bare.path, tmp_path, rate=6)

    assert found.right
    assert len(pushes) == 3
    assert "its clones share 6 pushes a minute" in found.facts
    assert len(tips.known(_place(bare, tmp_path)).came) >= 3


def test_where_there_is_no_room_for_a_push_the_rest_is_told(bare: Bare, tmp_path: Path) -> None:
    """The doctor waits for nobody's turn."""
    _probed(bare.path, tmp_path, rate=3)
    tip = bare.tip

    found = _probed(bare.path, tmp_path, rate=3)

    assert (found.right, found.troubles) == ("", ())
    assert any("used up" in note for note in found.notes)
    assert bare.tip == tip


@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_hook_that_declines_is_named_with_its_words(
    bare: Bare, web: gitservers.Http, tmp_path: Path, hook: str
) -> None:
    """No board can be there; what can be known without a push is told all the same."""
    bare.hook(hook, "echo branches alone; exit 1")

    found = _probed(_url(web), tmp_path)

    (trouble,) = found.troubles
    assert "branches alone" in trouble.message
    assert trouble.run == "git coord store use -h"
    assert found.right == ""
    assert found.facts


def test_a_ref_that_stays_as_it_is_is_no_board(
    bare: Bare, web: gitservers.Http, tmp_path: Path
) -> None:
    """A hidden one is shown to who fetches, and refused to who pushes, as if it had moved."""
    bare.set("receive.hideRefs", "refs/coord")

    found = _probed(_url(web), tmp_path)

    (trouble,) = found.troubles
    assert "stays as it is" in trouble.message


def test_a_server_that_takes_no_pushes_is_named(
    bare: Bare, web: gitservers.Http, tmp_path: Path
) -> None:
    """Who we are may not push there: git asks for a password where it is asked itself."""
    bare.set("http.receivepack", "false")

    found = _probed(_url(web), tmp_path)

    (trouble,) = found.troubles
    assert trouble.rule == "not-permitted"
    assert trouble.run == f"git ls-remote --heads {_url(web)}"


def test_the_lock_of_a_killed_push_is_taken_away_by_the_command_that_is_printed(
    bare: Bare, tmp_path: Path
) -> None:
    """It stays for ever; with it every claim fails."""
    (bare.path / f"{transport.REF}.lock").touch()

    (trouble,) = _probed(bare.path, tmp_path).troubles

    assert trouble.run.startswith("rm ")
    subprocess.run(trouble.run, shell=True, check=True)
    assert _probed(bare.path, tmp_path).troubles == ()


def test_a_server_that_hangs_ends_in_time(web: gitservers.Http, tmp_path: Path) -> None:
    """It takes the request and says nothing."""
    done = threading.Event()

    def hang(_: http.server.BaseHTTPRequestHandler) -> bytes:
        done.wait(30)
        return b""

    web.says = hang

    (trouble,) = _probed(_url(web), tmp_path, patience=1).troubles

    done.set()
    assert trouble.rule == "store-unavailable"
    assert trouble.run == f"git ls-remote --heads {_url(web)}"


def test_pushes_that_go_elsewhere_than_fetches_are_no_board(
    bare: Bare, tmp_path: Path, env: dict[str, str]
) -> None:
    """The lease would be stale for ever; nothing is pushed there."""
    key = "url.ssh://git@example.com/.pushInsteadOf"
    subprocess.run(["git", "config", "--global", key, str(bare.path.parent)], env=env, check=True)
    tip = bare.tip

    (trouble,) = _probed(bare.path, tmp_path).troubles

    assert "written at ssh://git@example.com//board" in trouble.message
    shown = subprocess.run(
        trouble.run, shell=True, env=env, cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert "pushinsteadof" in shown.stdout
    assert bare.tip == tip


def test_a_rewriting_that_holds_for_both_is_none_of_it(
    web: gitservers.Http, tmp_path: Path, env: dict[str, str]
) -> None:
    """The longest rule counts, for a push the one for pushes first."""
    base = _url(web).removesuffix("board")
    rules = (
        ("http://nowhere/.insteadOf", "http://x"),
        (f"{base}.insteadOf", "http://x/"),
        (f"{base}.pushInsteadOf", "http://x/"),
    )
    for key, prefix in rules:
        git = ["git", "config", "--global", "--add", f"url.{key}", prefix]
        subprocess.run(git, env=env, check=True)

    assert _probed("http://x/board", tmp_path).troubles == ()


def test_a_slow_hook_is_a_note(bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the server's to mend, and nothing false comes of it."""
    monkeypatch.setattr(remoteprobe, "_SLOW", 0.4)
    bare.hook("pre-receive", "sleep 1")
    with gitservers.daemon(bare.path.parent) as port:
        found = _probed(f"git://{gitservers.HOST}:{port}/board", tmp_path)

    assert found.troubles == ()
    assert any("takes long to accept" in note for note in found.notes)


def test_a_repository_of_many_refs_is_a_note(bare: Bare, tmp_path: Path) -> None:
    """Each push is told of them; one of the board's own has a single one."""
    rows = (f"{bare.tip} refs/tags/{at:05d}\n" for at in range(1100))
    (bare.path / "packed-refs").write_text(f"# pack-refs with: sorted\n{''.join(rows)}")

    found = _probed(bare.path, tmp_path)

    assert found.troubles == ()
    assert any("has 1101 refs or more" in note for note in found.notes)


def test_a_server_that_lags_is_a_note(
    bare: Bare, web: gitservers.Http, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several behind one name: one takes the pushes, another is asked."""
    monkeypatch.setattr(remoteprobe, "_PAUSE", 0.05)
    monkeypatch.setattr(tips, "_PAUSE", 0.05)
    other = bare.path.parent.parent / "replica"
    other.mkdir()
    subprocess.run(["cp", "-r", str(bare.path), str(other / "board")], check=True)
    copy = Bare(other / "board")
    behind = tmp_path / "behind"
    bare.hook("post-receive", f"echo >{behind}")

    def route(asked: http.server.BaseHTTPRequestHandler) -> bytes:
        is_fetch = "upload-pack" in asked.path
        web.folder = other if is_fetch else bare.path.parent
        if is_fetch and asked.command == "GET" and behind.exists():
            with behind.open("a+") as file:
                file.write("asked\n")
            if behind.read_text().count("asked") > 6:
                behind.unlink()
                subprocess.run(
                    ["git", "push", "-q", str(copy.path), "+refs/*:refs/*"],
                    cwd=bare.path, check=True,
                )  # fmt: skip
        return b""

    web.says = route

    found = _probed(_url(web), tmp_path)

    assert found.troubles == ()
    assert found.right
    assert any("lag" in note for note in found.notes)


def test_a_server_that_accepts_both_is_named(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of git's own does; what stands between might say so."""
    real, pushes = transport.push, []

    def both(*args: object) -> bool:
        pushes.append(args)
        return real(*args) or len(pushes) <= 2  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "push", both)
    monkeypatch.setattr(remoteprobe, "_PAUSE", 0.0)

    found = _probed(bare.path, tmp_path)

    assert [one.rule for one in found.troubles] == ["store-not-atomic"]
    assert found.right == ""
    assert _chain(bare.path, tmp_path / "begun").revisions() == {about.KEY: 2}


def test_a_board_that_others_write_all_the_time_proves_nothing(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no fault of the server's, and the rounds are few."""
    real, lock, rival = transport.push, threading.RLock(), _chain(bare.path, tmp_path / "begun")
    pushes = []

    def late(cache: str, *args: object) -> bool:
        with lock:
            if "mine" in cache and len(pushes) % 2 == 0:
                rival.create(f"about/{os.urandom(4).hex()}", b"{}")
            pushes.append(cache)
        return real(cache, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "push", late)

    found = _probed(bare.path, tmp_path)

    assert found.troubles == ()
    assert found.right == ""
    assert any("not tried" in note for note in found.notes)
    assert sum("mine" in cache for cache in pushes) == 4


def test_a_board_that_has_moved_is_tried_no_more(bare: Bare, tmp_path: Path) -> None:
    """Nothing is written there."""
    _chain(bare.path, tmp_path / "begun").leave(moved.encode(moved.Goal("local", "e", "c")))
    tip = bare.tip

    (trouble,) = _probed(bare.path, tmp_path).troubles

    assert trouble.rule == "store-moved"
    assert bare.tip == tip


def test_a_repository_without_a_board_is_given_none(bare: Bare, tmp_path: Path) -> None:
    """What stood there is deleted: whoever begins anew knows that there was one."""
    subprocess.run(["git", "-C", str(bare.path), "update-ref", "-d", transport.REF], check=True)

    found = _probed(bare.path, tmp_path)

    assert found.right == ""
    assert bare.tip == ""
