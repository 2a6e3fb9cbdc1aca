"""``--mend``: what was lost is put back in one commit on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import branch, declare, found, problems, server_merge

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Done, Repo

ID = "coordination/ids/adr/0001.toml"


@pytest.fixture
def guarded(installed: Repo) -> Repo:
    """An installed repository with one file of each kind, its history shared by a tag."""
    declare(installed)
    installed.git("tag", "shared")
    return installed


def rewrite(repo: Repo, files: dict[str, str], message: str = "rewrite") -> str:
    """Commit where no hook runs, as libgit2 and hosting servers do."""
    without = {"GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}
    return repo.with_env(GIT_CONFIG_COUNT="1", **without).commit(message, files)


def mended(repo: Repo) -> Done:
    """Paste the command of the first problem, and insist that nothing is lost any more."""
    done = repo.paste(problems(repo)[0].run)
    assert done.code == 0, done.err
    assert not problems(repo)
    assert repo.git("status", "--porcelain") == ""
    return done


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("one\nTWO\nthree\nfour\n", {"one", "two", "TWO", "three", "four"}),
        ("one\n", {"one", "two", "three"}),
        ("", {"one", "two", "three"}),
    ],
)
def test_lost_records_come_back_beside_the_newer_ones(
    guarded: Repo, text: str, after: set[str]
) -> None:
    """Nothing that came since is lost either."""
    rewrite(guarded, {"a.log": text})

    mended(guarded)

    assert set(guarded.read("a.log").splitlines()) == after


def test_moved_records_come_first_again(guarded: Repo) -> None:
    """In their old order; what was pushed between them follows."""
    rewrite(guarded, {"a.log": "one\nzzz\nthree\ntwo\n"})

    mended(guarded)

    assert guarded.read("a.log") == "one\ntwo\nthree\nzzz\n"


MARKED = "one\ntwo\nthree\n<<<<<<< HEAD\nfour\n=======\nfive\n>>>>>>> side\n"


def test_committed_markers_are_taken_out_and_never_put_back(guarded: Repo) -> None:
    """Once they are out, by ``--mend`` or by hand, nobody misses them."""
    rewrite(guarded, {"a.log": MARKED})
    assert found(guarded) == [("conflict-markers", "a.log")]

    mended(guarded)

    assert guarded.read("a.log") == "one\ntwo\nthree\nfour\nfive\n"
    assert guarded.coord("check", "--mend").code == 0
    assert guarded.read("a.log") == "one\ntwo\nthree\nfour\nfive\n"


def test_markers_inside_of_a_block_are_taken_out_too(guarded: Repo) -> None:
    """They end no block and begin none, and the blocks around them are the same as before."""
    config = guarded.read(".coord.toml") + '[log."b.log"]\nstart = "## "\n'
    rewrite(guarded, {"b.log": "## 1\none\n", ".coord.toml": config})
    marked = "## 1\none\n<<<<<<< a\n## 2\ntwo\n=======\n## 3\nthree\n>>>>>>> b\n"
    rewrite(guarded, {"b.log": marked})
    assert found(guarded) == [("conflict-markers", "b.log")]

    mended(guarded)

    assert guarded.read("b.log") == "## 1\none\n## 2\ntwo\n## 3\nthree\n"


def test_an_edit_beside_committed_markers_is_mended_without_them(guarded: Repo) -> None:
    """What the edit took comes back; the markers that stood beside it do not."""
    rewrite(guarded, {"a.log": MARKED})
    rewrite(guarded, {"a.log": "one\ntwo\nthree\nfour\n"})

    mended(guarded)

    assert guarded.read("a.log") == "one\ntwo\nthree\nfour\nfive\n"


def test_a_merge_that_brings_committed_markers_along_is_not_blamed(guarded: Repo) -> None:
    """One commit put them there, and one problem says so; taking them out heals both."""
    side = branch(guarded, "side", "other", {"b.log": "1\n"})
    bad = rewrite(guarded, {"a.log": MARKED})
    guarded.git("checkout", "-q", side)
    guarded.git("merge", "-q", "-m", "merge", "main")

    assert [each.commit for each in problems(guarded, "shared..HEAD")] == [bad]


def test_several_rewrites_of_one_log_are_mended_together(guarded: Repo) -> None:
    """Each took something else."""
    rewrite(guarded, {"a.log": "one\ntwo\n"})
    rewrite(guarded, {"a.log": "one\ntwo\nfour\n"})
    rewrite(guarded, {"a.log": "one\nfour\n"})

    mended(guarded)

    assert set(guarded.read("a.log").split()) == {"one", "two", "three", "four"}
    assert (
        guarded.git("log", "-1", "--format=%B").count("Coord-Resolved: a.log put back after") == 1
    )


def test_what_a_merge_dropped_comes_back(guarded: Repo) -> None:
    """From the parent that had it."""
    branch(guarded, "side", "append", {"a.log": "one\ntwo\nthree\nside\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nmain\n"})
    server_merge(guarded, "side", {"a.log": "one\ntwo\nthree\nmain\n"})

    mended(guarded)

    assert set(guarded.read("a.log").split()) == {"one", "two", "three", "side", "main"}


def test_write_once_files_get_their_first_bytes(guarded: Repo) -> None:
    """Changed, deleted, renamed; the copy under a new name would be a second claim."""
    first = guarded.read(ID)
    rewrite(guarded, {ID: "other\n"})
    mended(guarded)
    assert guarded.read(ID) == first
    guarded.git("rm", "-q", ID)
    rewrite(guarded, {})
    mended(guarded)
    guarded.git("mv", ID, "coordination/ids/adr/0009.toml")
    rewrite(guarded, {})

    mended(guarded)

    assert guarded.git("ls-files", "coordination") == ID


def test_logs_and_ids_are_mended_in_one_commit(guarded: Repo) -> None:
    """In a folder and under names that a shell would read."""
    odd = "a $(b) 'c'.log"
    guarded.commit("odd", {odd: "one\n"})
    before = guarded.git("rev-list", "--count", "HEAD")
    rewrite(guarded, {odd: "", ID: "other\n"})

    mended(guarded)

    assert int(guarded.git("rev-list", "--count", "HEAD")) == int(before) + 2
    assert guarded.read(odd) == "one\n"


def test_line_ends_of_the_checkout_are_gits(guarded: Repo) -> None:
    """What is written passes the same filters as a checkout."""
    guarded.commit("eol", {".gitattributes": guarded.read(".gitattributes") + "*.log eol=crlf\n"})
    rewrite(guarded, {"a.log": "one\r\n"})

    mended(guarded)

    assert (guarded.path / "a.log").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_an_executable_file_stays_executable(guarded: Repo) -> None:
    """Its mode is kept."""
    guarded.git("update-index", "--chmod=+x", "a.log")
    guarded.git("commit", "-q", "-m", "mode")
    guarded.git("checkout", "-q", "--", "a.log")
    rewrite(guarded, {"a.log": "one\n"})

    mended(guarded)

    assert guarded.git("ls-files", "--stage", "a.log").startswith("100755 ")


def test_nothing_to_put_back_is_no_failure(guarded: Repo) -> None:
    """Also where other rules are broken, which a person has to settle."""
    guarded.commit("stale", {"src/a.proto": "A\n"})

    done = guarded.coord("check", "--mend")

    assert (done.code, done.out) == (0, "nothing to put back\n")
    assert found(guarded) == [("derived-stale", "schema.json")]


@pytest.mark.parametrize("obstacle", ["staged", "changed"])
def test_mend_refuses_with_other_staged_changes(guarded: Repo, obstacle: str) -> None:
    """The printed command clears the way."""
    bad = rewrite(guarded, {"a.log": "one\n"})
    name = "README" if obstacle == "staged" else "a.log"
    guarded.write(name, "changed\n")
    if obstacle == "staged":
        guarded.git("add", name)

    done = guarded.coord("check", "--mend")

    assert (done.code, done.refusal.rule) == (1, "not-ready")
    assert guarded.paste(done.refusal.run).code == 0
    assert guarded.coord("check", "--mend").code == 0
    assert guarded.git("rev-list", "--count", f"{bad}..HEAD") == "1"
    assert guarded.git("diff", "--name-only", "HEAD^") == "a.log"


@pytest.mark.parametrize("written", [True, False])
def test_a_mend_that_was_killed_before_its_commit_is_run_again(
    guarded: Repo, written: bool
) -> None:
    """What it had staged is what it stages; whether or not the file was written yet."""
    bad = rewrite(guarded, {"a.log": "one\n"})
    mended(guarded)
    guarded.git("reset", "-q", "--soft", bad)
    if not written:
        guarded.write("a.log", "one\n")

    assert guarded.coord("check", "--mend").code == 0

    assert set(guarded.read("a.log").splitlines()) == {"one", "two", "three"}
    assert guarded.git("status", "--porcelain") == ""
    assert guarded.git("rev-list", "--count", f"{bad}..HEAD") == "1"


def test_what_is_staged_and_changed_since_is_no_mends(guarded: Repo) -> None:
    """The file would be written over."""
    bad = rewrite(guarded, {"a.log": "one\n"})
    mended(guarded)
    guarded.git("reset", "-q", "--soft", bad)
    guarded.write("a.log", "one\nmine\n")

    done = guarded.coord("check", "--mend")

    assert (done.code, done.refusal.rule) == (1, "not-ready")
    assert guarded.read("a.log") == "one\nmine\n"


def test_mend_refuses_during_a_merge(guarded: Repo) -> None:
    """The commit would bear its parents."""
    rewrite(guarded, {"a.log": "one\n"})
    branch(guarded, "side", "side", {"x": "x"})
    guarded.git("merge", "-q", "--no-ff", "--no-commit", "side")
    guarded.git("reset", "-q", "--", "x")
    (guarded.path / "x").unlink()

    done = guarded.coord("check", "--mend")

    assert (done.code, done.refusal.rule) == (1, "not-ready")
    assert "in progress" in done.refusal.headline


@pytest.mark.parametrize("where", ["branch", "tag", "nowhere", "worktree"])
def test_it_mends_where_the_range_ends(guarded: Repo, tmp_path: Path, where: str) -> None:
    """The printed command goes there first."""
    bad = rewrite(guarded, {"a.log": "one\n"})
    guarded.git("checkout", "-q", "-b", "older", "HEAD^")
    if where == "nowhere":
        guarded.git("branch", "-q", "-D", "main")
    elif where == "tag":
        guarded.git("tag", "main")
    elif where == "worktree":
        guarded.git("worktree", "add", "-q", str(tmp_path / "w t"), "main")

    done = guarded.coord("check", "--mend", bad)

    assert (done.code, done.refusal.rule) == (1, "not-ready")
    assert guarded.paste(done.refusal.run).code == 0
    heads = guarded.git("for-each-ref", "--format=%(objectname)", "--contains", bad)
    mended_at = heads or guarded.git("rev-parse", "HEAD")
    assert not problems(guarded, mended_at.split()[0])
