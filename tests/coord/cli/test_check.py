"""``git coord check`` as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness import Repo
from harness.begun import begun_by
from harness.check import branch, declare

if TYPE_CHECKING:
    from pathlib import Path

REWRITE = {"a.log": "one\nTWO\nthree\n"}


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """A repository with one file of each kind, nothing installed."""
    return begun_by(repo, declare)


def check(repo: Repo, *args: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
    """Run ``git-coord check --json``, as CI does without an alias; return code and document."""
    done = repo.run("git-coord", "check", "--json", *args)
    return done.code, json.loads(done.out)


def rules(document: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return the rules that are broken."""
    return [problem["rule"] for problem in document["problems"]]


def test_all_is_well(guarded: Repo) -> None:
    """Exit 0, and what was seen."""
    done = guarded.run("git-coord", "check")

    assert (done.code, done.out, done.err) == (0, "ok: 2 commits, 3 guarded files\n", "")
    assert check(guarded) == (
        0,
        {"schema": 1, "ok": True, "problems": [], "commits": 2, "guarded": 3, "notes": []},
    )


def test_a_broken_rule_is_a_line_with_its_command(guarded: Repo) -> None:
    """Exit 1; the same in both forms."""
    bad = guarded.commit("edit", REWRITE)

    done = guarded.run("git-coord", "check")

    assert done.code == 1
    assert done.out == (
        f'log-rewritten: a.log: edited or deleted: line 2, "two" ({bad[:12]})\n'
        "  run: git coord check --mend\n"
        "1 problem in 3 commits, 3 guarded files\n"
    )
    code, document = check(guarded)
    assert code == 1
    assert document["ok"] is False
    assert document["problems"] == [
        {
            "rule": "log-rewritten",
            "path": "a.log",
            "commit": bad,
            "message": 'edited or deleted: line 2, "two"',
            "run": "git coord check --mend",
            "line": 2,
        }
    ]


def test_the_command_repeats_the_range(guarded: Repo) -> None:
    """It mends what was judged; without the alias the executable does."""
    bad = guarded.commit("edit", REWRITE)
    _, document = check(guarded, "HEAD^..HEAD")
    run = document["problems"][0]["run"]
    assert run == "git coord check --mend 'HEAD^..HEAD'"

    done = guarded.paste(f"{run} --json")

    assert json.loads(done.out) == {
        "schema": 1, "mended": ["a.log"], "commit": guarded.git("rev-parse", "HEAD"),
    }  # fmt: skip
    assert check(guarded, f"{bad}^..")[0] == 0


def test_text_of_others_is_escaped(guarded: Repo) -> None:
    """A record must not move the cursor."""
    guarded.commit("esc", {"b.log": "\x1b[2J\n"})
    guarded.commit("edit", {"b.log": "x\n"})

    out = guarded.run("git-coord", "check").out

    assert "\x1b" not in out
    assert "\\x1b[2J" in out


@pytest.mark.parametrize(
    ("args", "code", "rule"),
    [
        (("nobody..HEAD",), 2, "range-unknown"),
        (("--tree", "HEAD"), 2, "usage"),
        (("--tree", "--mend"), 2, "usage"),
        (("A", "B"), 2, "usage"),
    ],
)
def test_a_wrong_call_is_exit_2(guarded: Repo, args: tuple[str, ...], code: int, rule: str) -> None:
    """With one command that leads on."""
    done = guarded.run("git-coord", "check", *args)

    assert (done.code, done.refusal.rule) == (code, rule)


def test_no_repository_is_exit_3(tmp_path: Path, env: dict[str, str]) -> None:
    """As for every verb."""
    (tmp_path / "empty").mkdir()

    assert Repo(tmp_path / "empty", env).run("git-coord", "check").code == 3


def test_an_unborn_branch_is_well(tmp_path: Path, env: dict[str, str]) -> None:
    """Nothing was committed, so nothing is wrong."""
    unborn = Repo.init(tmp_path / "unborn", env)

    assert unborn.run("git-coord", "check").out == "ok: 0 commits, 0 guarded files\n"
    assert unborn.run("git-coord", "check", "--tree").code == 0


def test_a_bare_repository_is_judged_whole(guarded: Repo, tmp_path: Path) -> None:
    """As on a server: no working tree, no install."""
    guarded.commit("edit", REWRITE)
    guarded.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = guarded.bare(tmp_path / "bare.git")

    code, document = check(bare)

    assert (code, rules(document)) == (1, ["log-rewritten"])
    assert bare.run("git-coord", "check", "--tree").code == 0


def test_a_shallow_clone_says_what_it_could_not_see(guarded: Repo, tmp_path: Path) -> None:
    """The first commit it has looks like a beginning."""
    guarded.commit("edit", REWRITE)
    guarded.commit("later", {"x": "x"})
    guarded.git("clone", "-q", "--depth", "2", f"file://{guarded.path}", str(tmp_path / "shallow"))
    shallow = guarded.at(tmp_path / "shallow")

    done = shallow.run("git-coord", "check", "HEAD")
    unknown = shallow.run("git-coord", "check", "HEAD~2..HEAD")

    assert done.code == 0
    assert "shallow" in done.err
    assert unknown.code == 2
    assert "shallow" in unknown.refusal.why
    assert shallow.paste(unknown.refusal.run).code == 0
    assert shallow.run("git-coord", "check", "HEAD~2..HEAD").code == 1


def test_a_partial_clone_fetches_what_it_reads(guarded: Repo, tmp_path: Path) -> None:
    """Git brings the blobs of guarded files; none of the others is asked for."""
    guarded.git("config", "uploadpack.allowFilter", "true")
    guarded.commit("edit", {**REWRITE, "big": "x" * 1000})
    guarded.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{guarded.path}",
        str(tmp_path / "partial"),
    )  # fmt: skip

    code, document = check(guarded.at(tmp_path / "partial"), "HEAD")

    assert (code, rules(document)) == (1, ["log-rewritten"])


def test_a_sha256_repository_is_judged(tmp_path: Path, env: dict[str, str]) -> None:
    """Ids are twice as long, and beginnings are proved by the other hash."""
    repo = Repo.init(tmp_path / "long", env, "--object-format=sha256")
    repo.commit("start")
    declare(repo)
    repo.commit("append", {"a.log": "one\ntwo\nthree\nfour\n"})
    assert check(repo)[0] == 0
    bad = repo.commit("edit", {"a.log": "one\nthree\nfour\n"})

    code, document = check(repo)

    assert (code, document["problems"][0]["commit"]) == (1, bad)


def test_it_runs_from_anywhere(guarded: Repo, tmp_path: Path) -> None:
    """A subdirectory, a linked worktree, a detached HEAD, under a leaked GIT_DIR."""
    guarded.commit("edit", REWRITE)
    (guarded.path / "src" / "deep").mkdir()
    assert check(guarded.at(guarded.path / "src" / "deep"))[0] == 1
    side = guarded.worktree(tmp_path / "w", "side")
    assert check(side) == (0, check(side)[1])
    assert check(side, "HEAD")[0] == 1
    side.git("checkout", "-q", "--detach")
    assert check(side.with_env(GIT_DIR=str(tmp_path / "nowhere")), "HEAD")[0] == 1


def test_paths_of_commands_fit_the_folder(guarded: Repo) -> None:
    """An editor is told where the file is from here."""
    guarded.commit("typo", {".coord.toml": "push = 1\n"})

    _, document = check(guarded.at(guarded.path / "src"))

    assert document["problems"][0]["run"] == "${EDITOR:-vi} +1 ../.coord.toml"


def test_the_tree_alone(guarded: Repo) -> None:
    """``--tree`` judges what is there, committed or not."""
    guarded.commit("edit", REWRITE)
    assert guarded.run("git-coord", "check", "--tree").code == 0
    guarded.write("a.log", "one\n")

    done = guarded.run("git-coord", "check", "--tree")

    assert done.code == 1
    assert done.out.startswith("log-rewritten: a.log: edited or deleted")


def test_three_dots_judge_both_sides(guarded: Repo) -> None:
    """As ``git log A...B`` shows them."""
    first = branch(guarded, "first", "edit", REWRITE)
    second = branch(guarded, "second", "edit", {"coordination/ids/adr/0001.toml": "x\n"})

    _, document = check(guarded, "first...second")

    assert {problem["commit"] for problem in document["problems"]} == {first, second}


def test_what_the_guards_let_pass_with_a_reason_passes_here(
    repo: Repo,
) -> None:
    """A refused commit settled by ``resolve``, a refused merge settled by ``regenerate``."""
    repo.install()
    declare(repo)
    repo.git("branch", "shared")
    repo.write("a.log", "one\nTWO\nthree\n")
    refused = repo.tried("commit", "-am", "edit")
    assert refused.refusal.rule == "log-rewritten"
    assert repo.paste(refused.refusal.run).code == 0
    repo.git("commit", "-q", "-am", "edit")
    branch(repo, "side", "side", {"src/b.proto": "B\n", "schema.json": "a\nB\n"})
    repo.commit("main", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    assert repo.tried("merge", "--no-edit", "side").code == 1
    assert repo.coord("regenerate", "--all", "--trust").code == 0
    repo.git("commit", "-q", "--no-edit")

    done = repo.coord("check", "HEAD")

    assert (done.code, done.out) == (0, "ok: 6 commits, 3 guarded files\n")


@pytest.mark.parametrize("words", ["", "HEAD:.gitattributes", "main main", "nobranch"])
def test_a_shallow_clone_is_not_blamed_for_a_range_that_is_none(
    guarded: Repo, tmp_path: Path, words: str
) -> None:
    """More history would not make it one."""
    guarded.git("clone", "-q", "--depth", "1", f"file://{guarded.path}", str(tmp_path / "shallow"))

    done = guarded.at(tmp_path / "shallow").run("git-coord", "check", words)

    assert (done.code, done.refusal.rule, "shallow" in done.refusal.why) == (
        2,
        "range-unknown",
        False,
    )


def test_blobs_that_cannot_be_fetched_are_said(guarded: Repo, tmp_path: Path) -> None:
    """A partial clone whose remote is away: no verdict, and the command for when it is back."""
    guarded.commit("more", {"a.log": "one\ntwo\nthree\nfour\n"})
    guarded.git("config", "uploadpack.allowFilter", "true")
    clone = guarded.at(tmp_path / "part")
    url = f"file://{guarded.path}"
    guarded.git("clone", "-q", "--filter=blob:none", "--no-checkout", url, str(clone.path))
    away = guarded.path.rename(tmp_path / "away")

    done = clone.run("git-coord", "check", "HEAD", "--json")

    assert (done.code, done.refusal.rule) == (3, "objects-missing")
    assert json.loads(done.out)["error"]["rule"] == "objects-missing"
    assert "git said" in done.refusal.why
    away.rename(guarded.path)
    assert clone.paste(done.refusal.run).code == 0
    assert clone.run("git-coord", "check", "HEAD").code == 0
