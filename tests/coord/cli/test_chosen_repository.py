"""A board on a git remote is chosen by a URL or a remote, made on request, and in no worktree."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.stores import chosen
from coord.stores.choice import Choice
from harness.board import answer, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Where a repository for a board may be."""
    return tmp_path / "board.git"


def recorded(repo: Repo) -> dict[str, object]:
    """Return the choice of a clone."""
    found: dict[str, object] = json.loads(repo.common("hooks/coord/store").read_text())
    return found


@pytest.mark.parametrize("verb", ["use", "migrate"])
def test_a_repository_that_is_not_there_is_made_by_the_one_command_that_is_printed(
    installed: Repo, board: Path, verb: str
) -> None:
    """Never by the way: a URL typed wrong would be a board of one's own."""
    refused = installed.coord("store", verb, f"git+{board}").refusal
    assert refused.rule == "store-absent"
    assert refused.run == f"git coord store {verb} --create git+{board}"
    assert not board.exists()
    assert not installed.common("hooks/coord/store").exists()

    made = installed.paste(refused.run)

    assert made.code == 0, made.err
    assert f"{board} is made" in made.err
    assert f"the board is at git+{board}, and can be reached" in made.out
    assert recorded(installed)["url"] == f"git+{board}"
    again = installed.coord("store", "use", "--create", f"git+{board}")
    assert "was there already" in again.err


@pytest.mark.parametrize("command", ["git coord store use", "coord-install --board"])
def test_a_repository_is_made_where_git_is_led_by_its_url(
    installed: Repo, board: Path, command: str
) -> None:
    """What is recorded is the URL as it was named, as in any push."""
    installed.git("config", f"url.{board.parent}/.insteadOf", "/srv/boards/")
    refused = installed.run(*command.split(), "git+/srv/boards/board.git").refusal
    assert (refused.rule, refused.run) == (
        "store-absent", "git coord store use --create git+/srv/boards/board.git"
    )  # fmt: skip

    done = installed.paste(refused.run)

    assert done.code == 0, done.err
    assert f"{board} is made" in done.err
    assert recorded(installed)["url"] == "git+/srv/boards/board.git"
    assert installed.coord("claim", "task:1").code == 0
    assert (board / "refs/coord/board").exists()


def test_a_url_that_leads_into_a_worktree_is_refused_as_a_path_there_is(
    installed: Repo, board: Path
) -> None:
    """A branch could bring its hooks along."""
    installed.git("config", f"url.{installed.path}/.insteadOf", "/srv/boards/")

    refused = installed.coord("store", "use", "--create", "git+/srv/boards/board.git").refusal

    assert refused.rule == "store-inside"
    assert not board.exists()


def test_an_install_says_what_makes_the_repository(repo: Repo, board: Path) -> None:
    """Before anything is installed; the same command goes on."""
    refused = repo.started("coord-install", "--board", f"git+{board}")
    assert refused.refusal.rule == "store-absent"
    assert not repo.common("hooks/coord").exists()
    repo.git("init", "-q", "--bare", str(board))
    repo.git("remote", "add", "origin", str(board))

    done = repo.started("coord-install", "--board", "git+origin")

    assert done.code == 0, done.err
    assert f"the board is at git+{board} from now on" in done.err
    assert recorded(repo)["remote"] == "origin"


def test_a_remote_is_resolved_once_and_the_doctor_says_where_it_has_gone_since(
    installed: Repo, board: Path
) -> None:
    """What is recorded is the URL, so whoever changes a remote sends no board anywhere."""
    installed.git("init", "-q", "--bare", str(board))
    installed.git("remote", "add", "origin", "https://host/code.git")
    installed.git("config", f"url.{board}.pushInsteadOf", "https://host/code.git")

    done = installed.coord("store", "use", "git+origin")

    assert done.code == 0, done.err
    assert f"the board is at git+{board}" in done.out
    assert "where origin pushes the code to" in done.err
    assert recorded(installed) | {"epoch": ""} == {
        "schema": 1, "url": f"git+{board}", "remote": "origin", "epoch": "",
    }  # fmt: skip
    assert "chosen as" not in installed.coord("doctor").out
    installed.git("config", "remote.origin.pushurl", "https://me:s3cret@host/other")

    assert answer(installed, "store")["url"] == f"git+{board}"
    told = installed.coord("doctor").out
    assert "chosen as git+origin, which is …@host/other by now; it stays" in told
    installed.git("remote", "remove", "origin")
    assert "no such remote any more" in installed.coord("doctor").out


def test_a_folder_that_a_branch_can_write_is_refused(installed: Repo, tmp_path: Path) -> None:
    """Its hooks would run as whoever pushes."""
    inside = installed.path / "board.git"
    installed.git("init", "-q", "--bare", str(inside))
    (tmp_path / "way").symlink_to(inside)

    for place in (inside, tmp_path / "way", installed.path, installed.path / "none.git"):
        for option in ([], ["--create"]):
            refused = installed.coord("store", "use", *option, f"git+{place}").refusal
            assert refused.rule == "store-inside", place
    assert not (installed.path / "none.git").exists()
    assert not installed.common("hooks/coord/store").exists()


@pytest.mark.parametrize(
    "words",
    [
        "git+nowhere", "git+./board", "git+ext::x", "git+https://u:secret@h/p", "git+-x", "git+..",
        "--ca x git+https://h/p", "--pushes-a-minute -1 git+https://h/p", "https://h/p",
        "--pushes-a-minute nan git+https://h/p", "--create etcd://h/p",
        "--pushes-a-minute 6 etcd://h/p",
    ],
)  # fmt: skip
def test_what_names_no_repository_is_wrong_usage(installed: Repo, words: str) -> None:
    """Nothing is asked, and nothing written."""
    done = installed.coord("store", "use", *words.split())

    assert done.code == 2
    assert "secret" not in done.err.split("why:")[-1].split("run:")[0]
    assert not installed.common("hooks/coord/store").exists()


def test_where_only_the_host_can_make_a_repository_it_says_so(installed: Repo) -> None:
    """By https there is no way to make one."""
    refused = installed.coord("store", "use", "--create", "git+https://host.example/board").refusal

    assert refused.rule == "store-absent"
    assert "host.example alone can make it" in refused.why
    assert refused.run == "git ls-remote https://host.example/board"


def test_the_rate_is_said_recorded_and_kept_when_the_board_is_chosen_again(
    installed: Repo, board: Path
) -> None:
    """Of all clones together, 6 pushes a minute where nobody has said."""
    use = ("store", "use", "--create", f"git+{board}")
    assert "at most 6 pushes a minute" in installed.coord(*use).out
    assert "rate" not in recorded(installed)
    assert answer(installed, "store")["pushes_a_minute"] == 6

    assert "at most 0.5 pushes a minute" in installed.coord(*use, "--pushes-a-minute", "0.5").out
    assert installed.coord(*use).code == 0
    assert recorded(installed)["rate"] == 0.5
    assert "as many pushes as it takes" in installed.coord(*use, "--pushes-a-minute", "0").out
    assert answer(installed, "store")["pushes_a_minute"] == 0
    assert installed.coord("store", "use", "local").code == 0
    assert answer(installed, "store")["pushes_a_minute"] is None


@pytest.mark.parametrize("rate", ["true", '"6"', "-1", "1e999", "[]"])
def test_a_rate_that_is_none_stops_everything(installed: Repo, rate: str) -> None:
    """As any other fault of that file: nothing is made up in its place."""
    path = installed.common("hooks/coord/store")
    path.write_text(f'{{"schema": 1, "url": "git+https://h/p", "rate": {rate}}}')

    assert installed.coord("store").refusal.rule == "store-unusable"


def test_another_board_leaves_nothing_behind_of_the_one_before(
    installed: Repo, board: Path
) -> None:
    """Neither its cache nor its copy."""
    assert installed.coord("store", "use", "--create", f"git+{board}").code == 0
    assert list(installed.common("coord").glob("board-*"))

    assert installed.coord("store", "use", "local").code == 0

    assert not list(installed.common("coord").glob("board-*"))


def test_what_a_push_waits_for_is_told_by_the_command_that_has_opened_the_board(
    repo: Repo, board: Path
) -> None:
    """However early it was opened."""
    store = chosen.afar(str(repo.common()), Choice(f"git+{board}", rate=2))
    told: list[str] = []
    try:
        chosen.tell_by(told.append)
        share = store._cluster._share
        share.tell("waiting")
    finally:
        chosen.tell_by(lambda _: None)
        chosen.forget(str(repo.common()))

    assert (told, share.rate) == (["waiting"], 2)


def test_an_uninstall_says_what_stays_held_and_takes_all_that_is_kept_here(
    installed: Repo, board: Path, tmp_path: Path
) -> None:
    """Of a repository that is not there any more it says that, and goes on."""
    use = ("store", "use", "--create", "--pushes-a-minute", "0", f"git+{board}")
    assert installed.coord(*use).code == 0
    ann = worker(installed, tmp_path / "ann", "work-ann", "ann")
    assert ann.coord("claim", "task:1").code == 0

    refused = ann.started("coord-install", "--uninstall")
    assert refused.refusal.rule == "claims-live"
    assert f"it would stay held on git+{board}" in refused.refusal.why
    assert installed.common("hooks/coord/store").exists()
    board.rename(tmp_path / "away.git")
    told = ann.started("coord-install", "--uninstall", "--purge")

    assert told.code == 0, told.err
    assert f"task:1 stays held on git+{board}, as far as is known here" in told.err
    assert not installed.common("coord").exists()
    assert not installed.common("hooks/coord").exists()


def test_an_uninstall_that_would_leave_something_unsaid_is_refused(
    installed: Repo, board: Path, tmp_path: Path
) -> None:
    """Nobody would publish it any more; who gives it up leaves nothing of it here."""
    assert installed.coord("store", "use", "--create", f"git+{board}").code == 0
    board.rename(tmp_path / "away.git")
    assert installed.coord("claim", "task:1").code == 3

    refused = installed.started("coord-install", "--uninstall")
    assert refused.code == 1
    assert "has not published" in refused.err
    purged = installed.started("coord-install", "--uninstall", "--purge")

    assert purged.code == 0, purged.err
    assert not installed.common("coord").exists()


def test_a_spoiled_tip_is_named_with_the_command_that_puts_the_board_back(
    installed: Repo, board: Path
) -> None:
    """Somebody has pushed another thing to its ref: the tip that was read is here still."""
    use = ("store", "use", "--create", "--pushes-a-minute", "0", f"git+{board}")
    assert installed.coord(*use).code == 0
    assert installed.coord("claim", "task:1").code == 0
    there = ["git", "-C", str(board), "-c", "user.name=Bob", "-c", "user.email=bob@x"]

    def ask(*args: str) -> str:
        done = subprocess.run(
            [*there, *args], stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    other = ask("commit-tree", "-m", "another thing", ask("mktree"))
    ask("update-ref", "refs/coord/board", other)

    refused = [installed.coord("board"), installed.coord("claim", "task:2")]

    assert [done.code for done in refused] == [3, 3]
    assert all("is no board" in done.refusal.why for done in refused)
    assert len({done.refusal.run for done in refused}) == 1
    subprocess.run(["sh", "-c", refused[0].refusal.run], check=True)
    assert installed.coord("claim", "task:2").code == 0
    assert {"task:1", "task:2"} <= set(installed.coord("board").out.split())


def test_what_is_kept_of_a_board_is_its_owners_alone(installed: Repo, board: Path) -> None:
    """Cache, copy and all that is queued: no other user reads them or puts anything in."""
    use = ("store", "use", "--create", f"git+{board}")
    old = os.umask(0)
    try:
        assert installed.coord(*use).code == 0
    finally:
        os.umask(old)

    kept = [path for path in installed.common("coord").glob("board-*") if path.suffix != ".lock"]
    assert sorted(path.suffix for path in kept) == [".chain", ".copy", ".git"]
    assert not [path.name for path in kept if path.stat().st_mode & 0o077]
