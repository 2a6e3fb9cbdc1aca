"""What a fetch or a push that fails is called, by real servers: never more than is known of it."""

from __future__ import annotations

import socket
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Denied, Failure, Lost, Unfit
from coord.remote.words import Locked
from harness import gitservers
from harness.remotes import Cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.gitservers import Http
    from harness.remotes import Bare

pytestmark = pytest.mark.usefixtures("env")


@pytest.fixture
def far(bare: Bare, cache: Cache, tmp_path: Path) -> Iterator[Cache]:
    """The cache, of a board with one commit, that asks a git daemon."""
    assert cache.push("", cache.commit("1"))
    with gitservers.daemon(bare.path.parent) as port:
        yield Cache(tmp_path, f"git://{gitservers.HOST}:{port}/board")


@pytest.fixture
def web(bare: Bare, cache: Cache) -> Iterator[Http]:
    """A server of a board with one commit by smart HTTP."""
    assert cache.push("", cache.commit("1"))
    with gitservers.smart(bare.path.parent) as server:
        yield server


def _by(web: Http, cache: Cache, name: str = "board") -> Cache:
    url = f"http://{gitservers.HOST}:{web.server_port}/{name}"
    return Cache(cache.common.parent, url)


def _raised(cache: Cache, old: str, within: float = 20) -> Failure:
    with pytest.raises(Failure) as found:
        cache.push(old, cache.commit("2", *filter(None, [old])), within)
    assert "\n" not in found.value.why
    return found.value


@pytest.mark.parametrize("name", ["pre-receive", "update"])
def test_a_hook_of_the_server_that_says_no_is_named_with_its_words(
    bare: Bare, far: Cache, name: str
) -> None:
    """Nothing was done, and nothing will be."""
    bare.hook(name, "echo ask the admin; exit 1")

    failure = _raised(far, bare.tip)

    assert type(failure) is Unfit
    assert "ask the admin" in failure.why


def test_a_ref_that_the_server_keeps_from_pushes_is_named(bare: Bare, far: Cache) -> None:
    """To create it is refused; it is not seen by who would move it."""
    old = bare.tip
    bare.set("receive.hideRefs", "refs/coord")
    assert not far.push(old, far.commit("2", old))

    with pytest.raises(Unfit, match="hidden ref"):
        far.push("", far.commit("2"))


def test_a_lock_that_a_killed_server_left_is_no_lost_race(bare: Bare, far: Cache) -> None:
    """It stays for ever: whoever is told that another was faster would try for ever."""
    (bare.path / "refs/coord/board.lock").touch()

    failure = _raised(far, bare.tip)

    assert type(failure) is Locked
    assert "refs/coord/board.lock" in failure.why


def test_a_lock_of_a_push_that_ends_is_waited_for(bare: Bare, far: Cache) -> None:
    """Another was at it for a moment, and did nothing."""
    lock = bare.path / "refs/coord/board.lock"
    lock.touch()
    threading.Timer(0.4, lock.unlink).start()
    old = bare.tip
    new = far.commit("2", old)

    assert far.push(old, new)

    assert bare.tip == new


def test_a_name_that_is_in_the_way_of_the_ref_is_named(bare: Bare, far: Cache) -> None:
    """Of ``refs/coord`` and ``refs/coord/board`` a repository has one."""
    old = bare.tip
    for args in (("-d", "refs/coord/board"), ("refs/coord", old)):
        subprocess.run(["git", f"--git-dir={bare.path}", "update-ref", *args], check=True)

    with pytest.raises(Unfit, match="cannot create"):
        far.push("", far.commit("2"))


def test_a_server_that_is_killed_before_it_is_done_may_have_done_it(bare: Bare, far: Cache) -> None:
    """The pack was sent; by what comes back it cannot be told."""
    old = bare.tip
    bare.hook("pre-receive", "kill -9 $PPID")

    assert type(_raised(far, old)) is Lost
    assert bare.tip == old


def test_a_server_that_hangs_when_it_is_done_may_have_done_it(bare: Bare, far: Cache) -> None:
    """It has: here its own hook hangs, after the ref was moved."""
    old = bare.tip
    bare.hook("post-receive", f"exec sleep 9 >{bare.path}/out 2>&1")

    failure = _raised(far, old, within=1)

    assert type(failure) is Lost
    assert bare.tip != old


def test_what_the_server_reports_stands_though_it_is_killed_then(bare: Bare, far: Cache) -> None:
    """The answer was whole."""
    old = bare.tip
    new = far.commit("2", old)
    bare.hook("post-receive", "kill -9 $PPID")

    assert far.push(old, new)
    assert bare.tip == new


def test_a_daemon_that_gives_no_such_repository_is_unfit(far: Cache) -> None:
    """So is one that takes no pushes: it has one answer for both."""
    url = far.where.url.replace("/board", "/none")

    assert type(_raised(Cache(far.common.parent, url), "")) is Unfit


def test_nobody_there_is_absent_whatever_was_to_be_done(cache: Cache) -> None:
    """Refused, by each protocol, and a name without an address."""
    if not gitservers.can("remote-http"):
        pytest.skip("this git has no HTTP that runs here")
    with socket.create_server((gitservers.HOST, 0)) as taken:
        port = taken.getsockname()[1]
    new = cache.commit("1")
    urls = [f"{scheme}://{gitservers.HOST}:{port}/x" for scheme in ("git", "http", "ssh")]
    for url in (*urls, "https://none.invalid/x", "none.invalid:x"):
        nobody = Cache(cache.common.parent, url)
        for ask in (nobody.fetch, lambda nobody=nobody: nobody.push("", new)):
            with pytest.raises(Absent) as found:
                ask()
            assert not found.value.alive, found.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ('401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"', Denied),
        ("403 Forbidden", Denied),
        ("404 Not Found", Unfit),
        ("429 Too Many Requests", Absent),
        ("502 Bad Gateway", Absent),
    ],
)
def test_a_status_of_the_first_answer_says_that_nothing_was_done(
    bare: Bare, web: Http, cache: Cache, status: str, kind: type[Failure]
) -> None:
    """Nothing was sent yet; nor is anybody asked for a name."""
    web.says = lambda _: f"Status: {status}\r\n\r\n".encode()
    there = _by(web, cache)

    assert type(_raised(there, bare.tip)) is kind
    with pytest.raises(kind):
        there.fetch()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Status: 403 Forbidden\r\n\r\n", Denied),
        ("Status: 502 Bad Gateway\r\n\r\n", Lost),
        ("Status: 200 OK\r\n\r\n", Lost),
        ("Status: 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", Lost),
        ("Status: 200 OK\r\nContent-Type: application/x-git-receive-pack-result\r\n\r\n0000", Lost),
    ],
)
def test_what_answers_a_push_that_was_sent_must_say_that_it_stands(
    bare: Bare, web: Http, cache: Cache, said: str, kind: type[Failure]
) -> None:
    """A proxy may say anything of a server that has done it, but that it is not let through."""
    web.says = lambda asked: said.encode() if asked.command == "POST" else b""

    assert type(_raised(_by(web, cache), bare.tip)) is kind


def test_a_page_in_the_place_of_a_server_is_no_empty_board(web: Http, cache: Cache) -> None:
    """For git it is a server of the dumb kind without refs: who is told so would begin anew."""
    web.says = lambda _: b"Status: 200 OK\r\nContent-Type: text/html\r\n\r\n<html>log in</html>"

    with pytest.raises(Absent, match="no git server"):
        _by(web, cache).fetch()


def test_a_password_in_a_rewritten_url_is_not_shown(
    bare: Bare, web: Http, cache: Cache, home: Path
) -> None:
    """``url.*.insteadOf`` is where services' tokens are put."""
    with (home / ".gitconfig").open("a") as file:
        base = f"{gitservers.HOST}:{web.server_port}"
        file.write(f'[url "http://me:s3cret@{base}/"]\n\tinsteadOf = http://board.invalid/\n')
    web.says = lambda _: b"Status: 502 Bad Gateway\r\n\r\n"
    there = Cache(cache.common.parent, "http://board.invalid/board")

    failure = _raised(there, bare.tip)

    assert "502" in failure.why
    assert "s3cret" not in repr(failure)


@pytest.mark.parametrize("place", ["repository", "command", "global", "helper"])
def test_who_is_known_to_the_server_by_git_is_known_to_us(
    web: Http, cache: Cache, home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """As a push of the branch beside it is: by the repository's config, what CI sets, a helper."""
    login = "Authorization: Basic bWU6czNjcmV0"
    denied = b'Status: 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n'
    web.says = lambda asked: b"" if asked.headers["Authorization"] == login[15:] else denied
    there = _by(web, cache)
    with pytest.raises(Denied):
        there.fetch()

    if place == "repository":
        argv = ["git", f"--git-dir={there.common}", "config", "http.extraHeader", login]
        subprocess.run(argv, check=True)
    elif place == "command":
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.extraHeader")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", login)
    elif place == "global":
        with (home / ".gitconfig").open("a") as file:
            file.write(f'[http "{there.where.url}"]\n\textraHeader = "{login}"\n')
    else:
        with (home / ".gitconfig").open("a") as file:
            file.write('[credential]\n\thelper = "!echo username=me; echo password=s3cret; :"\n')

    old = there.fetch()
    assert there.push(old, there.commit("2", old))


def test_a_program_that_would_ask_for_a_password_is_not_run(
    web: Http, cache: Cache, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would wait at a screen that nobody sees."""
    asks = tmp_path / "asks"
    asks.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\n")
    asks.chmod(0o755)
    for variable in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(variable, str(asks))
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    with (home / ".gitconfig").open("a") as file:
        file.write(f"[core]\n\taskPass = {asks}\n")
    web.says = lambda _: b'Status: 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n'

    with pytest.raises(Denied):
        _by(web, cache).fetch()

    assert not (tmp_path / "asked").exists()


def test_a_server_that_speaks_no_git_is_unfit(cache: Cache) -> None:
    """As where a port is another's."""
    with _speaking(b"SSH-2.0-x\r\n") as port:
        there = Cache(cache.common.parent, f"git://{gitservers.HOST}:{port}/x")

        assert type(_raised(there, cache.commit("1"))) is Unfit


@contextmanager
def _speaking(said: bytes) -> Iterator[int]:
    with socket.create_server((gitservers.HOST, 0)) as server:

        def serve() -> None:
            one, _ = server.accept()
            with one:
                one.recv(1000)
                one.sendall(said)

        thread = threading.Thread(target=serve)
        thread.start()
        yield int(server.getsockname()[1])
        thread.join()
