"""``board --html``: the page that is written, and written again."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from coord.base.names import shown
from harness.board import eventually
from harness.refusal import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import harness.etcd
    from harness import Repo

HOSTILE = "</blockquote><script>document.title='x'</script>"


def test_the_page_has_every_part_of_a_busy_board(one: Repo, two: Repo, tmp_path: Path) -> None:
    """Who is here, claims, waits, merge order, meetings; nothing is loaded and nothing runs."""
    one.commit("a", {"shared.txt": "one\n"})
    two.commit("b", {"shared.txt": "two\n"})
    one.coord("claim", "x", "branch:feat-one", "--intent", HOSTILE)
    two.coord("claim", "x", "branch:feat-two")

    done = one.coord("board", "--html", str(tmp_path / "board.html"))

    assert (done.code, done.out, done.err) == (0, "", "")
    page = (tmp_path / "board.html").read_text()
    for told in ("one-0001", "two-0002", "task:x", "contested", "<svg", "shared.txt", "feat-two"):
        assert told in page
    assert "<script" not in page
    assert "http:" not in page.replace("http-equiv", "")
    assert "https:" not in page
    assert shown(HOSTILE).replace("<", "&lt;").replace(">", "&gt;") in page


def test_an_empty_board_says_of_each_part_that_there_is_nothing(repo: Repo, tmp_path: Path) -> None:
    """No empty boxes."""
    assert repo.coord("board", "--html", str(tmp_path / "b.html")).code == 0

    page = (tmp_path / "b.html").read_text()
    assert "Nothing is claimed." in page
    assert "Nobody waits." in page
    assert "<svg" not in page


def test_a_page_that_cannot_be_written_is_refused_in_one_line(repo: Repo) -> None:
    """With what the system says."""
    done = repo.coord("board", "--html", "no/such/folder/b.html")

    (refusal,) = refusals(done.err)
    assert (done.code, refusal.rule) == (3, "folder-missing")
    assert refusal.headline.endswith("/no/such/folder")
    assert "no/such/folder/b.html" in refusal.why
    assert subprocess.run(refusal.run, shell=True, cwd=repo.path, check=False).returncode == 0


def test_a_link_in_the_place_of_the_page_is_written_through(repo: Repo, tmp_path: Path) -> None:
    """As by the shell; the file behind it is replaced in one step, the link stays."""
    (tmp_path / "mine").write_text("old\n")
    (tmp_path / "b.html").symlink_to("mine")

    assert repo.coord("board", "--html", str(tmp_path / "b.html")).code == 0
    assert "<html" in (tmp_path / "mine").read_text()
    assert (tmp_path / "b.html").is_symlink()
    assert sorted(os.listdir(tmp_path)).count("mine") == 1
    assert not list(tmp_path.glob("*.tmp-*"))


def test_json_with_a_page_is_a_usage_error(repo: Repo) -> None:
    """Each of the two is the answer."""
    assert repo.coord("board", "--json", "--html", "b.html").code == 2


def test_a_watched_page_is_written_again(one: Repo, two: Repo, tmp_path: Path) -> None:
    """And an open one reads itself again."""
    page = tmp_path / "board.html"
    with _running(one, "board", "--html", str(page), "--watch"):
        assert eventually(page.exists)
        assert 'http-equiv="refresh"' in page.read_text()
        assert "task:later" not in page.read_text()
        two.coord("claim", "later")
        assert eventually(lambda: "task:later" in page.read_text())


@contextmanager
def _running(repo: Repo, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a verb that goes on until it is told to end."""
    null = subprocess.DEVNULL
    argv = ["git-coord", *words]
    child = subprocess.Popen(
        argv, cwd=repo.path, env=repo.env, stdout=null, stderr=null, stdin=null
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def test_a_page_of_what_was_read_before_says_of_when_it_is(
    cut: tuple[Repo, harness.etcd.Cluster], tmp_path: Path
) -> None:
    """An open page would else be as of now, however old its claims; once more when it is back."""
    ann, cluster = cut
    assert ann.coord("claim", "task:1").code == 0
    page = tmp_path / "board.html"
    then = _aged(ann, 300)
    cluster.members[0].kill()

    assert ann.coord("board", "--html", str(page)).code == 0
    told = page.read_text()
    moment = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(then))
    assert f">as of {moment}<" in told
    assert f">since {moment} the board at {cluster.members[0].endpoint}/own cannot be" in told
    assert "what is shown of it is 5 minutes old<" in told
    assert "task:1" in told

    with _running(ann, "board", "--html", str(page), "--watch"):
        assert eventually(lambda: 'http-equiv="refresh"' in page.read_text())
        assert "5 minutes old<" in page.read_text()
        cluster.members[0].start()
        cluster.ready()
        assert eventually(lambda: "cannot be reached" not in page.read_text(), 30)
    assert f">as of {moment}<" not in page.read_text()


def _aged(repo: Repo, seconds: float) -> float:
    """Have the copy of a board be older than it is; return of when it is then."""
    then = time.time() - seconds
    (path,) = repo.common("coord").glob("board-*.copy")
    with closing(sqlite3.connect(path)) as copy, copy:
        copy.execute("UPDATE upto SET at = ?", (then,))
    return then
