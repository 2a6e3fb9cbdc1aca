"""The driver of write-once files: it refuses, names both claimants, and leaves a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import operations, refusals
from harness.drivers import MACROS, add_drivers, records
from harness.scenes import crossed, diverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Done, Repo

ADA = b'id = "1"\nactor = "ada-1f"\nnonce = "a"\n'
LIN = b'id = "1"\nactor = "lin-2c"\nnonce = "l"\n'
ADDED = (None, LIN, ADA)
CHANGED = (b"actor = 'eve'\n", LIN, ADA)
PATHS = [
    "plain.once",
    "sub/dir/x.once",
    "two words.once",
    "it's.once",
    "-rf.once",
    "$(touch pwned)`id`.once",
    "new\nline.once",
    'quote".once',
    "-odd\t'%s%d.once",
    "caf\u00e9.once",
    "\udcff\udcfe.once",
    "\x1b[2J\x7f\u202e.once",
    "x.once/ends with a newline\n",
]


def claimants(repo: Repo, ours: bytes, theirs: bytes) -> str:
    """Return how a merge of two claims names them."""
    diverged(repo, {"x.once": (None, ours, theirs)})
    done = repo.tried("merge", "side")
    assert done.refusal.rule == "id-taken"
    return done.refusal.why.removeprefix("claimed by ").partition("; ")[0]


def test_a_file_that_both_sides_claim_is_refused(guarded: Repo) -> None:
    """Ours without markers, both sides in the index, exit 1, both claimants and the command."""
    diverged(guarded, {"x.once": ADDED})
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert guarded.read("x.once").encode() == LIN
    assert [guarded.git("show", f":{n}:x.once") for n in (2, 3)] == [
        text.decode().rstrip() for text in (LIN, ADA)
    ]
    assert done.refusal.rule == "id-taken"
    assert done.refusal.headline == "claimed by both sides: x.once"
    assert done.refusal.why.startswith("claimed by ada-1f and lin-2c; ")
    assert done.refusal.run == "git coord id renumber x.once"


def test_a_file_that_both_sides_changed_is_refused(guarded: Repo) -> None:
    """Far apart or not: it was written once."""
    lines = b"".join(b"%d\n" % n for n in range(40))
    diverged(guarded, {"x.once": (lines, b"m\n" + lines, lines + b"s\n")})
    done = guarded.tried("merge", "side")

    assert done.refusal.rule == "once-changed"
    assert done.refusal.headline == "written once, and changed by both sides: x.once"
    assert done.refusal.run == "git coord id renumber x.once"


@pytest.mark.parametrize("sides", [ADDED, CHANGED])
def test_whoever_merges_whom_reads_the_same(
    guarded: Repo, sides: tuple[bytes | None, bytes, bytes]
) -> None:
    """Sorted, and without a word of ours and theirs."""
    diverged(guarded, {"x.once": sides})
    here = guarded.tried("merge", "side").refusal
    guarded.git("merge", "--abort")
    guarded.git("switch", "-q", "side")

    assert guarded.tried("merge", "main").refusal == here


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"hopper\nand a note\n", "hopper"),
        (b"\n\n  hopper  x\n", "hopper  x"),
        (b'id = "7"\nowner = "crew"\nactor = "hopper"\n', "hopper"),
        (b'id = "7"\nowner = "crew"\n', "crew"),
        (b"owner: crew\r\nid: 7\r\n", "crew"),
        (b'{"id": 7, "actor": "hopper", "at": 1}\n', "hopper"),
        (b'{\n  "actor": "hopper"\n}\n', "hopper"),
        (b"  actor = 'it is'  # mine\n", "it is"),
        (b'actor = ""\nowner = "crew"\n', "crew"),
        (b"factor = 3\n", "factor = 3"),
        (b"no newline", "no newline"),
        (b"", "unreadable claim"),
        (b" \n\t\n", "unreadable claim"),
        (b"\0\0\0", "unreadable claim"),
        (b'actor = "a\x1b[31m\xe2\x80\xae\xff"\n', r"a\033[31m\342\200\256\377"),
        (b"a" * 80, "a" * 80),
        (b"a" * 81, "a" * 77 + "..."),
        (b"a" * 75 + b"\xff" * 9, "a" * 75 + "..."),
        (b"\xff" * 200, r"\377" * 19 + "..."),
        (b"x" * 10_000_000, "x" * 77 + "..."),
        (b"$(touch pwned) `id` \\n %s", r"$(touch pwned) `id` \n %s"),
        (b"-n", "-n"),
    ],
)
def test_a_claimant_is_read_from_the_content(guarded: Repo, text: bytes, name: str) -> None:
    """`actor`, `owner`, or the first line; short and printable, whatever the bytes."""
    assert claimants(guarded, text, b"actor = '~'\n") == f"{name} and ~"
    assert not (guarded.path / "pwned").exists()


def test_claimants_of_one_name_are_both_named(guarded: Repo) -> None:
    """Two instances of one handle are two owners."""
    assert claimants(guarded, b"ada\n1\n", b"ada\n2\n") == "ada and ada"


def merge_with_an_option(repo: Repo) -> Done:
    """The built-in `-merge` would take theirs without a word."""
    return repo.tried("merge", "-X", "theirs", "side")


def revert(repo: Repo) -> Done:
    """Undo what was changed again since."""
    repo.commit("again", {"x.once": b"again\n"})
    return repo.tried("revert", "--no-edit", "HEAD~1")


OPERATIONS = [*operations.ALL, merge_with_an_option, revert]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("linked", [False, True], ids=["main worktree", "linked worktree"])
def test_every_operation_that_merges_refuses_and_records(
    guarded: Repo, operation: Callable[[Repo], Done], linked: bool
) -> None:
    """The golden bytes that the kernel's reader knows."""
    diverged(guarded, {"x.once": CHANGED})
    if linked:
        guarded.git("switch", "-q", "--detach")
        guarded.git("worktree", "add", "-q", str(guarded.path.parent / "linked"), "main")
        guarded = guarded.at(guarded.path.parent / "linked")
    done = operation(guarded)
    ours, theirs = (guarded.git("rev-parse", f":{stage}:x.once") for stage in (2, 3))

    assert [refused.run for refused in refusals(done.err)] == ["git coord id renumber x.once"]
    assert guarded.git("show", ":2:x.once") + "\n" == guarded.read("x.once")
    head = guarded.git("rev-parse", "HEAD")
    assert records(guarded) == [
        f"coord-refused 1\nkind once\nhead {head}\nours {ours}\ntheirs {theirs}\npath x.once\n"
    ]
    assert "coord:" not in done.out
    assert list(guarded.path.glob(".merge_file_*")) == []


@pytest.mark.parametrize("name", PATHS)
def test_any_path_is_refused_recorded_and_can_be_pasted(spy: Repo, name: str) -> None:
    """One line of each, however odd the name; pasted into sh the command gets that very path."""
    spy.common("info/attributes").write_text(
        MACROS + "**/*.once/** coord-once\n*.once coord-once\n"
    )
    diverged(spy, {name: ADDED})
    done = spy.tried("merge", "side")
    pasted = spy.paste(done.refusal.run)
    called = Path(spy.env["SPY"]).read_bytes().split(b"\0")[:-1]
    shown = spy.git("-c", "core.quotePath=true", "ls-files", "-u").split("\n")[0].split("\t", 1)[1]

    assert pasted.code == 0, pasted.err
    assert called[:2] == [b"id", b"renumber"]
    assert called[2].removeprefix(b"./") == name.encode("utf-8", "surrogateescape")
    assert done.refusal.headline == f"claimed by both sides: {shown}"
    assert records(spy)[0].endswith(f"\npath {shown}\n")
    assert not (spy.path / "pwned").exists()


def test_a_preview_records_nothing_and_keeps_its_output_clean(
    guarded: Repo, tmp_path: Path
) -> None:
    """`merge-tree`, here and in a bare repository, and a rehearsal that says so."""
    diverged(guarded, {"x.once": ADDED})
    guarded.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = guarded.at(tmp_path / "bare.git")
    add_drivers(bare)
    for repo in (guarded, bare):
        done = repo.tried("merge-tree", "--write-tree", "main", "side")
        assert done.code == 1
        assert done.out.split("\n")[0].isalnum()
        assert done.refusal.rule == "id-taken"
    guarded.with_env(COORD_PREVIEW="1").tried("merge", "side")

    assert records(guarded) == records(bare) == []


def test_it_needs_no_python(guarded: Repo) -> None:
    """A virtualenv that is gone takes nothing with it."""
    add_drivers(guarded, python="/nowhere/python", lib="/nowhere")
    guarded.common("hooks/coord/launch").unlink()
    diverged(guarded, {"new\nline.once": ADDED})
    done = guarded.tried("merge", "side")

    assert done.refusal.why.startswith("claimed by ada-1f and lin-2c; ")
    assert done.refusal.run == "git coord id renumber \"$(printf 'new\\nline.once')\""
    assert len(records(guarded)) == 1


def test_a_one_sided_change_and_an_identical_add_never_reach_it(guarded: Repo) -> None:
    """Git takes them without asking: `git coord check` and `id check` are for those."""
    diverged(guarded, {"x.once": (None, ADA, ADA), "y.once": (ADA, ADA, LIN)})

    assert guarded.tried("merge", "-q", "--no-edit", "side").code == 0
    assert guarded.read("y.once").encode() == LIN


def test_crosswise_merges_are_refused_and_nothing_is_taken(guarded: Repo) -> None:
    """`recursive = binary`: no call for the virtual base, and no side taken in silence."""
    guarded.common("info/attributes").write_text(MACROS + "d.once merge=spy\n")
    crossed(guarded, "d.once")
    guarded.common("info/attributes").write_text(MACROS + "d.once coord-once\n")
    ours = guarded.read("d.once")
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert [refused.rule for refused in refusals(done.err)] == ["once-changed"]
    assert guarded.read("d.once") == ours
