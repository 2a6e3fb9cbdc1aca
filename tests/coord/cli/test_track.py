"""``track`` and ``untrack``: the declaration, committed for all and selected in this clone."""

from __future__ import annotations

import json
import os
import tomllib
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.guard import trust

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

DECLARATION = (".gitattributes", ".coord.toml")


def texts(repo: Repo) -> dict[str, bytes | None]:
    """Return the three files that `track` writes; None where there is none."""
    paths = [repo.path / name for name in DECLARATION] + [repo.common("info/attributes")]
    return {path.name: path.read_bytes() if path.exists() else None for path in paths}


def tracked(repo: Repo, *args: str) -> None:
    """Run ``git coord track`` and insist on success."""
    done = repo.coord("track", *args)
    assert done.code == 0, done.err


def test_a_derived_file_is_guarded_here_and_declared_for_all(installed: Repo) -> None:
    """The driver in this clone, a loud conflict in others, the command beside."""
    tracked(installed, "derived", "schema.json", "--regenerate", "make schema", "--input", "*.p")

    assert installed.git("check-attr", "merge", "--", "schema.json").endswith(": coord-derived")
    lines = installed.read(".gitattributes").splitlines()
    assert lines[1:] == [
        "[attr]coord-changelog -merge",
        "[attr]coord-derived -merge",
        "[attr]coord-log -merge",
        "[attr]coord-once -merge",
        "schema.json coord-derived",
    ]
    assert tomllib.loads(installed.read(".coord.toml")) == {
        "derived": {"schema.json": {"regenerate": "make schema", "inputs": ["*.p"]}}
    }
    assert trust.is_accepted(str(installed.common()), "make schema")


def test_a_log_of_lines_needs_no_section(installed: Repo) -> None:
    """Only a record start of its own is worth a line in .coord.toml."""
    tracked(installed, "log", "*.tsv")
    assert not (installed.path / ".coord.toml").exists()

    tracked(installed, "log", "NEWS.md", "--start", "## ")

    assert tomllib.loads(installed.read(".coord.toml")) == {"log": {"NEWS.md": {"start": "## "}}}
    for name in ("a.tsv", "deep/b.tsv", "NEWS.md"):
        assert installed.git("check-attr", "merge", "--", name).endswith(": coord-log")


def test_a_changelog_is_an_attribute_and_no_new_key(installed: Repo) -> None:
    """An earlier version reads the same ``.coord.toml``; a `start` stays where logs have theirs."""
    tracked(installed, "log", "CHANGES.md", "--start", "## ")
    tracked(installed, "changelog", "CHANGES.md")

    assert not (installed.path / ".coord.toml").exists()
    assert installed.git("check-attr", "merge", "--", "CHANGES.md").endswith(": coord-changelog")
    assert installed.read(".gitattributes").splitlines()[-1] == "CHANGES.md coord-changelog"
    tracked(installed, "changelog", "CHANGES.md", "--start", "== ")

    declared = tomllib.loads(installed.read(".coord.toml"))
    assert declared == {"log": {"CHANGES.md": {"start": "== "}}}


def test_a_file_of_an_earlier_version_gets_the_macro_it_lacks(installed: Repo) -> None:
    """Below the note, once, and only when the first changelog is declared."""
    tracked(installed, "log", "*.tsv")
    macro = "[attr]coord-changelog -merge\n"
    earlier = installed.read(".gitattributes").replace(macro, "")
    installed.write(".gitattributes", earlier)
    tracked(installed, "log", "*.log")
    assert installed.read(".gitattributes") == f"{earlier}*.log coord-log\n"

    tracked(installed, "changelog", "C.md")

    note, rest = earlier.split("\n", 1)
    wanted = f"{note}\n{macro}{rest}*.log coord-log\nC.md coord-changelog\n"
    assert installed.read(".gitattributes") == wanted


def test_a_write_once_file_needs_no_section(installed: Repo) -> None:
    """The attribute says it all; a pattern that was something else has one kind now."""
    tracked(installed, "log", "ids/**", "--start", "## ")
    tracked(installed, "once", "ids/**")

    assert not (installed.path / ".coord.toml").exists()
    assert installed.git("check-attr", "merge", "--", "ids/a/1").endswith(": coord-once")
    assert installed.read(".gitattributes").splitlines()[-1] == "ids/** coord-once"
    done = installed.coord("untrack", "ids/**")
    assert (done.code, done.out.splitlines()[0]) == (0, "ids/**: not guarded any more")


def test_a_tracked_write_once_file_is_refused_in_a_merge_and_at_a_commit(installed: Repo) -> None:
    """From the declaration to both guards, with nothing else to set up."""
    tracked(installed, "once", "two words/**")
    installed.git("add", "-A")
    installed.commit("guard", {"two words/1": "ada\n"})
    installed.git("branch", "side")
    installed.write("two words/1", "changed\n")
    assert installed.tried("commit", "-qam", "x").refusal.rule == "once-changed"
    installed.git("reset", "-q", "--hard")
    installed.commit("main", {"two words/2": "ada\n"})
    installed.git("switch", "-q", "side")
    installed.commit("side", {"two words/2": "lin\n"})

    done = installed.tried("merge", "main")

    assert done.refusal.why.startswith("claimed by ada and lin;")


def test_what_to_commit_is_one_line_to_paste(installed: Repo) -> None:
    """From a subdirectory, too; other staged work stays out of that commit."""
    (installed.path / "sub").mkdir()
    sub = installed.at(installed.path / "sub")
    installed.write("other", "staged\n")
    installed.git("add", "other")

    done = sub.coord("track", "derived", "it's.json", "--regenerate", "make")

    (line,) = [line for line in done.err.splitlines() if "git commit" in line]
    assert sub.paste(line.partition("commit it: ")[2]).code == 0
    assert installed.git("show", "--format=%s", "--name-only").split("\n") == [
        "Guard it's.json",
        "",
        ".coord.toml",
        ".gitattributes",
    ]


def test_the_json_answer_lists_what_changed(installed: Repo) -> None:
    """Nothing, the second time."""
    args = ("track", "derived", "x.json", "--regenerate", "make x", "--json")

    first, second = (json.loads(installed.coord(*args).out) for _ in range(2))

    assert first["changed"] == [".gitattributes", ".coord.toml", ".git/info/attributes"]
    assert second == {
        "schema": 1,
        "pattern": "x.json",
        "kind": "derived",
        "regenerate": "make x",
        "changed": [],
    }


def test_tracking_again_with_another_command_changes_it(installed: Repo) -> None:
    """The attributes line stays one; the new command is accepted."""
    tracked(installed, "derived", "x.json", "--regenerate", "make x", "--input", "a")
    attributes = installed.read(".gitattributes")

    tracked(installed, "derived", "x.json", "--regenerate", "make y")

    assert installed.read(".gitattributes") == attributes
    assert tomllib.loads(installed.read(".coord.toml"))["derived"] == {
        "x.json": {"regenerate": "make y"}
    }
    assert trust.is_accepted(str(installed.common()), "make y")


def test_a_pattern_has_one_kind(installed: Repo) -> None:
    """A log that becomes derived leaves nothing of the log behind."""
    tracked(installed, "log", "x", "--start", "## ")

    tracked(installed, "derived", "x", "--regenerate", "make x")

    assert "coord-log" not in installed.read(".gitattributes").splitlines()[-1]
    assert installed.common("info/attributes").read_text().count("\nx ") == 1
    assert list(tomllib.loads(installed.read(".coord.toml"))) == ["derived"]


@pytest.mark.parametrize("name", ["[a].json", "app/[id]/page x.json", "a\\b.json", "/[a].json"])
def test_a_files_name_with_characters_of_a_glob_is_that_file(installed: Repo, name: str) -> None:
    """``[a].json`` is ``a.json`` to git: it was said to be guarded, and was not."""
    installed.commit("file", {name.lstrip("/"): "{}\n"})

    done = installed.coord("track", "derived", name, "--regenerate", "make")

    merged = installed.git("check-attr", "-z", "merge", "--", name.lstrip("/"))
    assert merged.rstrip("\0").endswith("coord-derived"), done.out
    assert "\\" in done.out
    assert "matches no file" not in done.err
    again = installed.coord("track", "derived", name, "--regenerate", "make")
    assert "it was so already" in again.out
    assert installed.coord("untrack", name).code == 0
    assert not (installed.path / ".gitattributes").exists()


@pytest.mark.parametrize("name", ["*.json", "[ab].json", "b?.json", "b*.json"])
def test_a_pattern_stays_one(installed: Repo, name: str) -> None:
    """Also where a file of that name is matched by it."""
    installed.commit("file", {"b.json": "{}\n", "b*.json": "{}\n"})

    tracked(installed, "derived", name, "--regenerate", "make")

    assert installed.read(".gitattributes").splitlines()[-1] == f"{name} coord-derived"


@pytest.mark.parametrize("kind", [("changelog", "b.md"), ("log", "b.md", "--lines")])
def test_a_file_that_is_no_text_is_a_note(installed: Repo, kind: tuple[str, ...]) -> None:
    """Nothing is going to be joined there."""
    installed.write("b.md", b"a\0b\n")

    assert "b.md is no text" in installed.coord("track", *kind).err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (".git/config", "git tracks nothing in .git"),
        (".coord.toml", "declares what is guarded"),
        (".gitattributes", "declares what is guarded"),
        ("link.md", "it is a symlink"),
        ("away/x.md", "nothing beyond one"),
        ("fifo", "no regular file"),
    ],
)
def test_what_git_never_merges_through_a_driver_is_refused(
    installed: Repo, name: str, why: str
) -> None:
    """And nothing is declared."""
    installed.commit("file", {"x.md": "a\n", "d/x.md": "a\n"})
    (installed.path / "link.md").symlink_to("x.md")
    (installed.path / "away").symlink_to("d")
    os.mkfifo(installed.path / "fifo")

    done = installed.coord("track", "changelog", name)

    assert (done.code, done.refusal.rule) == (2, "pattern-invalid")
    assert why in done.refusal.why
    assert not (installed.path / ".gitattributes").exists()


def test_a_link_beside_files_of_its_name_hides_none(installed: Repo) -> None:
    """As of a repository of several packages, whose top links to one's changelog."""
    installed.commit("file", {"d/c.md": "a\n"})
    (installed.path / "c.md").symlink_to("d/c.md")

    tracked(installed, "changelog", "c.md")


def test_of_a_folder_what_guards_its_files_is_said(installed: Repo) -> None:
    """Its name alone guards none of them."""
    installed.commit("file", {"d/x": "a\n"})
    done = installed.coord("track", "derived", "d", "--regenerate", "make d")

    assert "d is a folder, and guards no file" in done.err
    note = next(line for line in done.err.splitlines() if "is a folder" in line)
    assert installed.paste(note.partition("for those in it: ")[2]).code == 0
    assert installed.read(".gitattributes").splitlines()[-1] == "d/** coord-derived"


def test_a_pattern_without_files_is_a_note(installed: Repo) -> None:
    """A typo guards nothing; a file that is still to be added counts."""
    installed.write("new.tsv", "at\n")

    assert "gne/* matches no file yet" in installed.coord("track", "once", "gne/*").err
    assert "no file yet" not in installed.coord("track", "once", "*.tsv").err


def test_what_a_declaration_replaces_is_said(installed: Repo) -> None:
    """The kind, and the producer that is gone with it; a repetition replaces nothing."""
    tracked(installed, "derived", "x", "--regenerate", "make x", "--input", "a")

    log = installed.coord("track", "log", "x", "--start", "## ")
    again = installed.coord("track", "log", "x", "--start", "## ")
    other = json.loads(installed.coord("track", "log", "x", "--json").out)
    once = json.loads(installed.coord("track", "once", "x", "--json").out)

    assert log.out.splitlines()[:2] == [
        "x: log, starting with: '## '",
        "instead of derived, made by: make x, made from: a",
    ]
    assert again.out.splitlines()[1:] == ["it was so already"]
    assert other["replaced"] == {"kind": "log", "start": "## "}
    assert once["replaced"] == {"kind": "log"}


@settings(
    max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "5")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    attributes=st.none() | st.sampled_from([b"", b"*.c diff=cpp", b"# x\n\n", b"*.c text\r\n"]),
    declared=st.none() | st.sampled_from([b"", b"# x", b'[push]\nauthorship = "warn"\n', b"\n"]),
    order=st.permutations(["a b.json", "*.tsv", "née/**", "ids/**"]),
)
def test_untrack_leaves_no_trace(
    installed: Repo,
    attributes: bytes | None,
    declared: bytes | None,
    order: list[str],
) -> None:
    """Same bytes where the files were, no file where there was none; in any order."""
    for name, text in zip(DECLARATION, (attributes, declared), strict=True):
        (installed.path / name).unlink(missing_ok=True)
        if text is not None:
            installed.write(name, text)
    before = texts(installed)
    tracked(installed, "derived", "a b.json", "--regenerate", "make 'x' \\ \"y\"", "--input", "é")
    tracked(installed, "log", "*.tsv", "--start", "\t## ")
    tracked(installed, "derived", "née/**", "--regenerate", "true\nfalse")
    tracked(installed, "once", "ids/**")

    for pattern in order:
        assert installed.coord("untrack", pattern).code == 0

    assert texts(installed) == before


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "!x",
        "[attr]x",
        "a\nb",
        "a\tb",
        "/etc/passwd",
        "/a/b",
        "dir/",
        "../x",
        "./x",
        "a/../b",
        "\udcff",
    ],
)
def test_a_pattern_that_git_would_not_take_is_wrong_usage(installed: Repo, pattern: str) -> None:
    """Exit 2, nothing written, and the printed command shows the help."""
    before = texts(installed)

    done = installed.coord("track", "log", "--", pattern)

    assert (done.code, done.refusal.rule) == (2, "pattern-invalid")
    assert texts(installed) == before
    assert installed.paste(done.refusal.run).code == 0


@pytest.mark.parametrize(
    "args",
    [
        ("derived", "x"),
        ("derived", "x", "--regenerate", " "),
        ("derived", "x", "--regenerate", "make", "--input", ""),
        ("log", "x", "--start", "a\nb"),
        ("nothing", "x"),
        (),
    ],
)
def test_a_declaration_that_says_nothing_is_wrong_usage(
    installed: Repo, args: tuple[str, ...]
) -> None:
    """Exit 2, and nothing written."""
    before = texts(installed)

    assert installed.coord("track", *args).code == 2
    assert texts(installed) == before


def test_a_leading_slash_anchors_at_the_top_level(installed: Repo) -> None:
    """As in any attributes file: only that one file, not its namesakes deeper down."""
    tracked(installed, "log", "/only-here.tsv")

    assert installed.git("check-attr", "merge", "only-here.tsv").endswith(": coord-log")
    assert installed.git("check-attr", "merge", "sub/only-here.tsv").endswith(": unspecified")


@pytest.mark.parametrize("name", DECLARATION)
@pytest.mark.parametrize("dangling", [False, True], ids=["file", "dangling"])
def test_a_committed_link_leads_nothing_out(
    installed: Repo, tmp_path: Path, name: str, *, dangling: bool
) -> None:
    """Refused, and what it leads to stays; the printed command makes room."""
    outside = tmp_path / "outside"
    if not dangling:
        outside.write_text("# theirs\n")
    (installed.path / name).symlink_to(outside)

    done = installed.coord("track", "derived", "x", "--regenerate", "make")

    assert (done.code, done.refusal.rule) == (1, "symlink")
    assert outside.exists() is not dangling
    assert dangling or outside.read_text() == "# theirs\n"
    assert installed.paste(done.refusal.run).code == 0
    tracked(installed, "derived", "x", "--regenerate", "make")


def test_a_later_line_that_overrides_is_named(installed: Repo) -> None:
    """In the committed file, for tracked files and for one that is still to be made."""
    tracked(installed, "derived", "gen/x.json", "--regenerate", "make")
    installed.write(".gitattributes", installed.read(".gitattributes") + "*.json merge=npm\n")

    done = installed.coord("track", "derived", "gen/x.json", "--regenerate", "make")

    assert done.code == 0
    assert "gen/x.json: overridden by the later line `*.json merge=npm`" in done.err


def test_a_line_of_this_clone_that_overrides_is_named(installed: Repo) -> None:
    """info/attributes outranks all committed files."""
    tracked(installed, "log", "*.tsv")
    with installed.common("info/attributes").open("a") as info:
        info.write("x.tsv merge=npm\n")
    installed.commit("x", {"x.tsv": "a\n"})

    assert "x.tsv: git merges it as npm" in installed.coord("track", "log", "*.tsv").err


def test_an_invalid_declaration_is_named_before_anything_is_written(installed: Repo) -> None:
    """Exit 3 with its line."""
    installed.write(".coord.toml", "[derived\n")
    before = texts(installed)

    done = installed.coord("track", "log", "x")

    assert (done.code, done.refusal.rule) == (3, "config-invalid")
    assert texts(installed) == before


def test_a_section_that_only_a_person_can_edit_is_left_to_one(installed: Repo) -> None:
    """A dotted key: refused with the editor as the way, and nothing half-written."""
    installed.write(".coord.toml", 'derived.x.regenerate = "make"\n')
    before = texts(installed)

    done = installed.with_env(EDITOR="true").coord("track", "derived", "x", "--regenerate", "y")

    assert (done.code, done.refusal.rule) == (1, "config-by-hand")
    assert texts(installed) == before
    assert installed.with_env(EDITOR="true").paste(done.refusal.run).code == 0


def test_untracking_what_is_not_tracked_is_a_negative_answer(installed: Repo) -> None:
    """Exit 1; the printed command lists what is."""
    tracked(installed, "log", "x.tsv")
    installed.commit("x", {"x.tsv": "a\n", ".gitattributes": installed.read(".gitattributes")})

    done = installed.coord("untrack", "y.tsv")

    assert (done.code, done.refusal.rule) == (1, "not-tracked")
    assert installed.paste(done.refusal.run).out == "x.tsv\n"


def test_untracking_forgets_a_pattern_that_only_this_clone_still_guards(installed: Repo) -> None:
    """A peer untracked it in a commit; the guard here stays until somebody says so."""
    tracked(installed, "log", "x.tsv")
    (installed.path / ".gitattributes").unlink()

    assert installed.git("check-attr", "merge", "x.tsv").endswith(": coord-log")
    assert installed.coord("untrack", "x.tsv").code == 0
    assert installed.git("check-attr", "merge", "x.tsv").endswith(": unspecified")


def test_a_clone_without_an_install_is_told(repo: Repo) -> None:
    """The declaration is written; the drivers come with coord-install."""
    done = repo.run("git-coord", "track", "derived", "x", "--regenerate", "make x")

    assert done.code == 0
    assert "coord-install" in done.err
    assert not repo.common("hooks/coord").exists()
    repo.install()
    assert repo.git("check-attr", "merge", "x").endswith(": coord-derived")


def test_a_bare_repository_has_nothing_to_declare_in(bare_with_worktree: Repo) -> None:
    """Exit 3; the printed command lists the worktrees."""
    bare_with_worktree.install()
    bare = bare_with_worktree.bare(bare_with_worktree.common())

    done = bare.coord("track", "log", "x")

    assert (done.code, done.refusal.rule) == (3, "no-worktree")
    assert str(bare_with_worktree.path) in bare.paste(done.refusal.run).out


def test_every_worktree_is_guarded_at_once(installed: Repo, tmp_path: Path) -> None:
    """One on a branch older than the declaration would merge as text otherwise."""
    side = installed.worktree(tmp_path / "side", "side")

    tracked(installed, "log", "*.tsv")

    assert side.git("check-attr", "merge", "x.tsv").endswith(": coord-log")
    assert side.coord("untrack", "*.tsv").code == 0


@pytest.mark.parametrize(
    ("folder", "code", "word"),
    [("hooks", 0, "ask for --trust"), ("info", 3, "writable roots"), (".", 3, "writable roots")],
)
def test_a_sandbox_that_forbids_parts_of_the_git_dir(
    installed: Repo, folder: str, code: int, word: str
) -> None:
    """Without hooks/coord the command is not accepted yet; without info nothing is declared."""
    before = texts(installed)
    locked = installed.common(folder)
    mounts = f"mount --bind '{locked}' '{locked}' && mount -o remount,ro,bind '{locked}'"
    if installed.run("unshare", "-rm", "sh", "-c", mounts).code:
        pytest.skip("mounting is not allowed here")
    script = f"{mounts} && cd '{installed.path}' && git coord track derived x --regenerate make"

    done = installed.run("unshare", "-rm", "sh", "-c", script)

    assert done.code == code
    assert word in done.err
    assert (texts(installed) == before) is (code != 0)


def test_many_that_track_at_once_lose_nothing(installed: Repo) -> None:
    """Each reads, changes and writes three files: two that overlap would undo one another."""
    commands = [["git", "coord", "track", "log", f"f{n}.md", "--start", "## "] for n in range(6)]
    commands += [
        ["git", "coord", "track", "derived", f"d{n}", "--regenerate", f"make d{n}"]
        for n in range(4)
    ]
    children = [
        Popen(command, cwd=installed.path, env=dict(installed.env), stdout=DEVNULL, stderr=PIPE)
        for command in commands
    ]
    said = [(child.communicate()[1].decode(), child.returncode) for child in children]

    assert [code for _, code in said] == [0] * 10, said
    declared = tomllib.loads(installed.read(".coord.toml"))
    assert (len(declared["log"]), len(declared["derived"])) == (6, 4)
    for text in (installed.read(".gitattributes"), installed.common("info/attributes").read_text()):
        patterns = {line.split()[0] for line in text.splitlines() if line[:1] in "fd"}
        assert patterns == {*(f"f{n}.md" for n in range(6)), *(f"d{n}" for n in range(4))}
    assert all(trust.is_accepted(str(installed.common()), f"make d{n}") for n in range(4))


def test_a_declaration_outside_of_the_sparse_checkout_is_not_lost(installed: Repo) -> None:
    """A fresh file in its place would drop all it says; and git adds none there by itself."""
    tracked(installed, "log", "a.tsv")
    installed.commit("guard", {".gitattributes": installed.read(".gitattributes"), "src/x": "x"})
    installed.git("sparse-checkout", "set", "--no-cone", "/src/")

    done = installed.coord("track", "log", "b.tsv")

    assert (done.code, done.refusal.rule) == (1, "outside-sparse")
    assert installed.paste(done.refusal.run).code == 0
    tracked(installed, "log", "b.tsv")
    assert "a.tsv coord-log" in installed.read(".gitattributes")


def test_a_first_declaration_in_a_sparse_checkout_can_be_committed(installed: Repo) -> None:
    """The line that is printed names what git would refuse without a word of it."""
    installed.commit("src", {"src/x": "x"})
    installed.git("sparse-checkout", "set", "--no-cone", "/src/")

    done = installed.coord("track", "log", "--start", "## ", "b.md")

    line = done.err.partition("commit it: ")[2].partition("\n")[0]
    assert installed.paste(line).code == 0
    assert installed.git("show", "HEAD:.coord.toml").startswith("[log")


def test_a_second_declaration_is_committed_with_the_first(installed: Repo) -> None:
    """The file that only the first has changed is named too; what is committed already is not."""
    installed.coord("track", "derived", "a", "--regenerate", "true")
    line = (
        installed.coord("track", "log", "b.tsv").err.partition("commit it: ")[2].partition("\n")[0]
    )
    assert installed.paste(line).code == 0

    assert installed.git("status", "--porcelain") == ""
    assert ".coord.toml" not in installed.coord("track", "once", "c").err


CHANGELOG = "# Changes\n\n## Unreleased\n\n- a\n\n## 1.0\n\n- b\n"


def test_a_changelog_is_not_declared_as_a_log_of_lines(installed: Repo) -> None:
    """The file is looked at; the printed command declares what it is."""
    installed.commit("changes", {"C.md": CHANGELOG})
    done = installed.coord("track", "log", "C.md")

    assert (done.code, done.refusal.rule) == (1, "not-a-log")
    assert "its headings are versions" in done.refusal.why
    assert "delete" in done.refusal.why
    assert not (installed.path / ".gitattributes").exists()
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("check-attr", "merge", "--", "C.md").endswith(": coord-changelog")


def test_prose_is_declared_only_on_request(installed: Repo) -> None:
    """Git's own merge stops where both edit; --lines says that each line is a record."""
    installed.write("NEWS", "v2:\n  text that\n  goes on\n")
    done = installed.coord("track", "log", "NEWS")

    assert (done.code, done.refusal.rule) == (1, "not-a-log")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("check-attr", "merge", "--", "NEWS").endswith(": coord-log")


def test_the_start_of_blocks_is_found_in_the_file(installed: Repo) -> None:
    """And it is said why; one that is given is taken, with a word where a changelog fits better."""
    installed.write("L.md", "## alice\n\n- a\n\n## bob\n\n- b\n\n## alice\n\n- c\n")
    installed.write("C.md", CHANGELOG)
    done = installed.coord("track", "log", "L.md")

    assert "its headings repeat" in done.err
    assert tomllib.loads(installed.read(".coord.toml")) == {"log": {"L.md": {"start": "## "}}}
    done = installed.coord("track", "log", "C.md", "--start", "## ")
    assert done.code == 0
    assert "git coord track changelog C.md" in done.err


@pytest.mark.parametrize("start", [(), ("--start", "## ")], ids=["lines", "blocks"])
def test_a_changelog_that_is_declared_as_a_log_is_a_finding(
    installed: Repo, start: tuple[str, ...]
) -> None:
    """Of doctor, whose command declares it as what it is."""
    tracked(installed, "log", "C.md", *start)
    installed.commit("changes", {"C.md": CHANGELOG})
    found = json.loads(installed.coord("doctor", "--json").out)
    [finding] = [one for one in found["findings"] if one["rule"] == "not-a-log"]

    assert installed.paste(finding["run"]).code == 0
    installed.commit("declared", {})
    again = json.loads(installed.coord("doctor", "--json").out)
    assert not [one for one in again["findings"] if one["rule"] == "not-a-log"]
