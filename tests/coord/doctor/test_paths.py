"""Guarded paths that are not guarded as declared, in one worktree or for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.names import quote
from coord.guard import guarded as attributes_of
from harness.clinic import diagnosis, findings, healthy, mended, notes, rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from coord.repo.worktree import Worktree
    from harness import Repo

FALLBACKS = "[attr]coord-derived -merge\n[attr]coord-log -merge\n[attr]coord-once -merge\n"


def track(repo: Repo, *args: str) -> None:
    """Run ``git coord track``, and commit what it declares."""
    done = repo.coord("track", *args)
    assert done.code == 0, done.err
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "guard")


@pytest.fixture
def guarded(installed: Repo) -> Repo:
    """A installed with a derived file and a log."""
    installed.commit("files", {"gen/schema.json": "{}\n", "moves.tsv": "at\n"})
    track(installed, "derived", "gen/*.json", "--regenerate", "make schema", "--input", "src/*")
    track(installed, "log", "moves.tsv")
    return installed


def test_what_track_declares_is_healthy(guarded: Repo, tmp_path: Path) -> None:
    """In every worktree, an older branch too: ``info/attributes`` guards it all."""
    guarded.git("worktree", "add", "-q", "-b", "new", str(tmp_path / "new"))

    assert healthy(guarded)


def test_attributes_are_asked_for_once_unless_a_worktree_has_others(
    guarded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attributes file that nobody has committed is obeyed as well."""
    guarded.commit("notes", {"gen/notes": "x\n"})
    trees = [guarded.worktree(tmp_path / f"w{number}", f"w{number}") for number in range(4)]
    (trees[2].path / "gen/.gitattributes").write_text("notes coord-log\n")
    (trees[3].path / ".gitattributes").unlink()
    asked = []

    def attributes(
        here: Worktree, names: Sequence[str], paths: Iterable[str], *rest: str
    ) -> list[tuple[str, str, str]]:
        asked.extend([here.cwd] * (names[0] == "merge"))
        return git_attributes(here, names, paths, *rest)

    git_attributes = attributes_of.attributes
    monkeypatch.setattr(attributes_of, "attributes", attributes)
    found = diagnosis(guarded)

    assert [len(view.guards.paths) for view in found.views] == [2, 2, 2, 3, 2]
    assert {*asked} >= {str(trees[2].path), str(trees[3].path)}
    assert len(asked) < len(found.views)


def test_what_a_pulled_commit_declares_is_guarded_by_the_command(
    installed: Repo, side: Repo
) -> None:
    """``info/attributes`` is this clone's own: nothing updates it at a pull."""
    side.commit("guard", {".gitattributes": f"{FALLBACKS}moves.tsv coord-log\n"})

    found = mended(installed, "not-guarded")

    assert found.worktree == str(side.path)
    assert "moves.tsv" in found.message


def test_what_only_a_branch_declares_is_guarded_before_it_is_merged(installed: Repo) -> None:
    """Git takes the attributes of the side that is checked out: without ours, text."""
    installed.git("switch", "-q", "-c", "feature")
    installed.commit("guard", {".gitattributes": f"{FALLBACKS}moves.tsv coord-log\n"})
    installed.git("switch", "-q", "main")

    found = mended(installed, "not-guarded")

    assert "on branch feature only" in found.message
    assert installed.git("check-attr", "merge", "moves.tsv") == "moves.tsv: merge: coord-log"


def test_what_no_branch_declares_any_more_is_let_go(guarded: Repo) -> None:
    """The declaration was reverted; this clone would go on refusing."""
    (guarded.path / ".gitattributes").write_text(f"{FALLBACKS}moves.tsv coord-log\n")
    guarded.git("commit", "-q", "-a", "-m", "less")

    found = mended(guarded, "guard-leftover")

    assert "gen/*.json" in found.message
    assert rules(guarded) == set()


@pytest.mark.parametrize("words", [("log", "gen/*.json", "--lines"), ("once", "gen/*.json")])
def test_a_leftover_of_another_kind_leaves_what_is_declared(
    guarded: Repo, words: tuple[str, str]
) -> None:
    """Tracked by mistake and checked out again: `untrack` deleted the committed declaration."""
    assert guarded.coord("track", *words).code == 0
    guarded.git("checkout", "-q", "-f", ".")

    found = mended(guarded, "guard-leftover")

    assert f"gen/*.json coord-{words[0]}" in found.message
    assert guarded.git("status", "--porcelain") == ""
    assert guarded.git("check-attr", "merge", "gen/schema.json").endswith(": coord-derived")
    assert healthy(guarded)


def test_what_a_remote_branch_declares_is_no_leftover(guarded: Repo) -> None:
    """Somebody's branch still does."""
    guarded.git("update-ref", "refs/remotes/origin/main", "HEAD")
    guarded.git("rm", "-q", "--cached", ".gitattributes", ".coord.toml")
    guarded.git("commit", "-q", "-m", "none")
    for name in (".gitattributes", ".coord.toml"):
        (guarded.path / name).unlink()

    assert "guard-leftover" not in rules(guarded)


@pytest.mark.parametrize(
    ("line", "driver"),
    [
        ("*.json merge=binary", "binary"),
        ("/gen/*.json -merge text", "unset"),
        ('"gen/schema.json" binary', "unset"),
    ],
)
def test_a_later_line_that_wins_is_opened(guarded: Repo, line: str, driver: str) -> None:
    """What is set is not yet guarded: the effective ``merge`` attribute counts."""
    file = guarded.common("info/attributes")
    before = file.read_text()
    file.write_text(f"{before}{line}\n")

    (found,) = findings(guarded)

    number = before.count("\n") + 1
    assert found.rule == "attribute-overridden"
    assert found.message == (
        f"gen/schema.json is coord-derived, but a later line gives it merge={driver}: "
        f"{file}:{number}: {line}"
    )
    assert guarded.with_env(EDITOR="echo").paste(found.run).out == f"+{number} {file}\n"


def test_a_later_line_of_a_nested_file_is_opened(guarded: Repo) -> None:
    """Its patterns start from its folder."""
    guarded.write("logs/.gitattributes", "*.log coord-log\na.log merge=union\n")
    guarded.commit("nested", {"logs/a.log": "one\n"})
    guarded.git("add", "-A")

    (found,) = findings(guarded)

    assert found.message.endswith(f"{guarded.path}/logs/.gitattributes:2: a.log merge=union")


def test_a_later_line_that_is_not_found_is_looked_for_by_git(guarded: Repo) -> None:
    """A macro says it, of whatever name."""
    with guarded.common("info/attributes").open("a") as file:
        file.write("[attr]mine merge=ours\n*.json mine\n")

    (found,) = findings(guarded)

    assert "merge: ours" in guarded.paste(found.run).out


def test_a_declaration_without_its_fallback_is_completed(installed: Repo) -> None:
    """A clone without the toolkit would merge as text, and say nothing."""
    installed.commit("guard", {".gitattributes": "moves.tsv coord-log\n", "moves.tsv": "at\n"})
    installed.install()

    found = mended(installed, "fallback-missing")

    assert "coord-log" in found.message
    assert installed.read(".gitattributes") == "[attr]coord-log -merge\nmoves.tsv coord-log\n"
    assert healthy(installed)


@pytest.mark.parametrize("file", [".gitattributes", "docs/.gitattributes"])
@pytest.mark.parametrize("name", ["ours", "npm-merge"])
def test_a_driver_of_others_that_nobody_registered_is_a_remark(
    installed: Repo, file: str, name: str
) -> None:
    """Git merges such a file as text, without a word; but it is none that we guard."""
    installed.commit("attributes", {file: f"*.md merge={name}\n"})

    assert healthy(installed)

    assert f"{file} says merge={name}, which nobody registered" in notes(installed)
    installed.git("config", f"merge.{name}.driver", "true")
    assert "nobody registered" not in notes(installed)


def test_what_git_lfs_writes_is_right(installed: Repo) -> None:
    """``git lfs track`` names a merge driver that git-lfs never registers."""
    installed.commit("lfs", {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})

    assert healthy(installed)
    assert "merge=lfs" not in notes(installed)


def test_a_driver_of_info_attributes_is_looked_up_too(installed: Repo) -> None:
    """It stands in no commit."""
    with installed.common("info/attributes").open("a") as file:
        file.write("[attr]mine merge=mine\n")

    assert "info/attributes says merge=mine" in notes(installed)


def test_a_driver_without_a_command_is_fatal_and_taken_out(installed: Repo) -> None:
    """Git dies at every merge of such a path; as text it would at least go on."""
    installed.commit("attributes", {".gitattributes": "*.x merge=mine\n"})
    installed.git("config", "merge.mine.name", "mine")

    (found,) = findings(installed)

    assert found.message.startswith("merge.mine in ")
    assert installed.paste(found.run).code == 0
    assert "nobody registered" in notes(installed)


def test_built_in_drivers_need_no_registration(installed: Repo) -> None:
    """Nor do comments and quoted patterns name one."""
    text = '*.a merge=union\n*.b merge=binary\n# *.c merge=x\n"a merge=y" -text\n*.d -merge\n'
    installed.commit("attributes", {".gitattributes": text})

    assert healthy(installed)


def test_a_derived_file_without_a_producer_is_declared_by_the_command(installed: Repo) -> None:
    """Only its own command can make it right; a shell asks for it."""
    attributes = f"{FALLBACKS}*.gen coord-derived\n"
    installed.commit("guard", {".gitattributes": attributes, "a.gen": "", "b c.gen": ""})
    installed.install()
    (before,) = findings(installed, "producer-missing")
    assert installed.paste(before.run).code != 0

    found = mended(installed, "producer-missing", PRODUCER="make gen")

    assert "a.gen b c.gen" in found.message
    assert 'regenerate = "make gen"' in installed.read(".coord.toml")


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("protoc-7 --out gen s.proto", "protoc-7"),
        ("LANG=C protoc-7 s.proto", "protoc-7"),
        ("./gen.sh >s.json", "./gen.sh"),
        ("sort in >s.json", ""),
        ("for x in *; do echo $x; done >s.json", ""),
        ("(cd src && make)", ""),
        ("./README >s.json", ""),
    ],
)
def test_a_producer_that_is_not_on_path_is_a_remark(
    installed: Repo, command: str, word: str
) -> None:
    """It was counted as there, and failed at the first merge; elsewhere it may be on PATH."""
    declared = f"[derived.'s.json']\nregenerate = '{command}'\n"
    files = {".gitattributes": "s.json coord-derived\n", ".coord.toml": declared, "s.json": "x"}
    installed.commit("declare", files)
    installed.install()

    said = f"what makes s.json begins with {word}, which is not found here"
    assert (said in notes(installed)) == bool(word)
    assert not findings(installed, "producer-missing")


def test_a_producer_that_another_branch_declares_comes_with_a_merge(
    guarded: Repo, tmp_path: Path
) -> None:
    """Older branches are guarded by ``info/attributes``; declared twice, they would conflict."""
    for name in ("old", "older"):
        guarded.git("worktree", "add", "-q", "-b", name, str(tmp_path / name), "HEAD~2")
    old = guarded.at(tmp_path / "old")

    said = notes(guarded)
    assert healthy(guarded)
    assert f"{old.path}: its branch declares no guard" in said
    assert said.count("git merge main brings it") == 1
    assert f"declared on main, and not yet in {old.path} and 1 more" in said
    for name in ("old", "older"):
        guarded.at(tmp_path / name).git("merge", "-q", "main")
    assert "git merge main" not in notes(guarded)


def test_a_producer_that_no_worktree_has_checked_out_is_known(guarded: Repo) -> None:
    """The trunk of a bare repository stands in a branch only."""
    guarded.git("switch", "-q", "--detach", "HEAD~2")

    assert "declared on main, and not yet in" in notes(guarded)
    assert not findings(guarded, "producer-missing")


def test_no_command_of_another_branch_is_printed_to_be_accepted(
    guarded: Repo, tmp_path: Path
) -> None:
    """`track` accepts what it is given, for the whole clone: a peer could have it pasted."""
    peer = guarded.worktree(tmp_path / "ev", "ev")
    peer.commit("evil", {".coord.toml": "[derived.'gen/schema.json']\nregenerate = 'touch EVIL'\n"})
    peer.write("x.tsv", "")
    guarded.write(".coord.toml", "")

    said = guarded.coord("doctor").out + peer.coord("check").out

    assert "touch EVIL" not in said


@pytest.mark.parametrize(
    ("text", "line"), [("derived = 1\n", 1), ('[id.ADR]\nformat = "nothing"\n', 2)]
)
def test_a_broken_declaration_is_shown_with_its_line(guarded: Repo, text: str, line: int) -> None:
    """A typo must not switch a guard off in silence; what only the ids read is looked at too."""
    guarded.write(".coord.toml", text)

    (found,) = findings(guarded)

    assert found.rule == "config-invalid"
    assert f".coord.toml:{line}" in found.message
    editor = guarded.write("editor", f"git -C {quote(str(guarded.path))} checkout .coord.toml\n")
    assert guarded.with_env(EDITOR=f"sh {editor}").paste(found.run).code == 0
    assert healthy(guarded)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[identity]\nauhtor = "keep"\n', 2, "identity.auhtor is no key"),
        ('[id.HW]\nfromat = "HW-{n}"\n', 2, "did you mean format?"),
        ("\n[somenewthing]\n", 2, "a later version may know it; known here are: derived, log"),
    ],
)
def test_a_key_that_nothing_reads_is_a_finding_with_its_line(
    guarded: Repo, text: str, line: int, said: str
) -> None:
    """A typo must not pass in silence; nor may a key of a later version stop a worker."""
    guarded.write(".coord.toml", guarded.read(".coord.toml") + text)
    line += guarded.read(".coord.toml").count("\n") - text.count("\n")
    editor = guarded.write("editor", f"git -C {quote(str(guarded.path))} checkout .coord.toml\n")

    found = mended(guarded, "config-unknown", EDITOR=f"sh {editor}")

    assert said in found.message
    assert found.message.startswith(f".coord.toml:{line}: ")
    assert f"+{line} " in found.run


def test_a_key_of_a_later_version_stops_no_verb(guarded: Repo, tmp_path: Path) -> None:
    """Workers of two versions share one file: those of the earlier go on, and are told."""
    later = '\n[push]\nhours = "9-17"\n[quota]\neach = 3\n[id.HW]\nwidth = 4\n'
    guarded.commit("later", {".coord.toml": guarded.read(".coord.toml") + later})
    side = guarded.worktree(tmp_path / "side", "side")

    for words in (("claim", "x"), ("id", "next", "HW"), ("board",), ("wake", "--no-stagger")):
        assert side.coord(*words).code == 0, words
    assert side.coord("track", "log", "more.tsv").code == 0
    assert later.strip() in side.read(".coord.toml")
    assert "hours is no key" in side.coord("check").err
    assert "hours is no key" in guarded.install().err


def test_declarations_outside_of_the_sparse_checkout_come_back(guarded: Repo) -> None:
    """Without a cone even ``.coord.toml`` may be away: nothing it declares holds."""
    guarded.git("sparse-checkout", "set", "--no-cone", "/gen/")

    found = findings(guarded)

    assert [one.rule for one in found] == ["outside-sparse"]
    assert ".coord.toml" in found[0].message
    assert guarded.paste(found[0].run).code == 0
    assert healthy(guarded)


def test_a_derived_file_outside_of_the_cone_lacks_what_makes_it(guarded: Repo) -> None:
    """A log does not need its neighbours; the driver joins it wherever it is."""
    guarded.commit("more", {"src/a": "a\n", "logs/x": "x\n"})
    track(guarded, "log", "logs/x")
    guarded.git("sparse-checkout", "set", "--cone", "src")

    found = mended(guarded, "outside-sparse")

    assert "gen/schema.json" in found.message
    assert "logs/x" not in found.message
    assert healthy(guarded)


def test_a_declaration_inside_of_a_folder_is_not_read_outside_of_the_cone(installed: Repo) -> None:
    """Before 2.43 git skips such a file: what it guards merges as text; the root's would hold."""
    installed.commit(
        "guard",
        {
            ".gitattributes": FALLBACKS,
            "logs/.gitattributes": "*.tsv coord-log\n",
            "logs/moves.tsv": "at\n",
            "src/a": "a\n",
        },
    )
    assert healthy(installed)
    installed.git("sparse-checkout", "set", "--cone", "src")
    if not installed.git("check-attr", "merge", "logs/moves.tsv").endswith(": unspecified"):
        assert healthy(installed)  # this git reads it
        return

    found = mended(installed, "outside-sparse")

    assert "logs/.gitattributes guards paths" in found.message
    assert installed.git("check-attr", "merge", "logs/moves.tsv").endswith(": coord-log")
    assert healthy(installed)


def test_paths_with_any_byte_are_named_and_mended(installed: Repo) -> None:
    """Blanks, quotes, letters outside of ASCII, a newline."""
    name = 'a "b" é\n.gen'
    installed.commit("guard", {".gitattributes": f"{FALLBACKS}*.gen coord-derived\n", name: ""})
    installed.install()

    found = mended(installed, "producer-missing", PRODUCER="true")

    assert name in found.message
