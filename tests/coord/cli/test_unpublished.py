"""What a server does not answer is written down in the clone, and published at the next contact."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

import harness.etcd
from harness.board import answer, scope, worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Repo


class Scene:
    """Two workers in one clone, one in another, and the server of their board."""

    def __init__(self, repo: Repo, folder: Path, cluster: harness.etcd.Cluster) -> None:
        self.member = cluster.members[0]
        self.cluster = cluster
        url = f"etcd://{self.member.endpoint}/{os.urandom(4).hex()}"
        self.ann = worker(self._clone(repo, folder / "one", url), folder / "ann", "w-ann", "ann")
        self.amy = worker(self.ann, folder / "amy", "w-amy", "amy")
        self.bob = worker(self._clone(repo, folder / "two", url), folder / "bob", "w-bob", "bob")
        self.outbox = self.ann.common("coord/outbox")

    @staticmethod
    def _clone(repo: Repo, path: Path, url: str) -> Repo:
        repo.git("clone", "-q", str(repo.path), str(path))
        made = repo.at(path)
        assert made.started("coord-install").code == 0
        assert made.coord("store", "use", url).code == 0
        return made

    def cut(self) -> None:
        """Take the server away."""
        self.member.kill()

    def back(self) -> None:
        """Bring it back, with all that it has acknowledged."""
        self.member.start()
        self.cluster.ready()

    def entries(self) -> int:
        """Return how many records wait to be published."""
        return len([one for one in self.outbox.iterdir() if one.name[0].isdigit()])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.etcd.Cluster]:
    """An etcd for these tests, which may take it away and have to bring it back."""
    yield from harness.etcd.served(tmp_path_factory.mktemp("etcd") / "one")


@pytest.fixture
def scene(repo: Repo, tmp_path: Path, cluster: harness.etcd.Cluster) -> Iterator[Scene]:
    """All of them, at work."""
    made = Scene(repo, tmp_path, cluster)
    for one in (made.ann, made.amy, made.bob):
        assert one.coord("claim", f"task:{one.path.name}").code == 0
        assert one.coord("board").code == 0
    yield made
    made.cut()
    made.back()


def test_a_claim_is_written_down_told_of_and_published(scene: Scene) -> None:
    """It is nobody's until then; whoever comes first in the clone publishes it for its owner."""
    scene.cut()
    left = scene.ann.coord("claim", "task:1")
    assert (left.code, left.out) == (3, "")
    assert "unpublished: task:1 is written down here and not published" in left.err
    assert "run: git coord store" in left.err
    for words in ("board", "whoami", "store", "wake --no-stagger"):
        assert "1 record is unpublished since" in scene.amy.coord(*words.split()).err, words
    assert [one["words"] for one in answer(scene.amy, "store")["unpublished"]] == ["claim task:1"]

    scene.back()
    told = scene.amy.coord("board")

    assert "claim task:1 of ann, which was unpublished: it is published" in told.err
    assert scope(scene.bob, "task:1")["claimants"][0]["actor"] == "ann"
    assert scene.entries() == 0
    news = scene.ann.coord("board").err
    assert "amy has settled yours" in news
    assert "claim task:1: it is published" in news
    assert "settled" not in scene.ann.coord("board").err


def test_who_was_first_on_the_board_holds_and_the_late_claim_waits_behind(scene: Scene) -> None:
    """The decision is made anew: never a false yours."""
    scene.cut()
    assert scene.ann.coord("claim", "task:1").code == 3
    scene.outbox.rename(scene.outbox.with_name("kept"))
    scene.back()
    assert scene.bob.coord("claim", "task:1").out == "task:1 is yours, generation 1\n"
    scene.outbox.with_name("kept").rename(scene.outbox)

    told = scene.ann.coord("claim", "task:1")

    assert "others were before it" in told.err
    assert "held by bob (w-bob)" in told.err
    assert "ann is number 2" in told.err
    assert "you are number 2" in told.out


def test_a_claim_that_waits_is_published_as_one_that_waits(scene: Scene) -> None:
    """Whoever stood second when it was written down is not told that nobody was before it."""
    assert scene.bob.coord("claim", "task:1").code == 0
    scene.ann.coord("board")
    scene.cut()
    assert scene.ann.coord("claim", "task:1").code == 3

    scene.back()
    told = scene.ann.coord("board").err

    assert "it is published: it is held by bob (w-bob)" in told
    assert "and ann is number 2" in told
    assert "nobody was before it" not in told


def test_releases_offers_and_letters_are_published_too(scene: Scene) -> None:
    """Each with all that goes along: the heir is told, the recipient has its letter."""
    ann, bob = scene.ann, scene.bob
    for name in ("task:1", "task:2", "task:3"):
        assert ann.coord("claim", name).code == 0
    assert bob.coord("claim", "task:1").code == 0
    ann.coord("board")
    scene.cut()
    for words in (
        "release task:1 task:2",
        "handoff bob --scope task:3",
        "send help bob look",
        "announce",
    ):
        done = ann.coord(*words.split())
        assert (done.code, done.out) == (3, ""), words
        assert "written down" in done.err, words
    assert scene.entries() == 5
    again = ann.coord("claim", "task:1")
    assert again.code == 3
    assert "unpublished-before: this was not written down, and is to be repeated" in again.err
    assert "what this worker has said before is written down here" in again.err
    assert scene.entries() == 5

    scene.back()
    told = ann.coord("store").err
    assert told.count("which was unpublished") == 5
    assert "release task:1, which was unpublished: it is published\n" in told
    assert "handoff bob task:3, which was unpublished: it is published\n" in told

    assert scene.entries() == 0
    bob.coord("board")  # no prompt waits for a server: what is new is told by the next command
    assert "ann left it to you" in bob.coord("board").err
    inbox = bob.coord("inbox").out
    assert "look" in inbox
    assert "task:3" in inbox
    held = {row["scope"] for row in answer(bob, "board")["claims"] if row["state"] != "free"}
    assert "branch:w-ann" in held
    assert "task:2" not in held


def test_what_cannot_wait_is_refused_and_leaves_nothing(scene: Scene) -> None:
    """Within the bound: whoever gets no number, no scope and no lock does not begin."""
    scene.amy.coord("claim", "task:ann")
    scene.bob.coord("claim", "branch:w-bob")
    assert scene.bob.coord("handoff", "ann").code == 0
    offer = next(one for one in answer(scene.ann, "inbox")["messages"] if one["kind"] == "handoff")
    assert scene.ann.coord("claim", "branch:w-ann").code == 0
    scene.cut()
    for words in (
        "take-over task:amy --generation 1 --from-present --reason x",
        f"ack {offer['id']}",
        "finish",
        "id next ADR",
        "run task:9 -- touch ran",
        "wait task:8",
    ):
        done = scene.ann.coord(*words.split())
        assert done.code != 0, words
        assert "store-unavailable" in done.err or "id" in words, (words, done.err)
        assert "written down" not in done.err, words
    assert not scene.outbox.exists()
    assert not (scene.ann.path / "ran").exists()


def test_a_lost_answer_is_settled_by_what_stands(scene: Scene) -> None:
    """A frozen server may have had the record: it is found, and published once."""
    scene.member.signal(signal.SIGSTOP)
    try:
        assert scene.ann.coord("claim", "task:1").code == 3
    finally:
        scene.member.signal(signal.SIGCONT)

    assert "task:1 is yours" in scene.ann.coord("claim", "task:1").out
    assert scope(scene.bob, "task:1")["state"] == "held"
    assert len(answer(scene.ann, "log", "task:1")["events"]) == 1


def test_a_silent_server_is_waited_for_once_a_command(scene: Scene) -> None:
    """What finds it away before the command's own call spares that one its deadline."""
    scene.cut()
    assert scene.ann.coord("claim", "task:1").code == 3
    scene.back()
    scene.member.signal(signal.SIGSTOP)
    try:
        for words in ("claim task:2", "board"):
            begun = time.monotonic()
            done = scene.ann.coord(*words.split())
            assert time.monotonic() - begun < 8, words
            assert "unpublished since" in done.err
    finally:
        scene.member.signal(signal.SIGCONT)
    assert scene.entries() == 2

    assert "task:2 is yours" in scene.ann.coord("claim", "task:2").out
    assert scene.entries() == 0


def test_a_claim_that_the_server_never_had_can_be_taken_back(scene: Scene) -> None:
    """Else a session that has ended would come to hold it when the server is back."""
    scene.cut()
    assert scene.ann.coord("claim", "task:1", "task:2").code == 3
    assert scene.entries() == 2
    done = scene.ann.coord("release", "task:1")
    assert (done.code, "claim task:1, which was not published, is taken back" in done.err) == (
        0,
        True,
    )
    assert scene.entries() == 1
    assert scene.ann.coord("sign-off").code == 3  # task:ann is released, which has to be published
    assert [one["words"] for one in answer(scene.amy, "store")["unpublished"]] == [
        "sign-off task:ann"
    ]

    scene.back()
    scene.amy.coord("board")
    held = {row["scope"] for row in answer(scene.bob, "board")["claims"] if row["state"] != "free"}
    assert held == {"task:amy", "task:bob"}


def test_a_run_that_ends_while_the_server_is_away_frees_its_scope_when_it_is_back(
    scene: Scene,
) -> None:
    """Its command goes on, and its exit status is the command's."""
    argv = [
        "git",
        "coord",
        "run",
        "task:9",
        "--",
        "sh",
        "-c",
        "while test ! -e end; do sleep .1; done",
    ]
    env = dict(scene.ann.env)
    with subprocess.Popen(argv, cwd=scene.ann.path, env=env, stderr=subprocess.PIPE) as run:
        while "task:9" not in scene.bob.coord("board").out:
            assert run.poll() is None
        scene.bob.coord("claim", "task:9")
        scene.cut()
        (scene.ann.path / "end").touch()
        _, said = run.communicate()
    assert run.returncode == 0
    assert b"task:9 could not be released" in said
    assert scene.entries() == 1

    scene.back()
    told = scene.amy.coord("board").err
    assert "release task:9 of ann, which was unpublished" in told
    assert scope(scene.bob, "task:9")["claimants"][0]["actor"] == "bob"


def test_a_file_that_cannot_be_read_is_named_and_can_be_got_rid_of(scene: Scene) -> None:
    """Torn, a fifo or a folder: by the command that is printed, or with the board's choice."""
    scene.outbox.mkdir(parents=True, exist_ok=True)
    torn, fifo, folder = (scene.outbox / f"{at:020d}-{at:016x}" for at in (1, 2, 3))

    def spoil() -> None:
        torn.write_bytes(b'{"schema": 1')
        os.mkfifo(fifo)
        folder.mkdir()
        (folder / "file").touch()

    spoil()
    assert "3 records are unpublished" in scene.ann.coord("board").err
    said = scene.ann.coord("store").out
    removals = [line.partition("; run: ")[2] for line in said.splitlines() if "unreadable:" in line]
    assert removals == [f"rm {torn}", f"rm {fifo}", f"rm -r {folder}"]
    assert [one["run"] for one in answer(scene.ann, "store")["unreadable"]] == removals
    for line in removals:
        subprocess.run(["sh", "-c", line], check=True, stdin=subprocess.DEVNULL)
    assert "unpublished" not in scene.ann.coord("board").err

    spoil()
    url = answer(scene.ann, "store")["url"]
    done = scene.ann.coord("store", "use", "--force", url)
    assert (done.code, done.err.count("is dropped: it cannot be read")) == (0, 3)
    assert scene.entries() == 0
    assert "unpublished" not in scene.ann.coord("board").err


def test_a_run_that_never_had_its_place_speaks_of_no_release(scene: Scene) -> None:
    """A run cannot wait for a server; nothing of it stands, and nothing is to be given up."""
    scene.cut()

    refused = scene.ann.coord("run", "task:1", "--", "true")

    assert (refused.code, refused.out) == (3, "")
    assert "release" not in refused.err


def test_a_worker_who_has_just_come_is_told_of_with_its_branch(
    scene: Scene, tmp_path: Path
) -> None:
    """Its clone has told others of its workers a moment before, and would again in minutes."""
    eve = worker(scene.ann, tmp_path / "eve", "w-eve", "eve")

    assert eve.coord("claim", "task:1").code == 0

    found = {one["actor"]: one for one in answer(scene.bob, "board")["actors"]}
    assert found["eve"]["branch"] == "w-eve"


def test_where_the_git_dir_is_read_only_too_what_is_known_is_shown(scene: Scene) -> None:
    """A sandbox without network: the copy can be read, and is not made anew."""
    scene.cut()
    common = str(scene.ann.common().resolve())
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    sandbox = ("unshare", "-rm", "sh", "-c", mount, common, "git", "coord")
    if scene.ann.run(*sandbox[:5], common, "true").code:
        pytest.skip("mounting is not allowed here")

    board = scene.ann.run(*sandbox, "board")
    claim = scene.ann.run(*sandbox, "claim", "task:1")

    assert board.code == 0, board.err
    assert "task:amy  amy on w-amy" in board.out
    assert "cannot be reached" in board.err
    assert (claim.code, claim.refusal.rule) == (3, "not-writable"), claim.err
