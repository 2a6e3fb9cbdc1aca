"""The driver of changelogs, as git calls it: joined, or refused with both sides at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness import operations, refusals
from harness.drivers import MACROS, add_drivers, records
from harness.scenes import diverged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Done, Repo

BASE = b"# Changes\n\n## Unreleased\n\n- first\n\n## 1.0\n\n- old\n"
JOINED = "# Changes\n\n## Unreleased\n\n- side\n- main\n- first\n\n## 1.0\n\n- old\n"


def added(*names: str, to: bytes = BASE) -> bytes:
    """Return the changelog with entries at the top of what is unreleased."""
    for name in reversed(names):
        to = to.replace(b"## Unreleased\n\n", f"## Unreleased\n\n- {name}\n".encode())
    return to


GROWN = (BASE, added("main"), added("side"))
RENAMED = (BASE, BASE.replace(b"Unreleased", b"1.1"), added("side"))  # main released it
TEXTS = (BASE, BASE.replace(b"first\n", b"first\n  m\n"), BASE.replace(b"first\n", b"first\n  s\n"))


def merge(repo: Repo, *sides: bytes | None, name: str = "c.md") -> Done:
    """Commit base, main and side of one changelog, and merge."""
    base, ours, theirs = sides
    diverged(repo, {name: (base, ours, theirs)})
    return repo.tried("merge", "side")


def assert_conflict_with_both_sides(repo: Repo, done: Done, name: str = "c.md") -> None:
    """Exit 1, markers, the original stages, one record of them."""
    blobs = [repo.git("rev-parse", f":{stage}:{name}") for stage in (2, 3)]
    head = repo.git("rev-parse", "HEAD")

    assert done.code == 1
    assert "<<<<<<< " in repo.read(name)
    assert ">>>>>>> " in repo.read(name)
    said = f"take worktree\nkind changelog\nhead {head}\nours {blobs[0]}\ntheirs {blobs[1]}"
    assert records(repo) == [f"coord-refused 1\n{said}\npath {name}\n"]


class TestJoined:
    """Exit 0, committed by git, and not a word."""

    def test_entries_of_both_sides(self, guarded: Repo) -> None:
        """What it is for: one section, and each entry once."""
        done = merge(guarded, *GROWN)

        assert (done.code, done.err) == (0, "")
        assert guarded.read("c.md") == JOINED
        assert records(guarded) == []

    def test_from_either_side_with_the_same_bytes(self, guarded: Repo) -> None:
        """A function of the texts, not of who merges whom."""
        merge(guarded, *GROWN)
        guarded.git("switch", "-q", "-c", "turned", "side")
        guarded.git("merge", "-q", "main~1")

        assert guarded.read("c.md") == JOINED

    def test_an_addition_on_both_sides(self, guarded: Repo) -> None:
        """Git gives an empty base."""
        assert merge(guarded, None, b"# C\n\n- m\n", b"# C\n\n- s\n").code == 0
        assert guarded.read("c.md") == "# C\n\n- m\n- s\n"

    def test_an_edit_on_one_side(self, guarded: Repo) -> None:
        """People edit changelogs."""
        done = merge(guarded, BASE, BASE.replace(b"- old", b"- older"), added("side"))

        assert (done.code, done.err) == (0, "")
        assert guarded.read("c.md").endswith("- side\n- first\n\n## 1.0\n\n- older\n")

    def test_a_checkout_with_crlf(self, guarded: Repo) -> None:
        """The driver sees and writes repository bytes; the path is not left modified."""
        guarded.write(".gitattributes", "*.md text eol=crlf\n")

        assert merge(guarded, *GROWN).code == 0
        assert (guarded.path / "c.md").read_bytes() == JOINED.replace("\n", "\r\n").encode()
        assert guarded.git("status", "--porcelain") == ""

    @pytest.mark.parametrize("name", ["-x.md", "a b'$(id).md", "new\nline.md"])
    def test_any_path(self, guarded: Repo, name: str) -> None:
        """It is only a name here."""
        assert merge(guarded, *GROWN, name=name).code == 0
        assert guarded.read(name) == JOINED

    def test_crosswise_merges(self, guarded: Repo) -> None:
        """The driver joins the bases as well, in silence, each entry once."""
        diverged(guarded, {"c.md": GROWN})
        guarded.git("branch", "crossed", "main")
        guarded.git("merge", "-q", "side")
        guarded.git("switch", "-q", "side")
        guarded.git("merge", "-q", "crossed")
        guarded.commit("more", {"c.md": guarded.read("c.md").replace("- side", "- s2\n- side")})
        guarded.git("switch", "-q", "main")
        guarded.commit("more", {"c.md": guarded.read("c.md").replace("- first", "- m2\n- first")})
        done = guarded.tried("merge", "side")

        assert (done.code, done.err) == (0, "")
        assert guarded.read("c.md") == JOINED.replace("- side", "- s2\n- side").replace(
            "- first", "- m2\n- first"
        )

    def test_a_start_that_is_declared_for_it(self, guarded: Repo) -> None:
        """Sections that no other rule would see."""
        guarded.commit("declare", {".coord.toml": '[log."*.md"]\nstart = "On "\n'})
        base = b"On Monday\n- a\nOn Sunday\n- b\n"
        sides = base.replace(b"a\n", b"a\n- m\n"), base.replace(b"a\n", b"a\n- s\n")

        assert merge(guarded, base, *sides).code == 0
        assert guarded.read("c.md") == "On Monday\n- a\n- m\n- s\nOn Sunday\n- b\n"


class TestRefused:
    """Exit 1, markers, three lines that name line and both texts, a record for the gate."""

    def test_a_section_that_one_side_renamed_and_the_other_grew(self, guarded: Repo) -> None:
        """Where the new entry belongs only a person knows."""
        done = merge(guarded, *RENAMED)

        assert_conflict_with_both_sides(guarded, done)
        assert done.refusal.rule == "changelog-clash"
        assert done.refusal.headline == ("line 3 of the base is gone or renamed on HEAD: c.md")
        assert done.refusal.why.startswith('"## Unreleased" below "# Changes": side changed')
        assert 'HEAD has "## 1.1", side has "## Unreleased"' in done.refusal.why
        assert done.refusal.run == (
            "git coord resolve c.md --take worktree --reason 'joined by hand'"
        )

    def test_a_text_that_both_sides_changed(self, guarded: Repo) -> None:
        """Both texts are named, from where they differ."""
        done = merge(guarded, *TEXTS)

        assert_conflict_with_both_sides(guarded, done)
        assert done.refusal.headline == "line 5 of the base goes on in two ways: c.md"
        assert 'HEAD has "  m", side has "  s"' in done.refusal.why

    def test_what_merges_cleanly_as_text_has_markers_all_the_same(self, guarded: Repo) -> None:
        """Or `git add` would take it without a look."""
        long = BASE + b"".join(b"- %d\n" % n for n in range(40))
        renamed = long.replace(b"Unreleased", b"1.1")
        done = merge(guarded, long, renamed, long.replace(b"- first\n", b"- first\n- s\n- t\n"))

        assert_conflict_with_both_sides(guarded, done)

    def test_what_is_no_text(self, guarded: Repo) -> None:
        """Ours stays as it is: markers would make it worse."""
        done = merge(guarded, b"a\n", b"a\n\0m\n", b"a\n\0s\n")

        assert (done.code, done.refusal.rule) == (1, "changelog-binary")
        assert (guarded.path / "c.md").read_bytes() == b"a\n\0m\n"
        assert len(records(guarded)) == 1

    def test_another_text_is_shown_escaped(self, guarded: Repo) -> None:
        """An entry is somebody else's words."""
        done = merge(guarded, *(text.replace(b"first", b"\x1b[2J\xff") for text in TEXTS))

        assert done.refusal.why.startswith('"- \\x1b[2J\\xff" below "## Unreleased": both')

    def test_nothing_is_recorded_in_a_preview(self, guarded: Repo) -> None:
        """And stdout stays git's."""
        diverged(guarded, {"c.md": TEXTS})
        done = guarded.tried("merge-tree", "--write-tree", "main", "side")

        assert done.out.split("\n")[0].isalnum()
        assert done.refusal.rule == "changelog-clash"
        assert records(guarded) == []

    def test_without_its_interpreter(self, guarded: Repo, tmp_path: Path) -> None:
        """Git sees a conflict with both sides, and the user a command."""
        add_drivers(guarded, python=str(tmp_path / "gone"), repair="coord-install")
        done = merge(guarded, *GROWN)

        assert (done.code, done.refusal.rule) == (1, "driver-failed")
        assert done.refusal.headline == "the changelog could not be joined: c.md"
        assert "<<<<<<< " in guarded.read("c.md")

    def test_an_install_that_knows_no_such_driver_conflicts_loudly(self, guarded: Repo) -> None:
        """The committed macro says -merge: never a text merge, never one side in silence."""
        committed = "[attr]coord-changelog -merge\n*.md coord-changelog\n"
        guarded.common("info/attributes").write_text(committed)
        done = merge(guarded, *GROWN)

        assert done.code == 1
        assert guarded.git("ls-files", "-u") != ""

    def test_a_larger_marker(self, guarded: Repo) -> None:
        """As the path's attribute says."""
        guarded.common("info/attributes").write_text(
            f"{MACROS}*.md coord-changelog conflict-marker-size=20\n"
        )
        merge(guarded, *TEXTS)

        assert "\n" + "<" * 20 + " HEAD\n" in guarded.read("c.md")


class TestBlocks:
    """Logs of blocks are documents too, of which every line has to stand."""

    def test_a_block_that_both_sides_grew_stands_once(self, blocks: Repo) -> None:
        """Where a join of whole blocks has it twice."""
        done = merge(blocks, *GROWN, name="a.log")

        assert (done.code, done.err) == (0, "")
        assert blocks.read("a.log") == JOINED

    def test_an_edit_on_one_side_is_refused(self, blocks: Repo) -> None:
        """A journal only grows."""
        done = merge(blocks, BASE, BASE.replace(b"- old", b"- older"), added("side"), name="a.log")

        assert (done.code, done.refusal.rule) == (1, "log-clash")
        assert done.refusal.headline == "line 9 of the base is edited or gone on HEAD: a.log"
        assert 'HEAD has "- older", side has "- old"' in done.refusal.why
        assert "<<<<<<< " in blocks.read("a.log")
        assert records(blocks)[0].startswith("coord-refused 1\ntake worktree\nkind log\n")

    def test_a_log_that_is_newest_first_stays_so(self, blocks: Repo) -> None:
        """Both sides put theirs at the top; nothing is turned over."""
        base = b"## 2026-01-02T00:00Z\ntwo\n\n## 2026-01-01T00:00Z\none\n"
        ours, theirs = (b"## 2026-01-0%dT00:00Z\nnew\n\n" % day + base for day in (3, 4))
        merge(blocks, base, ours, theirs, name="a.log")
        heads = [line[11:13] for line in blocks.read("a.log").split("\n") if line.startswith("#")]

        assert heads == ["04", "03", "02", "01"]


@pytest.fixture
def blocks(guarded: Repo) -> Repo:
    """The same, its logs declared as logs of blocks."""
    guarded.commit("declare", {".coord.toml": '[log."*.log"]\nstart = "## "\n'})
    return guarded


each = pytest.mark.parametrize("operation", operations.ALL)


@each
def test_an_operation_joins_a_changelog(guarded: Repo, operation: Callable[[Repo], Done]) -> None:
    """Whoever is "ours" in it, and not a word."""
    diverged(guarded, {"c.md": GROWN})
    done = operation(guarded)

    assert (done.code, refusals(done.err)) == (0, [])
    assert guarded.read("c.md") == JOINED
    assert guarded.git("ls-files", "-u") == ""


@each
def test_an_operation_refuses_what_cannot_be_joined(
    guarded: Repo, operation: Callable[[Repo], Done]
) -> None:
    """With markers, and one record."""
    diverged(guarded, {"c.md": TEXTS})
    done = operation(guarded)

    assert done.code in {1, 128}  # am
    assert [refused.rule for refused in refusals(done.err)] == ["changelog-clash"]
    assert "<<<<<<< " in guarded.read("c.md")
    assert len(records(guarded)) == 1


def test_a_preview_joins_into_its_tree(guarded: Repo) -> None:
    """`merge-tree` writes no file, and its stdout is a tree."""
    diverged(guarded, {"c.md": GROWN})
    tree = guarded.git("merge-tree", "--write-tree", "main", "side")

    assert guarded.git("show", f"{tree}:c.md") + "\n" == JOINED
