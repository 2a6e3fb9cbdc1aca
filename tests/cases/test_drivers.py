"""Public reports about merges that lost or doubled something, each as it was reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pygit2
import pytest

from harness.begun import begun_by
from harness.clinic import healthy, mended
from harness.scenes import diverged

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo
    from harness.scenes import Sides

DECLARED = (
    "[attr]coord-derived -merge\n[attr]coord-log -merge\n*.json coord-derived\n*.log coord-log\n"
)
TOML = '[derived."*.json"]\nregenerate = "cat *.proto >schema.json"\ninputs = ["*.proto"]\n'


@pytest.fixture
def guarded(installed: Repo) -> Repo:
    """A repository whose ``*.json`` are derived from ``*.proto``, and whose ``*.log`` only grow."""
    return begun_by(installed, _guarded)


def _guarded(installed: Repo) -> None:
    installed.commit("declare", {".gitattributes": DECLARED, ".coord.toml": TOML})
    installed.install()


def two_sided(repo: Repo) -> None:
    """Let two branches change one derived file, each from inputs of its own."""
    sides: dict[str, Sides] = {
        "schema.json": (b"", b"main\n", b"side\n"),
        "a.proto": (None, b"main\n", None),
        "b.proto": (None, None, b"side\n"),
    }
    diverged(repo, sides)


def unhooked(repo: Repo) -> Repo:
    """Return a handle whose commits meet no hook, as somebody's without an install."""
    return repo.with_env(
        GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.hooksPath", GIT_CONFIG_VALUE_0="/dev/null"
    )


def rules(repo: Repo, *args: str) -> set[str]:
    """Return the rules that ``git coord check`` finds broken."""
    answer = json.loads(repo.coord("check", "--json", *args).out)
    return {problem["rule"] for problem in answer["problems"]}


def test_an_identical_change_on_both_sides_is_no_merge_and_is_checked(guarded: Repo) -> None:
    """Git calls no driver, and a file derived from half of the inputs is committed clean.

    rjmurillo/ai-agents#3625, #3644, langfuse#14849, supernovae-st/nika#1096.
    """
    same = b"regenerated on both\n"
    sides: dict[str, Sides] = {
        "schema.json": (b"", same, same),
        "a.proto": (None, b"main\n", None),
        "b.proto": (None, None, b"side\n"),
    }
    diverged(guarded, sides)

    assert guarded.tried("merge", "-q", "--no-edit", "side").code == 0

    assert "derived-stale" in rules(guarded, "HEAD")


def test_a_clone_without_an_install_and_a_bare_one_stop_loudly(
    guarded: Repo, tmp_path: Path
) -> None:
    """An attribute with no driver behind it merges as text, and a forge does so in a bare one.

    rjmurillo/ai-agents#3625, progit2#751, langfuse#14849, pgcolumnar#1116, tsouza/cerberus#1668.
    """
    two_sided(guarded)
    guarded.git("clone", "-q", str(guarded.path), str(tmp_path / "clone"))
    guarded.git("clone", "-q", "--bare", str(guarded.path), str(tmp_path / "bare.git"))
    clone, bare = guarded.at(tmp_path / "clone"), guarded.at(tmp_path / "bare.git")

    assert clone.tried("merge", "-q", "--no-edit", "origin/side").code == 1
    assert "<<<<" not in clone.read("schema.json")
    assert guarded.tried("merge-tree", "--write-tree", "main", "side").code == 1
    # This git reads no attributes of a tree without --attr-source: here the text itself conflicts.
    assert bare.tried("merge-tree", "--write-tree", "main", "side").code == 1
    assert "coord-install" in clone.started("coord-install", "--check").out


def test_what_a_forge_merged_as_text_is_found_by_the_check(guarded: Repo) -> None:
    """A merge button knows no driver and no ``-merge``."""
    guarded.commit("log", {"x.log": "a\nb\n"})
    base = guarded.git("rev-parse", "HEAD")
    text = guarded.git("hash-object", "-w", "--stdin", stdin="b\nc\n")
    guarded.git("update-index", "--cacheinfo", f"100644,{text},x.log")
    tree = guarded.git("write-tree")
    made = guarded.git("commit-tree", "-p", base, "-m", "by a button", tree)
    guarded.git("reset", "-q", "--hard", made)

    assert "log-rewritten" in rules(guarded, f"{base}..HEAD")


@pytest.mark.parametrize("dead", [False, True], ids=["refused", "no interpreter"])
def test_a_refused_file_is_not_swallowed_by_commit_all(guarded: Repo, dead: bool) -> None:
    """A refusing or missing driver leaves ours without markers, and ``commit -a`` drops theirs.

    kenn-io/kwt#112, git-json-merge#22, iterative/dvc#8638.
    """
    if dead:
        launch = guarded.common("hooks/coord/launch")
        launch.write_text(launch.read_text().replace("coord_python='", "coord_python='/gone"))
    two_sided(guarded)
    merged = guarded.tried("merge", "-q", "--no-edit", "side")
    assert merged.code == 1
    assert "derived-two-sided" in merged.err

    swallowed = guarded.tried("commit", "-q", "-a", "-m", "x")

    assert swallowed.code == 1
    assert swallowed.refusal.rule == "refusal-pending"


def test_a_rebase_keeps_the_commit_whose_only_change_was_refused(guarded: Repo) -> None:
    """``driver = true`` keeps upstream's side, and the commit is dropped as empty.

    supernovae-st/nika#1039: a regenerating driver sees a half-merged tree.
    """
    diverged(guarded, {"schema.json": (b"", b"main\n", b"side\n"), "a.proto": (b"", b"m\n", b"")})
    guarded.git("switch", "-q", "side")

    stopped = guarded.tried("rebase", "main")

    assert stopped.code == 1
    assert stopped.refusal.rule == "derived-two-sided"
    assert "schema.json" in stopped.refusal.headline
    for word in ("ours", "theirs"):
        assert word not in stopped.refusal.headline
    assert guarded.coord("regenerate", "--all").code == 0
    assert guarded.tried("rebase", "--continue").code == 0
    assert guarded.git("log", "-1", "--format=%s") == "side"
    assert guarded.git("show", "HEAD:schema.json") == "m"


UNION: dict[str, tuple[Sides, bytes | None]] = {
    "a common tail is kept once": ((b"a\n", b"a\nb\nc\n", b"a\nb\nc\nd\n"), b"a\nb\nc\nd\n"),
    "no final newline glues nothing": ((b"a\n", b"a\nb", b"a\nc"), b"a\nb\nc\n"),
    "an edit beside an append": ((b"a\n", b"A\n", b"a\nb\n"), None),
    "what both took out stays out": ((b"a\nb\nc\n", b"a\nc\nd\n", b"a\nc\ne\n"), b"a\nc\nd\ne\n"),
    "what one took out and the other edited": ((b"a\nb\n", b"a\n", b"a\nB\n"), None),
    "a deletion beside an append": ((b"a\nb\n", b"a\n", b"a\nb\nc\n"), None),
}


@pytest.mark.parametrize("about", UNION)
def test_records_are_joined_and_never_concatenated(guarded: Repo, about: str) -> None:
    """``merge=union`` doubled, glued and revived records.

    coven-cave#4238 (20 doubles), boring-ui#1569 (107), shipwright#405, gastownhall/beads#1480,
    #2174 (a driver of its own dropped 40 fields).
    """
    sides, joined = UNION[about]
    diverged(unhooked(guarded), {"x.log": sides})

    done = guarded.tried("merge", "-q", "--no-edit", "side")

    if joined is None:
        assert done.code == 1
        assert "log-rewritten" in done.err
        text = guarded.read("x.log")
        assert all(line in text for side in sides[1:] for line in (side or b"").decode().split())
    else:
        assert done.code == 0, done.err
        assert sorted((guarded.path / "x.log").read_bytes().split()) == sorted(joined.split())
        assert (guarded.path / "x.log").read_bytes().endswith(b"\n")


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_the_markers_of_a_refusal_are_gits_own(guarded: Repo, style: str) -> None:
    """A driver that rewrote markers missed the base section and %L (jeduden/mdsmith#56)."""
    guarded.git("config", "merge.conflictStyle", style)
    with (guarded.path / ".gitattributes").open("a") as attributes:
        attributes.write("x.log conflict-marker-size=12\n")
    guarded.commit("longer", {".gitattributes": guarded.read(".gitattributes")})
    diverged(unhooked(guarded), {"x.log": (b"a\nb\n", b"A\nb\n", b"a\nb\nc\n")})

    assert guarded.tried("merge", "-q", "--no-edit", "side").code == 1

    text = guarded.read("x.log")
    assert text.startswith("<" * 12)
    assert "<" * 13 not in text
    assert ("|" * 12 in text) == (style != "merge")


def test_a_dead_log_driver_leaves_both_sides(guarded: Repo) -> None:
    """Without an interpreter git's markers stand in the file, and the refusal names the repair."""
    launch = guarded.common("hooks/coord/launch")
    launch.write_text(launch.read_text().replace("coord_python='", "coord_python='/gone"))
    diverged(guarded, {"x.log": (b"a\n", b"a\nmain\n", b"a\nside\n")})

    done = guarded.tried("merge", "-q", "--no-edit", "side")

    assert done.code == 1
    text = guarded.read("x.log")
    assert "<<<<<<<" in text
    assert "main" in text
    assert "side" in text


def test_state_of_one_merge_is_private_and_the_driver_is_common(
    guarded: Repo, tmp_path: Path
) -> None:
    """State looked up under ``--git-dir`` is not there in a linked worktree.

    AGWA/git-crypt#105, anthropics/claude-code#38538.
    """
    two_sided(guarded)
    tree = guarded.worktree(tmp_path / "tree", "tree")
    assert tree.tried("merge", "-q", "--no-edit", "side").code == 1

    assert list(tree.private("coord-refused").iterdir())
    assert not guarded.private("coord-refused").exists()
    assert guarded.tried("commit", "-q", "--allow-empty", "-m", "x").code == 0
    assert tree.tried("commit", "-q", "-a", "-m", "x").code == 1


def test_a_tool_that_runs_no_hook_is_judged_by_the_check(guarded: Repo) -> None:
    """jj, libgit2 and JGit run none (jj-vcs/jj#405, #3577, jgit#71)."""
    guarded.commit("log", {"x.log": "a\nb\n"})
    base = guarded.git("rev-parse", "HEAD")
    if guarded.common("reftable").exists():
        pytest.skip("libgit2 reads no reftable")
    library = pygit2.Repository(str(guarded.path))
    guarded.write("x.log", "b\n")
    library.index.add("x.log")
    tree = library.index.write_tree()
    who = pygit2.Signature("Ada", "ada@example.com")
    library.create_commit("HEAD", who, who, "by a library", tree, [library.head.target])

    assert "log-rewritten" in rules(guarded, f"{base}..HEAD")


@pytest.mark.parametrize("autoupdate", ["false", "true"])
def test_a_recorded_resolution_is_replayed(guarded: Repo, autoupdate: str) -> None:
    """Rerere calls the driver with preimage and postimage, which are no sides of a merge.

    mhagger/git-imerge#21, mystor/git-revise#75.
    """
    guarded.git("config", "rerere.enabled", "true")
    guarded.git("config", "rerere.autoUpdate", autoupdate)
    sides: dict[str, Sides] = {"a.log": (b"one\n", b"one\nm\n", b"ONE\na\n")}
    diverged(unhooked(guarded), sides)
    assert guarded.tried("merge", "-q", "side").code == 1
    guarded.write("a.log", "one\nm\na\n")
    reason = ("--take", "worktree", "--reason", "joined, without 1 record")
    assert guarded.coord("resolve", "a.log", *reason).code == 0
    guarded.git("commit", "-q", "--no-edit")
    guarded.git("reset", "-q", "--hard", "HEAD~1")
    for record in guarded.private("coord-refused").iterdir():
        record.unlink()

    again = guarded.tried("merge", "side")

    assert again.code == 1
    assert again.err.count("coord:") == 1
    assert "using previous resolution" in again.out + again.err
    assert guarded.read("a.log") == "one\nm\na\n"
    assert len(list(guarded.private("coord-refused").iterdir())) == 1


def test_a_driver_that_nobody_listens_to_ends_as_ever(guarded: Repo) -> None:
    """``2>&1 | head -3`` closes the pipe; above 128 git aborts the merge.

    git-workflow-skill#141.
    """
    two_sided(guarded)
    line = guarded.git("config", "merge.coord-derived.driver")
    for name, text in (("%O", "o"), ("%A", "schema.json"), ("%B", "README"), ("%L", "7")):
        line = line.replace(name, text)
    line = line.replace("%P", "schema.json").replace("%X", "''").replace("%Y", "''")
    guarded.write("driver", line.replace("%%", "%"))

    assert guarded.unread("sh", "driver") == 1


def test_a_merge_that_was_cut_off_is_told_from_a_stale_record(guarded: Repo) -> None:
    """Git dies of the closed pipe too, before MERGE_HEAD (git-workflow-skill#141).

    What is left are merged files and the record; a commit of them would have one parent.
    """
    two_sided(guarded)
    assert guarded.tried("merge", "-q", "side").code == 1
    (guarded.private("MERGE_HEAD")).unlink()
    (guarded.private("MERGE_MSG")).unlink()
    guarded.git("read-tree", "HEAD")

    taken = ("--take", "theirs", "--reason", "newer")
    for verb in (("regenerate", "schema.json"), ("resolve", "schema.json", *taken)):
        done = guarded.coord(*verb)
        assert (done.code, done.refusal.rule) == (1, "operation-cut-off")
    stopped = guarded.with_env(GIT_EDITOR="false")
    assert "operation-cut-off" in stopped.tried("commit", "--allow-empty", "-e", "-m", "x").err
    mended(guarded, "operation-cut-off")

    assert guarded.tried("merge", "-q", "side").code == 1
    guarded.git("merge", "--abort")
    assert healthy(guarded)
    assert "cut-off" not in guarded.tried("commit", "--allow-empty", "-q", "-m", "x").err
