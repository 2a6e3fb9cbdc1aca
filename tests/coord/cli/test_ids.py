"""``git coord id next`` and ``list``: numbers that no two workers get, however they race."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from coord.stores import keys
from coord.stores.directory import Directory
from harness.board import answer, worker
from harness.check import branch
from harness.ids import FOLDER, claim, clone_of, guard, path, taken

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_the_next_identifier_is_written_staged_and_told(installed: Repo) -> None:
    """The answer alone on stdout; the file names its claimant and holds a nonce."""
    done = guard(installed).coord("--as", "hopper", "id", "next", "HW")

    assert (done.code, done.out) == (0, "HW-0001\n")
    document = tomllib.loads(installed.read(path(1)))
    assert document.keys() == {"id", "namespace", "actor", "instance", "nonce", "created"}
    assert [document[key] for key in ("id", "namespace", "actor")] == ["HW-0001", "HW", "hopper"]
    assert installed.git("diff", "--cached", "--name-only") == path(1)
    assert "staged it" in done.err
    installed.git("commit", "-q", "-m", "claim")
    assert installed.coord("check", "HEAD").code == 0


def test_the_json_answer(installed: Repo) -> None:
    """Namespace, id, and the path from the top level, wherever one stands."""
    guard(installed)
    (installed.path / "sub").mkdir()

    found = answer(installed.at(installed.path / "sub"), "id", "next", "HW")

    assert found == {"schema": 1, "namespace": "HW", "id": "HW-0001", "path": path(1)}


def test_a_declared_format_is_followed(installed: Repo) -> None:
    """`[id.NS] format`; what it counts is what it spells, whatever the case and the zeros."""
    installed.write(".coord.toml", '[id.HW-DR]\nformat = "HW-DR-{n:04}"\n')
    installed.commit("old", {f"{FOLDER}/HW-DR/hw-dr-53.md": "old\n"})

    assert taken(installed, "HW-DR") == "HW-DR-0054"
    assert taken(installed, "ADR") == "ADR-0001"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[id.HW]\nformat = "HW"\n', 2),
        ("[id.HW]\nformat = 7\n", 2),
        ('[id]\nHW = "HW-{n}"\n', 2),
        ('[id."a/b"]\nformat = "{n}"\n', 2),
    ],
)
def test_a_format_that_cannot_be_used_names_its_line(installed: Repo, text: str, line: int) -> None:
    """Exit 3, and no number is spent."""
    installed.write(".coord.toml", text)
    done = installed.coord("id", "next", "HW")

    assert (done.code, done.refusal.rule) == (3, "config-invalid")
    assert f".coord.toml:{line}" in done.refusal.headline
    assert not (installed.path / FOLDER).exists()
    assert not installed.common("coord/board/ids").exists()


@pytest.mark.parametrize("name", ["", "a/b", "..", "é", "a b", "$(touch pwned)"])
def test_a_namespace_that_is_no_folder_is_wrong_usage(installed: Repo, name: str) -> None:
    """Exit 2; the printed command takes one that is."""
    done = installed.coord("id", "next", "--", name)

    assert (done.code, done.refusal.rule) == (2, "namespace-invalid")
    assert installed.paste(done.refusal.run).code == 0
    assert not (installed.path / "pwned").exists()


def test_every_branch_and_worktree_counts(installed: Repo, tmp_path: Path) -> None:
    """Local and remote-tracking branches, detached heads, and files that nobody committed."""
    assert taken(guard(installed)) == "HW-0001"
    installed.git("commit", "-q", "-m", "1")
    for ref, number in (("refs/heads/far", 5), ("refs/remotes/origin/far", 9)):
        installed.git("checkout", "-q", "--detach")
        made = installed.commit("far", {path(number): claim(number, "far")})
        installed.git("update-ref", ref, made)
        installed.git("checkout", "-q", "main")
    assert taken(installed) == "HW-0010"
    side = installed.worktree(tmp_path / "side", "side")
    side.git("checkout", "-q", "--detach")
    side.commit("detached", {path(12): claim(12, "side")})
    assert taken(installed) == "HW-0013"
    side.write(path(20), claim(20, "side"))
    assert taken(installed) == "HW-0021"
    assert taken(side) == "HW-0022"


def test_an_identifier_that_only_looks_alike_is_passed_over(installed: Repo) -> None:
    """Case, zeros and suffix make no other one; a name of another kind is no number."""
    files = {f"{FOLDER}/hw/hw-3.txt": "x\n", f"{FOLDER}/HW/readme.md": "x\n"}
    installed.commit("old", files)

    assert taken(installed) == "HW-0004"
    assert taken(installed, "hw") == "hw-0005"


def test_sixteen_processes_at_once_get_sixteen_numbers(installed: Repo, tmp_path: Path) -> None:
    """From two worktrees of one repository, each file there and whole."""
    guard(installed)
    side = worker(installed, tmp_path / "side", "side", "lin")
    running = [
        there.begun("git-coord", "id", "next", "HW", "--json", text=True)
        for there in (installed, side) * 8
    ]
    answers = [process.communicate(timeout=60) for process in running]

    assert [process.returncode for process in running] == [0] * 16, answers
    found = [json.loads(out)["id"] for out, _ in answers]
    assert sorted(found) == [f"HW-{number:04}" for number in range(1, 17)]
    for there in (installed, side):
        for file in (there.path / FOLDER / "HW").iterdir():
            assert tomllib.loads(file.read_text())["id"] == file.stem


def test_a_number_whose_file_never_came_stays_spent(installed: Repo) -> None:
    """Killed between the board and the tree; `list` shows whose it was."""
    board = Directory(str(installed.common("coord/board")))
    record = {"schema": 1, "id": "HW-0001", "actor": "ghost-1f", "at": "2026-01-02T03:04:05Z"}
    key = keys.number(keys.series(f"{FOLDER}/HW/HW-#"), 1)
    board.create(key, json.dumps(record).encode())
    board.create(keys.number(keys.series(f"{FOLDER}/HW/HW-#"), 2), b"torn")

    assert taken(guard(installed)) == "HW-0003"
    rows = answer(installed, "id", "list", "HW")["ids"]
    assert [(row["id"], row["actor"], row["state"]) for row in rows] == [
        ("HW-0001", "ghost-1f", "reserved"),
        ("HW-0002", "unknown", "reserved"),
        ("HW-0003", "main", "uncommitted"),
    ]
    assert rows[0]["path"] is None


def test_the_list_says_where_each_is_known(installed: Repo) -> None:
    """Committed here and there, or not yet."""
    guard(installed)
    installed.commit("one", {path(1): claim(1, "ada", "2026-01-01T00:00:00Z")})
    for number in range(5):
        installed.git("branch", f"b{number}")
    taken(installed)
    done = installed.coord("id", "list")

    assert done.out.splitlines() == [
        "HW-0001  ada   main, b0, b1, 3 more",
        "HW-0002  main  uncommitted",
    ]
    assert installed.coord("id", "list", "OTHER").out == ""


def test_the_list_tells_what_is_staged_from_what_is_committed(installed: Repo) -> None:
    """Changed since, new, and all of them where nothing is committed yet."""
    installed.commit("claims", {path(number): claim(number, "hopper") for number in (1, 2)})
    installed.write(path(2), claim(2, "lovelace"))
    installed.write(path(3), claim(3, "hopper"))
    installed.git("add", "-A")

    def states() -> list[str]:
        return [row["state"] for row in answer(installed, "id", "list")["ids"]]

    assert states() == ["committed", "uncommitted", "uncommitted"]
    installed.git("reset", "-q", "--hard")
    installed.git("switch", "-q", "--orphan", "new")
    installed.git("branch", "-D", "main")
    installed.write(path(1), claim(1, "hopper"))
    installed.git("add", "-A")
    assert states() == ["uncommitted"]


def test_one_person_may_have_claimed_an_identifier_with_a_date_and_without(installed: Repo) -> None:
    """That without one comes first; the list ended in a traceback."""
    branch(installed, "side", "side", {path(1): claim(1, "ada")})
    installed.commit("main", {path(1): claim(1, "ada", "2026-01-01T00:00:00Z")})

    rows = answer(installed, "id", "list")["ids"]
    assert [(row["created"], row["branches"]) for row in rows] == [
        (None, ["side"]),
        ("2026-01-01T00:00:00Z", ["main"]),
    ]


def test_two_clones_may_take_one_number_and_check_finds_it(installed: Repo, tmp_path: Path) -> None:
    """They share no disk; a fetch is enough to know, and what was fetched counts from then on."""
    other = clone_of(guard(installed), tmp_path / "clone")
    assert taken(installed) == taken(other) == "HW-0001"
    other.git("commit", "-q", "-m", "theirs")
    installed.git("fetch", "-q", str(other.path), "main:refs/remotes/clone/main")

    assert installed.coord("id", "check").code == 1
    assert taken(installed) == "HW-0002"


def test_without_a_guard_it_says_what_is_missing(installed: Repo) -> None:
    """The printed command guards the folder."""
    done = installed.coord("id", "next", "HW")
    command = done.err.strip().splitlines()[-1].partition("could claim one: ")[2]

    assert installed.paste(command).code == 0
    assert installed.git("check-attr", "merge", path(1)).endswith(": coord-once")


@pytest.mark.parametrize("link", ["coordination", FOLDER, f"{FOLDER}/HW"])
def test_a_symlink_does_not_lead_out(installed: Repo, tmp_path: Path, link: str) -> None:
    """A committed one would let a branch write anywhere; the printed command takes it away."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (installed.path / link).parent.mkdir(parents=True, exist_ok=True)
    (installed.path / link).symlink_to(outside)
    done = installed.coord("id", "next", "HW")

    assert (done.code, done.refusal.rule) == (1, "symlink-in-the-way")
    assert list(outside.iterdir()) == []
    assert not installed.common("coord/board/ids").exists()
    assert installed.paste(done.refusal.run).code == 0
    assert taken(installed) == "HW-0001"


def test_what_git_ignores_or_cannot_stage_is_written_all_the_same(installed: Repo) -> None:
    """The number is taken; the rest is said."""
    guard(installed)
    installed.common("index.lock").touch()
    done = installed.coord("id", "next", "HW")
    installed.common("index.lock").unlink()

    assert (done.code, done.out) == (0, "HW-0001\n")
    assert done.refusal.headline.endswith(f"did not stage it: {path(1)}")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("diff", "--cached", "--name-only") == path(1)
    installed.common("info/exclude").write_text("coordination/\n")
    done = installed.coord("id", "next", "EV")
    assert (done.code, done.refusal.rule) == (0, "not-staged")
    assert installed.paste(done.refusal.run).code == 0
    assert path(1, "EV") in installed.git("diff", "--cached", "--name-only")


def test_a_lock_that_is_given_up_is_waited_for(installed: Repo) -> None:
    """Another git at work takes a moment only."""
    lock = guard(installed).common("index.lock")
    lock.touch()
    child = subprocess.Popen(["sh", "-c", 'sleep 1; rm "$1"', "sh", str(lock)])
    done = installed.coord("id", "next", "HW")
    child.wait()

    assert (done.code, done.out) == (0, "HW-0001\n")
    assert "staged it" in done.err
    assert installed.git("diff", "--cached", "--name-only") == path(1)


@pytest.mark.parametrize("name", ["coordination", FOLDER, f"{FOLDER}/HW"])
def test_a_file_in_the_place_of_a_folder_takes_no_number(installed: Repo, name: str) -> None:
    """It is named, and the printed command moves it aside."""
    (installed.path / name).parent.mkdir(parents=True, exist_ok=True)
    installed.write(name, "mine\n")
    done = installed.coord("id", "next", "HW")

    assert (done.code, done.refusal.rule) == (1, "file-in-the-way")
    assert name in done.refusal.headline
    assert not installed.common("coord/board/ids").exists()
    assert installed.paste(done.refusal.run).code == 0
    assert installed.read(f"{os.path.basename(name)}.aside") == "mine\n"
    assert taken(installed) == "HW-0001"


def test_a_bare_repository_has_no_tree_to_write_to(bare_with_worktree: Repo) -> None:
    """Exit 3; but it can list and check."""
    bare_with_worktree.install()
    assert taken(bare_with_worktree) == "HW-0001"
    bare_with_worktree.git("commit", "-q", "-m", "claim")
    bare = bare_with_worktree.bare(bare_with_worktree.common())
    done = bare.coord("id", "next", "HW")

    assert (done.code, done.refusal.rule) == (3, "no-worktree")
    assert bare.coord("id", "check").out == "ok: 1 identifier in 1 branch\n"
    assert bare.coord("id", "list").out.split()[::2] == ["HW-0001", "side"]


@pytest.mark.parametrize("options", [["--object-format=sha256"], []])
def test_on_an_unborn_branch_of_any_object_format(
    tmp_path: Path, env: dict[str, str], options: list[str]
) -> None:
    """SHA-256, which libgit2 cannot open."""
    from harness import Repo  # noqa: PLC0415  # a type elsewhere

    made = Repo.init(tmp_path / "fresh", env, *options)
    made.install()

    assert taken(made) == "HW-0001"
    assert made.coord("id", "check").code == 0
    made.git("commit", "-q", "-m", "claim")
    assert taken(made) == "HW-0002"
    assert made.coord("id", "check").out == "ok: 2 identifiers in 1 branch\n"


@pytest.mark.parametrize(("locked", "after"), [("git", "HW-0001"), ("tree", "HW-0002")])
def test_a_read_only_disk_takes_nothing(
    installed: Repo, tmp_path: Path, locked: str, after: str
) -> None:
    """Exit 3; without the board no file, without the tree a number that is spent."""
    side = worker(guard(installed), tmp_path / "side", "side", "lin")
    place = installed.common() if locked == "git" else side.path
    mounts = f"mount --bind '{place}' '{place}' && mount -o remount,ro,bind '{place}'"
    if installed.run("unshare", "-rm", "sh", "-c", mounts).code:
        pytest.skip("mounting is not allowed here")
    script = f"{mounts} && cd '{side.path}' && git coord id next HW"
    done = installed.run("unshare", "-rm", "sh", "-c", script)

    assert (done.code, done.refusal.rule) == (3, "not-writable"), done.err
    assert not (side.path / FOLDER).exists()
    assert taken(side) == after


def test_an_identity_that_contradicts_the_pin_takes_nothing(
    installed: Repo, tmp_path: Path
) -> None:
    """As every verb that writes a name down."""
    side = worker(installed, tmp_path / "side", "side", "lin")
    done = side.coord("--as", "ada", "id", "next", "HW")

    assert (done.code, done.refusal.rule) == (1, "identity-conflict")
    assert os.path.lexists(side.path / FOLDER) is False
