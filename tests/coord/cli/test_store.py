"""``git coord store``: one board for clones on several hosts, on a real etcd."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from coord.doctor import permitted
from harness.board import answer
from harness.clinic import mended, rules
from harness.costs import clone_of

if TYPE_CHECKING:
    from pathlib import Path

    import harness.etcd
    from harness import Repo


@pytest.fixture
def url(etcd: str) -> str:
    """A prefix that nobody has used."""
    return f"{etcd}/{os.urandom(6).hex()}"


@pytest.fixture
def ann(repo: Repo, tmp_path: Path, url: str) -> Repo:
    """A worker in a clone whose board is on a server."""
    return clone_of(repo, tmp_path / "one", "ann", url)


@pytest.fixture
def bob(repo: Repo, tmp_path: Path, url: str) -> Repo:
    """A worker in another clone, on the same board."""
    return clone_of(repo, tmp_path / "two", "bob", url)


def test_two_clones_share_one_board(ann: Repo, bob: Repo, url: str) -> None:
    """A claim of one is a place in line for the other, who is woken when it is given up."""
    assert answer(ann, "store")["url"] == url
    assert ann.coord("claim", "task:1").out == "task:1 is yours, generation 1\n"
    held = bob.coord("claim", "task:1")
    assert "held by ann" in held.out
    assert "you are number 2" in held.out

    timer = threading.Timer(0.7, ann.coord, ("release", "task:1"))
    timer.start()
    waited = bob.coord("wait", "task:1", "--timeout", "20s")
    timer.join()

    assert waited.out == "task:1 is yours\n"
    assert "ann left it to you" in waited.err


def test_what_is_told_reaches_the_other_clone(ann: Repo, bob: Repo) -> None:
    """Messages, handoff and its ack, as within one clone."""
    assert ann.coord("claim", "task:2").code == 0
    bob.coord("board")
    assert ann.coord("send", "help", "bob", "look").code == 0
    assert "look" in bob.coord("inbox").out
    assert ann.coord("handoff", "bob").code == 0
    offer = next(one for one in answer(bob, "inbox")["messages"] if one["kind"] == "handoff")
    assert bob.coord("ack", offer["id"]).code == 0
    assert "held by bob, generation 2" in ann.coord("show", "task:2").out


def test_a_server_that_is_away_is_told_of_and_nothing_is_called_mine(
    cut: tuple[Repo, harness.etcd.Cluster],
) -> None:
    """What was read before is shown with its age; what would have to be written is refused."""
    ann, cluster = cut
    assert ann.coord("claim", "task:1").code == 0
    assert ann.coord("board").code == 0
    cluster.members[0].kill()

    shown = ann.coord("board")
    assert "task:1  ann" in shown.out
    assert "cannot be reached" in shown.err
    assert "old" in shown.err
    for words in ("claim task:1", "wait task:1", "claim task:2", "release task:1"):
        done = ann.coord(*words.split())
        assert (done.code, done.out) == (3, ""), words
        assert "store-unavailable" in done.err or "unpublished" in done.err, words
    stands = answer(ann, "store")
    assert (stands["reached"], stands["held"]) == (False, 1)
    for verb in ("board", "wake"):
        told = answer(ann, verb)
        assert told["claims"][0]["scope"] == "task:1", verb
        assert told["unreached"] == stands["why"], verb
        assert told["as_of"] == stands["as_of"], verb

    cluster.members[0].start()
    cluster.ready()
    assert ann.coord("claim", "task:2").out == "task:2 is yours, generation 1\n"
    assert "now free" in ann.coord("show", "task:1").out
    for verb in ("board", "wake"):
        told = answer(ann, verb)
        assert (told["as_of"], told["unreached"]) == (None, None), verb


def test_a_frozen_server_holds_nobody_up(cut: tuple[Repo, harness.etcd.Cluster]) -> None:
    """It takes connections and says nothing: each call ends within its deadline."""
    ann, cluster = cut
    assert ann.coord("board").code == 0
    cluster.members[0].signal(signal.SIGSTOP)
    try:
        begun = time.monotonic()
        assert ann.coord("claim", "task:1").code == 3
        assert time.monotonic() - begun < 12
    finally:
        cluster.members[0].signal(signal.SIGCONT)


def test_the_board_of_another_repository_is_refused(ann: Repo, url: str, tmp_path: Path) -> None:
    """A prefix typed wrong would join two fleets that have nothing to do with each other."""
    other = ann.at(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.git("commit", "-q", "--allow-empty", "-m", "another beginning")
    assert other.started("coord-install").code == 0

    done = other.coord("store", "use", url)

    assert done.code == 1
    assert "store-foreign" in done.err
    assert answer(other, "store")["url"] is None


def test_a_board_is_not_left_with_claims_on_it(ann: Repo) -> None:
    """There would be two holders, one on each board."""
    assert ann.coord("claim", "task:1").code == 0

    refused = ann.coord("store", "use", "local")
    assert refused.code == 1
    assert "store-in-use" in refused.err

    assert ann.coord("release", "task:1").code == 0
    assert ann.coord("store", "use", "local").code == 0
    assert answer(ann, "store")["url"] is None


def test_another_url_of_the_same_board_is_no_other_board(ann: Repo, url: str) -> None:
    """A second member, a user, TLS: what is held stays held, and nothing is refused for it."""
    assert ann.coord("claim", "task:1").code == 0
    scheme, _, rest = url.partition("://")
    host, _, prefix = rest.partition("/")

    done = ann.coord("store", "use", f"{scheme}://{host},127.0.0.1:1/{prefix}")

    assert done.code == 0, done.err
    assert ann.coord("release", "task:1").code == 0


def test_what_a_user_keeps_of_a_server_is_closed_to_others_and_no_fault(ann: Repo) -> None:
    """A token is worth a password: what opens our files to a group must leave it out."""
    kept = ann.common("coord/board-4711-0a1b2c3d.token")
    kept.write_text("secret")
    kept.chmod(0)
    ann.common("coord/clone").chmod(0)

    tops = [os.path.normpath(top) for top in permitted._tops(str(ann.common(".")))]

    assert str(ann.common("coord/clone")) in tops
    assert str(ann.common("coord")) not in tops
    assert not [top for top in tops if "board-" in top]


@pytest.mark.parametrize(
    "word", ["http://x/y", "etcd://u:secret@h/p", "etcd://-oProxy/p", "etcd://h"]
)
def test_what_names_no_board_is_wrong_usage(installed: Repo, word: str) -> None:
    """Nothing is written, and a password is never repeated in the reason."""
    done = installed.coord("store", "use", word)

    assert done.code == 2
    assert "secret" not in done.err.split("why:")[1].split("run:")[0]
    assert not installed.private("hooks/coord/store").exists()


def test_a_board_is_tried_wherever_it_is(cut: tuple[Repo, harness.etcd.Cluster]) -> None:
    """By a verb of its own and by the doctor: on a server, away from it, and in the git dir."""
    ann, cluster = cut
    tried = ann.coord("store", "probe")
    assert (tried.code, tried.err) == (0, "")
    assert "one wins" in tried.out
    assert "note  spoken to without TLS" in tried.out
    assert "one wins" in ann.coord("doctor").out
    assert rules(ann) == set()

    cluster.members[0].kill()
    away = ann.coord("store", "probe")
    assert away.code == 1
    (line,) = away.out.splitlines()
    assert "run: curl" in line
    assert answer(ann, "store", "probe", code=1)["troubles"][0]["rule"] == "store-unavailable"
    assert rules(ann) == {"store-unavailable"}

    assert ann.coord("store", "use", "local").code == 0
    assert ann.coord("claim", "task:1").code == 0
    assert ann.coord("store", "use", "local").code == 0  # where it is, whatever is held there
    assert answer(ann, "store", "probe")["right"].startswith("of 4 who create one record")
    assert rules(ann) == set()


def test_an_uninstall_says_what_would_stay_held_on_the_server(
    ann: Repo, bob: Repo, url: str
) -> None:
    """The board does not go with the rest; what other clones hold is no reason to stay."""
    assert bob.coord("claim", "task:other").code == 0
    assert ann.coord("claim", "task:1", "task:2").code == 0

    refused = ann.started("coord-install", "--uninstall")

    assert (refused.code, refused.refusal.rule) == (1, "claims-live")
    assert f"it would stay held on {url}" in refused.refusal.why
    assert "git coord release task:1" in refused.refusal.why
    assert "goes with the rest" not in refused.err
    told = ann.started("coord-install", "--uninstall", "--purge")
    assert told.code == 0, told.err
    assert f"task:1, task:2 stay held on {url}\n" in told.err
    assert not ann.common("coord").exists()
    assert "held by ann" in bob.coord("show", "task:2").out


def test_an_uninstall_without_claims_says_nothing_of_the_server(ann: Repo, url: str) -> None:
    """With and without the flag."""
    assert ann.coord("claim", "task:1").code == 0
    assert ann.coord("release", "task:1").code == 0
    done = ann.started("coord-install", "--uninstall", "--purge", "--dry-run")
    assert done.code == 0
    assert url not in done.err

    done = ann.started("coord-install", "--uninstall")

    assert done.code == 0, done.err
    assert url not in done.err
    assert not ann.common("coord").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_purge_waits_no_longer_than_once_for_a_server_that_is_away(
    cut: tuple[Repo, harness.etcd.Cluster], number: signal.Signals
) -> None:
    """It says what is known here."""
    ann, cluster = cut
    assert ann.coord("claim", "task:1").code == 0
    cluster.members[0].signal(number)
    try:
        begun = time.monotonic()
        told = ann.started("coord-install", "--uninstall", "--purge")
        assert time.monotonic() - begun < 12
    finally:
        cluster.members[0].signal(signal.SIGCONT)

    assert told.code == 0, told.err
    assert "task:1 stays held on" in told.err
    assert "as far as is known here: it cannot be reached" in told.err
    assert not ann.common("coord").exists()


def test_a_torn_choice_that_names_its_server_is_made_again(ann: Repo, bob: Repo, url: str) -> None:
    """As its line says, in a clone that holds something there: it holds it afterwards, too."""
    assert ann.coord("claim", "task:1").code == 0
    choice = ann.common("hooks/coord/store")
    choice.write_bytes(choice.read_bytes()[:-3])

    refused = ann.coord("claim", "task:2").err
    assert f"run: git coord store use {url}" in refused
    mended(ann, "store-unusable")

    assert "held by ann" in bob.coord("show", "task:1").out
    assert ann.coord("claim", "task:2").out == "task:2 is yours, generation 1\n"


@pytest.mark.parametrize("torn", [b"", b'{"schema"', b'{"url": "ftp://x/y"}, ', None])
def test_a_torn_choice_that_names_none_is_left(repo: Repo, torn: bytes | None) -> None:
    """What no server can be told from, or is no file at all: the board is the git dir's again."""
    assert repo.started("coord-install").code == 0
    choice = repo.common("hooks/coord/store")
    choice.mkdir() if torn is None else choice.write_bytes(torn)

    assert repo.coord("store", "use", "local").code == 3
    mended(repo, "store-unusable")

    assert repo.coord("claim", "task:1").code == 0
