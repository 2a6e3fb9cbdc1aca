"""The driver of logs, as git calls it: joined, or refused with both sides at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from coord.drivers.registered import DRIVERS
from harness import refusals
from harness.drivers import MACROS, add_drivers, library, records
from harness.scenes import crossed, diverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Done, Repo

GROWN = (b"a\nb\n", b"a\nb\nm\n", b"a\nb\ns\n")
EDITED = (b"a\nb\n", b"a\nX\n", b"a\nb\ns\n")  # main edited what side appended to
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%d\nsize 1\n"


def merge(repo: Repo, *sides: bytes | None, name: str = "a.log") -> Done:
    """Commit base, main and side of one log, and merge."""
    base, ours, theirs = sides
    diverged(repo, {name: (base, ours, theirs)})
    return repo.tried("merge", "side")


def assert_conflict_with_both_sides(repo: Repo, done: Done, name: str = "a.log") -> None:
    """Exit 1, markers, the original stages, one record of them."""
    blobs = [repo.git("rev-parse", f":{stage}:{name}") for stage in (2, 3)]

    assert done.code == 1
    assert "<<<<<<< " in repo.read(name)
    assert ">>>>>>> " in repo.read(name)
    assert [
        f"kind log\nhead {repo.git('rev-parse', 'HEAD')}" in text for text in records(repo)
    ] == [True]
    assert f"ours {blobs[0]}\ntheirs {blobs[1]}\npath {name}\n" in records(repo)[0]


class TestJoined:
    """Exit 0, committed by git, and not a word."""

    def test_appends_of_both_sides(self, guarded: Repo) -> None:
        """What it is for."""
        done = merge(guarded, *GROWN)

        assert (done.code, done.err) == (0, "")
        assert guarded.read("a.log") == "a\nb\nm\ns\n"
        assert records(guarded) == []

    def test_an_addition_on_both_sides(self, guarded: Repo) -> None:
        """Git gives an empty base."""
        assert merge(guarded, None, b"h\nm\n", b"h\ns\n").code == 0
        assert guarded.read("a.log") == "h\nm\ns\n"

    def test_bytes_of_no_encoding(self, guarded: Repo) -> None:
        """A log may hold anything but NUL."""
        assert merge(guarded, b"\xff\n", b"\xff\n\xfe\n", b"\xff\n\x80\x81\n").code == 0
        assert (guarded.path / "a.log").read_bytes() == b"\xff\n\x80\x81\n\xfe\n"

    def test_a_missing_last_line_end(self, guarded: Repo) -> None:
        """The next append must find one."""
        assert merge(guarded, b"a", b"a\nm", b"a\ns").code == 0
        assert guarded.read("a.log") == "a\nm\ns\n"

    def test_lines_that_differ_in_blanks_under_an_option(self, guarded: Repo) -> None:
        """`-X ignore-space-change` makes union drop one."""
        diverged(guarded, {"a.log": (b"a\n", b"a\nx  1\n", b"a\nx 1\n")})

        assert guarded.tried("merge", "-X", "ignore-space-change", "side").code == 0
        assert guarded.read("a.log") == "a\nx  1\nx 1\n"

    def test_a_checkout_with_crlf(self, guarded: Repo) -> None:
        """The driver sees and writes repository bytes; the path is not left modified."""
        guarded.write(".gitattributes", "*.log text eol=crlf\n")

        assert merge(guarded, *GROWN).code == 0
        assert (guarded.path / "a.log").read_bytes() == b"a\r\nb\r\nm\r\ns\r\n"
        assert guarded.git("status", "--porcelain") == ""

    @pytest.mark.parametrize("name", ["-x.log", "a b'$(id).log", "new\nline.log", "\udcff.log"])
    def test_any_path(self, guarded: Repo, name: str) -> None:
        """It is only a name here."""
        assert merge(guarded, *GROWN, name=name).code == 0
        assert guarded.read(name) == "a\nb\nm\ns\n"

    def test_a_log_of_blocks(self, guarded: Repo) -> None:
        """The declaration of this side holds, while git merges the other files."""
        guarded.commit("declare", {".coord.toml": '[log."*.log"]\nstart = "## "\n'})
        base = b"# Log\n\n## a\nsame\n"

        assert merge(guarded, base, base + b"\n## m\nsame\n", base + b"\n## s\nsame\n").code == 0
        assert guarded.read("a.log") == "# Log\n\n## a\nsame\n\n## m\nsame\n\n## s\nsame\n"

    def test_from_either_side_with_the_same_bytes(self, guarded: Repo) -> None:
        """A function of the records, not of who merges whom."""
        merge(guarded, b"b\n", b"b\nx\nM\ny\n", b"b\nS\nx\ny\n")
        one = guarded.read("a.log")
        guarded.git("switch", "-q", "-c", "turned", "side")
        guarded.git("merge", "-q", "main~1")

        assert guarded.read("a.log") == one

    @pytest.mark.parametrize("depth", [1, 2])
    def test_crosswise_merges_of_any_depth(self, guarded: Repo, depth: int) -> None:
        """The driver joins the bases as well, in silence, each record once."""
        crossed(guarded, "a.log", depth)
        done = guarded.tried("merge", "side")
        lines = guarded.read("a.log").splitlines()

        assert (done.code, done.err) == (0, "")
        assert sorted(lines) == sorted(
            ["base", *(f"{side} {n}" for side in ("main", "side") for n in range(depth + 1))]
        )

    @pytest.mark.parametrize("size", [5, 7, 20])
    def test_crosswise_merges_with_other_markers(self, guarded: Repo, size: int) -> None:
        """%L counts from conflict-marker-size."""
        guarded.common("info/attributes").write_text(
            f"{MACROS}*.log coord-log conflict-marker-size={size}\n"
        )
        crossed(guarded, "a.log")

        assert guarded.tried("merge", "side").code == 0

    def test_a_million_bytes_of_history(self, guarded: Repo) -> None:
        """Of which only the ends are looked at."""
        base = b"".join(b"record %d\n" % n for n in range(90_000))

        assert merge(guarded, base, base + b"m\n", base + b"s\n").code == 0
        assert (guarded.path / "a.log").read_bytes() == base + b"m\ns\n"


class TestRefused:
    """Exit 1, markers, three lines that name side, record and line, a record for the gate."""

    def test_an_edit_beside_an_append(self, guarded: Repo) -> None:
        """History was rewritten: here by main."""
        done = merge(guarded, *EDITED)

        assert_conflict_with_both_sides(guarded, done)
        assert guarded.read("a.log") == "a\n<<<<<<< HEAD\nX\n=======\nb\ns\n>>>>>>> side\n"
        assert done.refusal.rule == "log-rewritten"
        assert done.refusal.headline == "HEAD has lost line 2: a.log"
        assert done.refusal.why.startswith('"b" is in the base and on side; HEAD edited')
        assert done.refusal.run == (
            "git coord resolve a.log --take both "
            "--reason 'HEAD as it stands, and what the other side added'"
        )

    def test_a_truncation_by_the_other_side(self, guarded: Repo) -> None:
        """The line is that of the base, however long its beginning that nobody touched."""
        base = b"".join(b"%d\n" % n for n in range(1, 101))
        done = merge(guarded, base, base + b"m\n", base.replace(b"\n99\n100\n", b"\n"))

        assert done.refusal.headline == "side has lost line 99: a.log"
        assert_conflict_with_both_sides(guarded, done)

    def test_a_rewrite_that_merges_cleanly_as_text_leaves_markers(self, guarded: Repo) -> None:
        """Or `git add` would take it without a look."""
        base = b"".join(b"%d\n" % n for n in range(40))
        done = merge(guarded, base, base.replace(b"\n3\n", b"\nX\n"), base + b"s\n")

        assert guarded.tried("merge-file", "-p", "a.log", "a.log", "a.log").code == 0
        assert_conflict_with_both_sides(guarded, done)

    def test_a_log_begun_anew_on_both_sides(self, guarded: Repo) -> None:
        """Nothing of the base is left."""
        done = merge(guarded, b"1\n2\n", b"4M\n", b"4S\n")

        assert (
            done.refusal.headline == "both sides took out records of the base, and not alike: a.log"
        )
        assert_conflict_with_both_sides(guarded, done)

    def test_a_rotation(self, guarded: Repo) -> None:
        """The old records moved to another file, and the other side appended to this one."""
        base = b"".join(b"record %d\n" % n for n in range(40))
        diverged(guarded, {"a.log": (base, b"new\n", base + b"s\n"), "a.log.1": (None, base, None)})
        done = guarded.tried("merge", "side")

        assert done.refusal.headline == "HEAD has lost line 1: a.log"

    def test_a_picked_commit_whose_records_before_are_not_here(self, guarded: Repo) -> None:
        """A driver cannot tell "deleted" from "never had"."""
        guarded.commit("base", {"a.log": b"a\n"})
        guarded.git("switch", "-q", "-c", "side")
        guarded.commit("one", {"a.log": b"a\ns1\n"})
        guarded.commit("two", {"a.log": b"a\ns1\ns2\n"})
        guarded.git("switch", "-q", "main")
        guarded.commit("main", {"a.log": b"a\nm\n"})
        done = guarded.tried("cherry-pick", "side")

        assert done.refusal.headline == "HEAD has lost line 2: a.log"
        assert "never had it" in done.refusal.why
        assert_conflict_with_both_sides(guarded, done)

    @pytest.mark.parametrize("content", [b"a\n\0%d\n", POINTER], ids=["NUL", "git-lfs"])
    def test_what_is_no_text(self, guarded: Repo, content: bytes) -> None:
        """Ours stays as it is: markers would make it worse."""
        done = merge(guarded, b"a\n", content % 1, content % 2)

        assert done.code == 1
        assert done.refusal.rule == "log-binary"
        assert (guarded.path / "a.log").read_bytes() == content % 1
        assert len(records(guarded)) == 1

    def test_two_headers(self, guarded: Repo) -> None:
        """Added on both sides, each with its own."""
        done = merge(guarded, None, b"# m\none\n", b"# s\ntwo\n")

        assert done.refusal.rule == "log-headers"
        assert_conflict_with_both_sides(guarded, done)

    def test_pretty_printed_records(self, guarded: Repo) -> None:
        """Lines are no records of such a log."""
        sides = [b'b\n{\n  "k": 1,\n  "%b": 1\n}\n' % name for name in (b"m", b"s")]
        done = merge(guarded, b"b\n", *sides)

        assert done.refusal.rule == "log-torn"
        assert_conflict_with_both_sides(guarded, done)

    def test_another_text_is_shown_escaped(self, guarded: Repo) -> None:
        """A record is somebody else's words."""
        done = merge(guarded, b"\x1b[2J\xff\n", b"X\n", b"\x1b[2J\xff\ns\n")

        assert done.refusal.why.startswith('"\\x1b[2J\\xff" is in the base')

    def test_larger_markers(self, guarded: Repo) -> None:
        """As the path's attribute says."""
        guarded.common("info/attributes").write_text(
            f"{MACROS}*.log coord-log conflict-marker-size=20\n"
        )
        merge(guarded, *EDITED)

        assert "\n" + "<" * 20 + " HEAD\n" in guarded.read("a.log")

    @pytest.mark.parametrize("name", ["it's.log", "new\nline.log", "-x.log", "\udcff.log"])
    def test_the_command_can_be_pasted_for_any_path(self, spy: Repo, name: str) -> None:
        """As one argument, the very path."""
        done = merge(spy, *EDITED, name=name)
        spy.paste(done.refusal.run)
        called = Path(spy.env["SPY"]).read_bytes().split(b"\0")[:-1]

        assert [called[1].removeprefix(b"./"), *called[2:4]] == [
            name.encode("utf-8", "surrogateescape"),
            b"--take",
            b"both",
        ]

    def test_nothing_is_recorded_in_a_preview(self, guarded: Repo) -> None:
        """And stdout stays git's."""
        diverged(guarded, {"a.log": EDITED})
        done = guarded.tried("merge-tree", "--write-tree", "main", "side")

        assert done.out.split("\n")[0].isalnum()
        assert done.refusal.rule == "log-rewritten"
        assert records(guarded) == []


class TestDeclarations:
    """A declaration that cannot be read is no reason to guess."""

    def test_a_broken_one_refuses_and_the_printed_command_joins_after_the_mend(
        self, guarded: Repo
    ) -> None:
        """Blocks joined as lines would be torn."""
        guarded.commit("declare", {".coord.toml": '[log."*.log"]\nstart = "## \n'})
        base = b"## a\n\n"
        done = merge(guarded, base, base + b"## m\nx\n\n", base + b"## s\nx\n\n")

        assert done.refusal.rule == "config-invalid"
        assert "line 2" in done.refusal.why
        assert_conflict_with_both_sides(guarded, done)

        guarded.write(".coord.toml", '[log."*.log"]\nstart = "## "\n')
        assert guarded.paste(done.refusal.run).code == 0
        assert guarded.read("a.log") == "## a\n\n## m\nx\n\n## s\nx\n\n"


def dead(repo: Repo, tmp_path: Path) -> None:
    """No interpreter."""
    add_drivers(repo, python=str(tmp_path / "gone" / "python"))


def without_package(repo: Repo, tmp_path: Path) -> None:
    """An interpreter, and no package."""
    add_drivers(repo, lib=str(tmp_path / "gone"))


def without_launcher(repo: Repo, _tmp_path: Path) -> None:
    """Half an installation."""
    repo.common("hooks/coord/launch").unlink()


def ending(script: str) -> Callable[[Repo, Path], None]:
    """Return a setup in which the interpreter is a script that ends so."""

    def setup(repo: Repo, tmp_path: Path) -> None:
        fake = tmp_path / "python"
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        add_drivers(repo, python=str(fake))

    return setup


def with_broken_package(repo: Repo, tmp_path: Path) -> None:
    """A package that does not even import."""
    package = tmp_path / "lib" / "coord" / "drivers"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("raise SystemError('broken')\n")
    add_drivers(repo, lib=str(tmp_path / "lib"))


BROKEN: dict[str, Callable[[Repo, Path], None]] = {
    "dead interpreter": dead,
    "missing package": without_package,
    "missing launcher": without_launcher,
    "broken package": with_broken_package,
    "killed": ending("kill -9 $$"),
    "terminated": ending("kill -15 $$"),
    "crashed": ending("exit 1"),
    "not executable": ending("exit 126"),
    "ended with a signal's number": ending("exit 139"),
    "refused without a fact": ending("exit 3"),
}
setups = pytest.mark.parametrize("setup", BROKEN.values(), ids=BROKEN)


class TestBroken:
    """Whatever breaks, git sees a conflict with both sides, and the user a command."""

    @setups
    def test_it_ends_in_a_recorded_conflict(
        self, guarded: Repo, tmp_path: Path, setup: Callable[[Repo, Path], None]
    ) -> None:
        """Exit 1, whatever Python's was, and never a side taken."""
        setup(guarded, tmp_path)
        done = merge(guarded, *GROWN)

        assert done.refusal.rule == "driver-failed"
        assert done.out.count("CONFLICT") == 1
        assert_conflict_with_both_sides(guarded, done)

    @setups
    def test_the_log_driver_is_silent_for_a_virtual_base(
        self, guarded: Repo, tmp_path: Path, setup: Callable[[Repo, Path], None]
    ) -> None:
        """Only the real merge speaks."""
        crossed(guarded, "a.log")
        setup(guarded, tmp_path)
        done = guarded.tried("merge", "side")

        assert len(refusals(done.err)) == 1
        assert_conflict_with_both_sides(guarded, done)

    @setups
    def test_its_own_exit_status_is_one(
        self, guarded: Repo, tmp_path: Path, setup: Callable[[Repo, Path], None]
    ) -> None:
        """More than 128 would abort the merge, or leave garbage, as the version of git has it."""
        setup(guarded, tmp_path)
        for name, content in zip("OAB", GROWN, strict=True):
            guarded.write(name, content)
        line = DRIVERS["coord-log"].command
        for placeholder, word in (("%O", "O"), ("%A", "A"), ("%B", "B"), ("%L", "7"), ("%P", "x")):
            line = line.replace(placeholder, word)
        done = guarded.run("sh", "-c", line)

        assert (done.code, done.out) == (1, "")

    def test_the_repair_is_named_and_the_merge_can_be_run_again(
        self, guarded: Repo, tmp_path: Path
    ) -> None:
        """The command of the launcher; then git merges the one file anew."""
        add_drivers(guarded, python=str(tmp_path / "python"), repair="coord-install --repair 'x y'")
        done = merge(guarded, *GROWN)
        assert done.refusal.run == "coord-install --repair 'x y'"
        again = done.refusal.why.rpartition(": ")[2]

        add_drivers(guarded)
        assert guarded.paste(again).code == 0
        assert guarded.read("a.log") == "a\nb\nm\ns\n"

    @pytest.mark.parametrize("signal", [9, 15])
    def test_what_was_killed_is_merged_again_and_not_installed_anew(
        self, guarded: Repo, tmp_path: Path, signal: int
    ) -> None:
        """It is there: somebody killed it, or the system for want of memory."""
        ending(f"kill -{signal} $$")(guarded, tmp_path)
        done = merge(guarded, *GROWN)
        add_drivers(guarded)

        assert f"signal {signal}" in done.refusal.why
        assert guarded.paste(done.refusal.run).code == 0
        assert guarded.read("a.log") == "a\nb\nm\ns\n"

    def test_a_missing_launcher_names_the_installer(self, guarded: Repo) -> None:
        """It cannot say more than that."""
        guarded.common("hooks/coord/launch").unlink()

        assert merge(guarded, *GROWN).refusal.run == "coord-install"

    def test_a_module_of_the_repository_is_not_imported(self, guarded: Repo) -> None:
        """Cwd is the worktree, and holds whatever somebody committed."""
        evil = b"raise SystemExit(0)\n"
        guarded.commit("evil", {f"{name}.py": evil for name in ("posix", "coord", "tomllib", "io")})
        guarded.commit("declare", {".coord.toml": '[log."*.log"]\nstart = "## "\n'})
        guarded = guarded.with_env(PYTHONPATH=str(guarded.path), PYTHONSTARTUP="evil.py")

        assert merge(guarded, b"## a\n", b"## a\n## m\n", b"## a\n## s\n").code == 0
        assert guarded.read("a.log") == "## a\n## m\n## s\n"

    def test_an_error_of_ours_is_one_line_and_a_traceback_on_request(self, guarded: Repo) -> None:
        """%A cannot be opened: as when memory or a disk fails."""
        guarded.common("hooks/coord/join").write_text(
            guarded.common("hooks/coord/join")
            .read_text()
            .replace('"$coord_depth" "$1" "$2"', '"$coord_depth" "$1" /nowhere/A')
        )
        done = merge(guarded, *GROWN)
        guarded.git("merge", "--abort")
        debugged = guarded.with_env(COORD_DEBUG="1").tried("merge", "side")

        assert done.refusal.rule == "driver-failed"
        assert "FileNotFoundError" in done.refusal.why
        assert "Traceback" not in done.err
        assert "Traceback" in debugged.err
        assert library() not in done.err
