"""The driver of derived files: it refuses, names the command, and leaves a record."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from coord.guard import refusal
from harness import refusals
from harness.drivers import MACROS, add_drivers, records
from harness.scenes import crossed, diverged

if TYPE_CHECKING:
    from harness import Repo

BOTH = (b"0\n", b"1\n", b"2\n")
PATHS = [
    "plain.lock",
    "sub/dir/x.lock",
    "two words.lock",
    "it's.lock",
    "-rf.lock",
    "--all.lock",
    "$(touch pwned)`id`.lock",
    "new\nline.lock",
    'quote".lock',
    "back\\slash\\n.lock",
    "-odd\t'%s%d.lock",
    "caf\u00e9.lock",
    "\udcff\udcfe.lock",  # bytes that are no UTF-8
    "\x1b[2J\x7f\u202e.lock",
    "*?[a].lock",
    "#~!&;|<>(){}.lock",
    "x.lock/ends with a newline\n",
]


def test_both_sides_changed_is_refused(guarded: Repo) -> None:
    """Ours without markers, both sides in the index, exit 1, the command named."""
    diverged(guarded, {"schema.lock": BOTH})
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert guarded.read("schema.lock") == "1\n"
    assert [guarded.git("show", f":{n}:schema.lock") for n in (1, 2, 3)] == ["0", "1", "2"]
    assert done.refusal.headline == "both sides regenerated: schema.lock"
    assert done.refusal.why.startswith("HEAD and side each changed it")
    assert "Resolve the other conflicts first" in done.refusal.why
    assert done.refusal.run == "git coord regenerate schema.lock"


def test_added_on_both_sides_is_refused(guarded: Repo) -> None:
    """There is no base, and neither side is right."""
    diverged(guarded, {"schema.lock": (None, b"1\n", b"2\n")})

    assert guarded.tried("merge", "side").refusal.rule == "derived-two-sided"
    assert guarded.read("schema.lock") == "1\n"


def test_far_apart_edits_are_refused(guarded: Repo) -> None:
    """A text merge would be clean, and belong to no inputs."""
    lines = b"".join(b"%d\n" % n for n in range(40))
    diverged(guarded, {"schema.lock": (lines, b"m\n" + lines, lines + b"s\n")})

    assert guarded.tried("merge", "side").refusal.rule == "derived-two-sided"


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_an_option_does_not_choose_a_side(guarded: Repo, side: str) -> None:
    """The built-in `-merge` would take theirs without a word."""
    diverged(guarded, {"schema.lock": BOTH})

    assert guarded.tried("merge", "-X", side, "side").refusal.rule == "derived-two-sided"


def test_many_files_are_refused_each_with_its_record(guarded: Repo) -> None:
    """In one merge; the numbers of the records do not collide."""
    diverged(guarded, {f"{n}.lock": BOTH for n in range(30)})
    done = guarded.tried("merge", "side")
    paths = {text.split("path ")[1].strip() for text in records(guarded)}

    assert len(refusals(done.err)) == 30
    assert paths == {f"{n}.lock" for n in range(30)}


def test_the_record_is_golden(guarded: Repo) -> None:
    """The bytes that the kernel's reader is tested with (tests/coord/test_refusal_format.py)."""
    name = "sub/a\nb \u00e9.json"
    guarded.common("info/attributes").write_text(MACROS + "*.json coord-derived\n")
    diverged(guarded, {name: BOTH})
    guarded.tried("merge", "side")
    ours, theirs = (guarded.git("rev-parse", f":{n}:{name}") for n in (2, 3))

    golden = (
        f"coord-refused 1\nkind derived\nhead {guarded.git('rev-parse', 'HEAD')}\n"
        f"ours {ours}\ntheirs {theirs}\n"
        'path "sub/a\\nb \\303\\251.json"\n'
    )
    assert records(guarded) == [golden]


def test_on_an_unborn_branch_the_head_is_unborn(guarded: Repo) -> None:
    """A patch applied to a staged file before the first commit."""
    diverged(guarded, {"schema.lock": BOTH})
    patch = guarded.git("diff", "side~1", "side") + "\n"
    guarded.git("switch", "-q", "--orphan", "fresh")
    guarded.write("schema.lock", "1\n")
    guarded.git("add", "-A")
    done = guarded.tried("apply", "-3", "--index", stdin=patch)

    assert done.refusal.rule == "derived-two-sided"
    assert "\nhead unborn\n" in records(guarded)[0]


def test_a_sha256_repository_is_recorded_with_its_ids(tmp_path: Path, guarded: Repo) -> None:
    """Blob ids are git's, of whatever length."""
    other = type(guarded).init(tmp_path / "sha256", guarded.env, "--object-format=sha256")
    other.commit("start", {"README": b"x\n"})
    add_drivers(other)
    diverged(other, {"schema.lock": BOTH})
    other.tried("merge", "side")

    assert f"theirs {other.git('rev-parse', ':3:schema.lock')}\n" in records(other)[0]


def test_the_record_has_the_blobs_of_git_whatever_filters_say(guarded: Repo) -> None:
    """The inputs are what is stored; cleaning them again would name blobs that nobody has."""
    guarded.git("config", "filter.mark.clean", "sed s/^/x/")
    diverged(guarded, {"schema.lock": BOTH})
    guarded.write(".gitattributes", ".merge_file* filter=mark\n")
    guarded.tried("merge", "side")

    assert f"\nours {guarded.git('rev-parse', ':2:schema.lock')}\n" in records(guarded)[0]


@pytest.mark.parametrize("name", PATHS)
def test_any_path_is_refused_recorded_and_can_be_pasted(spy: Repo, name: str) -> None:
    """One line of each, however odd the name; pasted into sh the command gets that very path."""
    spy.common("info/attributes").write_text(
        MACROS + "**/*.lock/** coord-derived\n*.lock coord-derived\n"
    )
    diverged(spy, {name: BOTH})
    done = spy.tried("merge", "side")
    pasted = spy.paste(done.refusal.run)
    called = Path(spy.env["SPY"]).read_bytes().split(b"\0")[:-1]
    shown = spy.git("-c", "core.quotePath=true", "ls-files", "-u").split("\n")[0].split("\t", 1)[1]

    assert pasted.code == 0, pasted.err
    assert [called[0], called[1].removeprefix(b"./")] == [
        b"regenerate",
        name.encode("utf-8", "surrogateescape"),
    ]
    assert done.refusal.headline == f"both sides regenerated: {shown}"
    assert records(spy)[0].endswith(f"\npath {shown}\n")
    assert not (spy.path / "pwned").exists()


def test_nothing_is_recorded_in_a_preview(guarded: Repo) -> None:
    """`merge-tree`, a merge shown again, and a rehearsal that says so."""
    diverged(guarded, {"schema.lock": BOTH})
    preview = guarded.tried("merge-tree", "--write-tree", "main", "side")
    guarded.with_env(COORD_PREVIEW="1").tried("merge", "side")
    assert records(guarded) == []

    guarded.commit("merged", {"schema.lock": b"3\n"})
    shown = guarded.tried("log", "-1", "--remerge-diff")

    assert records(guarded) == []
    assert preview.out.split("\n")[0].isalnum()
    assert "coord:" not in preview.out + shown.out


def test_it_needs_no_python(guarded: Repo) -> None:
    """A virtualenv that is gone takes nothing with it."""
    add_drivers(guarded, python="/nowhere/python", lib="/nowhere")
    guarded.common("hooks/coord/launch").unlink()
    diverged(guarded, {"new\nline.lock": BOTH})
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert done.refusal.run == "git coord regenerate \"$(printf 'new\\nline.lock')\""
    assert len(records(guarded)) == 1


def test_a_record_that_cannot_be_written_still_refuses(guarded: Repo) -> None:
    """Something else stands where they go."""
    diverged(guarded, {"schema.lock": BOTH})
    guarded.private("coord-refused").write_text("in the way\n")
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert done.refusal.rule == "derived-two-sided"
    assert guarded.read("schema.lock") == "1\n"


def test_what_is_planted_where_a_record_will_stand_holds_nobody(guarded: Repo) -> None:
    """A record's number is its driver's process: all the next ones are pipes, or lead elsewhere."""
    diverged(guarded, {"schema.lock": BOTH})
    precious = guarded.path.parent / "precious"
    folder = guarded.private("coord-refused")
    folder.mkdir()
    with subprocess.Popen("true") as child:
        planted = {str(child.pid + number) for number in range(3000)}
    for name in planted:
        if int(name) % 2:
            os.mkfifo(folder / name)
        else:
            (folder / name).symlink_to(precious)

    assert guarded.run("git", "merge", "side", timeout=20).code == 1

    (record,) = {path.name for path in folder.iterdir()} - planted
    assert (folder / record).read_text().startswith("coord-refused 1\n")
    assert not precious.exists()


def test_a_driver_without_its_files_leaves_a_record_all_the_same(guarded: Repo) -> None:
    """It cannot say what was refused, but `git commit -a` would take this side for both."""
    diverged(guarded, {"schema.lock": BOTH})
    (guarded.common("hooks/coord") / "refuse").unlink()
    guarded.git("config", "core.sharedRepository", "group")
    guarded.private().chmod(0o2775)  # as git makes one there

    assert "driver-missing" in guarded.tried("merge", "side").err

    records = refusal.read_all(str(guarded.private()))
    assert [record.readable for record in records] == [False]
    folder = guarded.private("coord-refused")
    assert all(one.stat().st_mode & 0o060 == 0o060 for one in (folder, *folder.iterdir()))
    previewed = guarded.tried("merge-tree", "--write-tree", "main", "side")
    assert previewed.code == 1
    assert refusal.read_all(str(guarded.private())) == records


def test_crosswise_merges_are_refused_once_and_nothing_is_taken(guarded: Repo) -> None:
    """`recursive = binary`: no call for the virtual base, and no side taken in silence."""
    guarded.common("info/attributes").write_text(MACROS + "d.lock merge=spy\n")
    crossed(guarded, "d.lock")
    guarded.common("info/attributes").write_text(MACROS + "d.lock coord-derived\n")
    ours = guarded.read("d.lock")
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert done.refusal.rule == "derived-two-sided"
    assert guarded.read("d.lock") == ours


def test_a_rename_on_both_sides_is_no_virtual_merge(guarded: Repo) -> None:
    """%L is one more there, and the refusal has to be said all the same."""
    lines = b"".join(b"%d\n" % n for n in range(40))
    renames = {
        "old.lock": (lines, None, None),
        "ours.lock": (None, b"m\n" + lines, None),
        "theirs.lock": (None, None, lines + b"s\n"),
    }
    diverged(guarded, renames)
    done = guarded.tried("merge", "side")

    assert done.refusal.rule == "derived-two-sided"
    assert len(records(guarded)) == 1


def test_a_hostile_subject_is_not_shown(guarded: Repo) -> None:
    """Since git 2.44 labels hold the subject of a picked commit."""
    diverged(guarded, {"schema.lock": BOTH})
    guarded.git("commit", "-q", "--allow-empty", "-m", "x")
    guarded.git("switch", "-q", "side")
    guarded.git("commit", "-q", "--amend", "-m", "evil \x1b[2J \u202e subject")
    guarded.git("switch", "-q", "main")
    done = guarded.tried("cherry-pick", "side")

    assert done.refusal.why.isprintable()
    assert done.refusal.why.startswith("HEAD and ")
