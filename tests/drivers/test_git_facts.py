"""What the drivers rely on in git. When one of these stops holding, it has to be loud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.scenes import crossed, diverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Repo

# Notes, beside the repository, what it was called with and what it saw; leaves ours, says conflict.
SPY = """\
{ printf 'call\\n'; printf '<%s>\\n' "$@"; env; ls -A; git ls-files -u; } >>../spied; exit 1"""


@pytest.fixture
def spied(repo: Repo) -> Callable[[], list[str]]:
    """A driver that notes its calls, for every ``*.log``; returns the notes so far."""
    repo.git("config", "merge.spy.driver", f"set -- %O %A %B %L %P %X %Y; {SPY}")
    repo.common("info").mkdir(exist_ok=True)
    repo.common("info/attributes").write_text("*.log merge=spy\n")
    notes = repo.path.parent / "spied"
    return lambda: notes.read_text().split("\n") if notes.exists() else []


def version(repo: Repo) -> tuple[int, int]:
    """Return git's version."""
    major, minor = repo.git("version").split()[2].split(".")[:2]
    return int(major), int(minor)


def calls(notes: list[str]) -> int:
    """Count the calls in the notes."""
    return notes.count("call")


class TestWhenItIsCalled:
    """Only for a path that both sides changed, differently, and only by the default strategy."""

    def test_not_where_one_side_alone_changed(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Git takes the changed side, even if it rewrote history: hence `check`."""
        diverged(repo, {"a.log": (b"a\nb\n", b"a\nb\n", b"b\n")})

        assert repo.tried("merge", "side").code == 0
        assert calls(spied()) == 0

    def test_not_where_both_made_the_same_change(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Nor for an identical addition."""
        diverged(repo, {"a.log": (b"a\n", b"x\n", b"x\n"), "b.log": (None, b"x\n", b"x\n")})

        assert repo.tried("merge", "side").code == 0
        assert calls(spied()) == 0

    def test_where_both_changed_far_apart(self, repo: Repo, spied: Callable[[], list[str]]) -> None:
        """What a text merge would do cleanly."""
        lines = b"".join(b"%d\n" % n for n in range(40))
        diverged(repo, {"a.log": (lines, b"m\n" + lines, lines + b"s\n")})

        assert repo.tried("merge", "side").code == 1
        assert calls(spied()) == 1

    def test_for_an_addition_on_both_sides_with_an_empty_base(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """The driver must not read it as a base that lost everything."""
        diverged(repo, {"a.log": (None, b"m\n", b"s\n")})
        repo.git("config", "merge.spy.driver", "wc -c <%O >../spied; exit 1")
        repo.tried("merge", "side")

        assert spied()[0].strip() == "0"
        assert repo.git("ls-files", "-u").count("\n") == 1  # stages 2 and 3 only

    def test_not_for_modify_and_delete(self, repo: Repo, spied: Callable[[], list[str]]) -> None:
        """Git's own conflict."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", None)})

        assert repo.tried("merge", "side").code == 1
        assert calls(spied()) == 0

    def test_never_by_an_octopus_or_resolve(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """These run a text merge: `check` and `doctor` only."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge", "-s", "resolve", "side")
        repo.git("reset", "-q", "--hard")
        repo.git("switch", "-q", "-c", "third", "HEAD~1")
        repo.commit("third", {"other": b"x\n"})
        repo.git("switch", "-q", "main")
        repo.tried("merge", "third", "side")
        repo.git("reset", "-q", "--hard")

        assert calls(spied()) == 0

    def test_in_spite_of_an_option_for_conflicts(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """`-X theirs` is invisible to a driver; to the built-in `-merge` it is an answer."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})

        assert repo.tried("merge", "-X", "theirs", "side").code == 1
        assert calls(spied()) == 1

    def test_for_binary_content(self, repo: Repo, spied: Callable[[], list[str]]) -> None:
        """Git looks for NULs in its own merges only: ours has to."""
        diverged(repo, {"a.log": (b"a\n", b"a\n\0m\n", b"a\n\0s\n")})
        repo.tried("merge", "side")

        assert calls(spied()) == 1

    def test_for_the_new_name_of_a_renamed_file(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Rule and %P are those of the destination."""
        lines = b"".join(b"%d\n" % n for n in range(40))
        diverged(
            repo,
            {"old.log": (lines, lines + b"m\n", None), "new.log": (None, None, lines + b"s\n")},
        )
        repo.tried("merge", "side")

        assert "<new.log>" in spied()

    def test_by_a_preview_of_a_past_merge(self, repo: Repo, spied: Callable[[], list[str]]) -> None:
        """`log --remerge-diff` merges again: nothing may be left behind."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge", "side")
        repo.commit("merged", {"a.log": b"a\nm\ns\n"})
        repo.git("log", "-1", "--remerge-diff")

        assert calls(spied()) == 2

    def test_in_reverse_order_of_paths(self, repo: Repo, spied: Callable[[], list[str]]) -> None:
        """So an artifact can come before its inputs are merged."""
        diverged(repo, {f"{n}.log": (b"a\n", b"a\nm\n", b"a\ns\n") for n in (1, 2, 3)})
        repo.tried("merge", "side")
        order = [line for line in spied() if line in {"<1.log>", "<2.log>", "<3.log>"}]

        assert order == ["<3.log>", "<2.log>", "<1.log>"]


class TestWhatItIsGiven:
    """Arguments, environment, and the state of the repository around it."""

    def test_any_byte_of_a_path_arrives_as_one_argument(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Git quotes %P itself; quoting it again would split it."""
        name = "a b'\"$(id)`%P\t\\é.log"
        diverged(repo, {name: (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge", "side")

        assert f"<{name}>" in spied()

    def test_labels_are_themselves_before_2_44(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Then they name the sides; a literal %X has to be tolerated."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge", "side")
        names = ("<HEAD>", "<side>") if version(repo) >= (2, 44) else ("<%X>", "<%Y>")

        assert set(names) <= set(spied())

    def test_a_merge_names_the_other_side_in_a_variable(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """GITHEAD_<commit>; a cherry-pick does not."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        side = repo.git("rev-parse", "side")
        repo.tried("merge", "side")
        repo.git("reset", "-q", "--hard")

        assert f"GITHEAD_{side}=side" in spied()
        before = len(spied())
        repo.tried("cherry-pick", "side")
        assert not [line for line in spied()[before:] if line.startswith("GITHEAD_")]

    def test_git_dir_is_set_in_linked_worktrees_only(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """So the driver line begins with it."""
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge", "side")
        repo.git("reset", "-q", "--hard")
        assert not [line for line in spied() if line.startswith("GIT_DIR=")]

        linked = repo.worktree(repo.path.parent / "linked", "third")
        linked.tried("merge", "side")
        assert f"GIT_DIR={linked.private()}" in [line.rstrip("/") for line in spied()]

    def test_the_index_is_locked_but_not_in_a_preview(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """How a driver tells a merge from merge-tree."""
        repo.git("config", "merge.spy.driver", "ls .git/index.lock >../spied 2>&1; exit 1")
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})
        repo.tried("merge-tree", "--write-tree", "main", "side")
        assert spied()[0] != ".git/index.lock"

        repo.tried("merge", "side")
        assert spied()[0] == ".git/index.lock"

    @pytest.mark.parametrize("depth", [1, 2])
    def test_a_virtual_merge_has_larger_markers(
        self, repo: Repo, spied: Callable[[], list[str]], depth: int
    ) -> None:
        """Two more a level, on top of conflict-marker-size."""
        repo.git("config", "merge.spy.driver", "printf '<%L>\\n' >>../spied; cat %B >>%A; exit 0")
        crossed(repo, "a.log", depth)
        repo.tried("merge", "side")

        assert spied()[:-1] == ["<11>", "<9>", "<7>"][-1 - depth :]

    def test_the_worktree_still_has_our_declarations(
        self, repo: Repo, spied: Callable[[], list[str]]
    ) -> None:
        """Other files are not merged yet: neither .coord.toml nor an artifact's inputs."""
        repo.git("config", "merge.spy.driver", "cat .coord.toml >../spied; exit 1")
        diverged(
            repo,
            {
                "a.log": (b"a\n", b"a\nm\n", b"a\ns\n"),
                ".coord.toml": (b"one\n", b"one\n", b"two\n"),
            },
        )
        repo.tried("merge", "side")

        assert spied() == ["one", ""]


class TestWhatComesOfIt:
    """Exit status, %A, and the stages."""

    @pytest.mark.parametrize("code", [1, 2, 127, 128])
    def test_up_to_128_is_a_conflict_with_both_sides_in_the_index(
        self, repo: Repo, code: int
    ) -> None:
        """The worktree has %A as it stands; the stages are the original blobs."""
        repo.git("config", "merge.spy.driver", f"echo written >%A; exit {code}")
        repo.common("info").mkdir(exist_ok=True)
        repo.common("info/attributes").write_text("*.log merge=spy\n")
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})

        assert repo.tried("merge", "side").code == 1
        assert repo.read("a.log") == "written\n"
        assert repo.git("show", ":2:a.log") == "a\nm"
        assert repo.git("show", ":3:a.log") == "a\ns"

    def test_129_is_garbage_or_the_end_of_the_merge(self, repo: Repo) -> None:
        """A conflict with whatever is in %A before 2.42, an aborted merge after: never do it."""
        repo.git("config", "merge.spy.driver", "exit 129")
        repo.common("info").mkdir(exist_ok=True)
        repo.common("info/attributes").write_text("*.log merge=spy\n")
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})

        assert repo.tried("merge", "side").code == (2 if version(repo) >= (2, 42) else 1)

    def test_a_name_without_a_driver_is_fatal(self, repo: Repo) -> None:
        """So `driver` is written first in a section."""
        repo.git("config", "merge.spy.name", "spy")
        repo.common("info").mkdir(exist_ok=True)
        repo.common("info/attributes").write_text("*.log merge=spy\n")
        diverged(repo, {"a.log": (b"a\n", b"a\nm\n", b"a\ns\n")})

        assert repo.tried("merge", "side").code == 128

    @pytest.mark.parametrize(("recursive", "code"), [(None, 0), ("binary", 1)])
    def test_refusing_a_virtual_merge_loses_a_side_silently(
        self, repo: Repo, recursive: str | None, code: int
    ) -> None:
        """Without `recursive = binary` the refused base equals a side, and git takes the other."""
        repo.git("config", "merge.spy.driver", "exit 1")
        if recursive:
            repo.git("config", "merge.spy.recursive", recursive)
        repo.common("info").mkdir(exist_ok=True)
        repo.common("info/attributes").write_text("*.log merge=spy\n")
        repo.commit("start", {"a.log": b"0\n"})
        repo.git("switch", "-q", "-c", "side")
        repo.commit("y", {"a.log": b"y\n"})
        repo.git("switch", "-q", "main")
        repo.commit("x", {"a.log": b"x\n"})
        x, y = repo.git("rev-parse", "main"), repo.git("rev-parse", "side")
        repo.tried("merge", y)
        settled = repo.commit("main settles", {"a.log": b"x\n"})
        repo.git("switch", "-q", "side")
        repo.tried("merge", x)
        repo.commit("side settles on a third", {"a.log": b"z\n"})
        repo.git("switch", "-q", "main")
        codes = {repo.tried("merge", "side").code}  # which of the two is the base, git decides
        repo.git("reset", "-q", "--hard", settled)
        repo.write("a.log", b"y\n")
        repo.git("commit", "-q", "-a", "--amend", "--no-edit")
        codes.add(repo.tried("merge", "side").code)

        assert (0 in codes) == (code == 0)
