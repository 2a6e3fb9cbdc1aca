"""A rehearsal of merges: what it foresees, and that nobody notices it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Usage
from coord.rehearse import trees
from coord.rehearse.run import rehearse
from coord.repo import worktree
from harness import Repo
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from coord.rehearse.report import Rehearsal, Step

RULES = "*.log coord-log\n*.lock coord-derived\n"
LINES = "".join(f"{number}\n" for number in range(1, 10))


@pytest.fixture
def ground(installed: Repo) -> Repo:
    """A repository with the drivers, a text, a log and a derived file, all declared."""
    installed.commit(
        "ground",
        {
            ".gitattributes": RULES,
            "text": LINES,
            "moves.log": "2026-01-01T00:00:00Z begin\n",
            "api.lock": "0\n",
        },
    )
    return installed


def branch(
    repo: Repo, name: str, files: Mapping[str, str | bytes | None], start: str = "main"
) -> str:
    """Commit `files` on a new branch (None: the file is gone), end on main, return the commit."""
    repo.git("switch", "-q", "-c", name, start)
    for gone in [path for path, text in files.items() if text is None]:
        repo.git("rm", "-q", "--", gone)
    for path, text in files.items():
        if text is not None:
            repo.write(path, text)
            repo.git("add", "--", path)
    # without hooks: some rewrite a log, as a commit that was made elsewhere can
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", name)
    repo.git("switch", "-q", "main")
    return repo.git("rev-parse", name)


def seen(repo: Repo, *branches: str, onto: str = "main", command: str | None = None) -> Rehearsal:
    """Rehearse from the worktree of `repo`."""
    return rehearse(worktree.discover(str(repo.path), repo.env), onto, branches, command)


def outcomes(found: Rehearsal) -> list[str]:
    """Return the outcome of each step."""
    return [step.outcome for step in found.steps]


def paths(step: Step) -> list[str]:
    """Return the paths in conflict."""
    return [conflict.path for conflict in step.conflicts]


@pytest.mark.parametrize(
    "name", ["plain", "tagged", "far/off", "HEAD", "@", "-x", "f" * 40, "gone/far"]
)
def test_the_command_merges_the_branch_whatever_else_has_its_name(ground: Repo, name: str) -> None:
    """A tag, a remote, HEAD, an option, an id: pasted, it merges what was rehearsed."""
    tip = branch(ground, "feat", {"one": "1\n"})
    for other in ("refs/tags/tagged", "refs/remotes/far/off"):
        ground.git("update-ref", other, "main")
    kind = "refs/remotes" if name == "gone/far" else "refs/heads"
    ground.git("update-ref", f"{kind}/{name}", tip)
    ground.git("branch", "-q", "-D", "feat")

    (step,) = seen(ground, name).steps

    assert (step.branch, step.outcome, step.tip) == (name, "clean", tip)
    assert (name in step.commands[0].split()) is (name in {"plain", "gone/far"})
    assert ground.paste(step.commands[0]).code == 0
    assert ground.git("rev-parse", "HEAD") == tip


def test_what_git_names_after_a_side_has_the_name_that_was_typed(ground: Repo) -> None:
    """A file in the way of a folder is put beside it, under the name of its branch."""
    ground.commit("folder", {"way/in": "1\n"})
    branch(ground, "feat/a", {"way": "file\n"}, start="main~1")
    ground.git("tag", "feat/a", "main")

    (step,) = seen(ground, "feat/a").steps

    ground.paste(step.commands[0])
    (there,) = ground.git("ls-files", "--unmerged").splitlines()
    assert there.partition("\t")[2] == "way~refs_heads_feat_a"
    assert "way~refs_heads_feat_a" in paths(step)


def test_branches_that_go_together_are_clean(ground: Repo) -> None:
    """Each step carries the tree that merging so far really makes."""
    branch(ground, "one", {"one": "1\n"})
    branch(ground, "two", {"two": "2\n"})

    found = seen(ground, "one", "two")

    assert found.ok
    assert outcomes(found) == ["clean", "clean"]
    assert [step.commands for step in found.steps] == [
        ("git merge --no-edit one",),
        ("git merge --no-edit two",),
    ]
    ground.git("merge", "-q", "--no-edit", "one")
    assert found.steps[0].tree == ground.git("rev-parse", "HEAD^{tree}")
    ground.git("merge", "-q", "--no-edit", "two")
    assert found.tree == found.steps[1].tree == ground.git("rev-parse", "HEAD^{tree}")


def test_a_conflict_that_only_shows_on_top_of_an_earlier_branch(ground: Repo) -> None:
    """Each branch merges cleanly alone; the second in line is left out, the third is still seen."""
    branch(ground, "first", {"text": LINES.replace("5", "five")})
    branch(ground, "second", {"text": LINES.replace("5", "V")})
    branch(ground, "third", {"other": "3\n"})

    assert outcomes(seen(ground, "second")) == ["clean"]
    found = seen(ground, "first", "second", "third")

    assert outcomes(found) == ["clean", "conflict", "clean"]
    assert not found.ok
    assert paths(found.steps[1]) == ["text"]
    ground.git("merge", "-q", "--no-edit", "first")
    ground.git("merge", "-q", "--no-edit", "third")
    assert found.tree == ground.git("rev-parse", "HEAD^{tree}")


def test_a_branch_in_conflict_is_merged_by_hand_where_the_others_lead(ground: Repo) -> None:
    """The step tells what stood in the way; the commands fit the end, where the file has moved."""
    branch(ground, "first", {"text": LINES.replace("5", "five")})
    branch(ground, "second", {"text": LINES.replace("5", "V"), "api.lock": "2\n"})
    branch(ground, "third", {"text": None, "moved": LINES, "api.lock": "3\n"})

    found = seen(ground, "first", "second", "third")

    assert outcomes(found) == ["clean", "conflict", "clean"]
    assert paths(found.steps[1]) == ["text"]
    assert found.steps[1].commands == (
        "git merge --no-edit second",
        "! grep -n '^<<<<<<< ' moved && git add moved",
        "git coord regenerate api.lock",
        "git commit --no-edit",
    )


def test_a_refused_derived_file_stays_as_the_branches_before_left_it(ground: Repo) -> None:
    """It is told with the command that settles it, and the next branch goes on top."""
    branch(ground, "one", {"api.lock": "1\n", "one": ""})
    branch(ground, "two", {"api.lock": "2\n", "two": ""})
    branch(ground, "three", {"three": ""})

    found = seen(ground, "one", "two", "three")

    assert outcomes(found) == ["clean", "refused", "clean"]
    (refused,) = found.steps[1].refused
    assert (refused.path, refused.kind) == ("api.lock", "derived")
    assert refused.what == "both sides regenerated"
    ours = ground.git("rev-parse", "one:api.lock")
    listed = ground.git("ls-tree", "-r", "--name-only", "two")
    assert {"one", "two"} & set(listed.split()) == {"two"}
    for step in found.steps[1:]:
        assert step.tree
    # the trees exist nowhere but in the rehearsal: made again by hand, they are the same
    ground.git("merge", "-q", "--no-edit", "one")
    assert ground.tried("merge", "-q", "--no-edit", "two").code == 1
    assert ground.git("rev-parse", ":2:api.lock") == ours
    ground.git("add", "api.lock")
    assert found.steps[1].tree == ground.git("write-tree")


def test_what_the_integrator_runs_after_a_refusal_works(ground: Repo) -> None:
    """The commands of every step, pasted in order, end in the merged branch."""
    ground.commit("producer", {".coord.toml": '[derived."*.lock"]\nregenerate = "ls > api.lock"\n'})
    branch(ground, "one", {"api.lock": "1\n", "it's one": ""})
    branch(ground, "two", {"api.lock": "2\n", "two": ""})
    assert ground.coord("regenerate", "--trust", "api.lock").code == 0
    ground.git("reset", "-q", "--hard")
    found = seen(ground, "one", "two")

    for command in [command for step in found.steps for command in step.commands]:
        done = ground.paste(command)
        assert done.code == (command == "git merge --no-edit two"), (command, done)

    assert found.steps[1].commands[1:] == (
        "git coord regenerate api.lock",
        "git commit --no-edit",
    )
    assert ground.git("status", "--porcelain") == ""
    assert "two\n" in ground.git("show", "HEAD:api.lock") + "\n"
    assert ground.git("branch", "--no-merged") == ""


def test_a_log_is_joined_to_the_bytes_of_the_real_merge(ground: Repo) -> None:
    """The driver really runs; the step names the log."""
    start = "2026-01-01T00:00:00Z begin\n"
    for day in (3, 2, 4):
        branch(ground, f"day{day}", {"moves.log": f"{start}2026-01-0{day}T00:00:00Z moved\n"})

    found = seen(ground, "day3", "day2", "day4")

    assert outcomes(found) == ["clean"] * 3
    assert [step.joined for step in found.steps] == [(), ("moves.log",), ("moves.log",)]
    for name in ("day3", "day2", "day4"):
        ground.git("merge", "-q", "--no-edit", name)
    assert found.tree == ground.git("rev-parse", "HEAD^{tree}")
    assert ground.read("moves.log").count("moved") == 3


def test_a_rewritten_log_is_refused_and_left_as_ours(ground: Repo) -> None:
    """Without the driver's markers: the next branch appends to a whole log."""
    start = "2026-01-01T00:00:00Z begin\n"
    branch(ground, "one", {"moves.log": f"{start}2026-01-02T00:00:00Z one\n"})
    branch(ground, "two", {"moves.log": "2026-01-03T00:00:00Z anew\n"})
    branch(ground, "three", {"moves.log": f"{start}2026-01-04T00:00:00Z three\n"})

    found = seen(ground, "one", "two", "three")

    assert outcomes(found) == ["clean", "refused", "clean"]
    (refused,) = found.steps[1].refused
    assert refused.kind == "log"
    assert refused.what == "two has lost line 1"
    assert found.steps[1].commands[1].startswith("git coord resolve moves.log --take both")
    assert found.steps[2].joined == ("moves.log",)
    ground.git("merge", "-q", "--no-edit", "one")
    ground.git("merge", "-q", "--no-edit", "three")
    assert found.tree == ground.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize("kind", ["changelog", "log"])
def test_a_document_is_joined_or_refused_as_in_the_real_merge(ground: Repo, kind: str) -> None:
    """With the commands of a person: no side of a clash is the whole text, nor are both."""
    old = "# C\n\n## Unreleased\n\n- a\n"
    declared = {".gitattributes": f"{RULES}C.md coord-{kind}\n", "C.md": old}
    if kind == "log":
        declared[".coord.toml"] = '[log."C.md"]\nstart = "## "\n'
    ground.commit("more", declared)
    branch(ground, "one", {"C.md": f"{old}- one\n"})
    branch(ground, "two", {"C.md": f"{old}- two\n"})
    branch(ground, "three", {"C.md": old.replace("Unreleased", "1.0")})

    found = seen(ground, "one", "two", "three")

    assert outcomes(found) == ["clean", "clean", "refused"]
    assert found.steps[1].joined == ("C.md",)
    (refused,) = found.steps[2].refused
    assert (refused.kind, "line 3 of the base" in refused.what) == (kind, True)
    command = found.steps[2].commands[1]
    assert command.startswith("${EDITOR:-vi} C.md && git coord resolve C.md --take worktree")


def test_a_declaration_that_only_a_branch_brings_holds_from_there_on(ground: Repo) -> None:
    """In the root and in a folder, as git reads them from the tree that is built on."""
    base = "2026-01-01T00:00:00Z begin\n"
    ground.commit("more", {"top.txt": base, "deep/er/nested.txt": base})
    for name in ("early", "earlier"):  # git reads attributes for them, and keeps them in mind
        branch(ground, name, {"deep/er/text": f"{name}\n", "text": LINES + f"{name}\n"})
    brings = {".gitattributes": RULES + "top.txt coord-log\n"}
    brings["deep/er/.gitattributes"] = "nested.txt coord-log\n"
    branch(ground, "rules", brings)
    for name in ("one", "two"):
        text = f"{base}2026-01-02T00:00:00Z {name}\n"
        branch(ground, name, {"top.txt": text, "deep/er/nested.txt": text})

    before = seen(ground, "one", "two", "rules")
    after = seen(ground, "early", "earlier", "rules", "one", "two")

    assert outcomes(before) == ["clean", "conflict", "clean"]
    assert paths(before.steps[1]) == ["deep/er/nested.txt", "top.txt"]
    assert outcomes(after) == ["clean", "conflict", "clean", "clean", "clean"]
    assert after.steps[4].joined == ("deep/er/nested.txt", "top.txt")
    for name in ("early", "rules", "one", "two"):
        ground.git("merge", "-q", "--no-edit", name)
    assert after.tree == ground.git("rev-parse", "HEAD^{tree}")


def test_a_declaration_that_a_branch_takes_away_no_longer_holds(ground: Repo) -> None:
    """Then the file is text again, and both sides of it conflict."""
    branch(ground, "free", {".gitattributes": None})
    branch(ground, "one", {"api.lock": "1\n"})
    branch(ground, "two", {"api.lock": "2\n"})

    found = seen(ground, "free", "one", "two")

    assert outcomes(found) == ["clean", "clean", "conflict"]
    assert paths(found.steps[2]) == ["api.lock"]


def test_the_start_of_a_log_comes_from_the_tree_that_is_built_on(ground: Repo) -> None:
    """The driver finds ``.coord.toml`` beside the attributes."""
    ground.commit(
        "blocks",
        {".coord.toml": '[log."news.log"]\nstart = "## "\n', "news.log": "## a\nsame\n"},
    )
    branch(ground, "one", {"news.log": "## a\nsame\n## b\nsame\n"})
    branch(ground, "two", {"news.log": "## a\nsame\n## c\nsame\n"})

    found = seen(ground, "one", "two")

    assert outcomes(found) == ["clean", "clean"]
    ground.git("merge", "-q", "--no-edit", "one")
    ground.git("merge", "-q", "--no-edit", "two")
    assert ground.read("news.log") == "## a\nsame\n## b\nsame\n## c\nsame\n"
    assert found.tree == ground.git("rev-parse", "HEAD^{tree}")


def test_nothing_in_the_repository_changes(
    ground: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the git dir, objects and records of refusals included, not the files, not /tmp."""
    for name, text in {"one": "1\n", "two": "2\n"}.items():
        branch(ground, name, {"api.lock": text, "text": text, "moves.log": text})
    branch(ground, "three", {"api.lock": "3\n", "deep/new": ""})
    linked = ground.worktree(tmp_path / "linked", "linked")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = snapshot(ground.path), snapshot(linked.path)

    found = seen(linked, "one", "two", "three", command="touch made && git add made && git gc -q")

    assert outcomes(found) == ["clean", "conflict", "refused"]
    assert (snapshot(ground.path), snapshot(linked.path)) == before
    assert not os.listdir(temporary)


def test_an_interruption_leaves_nothing_behind(
    ground: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle removes the folder as well."""
    branch(ground, "one", {"one": ""})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(os.listdir(tmp_path))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearse(worktree.discover(str(ground.path)), "main", ["one"], tick=interrupt)

    assert sorted(os.listdir(tmp_path)) == before


def test_a_kill_in_the_middle_leaves_the_repository_alone(ground: Repo, tmp_path: Path) -> None:
    """Only the folder for temporary files keeps something."""
    branch(ground, "one", {"one": ""})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code = (
        "import os; from coord.repo import worktree; "
        "from coord.rehearse.run import rehearse; "
        "rehearse(worktree.discover(os.getcwd()), 'main', ['one'], 'kill -9 $PPID')"
    )
    before = snapshot(ground.path)

    done = ground.with_env(TMPDIR=str(temporary)).run(sys.executable, "-P", "-c", code)

    assert done.code == -9
    assert snapshot(ground.path) == before
    assert [name[:15] for name in os.listdir(temporary)] == ["coord-rehearse-"]


def test_a_branch_that_is_gone_is_left_out(ground: Repo) -> None:
    """And a name that is none, whatever bytes it has, is as gone as one that was deleted."""
    branch(ground, "one", {"one": ""})

    found = seen(ground, "gone", "a\nb", "", "one")

    assert outcomes(found) == ["left-out"] * 3 + ["clean"]
    assert {step.why for step in found.steps[:3]} == {"no such branch here"}
    assert found.steps[0].commands == ()


def test_a_branch_without_common_history_is_left_out(ground: Repo) -> None:
    """Git refuses to merge it; those after it are merged all the same."""
    ground.git("switch", "-q", "--orphan", "alien")
    ground.commit("alien", {"text": "alien\n"})
    ground.git("switch", "-q", "main")
    branch(ground, "one", {"one": ""})

    found = seen(ground, "alien", "one")

    assert outcomes(found) == ["left-out", "clean"]
    assert found.steps[0].why == "it has no history in common with main"


def test_a_branch_that_is_merged_already_changes_nothing(ground: Repo) -> None:
    """One that is stacked below another one, too."""
    branch(ground, "below", {"below": ""})
    branch(ground, "above", {"above": ""}, start="below")

    found = seen(ground, "main", "above", "below")

    assert outcomes(found) == ["clean"] * 3
    assert found.steps[1].tree == found.steps[2].tree == ground.git("rev-parse", "above^{tree}")


def test_branches_and_paths_with_odd_names(ground: Repo) -> None:
    """Quotes, blanks, newlines, letters outside ASCII and bytes that are no UTF-8."""
    names = ["it's", "caf\u00e9", "a;b", "\udcff", "x$(true)"]
    odd = [f'{where}/o\'d "d"\n\udcff{tail}' for where in ("a b", "-c") for tail in ("", "\n")]
    ground.commit("odd", {path + kind: "0\n" for path in odd for kind in ("", ".lock")})
    for name in names:
        branch(ground, name, {path + kind: f"{name}\n" for path in odd for kind in (".lock",)})
    branch(ground, "text", {odd[0]: "text\n"})
    branch(ground, "other", {odd[0]: "other\n"})

    found = seen(ground, *names, "text", "other")

    assert outcomes(found) == ["clean", *["refused"] * 4, "clean", "conflict"]
    locks = sorted(path + ".lock" for path in odd)
    assert [artifact.path for artifact in found.steps[1].refused] == locks
    assert paths(found.steps[-1]) == [odd[0]]
    for step in found.steps:
        assert ground.paste(f"git rev-parse {step.commands[0].split(' ', 3)[3]}").out.strip() == (
            step.tip
        )


def test_a_deletion_against_an_edit_needs_a_person(ground: Repo) -> None:
    """Git asks no driver, even where the file is guarded."""
    branch(ground, "edits", {"text": "edited\n", "api.lock": "1\n"})
    branch(ground, "deletes", {"text": None, "api.lock": None})

    found = seen(ground, "edits", "deletes")

    assert outcomes(found) == ["clean", "conflict"]
    assert [(one.path, one.about) for one in found.steps[1].conflicts] == [
        ("api.lock", "modify/delete"),
        ("text", "modify/delete"),
    ]
    assert found.steps[1].commands[1] == "git add api.lock   # or: git rm api.lock"


def test_renames_that_disagree_need_a_person(ground: Repo) -> None:
    """Every name that git asks about is told."""
    for name in ("one", "two"):
        branch(ground, name, {"text": None, f"text-{name}": LINES})

    found = seen(ground, "one", "two")

    assert outcomes(found) == ["clean", "conflict"]
    assert paths(found.steps[1]) == ["text", "text-one", "text-two"]


Files = dict[str, str | bytes | None]
#: kind of conflict → what main does, what the branch does, to the same ground
BY_HAND: dict[str, tuple[Files, Files]] = {
    "contents": ({"text": LINES.replace("5", "V")}, {"text": LINES.replace("5", "five")}),
    "deleted here": ({"text": None}, {"text": LINES.replace("5", "five")}),
    "deleted there": ({"text": LINES.replace("5", "V")}, {"text": None}),
    "derived, deleted there": ({"api.lock": "1\n"}, {"api.lock": None}),
    "renamed twice": ({"text": None, "here": LINES}, {"text": None, "there": LINES}),
    "renamed, deleted": ({"text": None, "a b": LINES}, {"text": None}),
    "renamed to one": (
        {"text": None, "-new": LINES},
        {"moves.log": None, "-new": "2026-01-01T00:00:00Z begin\n", "x": ""},
    ),
    "file and folder": ({"é": "1\n"}, {"é/in": "2\n"}),
    "folder and file": ({"new/in": "2\n"}, {"new": "1\n"}),
    "binary": ({"img": b"\0one"}, {"img": b"\0two"}),
    "folder renamed": (
        {"dir/a": None, "dir/b": None, "moved/a": "a" * 99, "moved/b": "b" * 99},
        {"dir/c": "c" * 99},
    ),
    "two at once": (
        {"text": LINES.replace("5", "V"), "api.lock": "1\n", "img": b"\0one"},
        {"text": LINES.replace("5", "five"), "api.lock": "2\n", "img": None},
    ),
}


@pytest.mark.parametrize("kind", BY_HAND)
def test_the_commands_of_a_conflict_settle_it(ground: Repo, tmp_path: Path, kind: str) -> None:
    """Pasted as they stand, whatever git left: the next branch is merged on a clean worktree."""
    here, there = BY_HAND[kind]
    toml = '[derived."*.lock"]\nregenerate = "echo 3 >{path}"\n'
    files = {"img": b"\0zero", "dir/a": "a" * 99, "dir/b": "b" * 99, ".coord.toml": toml}
    for path, text in files.items():
        ground.write(path, text)
    ground.git("add", "-A")
    ground.git("commit", "-q", "-m", "more ground")
    branch(ground, "here", here)
    branch(ground, "feat/there", there)
    branch(ground, "last", {"last": ""})
    ground.coord("regenerate", "--trust", "api.lock")
    ground.git("reset", "-q", "--hard")

    found = seen(ground, "here", "feat/there", "last")

    assert outcomes(found) == ["clean", "conflict", "clean"]
    script = tmp_path / "editor"
    script.write_text("#!/bin/sh\nsed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' -- \"$@\"\n")
    script.chmod(0o755)
    order = [found.steps[0], found.steps[2], found.steps[1]]
    for command in [command for step in order for command in step.commands]:
        if command.startswith("! grep"):
            stopped = ground.paste(command)
            assert (stopped.code, "<<<<<<< HEAD" in stopped.out) == (1, True)
            assert ground.paste(f"{script} {command.partition(' && git add ')[2]}").code == 0
        done = ground.paste(command)
        assert done.code == 0 or command.startswith("git merge"), (command, done)
    assert ground.git("status", "--porcelain") == ""
    assert ground.git("branch", "--no-merged") == ""
    assert "<<<<<<<" not in ground.git("grep", "-h", "", "HEAD")


def test_a_refused_file_that_was_renamed_is_told_by_its_new_name(ground: Repo) -> None:
    """The attribute and the driver are looked up there, and ours lies there too."""
    branch(ground, "moves", {"api.lock": None, "sub/new.lock": LINES.replace("1", "0")})
    ground.git("switch", "-q", "-c", "long")
    ground.commit("long", {"api.lock": LINES})
    ground.git("switch", "-q", "-c", "renames")
    ground.git("mv", "api.lock", "new.lock")
    ground.commit("renames", {"new.lock": LINES.replace("1", "one")})
    ground.git("switch", "-q", "-c", "edits", "long")
    ground.commit("edits", {"api.lock": LINES.replace("9", "nine")})
    ground.git("switch", "-q", "main")

    found = seen(ground, "edits", onto="renames")

    assert outcomes(found) == ["refused"]
    assert [artifact.path for artifact in found.steps[0].refused] == ["new.lock"]
    assert found.tree == ground.git("rev-parse", "renames^{tree}")


def test_a_submodule_that_both_sides_moved_needs_a_person(ground: Repo, tmp_path: Path) -> None:
    """Git says what stands in the way, and the rehearsal passes it on."""
    library = Repo.init(tmp_path / "library", ground.env)
    library.commit("start", {"f": "0\n"})
    ground.git("submodule", "-q", "add", str(library.path), "lib")
    ground.git("commit", "-q", "-m", "submodule")
    for name in ("one", "two"):
        library.git("switch", "-q", "-c", name, "main")
        commit = library.commit(name, {"f": f"{name}\n"})
        ground.git("switch", "-q", "-c", name, "main")
        ground.git("update-index", "--cacheinfo", f"160000,{commit},lib")
        ground.git("commit", "-q", "-m", name)
        ground.git("switch", "-q", "main")

    found = seen(ground, "one", "two")

    assert outcomes(found) == ["clean", "conflict"]
    assert paths(found.steps[1]) == ["lib"]
    assert "submodule" in found.steps[1].conflicts[0].about
    for command in [command for step in found.steps for command in step.commands]:
        done = ground.paste(command)
        assert done.code == 0 or command.startswith("git merge"), (command, done)
    assert ground.git("rev-parse", "HEAD:lib") == ground.git("rev-parse", "two:lib")
    assert ground.git("branch", "--no-merged") == ""


def test_a_submodule_that_one_side_moved_further_is_clean(ground: Repo, tmp_path: Path) -> None:
    """Git looks into the submodule's own history, as it does in the worktree that has it."""
    library = Repo.init(tmp_path / "library", ground.env)
    commits = [library.commit(str(number)) for number in range(3)]
    ground.git("submodule", "-q", "add", str(library.path), "lib")
    for name, commit in zip(("main", "one", "two"), commits, strict=True):
        if name != "main":
            ground.git("switch", "-q", "-c", name, "main")
        ground.git("update-index", "--cacheinfo", f"160000,{commit},lib")
        ground.git("commit", "-q", "-m", name)
    ground.git("switch", "-q", "main")

    found = seen(ground, "two", "one")

    assert found.ok
    assert found.tree == ground.git("rev-parse", "two^{tree}")


def test_a_guarded_file_whose_driver_is_gone_needs_a_person(ground: Repo) -> None:
    """Nobody refused it, so nothing would stop a commit of it: it is git's own conflict."""
    branch(ground, "one", {"api.lock": "1\n"})
    branch(ground, "two", {"api.lock": "2\n"})
    ground.common("hooks/coord/derived").unlink()

    found = seen(ground, "one", "two")

    assert outcomes(found) == ["clean", "conflict"]


def test_it_works_in_a_bare_repository_and_a_linked_worktree_of_it(
    ground: Repo, tmp_path: Path
) -> None:
    """With the declarations of the tree, which git itself would not read there."""
    branch(ground, "one", {"api.lock": "1\n"})
    branch(ground, "two", {"api.lock": "2\n"})
    ground.git("clone", "-q", "--bare", str(ground.path), str(tmp_path / "bare.git"))
    bare = ground.bare(tmp_path / "bare.git")
    bare.install()
    bare.worktree(tmp_path / "linked", "side")

    for place in (bare, ground.at(tmp_path / "linked")):
        assert outcomes(seen(place, "one", "two")) == ["clean", "refused"]


def test_leaked_git_variables_lead_nowhere(
    ground: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As inside ``git rebase --exec``, which exports them."""
    branch(ground, "one", {"one": ""})
    other = Repo.init(tmp_path / "other", ground.env)
    before = snapshot(other.path)
    leaked = ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE")
    for name in leaked:
        monkeypatch.setenv(name, str(other.path / ".git"))

    assert outcomes(seen(ground, "one", command="git log --oneline")) == ["clean"]
    assert snapshot(other.path) == before


def test_it_works_with_sha256(tmp_path: Path, env: dict[str, str]) -> None:
    """Ids are made as the repository makes them; the checkout of a test too."""
    repo = Repo.init(tmp_path / "sha256", env, "--object-format=sha256")
    repo.commit("start", {".gitattributes": RULES, "api.lock": "0\n"})
    repo.install()
    branch(repo, "one", {"api.lock": "1\n"})
    branch(repo, "two", {"api.lock": "2\n", "a/b/two": "2\n"})

    found = seen(repo, "one", "two", command="git rev-parse HEAD && test -f .gitattributes")

    assert outcomes(found) == ["clean", "refused"]
    assert [step.status for step in found.steps] == [0, 0]
    assert len(found.tree) == 64


def test_a_repository_whose_path_is_odd(odd_path: Repo, tmp_path: Path) -> None:
    """A colon would end the name of an alternate object directory, a newline its line."""
    where = tmp_path / 'co:lon\nand "quote" \udcff'
    odd_path.path.rename(where)
    moved = odd_path.at(where)
    branch(moved, "one", {"one": ""})

    assert outcomes(seen(moved, "one", command="git log -1 --format=%T")) == ["clean"]


def test_it_works_from_a_branch_of_a_remote(ground: Repo, tmp_path: Path) -> None:
    """Where the branch was only fetched, as on the integrator's machine."""
    branch(ground, "one", {"one": ""})
    ground.git("clone", "-q", str(ground.path), str(tmp_path / "clone"))
    clone = ground.at(tmp_path / "clone")

    found = seen(clone, "origin/one")

    assert outcomes(found) == ["clean"]
    assert found.steps[0].commands == ("git merge --no-edit origin/one",)


def test_onto_has_to_be_a_commit(ground: Repo) -> None:
    """Wrong usage names what was asked for; HEAD and ids will do."""
    with pytest.raises(Usage) as caught:
        seen(ground, "main", onto="nowhere")

    assert caught.value.rule == "revision-unknown"
    assert ground.paste(caught.value.run).code == 0
    assert seen(ground, onto="HEAD").base == ground.git("rev-parse", "main")
    assert seen(ground, onto=ground.git("rev-parse", "main")).ok


def test_hostile_trees_write_nothing_outside_the_scratch_folder(
    ground: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attributes file behind ``..`` is not laid out, neither at first nor by a step."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    commit = ground.git("commit-tree", "-p", "main", "-m", "hostile", hostile(ground, 2))
    ground.git("update-ref", "refs/heads/hostile", commit)

    assert seen(ground, onto="hostile", command="true").ok
    assert seen(ground, "main", onto="hostile").ok
    assert not os.listdir(temporary)
    # git itself would refuse to merge the name, so a step is shown it as it is read
    data = {"a": b"40000 ..\0" + bytes(20), "b": b"100644 .gitattributes\0" + bytes(20)}
    levels = {
        "old": {},
        "new": trees.entries(data["a"], 40),
        "0" * 40: trees.entries(data["b"], 40),
    }
    assert not list(
        trees.declarations(lambda ids: {name: levels[name] for name in ids}, "old", "new")
    )


def hostile(repo: Repo, depth: int) -> str:
    """Return a tree with an attributes file behind `depth` folders named ``..``."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin="* -text\n")
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\t.gitattributes\n")
    for _ in range(depth):
        raw = repo.write("raw", b"40000 ..\0" + bytes.fromhex(tree))
        tree = repo.git("hash-object", "-w", "-t", "tree", "--literally", "raw")
        raw.unlink()
    return tree


def test_drivers_can_tell_that_it_is_a_preview(ground: Repo) -> None:
    """Those of others too; ours leave no record then, even while git holds the index lock."""
    ground.git("config", "merge.asks.driver", 'test "$COORD_PREVIEW" = 1')
    ground.commit("asks", {".gitattributes": "text merge=asks\n"})
    for name in ("one", "two"):
        branch(ground, name, {"text": f"{name}\n"})

    assert outcomes(seen(ground, "one", "two")) == ["clean", "clean"]
