"""Several users of one repository: what is ours is as open as git's own, and never called torn."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

import pytest

from coord.base import sharing
from harness.users import shared_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.users import Users


@pytest.fixture
def users() -> Iterator[Users]:
    """Two users of one group, in a folder of that group."""
    yield from shared_folder()


def _made(users: Users, shared: str | None, *, umask: str = "022") -> None:
    """Let the first user make and install a repository with one worktree and a claim."""
    init = f"git init -q --shared={shared} r" if shared else "git init -q r"
    make = (
        f"{init} && cd r && git commit -q --allow-empty -m start && coord-install && "
        "git worktree add -q -b a ../a && git -C ../a coord claim one && "
        "chmod 755 . ../a"
    )
    done = users.run("games", make, umask=umask)
    assert done.code == 0, done.err


def _modes(folder: Path) -> dict[str, str]:
    found = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(above, name)
            mode = os.lstat(path).st_mode
            found[os.path.relpath(path, folder)] = oct(stat.S_IMODE(mode) & 0o2770)
    return found


@pytest.mark.parametrize("umask", ["022", "077"])
def test_two_users_of_one_group_work_on_one_board(users: Users, umask: str) -> None:
    """prek#1755, git-lfs#2992: core.sharedRepository=group counts, whatever the umask."""
    _made(users, "group", umask=umask)

    add = "git worktree add -q -b b ../b && chmod 755 ../b && cd ../b"
    other = users.run("daemon", f"{add} && git coord claim two one", cwd="r", umask=umask)

    assert other.code == 0, other.err
    assert "task:two is yours" in other.out
    assert "task:one is held by a-" in other.out
    released = users.run("games", "git coord release one", cwd="a", umask=umask)
    assert released.code == 0, released.err
    assert "task:one  b-" in users.run("games", "git coord board", cwd="a").out
    modes = _modes(users.folder / "r/.git/coord") | _modes(users.folder / "r/.git/hooks/coord")
    files = {name: mode for name, mode in modes.items() if not mode.startswith("0o27")}
    assert set(files.values()) <= {"0o660", "0o770"}, files
    assert {"0o2770"} == set(modes.values()) - set(files.values())
    signs = _modes(users.folder / "r/.git/worktrees")
    signs = {name: mode for name, mode in signs.items() if "/coord-se" in name}
    assert {"a/coord-seen", "b/coord-seen", "a/coord-sessions"} <= signs.keys()
    assert set(signs.values()) == {"0o660", "0o2770"}, signs
    for user, tree in (("games", "a"), ("daemon", "b")):
        proved = users.run(user, "git coord doctor", cwd=tree)
        assert "not-permitted" not in proved.out, proved.out
        assert "may be read and written by you" in proved.out


@pytest.mark.parametrize(
    ("shared", "file", "folder"), [("0640", 0o640, 0o2750), ("all", 0o664, 0o2775)]
)
def test_every_word_of_git_for_sharing_counts(
    users: Users, shared: str, file: int, folder: int
) -> None:
    """As git's own objects and folders, from an umask that would close all."""
    _made(users, shared, umask="077")

    claims = users.folder / "r/.git/coord/board/claims"
    record = next(claims.glob("*/00000001"))
    heads = users.folder / "r/.git/refs/heads"

    assert stat.S_IMODE(record.stat().st_mode) == file
    assert stat.S_IMODE(record.parent.stat().st_mode) == folder
    assert stat.S_IMODE((heads / "a").stat().st_mode) == file
    assert stat.S_IMODE(heads.stat().st_mode) == folder


def test_a_worktree_that_another_user_works_in_is_no_fault_of_the_repository(users: Users) -> None:
    """Its private git dir is as the umask says. Whoever has to write there is told how."""
    _made(users, "group")
    users.run("daemon", "git worktree add -q -b b ../b && chmod 755 ../b", cwd="r")
    private = users.folder / "r/.git/worktrees/b"
    assert not private.stat().st_mode & stat.S_IWGRP

    beside = users.run("games", "git coord doctor", cwd="a")
    inside = users.run("games", "git coord doctor", cwd="b")

    assert beside.code == 0, beside.out
    assert re.search(rf"note +pending +{users.folder}/b is another user's to work in", beside.out)
    assert inside.code == 1
    assert f"not-permitted: {private} is daemon's, mode 2755, and you are games" in inside.out
    assert "sandbox" not in inside.out
    command = re.search(r"run: sudo (chmod .*)", inside.out)
    assert command, inside.out
    assert users.run("daemon", command[1]).code == 0
    assert users.run("games", "git coord doctor", cwd="b").code == 0


def test_a_private_git_dir_that_root_made_for_our_folder_is_given_to_us(users: Users) -> None:
    """The folder was given away and the git dir not, as by a container: to work there is meant."""
    _made(users, "group")
    users.run("root", "git worktree add -q -b b ../b && chown -R games ../b", cwd="r")

    found = users.run("games", "git coord doctor", cwd="a")

    assert "not-permitted" in found.out, found.out
    command = re.search(r"run: sudo (chown .*)", found.out)
    assert command, found.out
    assert users.run("root", command[1]).code == 0
    assert users.run("games", "git coord doctor", cwd="a").code == 0


def test_a_record_closed_to_us_is_held_named_and_not_written_over(users: Users) -> None:
    """git-lfs#943: root in a container, umask 077. Whole for root, so it is no torn record."""
    _made(users, None)
    users.run("games", "git worktree add -q -b b ../b", cwd="r")
    users.run("root", "git coord claim one", cwd="b", umask="077", group="root")
    scope = next((users.folder / "r/.git/coord/board/claims").iterdir())
    before = sorted(path.name for path in scope.iterdir())

    refused = users.run("games", "git coord release one", cwd="a")

    assert (refused.code, refused.refusal.rule) == (3, "not-permitted"), refused.err
    assert "is root's, mode 0600, and you are games" in refused.refusal.why
    assert sorted(path.name for path in scope.iterdir()) == before
    board = users.run("games", "git coord board", cwd="a")
    assert board.code == 0
    assert "task:one" in board.out
    doctor = users.run("games", "git coord doctor", cwd="a")
    assert doctor.code == 1
    assert "not-permitted" in doctor.out
    assert "is root's, mode 0600" in doctor.out
    # Whoever may read goes on, and then so does everybody.
    released = users.run("root", "git coord release one", cwd="b", group="root")
    assert released.code == 0, released.err


def test_whoever_is_kept_from_the_lock_of_sweeps_writes_nothing(users: Users) -> None:
    """A sweep would not see that writer. One who may read the lock can share it."""
    _made(users, None)
    lock = users.folder / "r/.git/coord/board/sweep.lock"
    os.chown(lock, 0, 0)
    lock.chmod(0o600)

    refused = users.run("games", "git coord claim two", cwd="a")

    assert (refused.code, refused.refusal.rule) == (3, "not-permitted"), refused.err
    assert f"{lock} is root's, mode 0600, and you are games" in refused.refusal.why
    lock.chmod(0o644)
    assert users.run("games", "git coord claim two", cwd="a").code == 0
    lock.unlink()
    assert users.run("root", "git coord board", cwd="r", umask="077", group="root").code == 0
    users.run("root", "git coord doctor --sweep", cwd="r", umask="077", group="root")
    assert lock.owner() == "games"


def test_an_install_closed_to_us_is_named_with_its_owner(users: Users) -> None:
    """The interpreter is root's alone: whole for root, and no printed command removes it."""
    _made(users, "all")
    launch = users.folder / "r/.git/hooks/coord/launch"
    closed = users.folder / "closed"
    closed.mkdir()
    closed.chmod(0o700)
    lines = [line for line in launch.read_text().split("\n") if "coord_python=" not in line]
    launch.write_text("\n".join([f"coord_python='{closed}/python'", *lines]))

    doctor = users.run("daemon", "git coord doctor", cwd="r")
    pushed = users.run("daemon", "git worktree add -q -b c ../c", cwd="r")

    assert f"not-permitted: {closed} is root's, mode 0700, and you are daemon" in doctor.out
    assert "rm -f" not in doctor.out
    assert f"may not be read by you: {closed} is root's, mode drwx------" in pushed.err


def test_a_folder_closed_to_us_hides_no_other_scope(users: Users) -> None:
    """A scope whose first claim was root's is a folder of mode 0700: the rest can be read."""
    _made(users, None)
    users.run("games", "git worktree add -q -b b ../b", cwd="r")
    users.run("root", "git coord claim closed", cwd="b", umask="077", group="root")

    board = users.run("games", "git coord board", cwd="a")

    assert board.code == 0, board.err
    assert "task:one" in board.out
    assert "closed" in board.out
    refused = users.run("games", "git coord claim closed", cwd="a")
    assert (refused.code, refused.refusal.rule) == (3, "not-permitted"), refused.err


@pytest.mark.parametrize("where", [".", "s-task=3aone"])
def test_a_closed_folder_of_claims_is_found_and_mended_by_what_the_doctor_prints(
    users: Users, where: str
) -> None:
    """Nothing of it is listed, so no record in it is looked at; and nobody is sent here again."""
    _made(users, None)
    closed = users.folder / "r/.git/coord/board/claims" / where
    owner = closed.owner()
    os.chown(closed, 0, 0)
    closed.chmod(0o700)

    doctor = users.run("games", "git coord doctor", cwd="a")

    assert doctor.code == 1
    assert f"{closed} is root's, mode 0700, and you are games" in doctor.out
    assert "run: git coord doctor" not in doctor.out
    command = re.search(r"run: sudo (.*)", doctor.out)
    assert command, doctor.out
    assert users.run("root", command[1], cwd="r", group="root").code == 0
    assert users.run(owner, "git coord doctor", cwd="a").code == 0


def test_what_the_config_includes_is_as_readable_as_the_config(users: Users) -> None:
    """With umask 077 every git command of the others would die at the included file."""
    _made(users, None)
    users.run("games", "git worktree add -q -b b ../b", cwd="r")
    install = "git coord pin --replace && coord-install"
    users.run("root", install, cwd="b", umask="077", group="root")

    for path in ("r", "a", "b"):
        done = users.run("daemon", "git log --oneline && git config user.name", cwd=path)
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("said", "share"),
    [("", 0), ("umask", 0), ("false", 0), ("0", 0), ("group", 0o660), ("1", 0o660), ("true", 0o660),
     ("all", 0o664), ("world", 0o664), ("2", 0o664), ("0640", -0o640), ("0660", -0o660),
     ("0777", -0o666), ("0440", 0), ("nonsense", 0)],
)  # fmt: skip
def test_sharing_is_read_as_git_reads_it(said: str, share: int) -> None:
    """git_config_perm of git's path.c; what git refuses to run with changes nothing here."""
    assert sharing.parsed(said) == share
