"""Every command that a merge driver prints, pasted where it was printed, settles what it names."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.scenes import diverged

if TYPE_CHECKING:
    from harness import Done, Repo

PRODUCER = "sort -u in.txt >{path}"
EDITED = (b"a\nb\n", b"a\nX\nm\n", b"a\nb\ns\n")


@pytest.fixture
def guarded(installed: Repo) -> Repo:
    """An installed repository that guards ``*.log``, ``*.lock`` and ``*.once``."""
    assert installed.coord("track", "log", "*.log").code == 0
    assert installed.coord("track", "once", "*.once").code == 0
    assert installed.coord("track", "derived", "*.lock", "--regenerate", PRODUCER).code == 0
    installed.git("add", "-A")
    installed.git("commit", "-q", "-m", "guard")
    return installed


# Histories like those of a clone without the toolkit: the commit hooks would refuse the rewrites.
UNGUARDED = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "GIT_CONFIG_VALUE_0": "/dev/null",
}


def merged(repo: Repo, name: str, *sides: bytes | None) -> Done:
    """Merge ``side`` into ``main``, on which one file differs."""
    base, ours, theirs = sides
    diverged(repo.with_env(**UNGUARDED), {name: (base, ours, theirs)})
    return repo.tried("merge", "side")


def settle(repo: Repo, done: Done) -> None:
    """Paste the printed command, and commit.

    Only a command of ours: a driver that failed prints how to rebuild the environment, this one.
    """
    assert re.match(r"(p=\$\(.*\); )?git coord ", done.refusal.run), done.err
    pasted = repo.paste(done.refusal.run)
    assert pasted.code == 0, pasted.err
    assert repo.git("ls-files", "-u") == ""
    repo.git("commit", "-q", "--no-edit")
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("name", "folder"), [("x.lock", "sub"), ("it's $(x).lock", "."), ("-new\nline.lock", "sub")]
)
def test_a_regenerated_file_is_made_from_the_merged_inputs(
    guarded: Repo, name: str, folder: str
) -> None:
    """From the folder where git was run, whatever the path."""
    (guarded.path / "sub").mkdir()
    there = guarded.at(guarded.path / folder)
    files = {
        name: (b"1\n5\n9\n", b"0\n1\n5\n9\n", b"1\n5\n9\n99\n"),
        "in.txt": (b"9\n5\n1\n", b"0\n9\n5\n1\n", b"9\n5\n1\n99\n"),
    }
    diverged(guarded, files)
    settle(guarded, there.tried("merge", "side"))

    assert guarded.read(name) == "0\n1\n5\n9\n99\n"


@pytest.mark.parametrize("name", ["7.once", "sub/it's $(x) 7.once", "-new\n7.once", "é 7.once"])
@pytest.mark.parametrize("base", [None, b"eve\n"])
def test_one_of_two_claims_gets_a_name_of_its_own(
    guarded: Repo, name: str, base: bytes | None
) -> None:
    """Added or changed by both sides, whatever the path."""
    settle(guarded, merged(guarded, name, base, b"ada\n", b"lin\n"))

    assert guarded.read(name) == "lin\n"
    assert guarded.read(name.replace("7", "8")) == "ada\n"
    assert "Coord-Resolved: " in guarded.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("name", ["x.log", "sub/it's $(x).log", "-new\nline.log"])
def test_both_sides_of_a_rewritten_log_are_kept(guarded: Repo, name: str) -> None:
    """All of ours, then what theirs added."""
    settle(guarded, merged(guarded, name, *EDITED))

    assert guarded.read(name) == "a\nX\nm\ns\n"


def test_a_log_begun_anew_on_both_sides_holds_both(guarded: Repo) -> None:
    """A reason is on record."""
    settle(guarded, merged(guarded, "x.log", b"1\n2\n", b"4M\n", b"4S\n"))

    assert guarded.read("x.log") == "4M\n4S\n"
    assert "Coord-Resolved: x.log" in guarded.git("log", "-1", "--format=%B")


@pytest.mark.parametrize(
    "sides", [(None, b"# m\none\n", b"# s\ntwo\n"), (b"a\n", b"a\n\0m\n", b"a\n\0s\n")]
)
def test_what_is_joined_by_hand_is_taken(
    guarded: Repo, sides: tuple[bytes | None, bytes, bytes]
) -> None:
    """After the edit that the refusal asks for."""
    done = merged(guarded, "x.log", *sides)
    guarded.write("x.log", "by hand\n")
    settle(guarded, done)

    assert guarded.read("x.log") == "by hand\n"


def test_a_torn_log_is_joined_once_its_records_are_declared(guarded: Repo) -> None:
    """The printed command merges the one file again."""
    objects = [b'b\n{\n  "k": 1,\n  "%b": 1\n}\n' % name for name in (b"m", b"s")]
    done = merged(guarded, "x.log", b"b\n", *objects)
    assert done.refusal.rule == "log-torn"
    declared = guarded.read(".coord.toml") + '\n[log."*.log"]\nstart = "{"\n'
    guarded.write(".coord.toml", declared)

    assert guarded.paste(done.refusal.run).code == 0
    assert guarded.read("x.log") == ('b\n{\n  "k": 1,\n  "m": 1\n}\n{\n  "k": 1,\n  "s": 1\n}\n')


def test_a_dead_interpreter_names_the_repair_and_how_to_join_after_it(guarded: Repo) -> None:
    """The launcher's own command (not pasted: it rebuilds the environment tests run in)."""
    launch = guarded.common("hooks/coord/launch")
    whole = launch.read_text()
    launch.write_text(whole.replace("coord_python='/", "coord_python='/gone/"))
    done = merged(guarded, "x.log", b"a\n", b"a\nm\n", b"a\ns\n")
    repair = guarded.run("sh", "-c", f". '{launch}'; printf '%s' \"$coord_repair\"").out

    assert (done.refusal.rule, done.refusal.run) == ("driver-failed", repair)
    launch.write_text(whole)
    assert guarded.paste(done.refusal.why.rpartition(": ")[2]).code == 0
    assert guarded.read("x.log") == "a\nm\ns\n"


def test_a_missing_driver_is_installed_again(guarded: Repo) -> None:
    """And the merge, run again, is joined, though no log tells that the first one was aborted."""
    script = guarded.common("hooks/coord/log")
    shutil.move(script, Path(guarded.path).parent / "log")
    done = merged(guarded, "x.log", b"a\n", b"a\nm\n", b"a\ns\n")
    assert done.refusal.rule == "driver-missing"
    guarded.git("merge", "--abort")
    for record in guarded.private("coord-refused").iterdir():  # as within one second on a reftable
        os.utime(record, (time.time() + 20,) * 2)

    assert guarded.paste(done.refusal.run).code == 0
    guarded.git("merge", "-q", "--no-edit", "side")
    assert guarded.read("x.log") == "a\nm\ns\n"
