"""``coord-install --fleet``: the fleet's files beside what is there, and taken back untouched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from coord.fleet.ledger import Move, PutDown, header
from coord.settings import config
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

MOVES, PUT_DOWN = "coordination/moves.tsv", "coordination/put-down.tsv"
FILES = {".gitattributes", ".coord.toml", MOVES, PUT_DOWN}


def tree(repo: Repo) -> dict[str, bytes]:
    """Return every file of the worktree."""
    paths = (path for path in repo.path.rglob("*") if ".git" not in path.parts and path.is_file())
    return {str(path.relative_to(repo.path)): path.read_bytes() for path in paths}


def test_it_lays_down_sections_ledgers_and_their_guard(repo: Repo) -> None:
    """Nothing is committed; the printed command does it, and then all is in force."""
    before = repo.git("rev-parse", "HEAD")

    done = repo.install("--fleet")

    assert repo.git("rev-parse", "HEAD") == before
    assert repo.git("diff", "--cached", "--name-only") == ""
    assert repo.read(MOVES).encode() == header(Move)
    assert repo.read(PUT_DOWN).encode() == header(PutDown)
    assert config.load(str(repo.path)).fleet == config.Fleet()
    assert repo.paste(done.err.partition("commit it: ")[2]).code == 0
    assert repo.git("status", "--porcelain") == ""
    assert set(repo.git("ls-files").split("\n")) == {"README", *FILES}
    assert repo.git("check-attr", "merge", "--", MOVES).endswith(": coord-log")
    assert repo.started("coord-install", "--check").code == 0
    shipped = repo.coord("ship", "new", "x")
    assert shipped.code == 0
    assert "--fleet" not in shipped.err


def test_the_commit_command_works_from_a_folder_below(repo: Repo) -> None:
    """It is pasted where it was printed."""
    (repo.path / "sub").mkdir()
    sub = repo.at(repo.path / "sub")

    done = sub.install("--fleet")

    assert sub.paste(done.err.partition("commit it: ")[2]).code == 0
    assert set(repo.git("ls-files").split("\n")) > FILES


def test_a_second_run_changes_nothing(repo: Repo) -> None:
    """With or without --fleet."""
    repo.install("--fleet")
    before = tree(repo), snapshot(repo.common())

    for options in (("--fleet",), ()):
        assert repo.install(*options).out.startswith("nothing to do")
        assert (tree(repo), snapshot(repo.common())) == before


def test_a_dry_run_shows_it_and_touches_nothing(installed: Repo) -> None:
    """In JSON too."""
    before = tree(installed), snapshot(installed.common())

    done = installed.install("--fleet", "--dry-run")
    steps = json.loads(installed.install("--fleet", "--dry-run", "--json").out)["steps"]

    assert "commit it" not in done.err
    for name in FILES:
        assert str(installed.path / name) in done.out
        assert str(installed.path / name) in {step["path"] for step in steps}
    assert (tree(installed), snapshot(installed.common())) == before


BESIDE = {
    ".gitattributes": [b"*.c diff=cpp\n", b"*.c diff=cpp", b"*.log coord-log\n", b"\xff x\n"],
    ".coord.toml": [b"[push]\n", b'# why\n[push]\nauthorship = "refuse"', b"\n\n"],
    MOVES: [header(Move) + b"2026-01-01T00:00:00Z" + b"\tx" * 7 + b"\n", b""],
    "coordination/README": [b"ours\n"],
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in BESIDE.items() for text in texts]
)
def test_what_was_there_stays_and_comes_back(repo: Repo, name: str, text: bytes) -> None:
    """Its bytes are all still there; the uninstall restores the worktree byte for byte."""
    repo.write(name, text)
    before = tree(repo), snapshot(repo.common())

    repo.install("--fleet")
    repo.install()

    assert text in tree(repo)[name]
    assert set(tree(repo)) == {"README", name, *FILES}
    repo.install("--uninstall")
    assert (tree(repo), snapshot(repo.common())) == before
    assert (repo.path / "coordination").exists() == name.startswith("coordination")


def test_what_was_changed_since_stays_and_is_said(repo: Repo) -> None:
    """Somebody has built on it: lanes, a pattern, a record."""
    repo.install("--fleet")
    repo.write(".coord.toml", repo.read(".coord.toml") + '[lane.social]\nevery = "1d"\n')
    repo.coord("ship", "new", "x")
    before = tree(repo)

    done = repo.install("--uninstall", "--dry-run")
    repo.install("--uninstall")

    kept = {".coord.toml", MOVES}
    assert tree(repo) == {name: before[name] for name in {"README", *kept}}
    for name in FILES:
        assert (f"{repo.path / name} was changed since" in done.err) == (name in kept)


def test_what_was_not_laid_down_is_not_taken_away(repo: Repo) -> None:
    """The declarations came with the clone; this install only found them."""
    repo.install("--fleet")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "declare")
    repo.git("clone", "-q", ".", "../clone")
    clone = repo.at(repo.path.parent / "clone")
    before = tree(clone)

    assert set(before) > FILES
    clone.install("--fleet")
    clone.install("--uninstall")

    assert tree(clone) == before


def test_sections_that_are_there_are_left_as_they_are(repo: Repo) -> None:
    """Somebody has thought of the kinds; ledgers are made where they are declared."""
    declared = '[moves]\nkinds = ["fix"]\nledger = "log/m.tsv"\n'
    repo.write(".coord.toml", declared)

    repo.install("--fleet")

    assert repo.read(".coord.toml") == declared
    assert repo.read("log/m.tsv").encode() == header(Move)
    for path in ("log/m.tsv", PUT_DOWN):
        assert repo.git("check-attr", "merge", "--", path).endswith(": coord-log")
    assert "moves.tsv" not in "".join(tree(repo))
    assert repo.install("--fleet").out.startswith("nothing to do")


@pytest.mark.parametrize("name", [".gitattributes", ".coord.toml", "coordination", MOVES])
def test_a_committed_link_is_never_followed(repo: Repo, tmp_path: Path, name: str) -> None:
    """Refused before anything is written; the printed command makes room."""
    outside = tmp_path / "outside"
    outside.mkdir() if name == "coordination" else outside.write_bytes(b"")
    (repo.path / name).parent.mkdir(exist_ok=True)
    (repo.path / name).symlink_to(outside)
    before = snapshot(repo.common())

    done = repo.started("coord-install", "--fleet")

    assert done.code in {1, 3}
    assert snapshot(repo.common()) == before
    assert outside.is_dir() or outside.read_bytes() == b""
    assert outside.is_file() or not list(outside.iterdir())
    if name != ".coord.toml":  # which every verb refuses, and tells to mend by hand
        assert done.refusal.rule == "symlink"
        assert repo.paste(done.refusal.run).code == 0
        repo.install("--fleet")


def test_a_bare_repository_has_no_place_for_it(bare_with_worktree: Repo) -> None:
    """Exit 3, nothing installed; from its worktree it works.

    Git 3.0 looks into a bare folder only where it is named (safe.bareRepository=explicit).
    """
    bare_dir = bare_with_worktree.common()
    bare = bare_with_worktree.bare(bare_dir)
    before = snapshot(bare.common())

    done = bare.started("coord-install", "--fleet")

    assert (done.code, done.refusal.rule) == (3, "no-worktree")
    assert bare.paste(done.refusal.run).code == 0
    assert snapshot(bare.common()) == before
    bare_with_worktree.install("--fleet")


@pytest.mark.parametrize("option", ["--check", "--uninstall"])
def test_it_belongs_to_an_install(repo: Repo, option: str) -> None:
    """Exit 2."""
    assert repo.started("coord-install", "--fleet", option).code == 2


@pytest.mark.parametrize("name", [MOVES, PUT_DOWN])
@pytest.mark.parametrize("state", ["untracked", "committed", "guarded"])
def test_a_foreign_ledger_is_refused_before_it_is_guarded(
    installed: Repo, name: str, state: str
) -> None:
    """Under the guard of logs nothing may leave it; the printed command makes room for good."""
    if state == "guarded":
        installed.coord("track", "log", "coordination/*.tsv")
    installed.write(name, "when\twhat\n2026\tx\n")
    if state != "untracked":
        installed.git("add", "-A")
        installed.git("commit", "-q", "-m", "their own")
    before = tree(installed), snapshot(installed.common())

    for options in ((), ("--dry-run",)):
        done = installed.started("coord-install", "--fleet", *options)
        assert (done.code, done.refusal.rule) == (1, "ledger-foreign")
        assert (tree(installed), snapshot(installed.common())) == before
    pasted = installed.paste(done.refusal.run)

    assert pasted.code == 0, pasted.err
    laid = installed.install("--fleet")
    committed = installed.paste(laid.err.partition("commit it: ")[2])
    assert committed.code == 0, committed.err
    assert installed.coord("ship", "new", "x").code == 0
    assert installed.coord("put-down", "x", "--reason", "weak").code == 0
    assert installed.read(f"{name}.aside") == "when\twhat\n2026\tx\n"
    assert installed.tried("commit", "-q", "-a", "-m", "records").code == 0


def test_an_uninstall_takes_back_what_was_laid_down_in_another_worktree(
    repo: Repo, tmp_path: Path
) -> None:
    """From the main one; what was changed there, or built on, is named and stays."""
    repo.commit("own", {".coord.toml": "[push]\n", ".gitattributes": "*.c diff=cpp\n"})
    repo.install()
    one, two = (repo.worktree(tmp_path / name, name) for name in ("one", "two"))
    before = tree(one)
    one.install("--fleet")
    two.write(".coord.toml", "[presence]\n")
    two.write(".gitattributes", "*.d diff=cpp\n")
    one.coord("ship", "new", "x")
    kept = one.read(MOVES)

    done = repo.install("--uninstall")

    assert tree(one) == {**before, MOVES: kept.encode()}
    assert done.err.count("was changed since") == 1
    assert f"{one.path / MOVES} was changed since it was laid down, and stays" in done.err
    assert two.read(".coord.toml") == "[presence]\n"


def test_an_uninstall_follows_no_link_of_another_worktree(repo: Repo, tmp_path: Path) -> None:
    """What lies behind it is not ours, though it looks the same."""
    repo.install("--fleet")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "moves.tsv").write_bytes(header(Move))
    one = repo.worktree(tmp_path / "one", "one")
    (one.path / "coordination").symlink_to(outside)

    repo.install("--uninstall")

    assert (outside / "moves.tsv").read_bytes() == header(Move)


def test_a_link_is_refused_for_what_it_is(repo: Repo) -> None:
    """One that stays inside is refused, too, and nothing false is said of it."""
    repo.write("inside", "")
    (repo.path / ".gitattributes").symlink_to("inside")

    refused = repo.started("coord-install", "--fleet").refusal

    assert refused.rule == "symlink"
    assert "out of" not in refused.why
