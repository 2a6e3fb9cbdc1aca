"""Who calls a driver, with what, and what git remembers of it (docs/drivers.md has it in short)."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from coord.guard import refusal
from coord.repo import git, worktree
from coord.settle import index, resolve
from harness import Repo, clean_environment
from harness.callers import CALLERS, FILES, JOINED, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from coord.guard.evidence import Facts
    from coord.guard.refusal import Record
    from harness.callers import Caller

# What a person stages after these is free where the stash, or nothing at all, remembers the rest.
FREE = {"stash pop": {"ours"}, "checkout -m": {"ours", "theirs"}, "apply -3": {"ours", "theirs"}}


@pytest.fixture(scope="session")
def _prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("callers")
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    made = Repo.init(home / "repo", clean_environment(home))
    prepare(made)
    return made.path


@pytest.fixture
def called(_prepared: Path, tmp_path: Path, env: Mapping[str, str]) -> Repo:
    """The history of harness.callers, main checked out."""
    shutil.copytree(_prepared, tmp_path / "repo", symlinks=True)
    return Repo(tmp_path / "repo", env)


def both(repo: Repo, caller: Caller) -> dict[str, tuple[str, str]]:
    """Return the blobs of both sides of each file, as commits hold them."""
    ours = repo.git("rev-parse", *(f"HEAD:{caller.folder}{name}" for name in FILES)).split()
    theirs = repo.git("rev-parse", *(f"side:{name}" for name in FILES)).split()
    names = [f"{caller.folder}{name}" for name in FILES]
    return dict(zip(names, zip(ours, theirs, strict=True), strict=True))


def judged(repo: Repo) -> list[tuple[Record, Facts]]:
    """Return what was refused, and what git says of it now."""
    return refusal.judged(worktree.discover(str(repo.path), repo.env), git.elsewhere())


def stage(repo: Repo, blobs: Mapping[str, str]) -> None:
    """Stage blobs as they are, and check them out."""
    lines = "".join(f"100644 {blob}\t{path}\n" for path, blob in blobs.items())
    repo.git("update-index", "--index-info", stdin=lines)
    repo.git("checkout-index", "-f", "-u", *blobs)


def found(repo: Repo, *args: str) -> set[str]:
    """Return the paths of which ``git coord check`` says something of HEAD, or of the tree."""
    problems = json.loads(repo.coord("check", "--json", *args).out)["problems"]
    head = repo.git("rev-parse", "HEAD")
    return {problem["path"] for problem in problems if problem["commit"] in {None, head}}


def settle(repo: Repo, paths: list[str]) -> None:
    """Settle all of them: make the derived anew, keep both sides of logs, theirs of the others."""
    assert repo.coord("regenerate", "--all", "--trust").code == 0
    spot = index.spot(worktree.discover(str(repo.path), repo.env), str(repo.path), "resolve")
    for path in paths:
        if not path.endswith(".lock"):
            take = "both" if path.endswith(".log") else "theirs"
            resolve.settle(resolve.case(spot, path), take, "looked at")


def staged_as_each(
    repo: Repo, caller: Caller, sides: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[list[bool], set[str]]]:
    """Stage ours, then theirs; yield what the gate stops, and what the check says of the tree."""
    for number in (0, 1):
        stage(repo, {path: pair[number] for path, pair in sides.items()})
        told = found(repo, "--tree") if caller.finish else set()
        # What a subtree merge lost of the library stands above the folder.
        below = {path.removeprefix(caller.folder) for path in told}
        yield [refusal.blocks(*pair) for pair in judged(repo)], below


@pytest.mark.parametrize("name", CALLERS)
def test_whoever_calls_a_side_is_an_id_that_git_holds(called: Repo, name: str) -> None:
    """One refusal a file; neither side of it can be committed unseen, and what settles it can.

    The check agrees as far as commits can tell: a replay has one parent, and what it dropped of the
    other side no commit knows.
    """
    caller = CALLERS[name]
    called.paste(caller.run)
    sides = both(called, caller)

    assert {one.path: (one.ours, one.theirs) for one, _ in judged(called)} == sides
    (swallowed, ours), (again, theirs) = staged_as_each(called, caller, sides)
    free = FREE.get(name, ())
    assert swallowed == ["ours" not in free] * len(FILES)
    assert again == ["theirs" not in free] * len(FILES)
    if not caller.finish:
        return
    derived = {name for name in FILES if name.endswith(".lock")}
    kept = {*FILES} - derived
    if caller.merges:
        assert derived <= ours
        assert kept <= ours & theirs
    else:
        assert (ours, theirs) == (derived, kept)
    stopped = called.paste(f"git add -u && {caller.finish}")
    assert stopped.refusal.rule == "refusal-pending"
    assert f"(and {len(FILES) - 1} more)" in stopped.err
    settle(called, list(sides))
    done = called.paste(caller.finish)
    assert done.code == 0, done.err
    assert called.git("status", "--short") == ""
    # What a filter makes of a text only a clone that has it knows.
    assert found(called, "HEAD~1..") <= ({"filter.log", "filter.once"} if caller.folder else set())


@pytest.mark.parametrize(
    "command",
    [
        "git switch -q late && git merge -q --no-edit early",
        "git switch -q late && git cherry-pick early",
        "git switch -q early && git rebase -q late",
    ],
)
def test_what_was_renormalized_and_joined_has_lost_nothing(called: Repo, command: str) -> None:
    """The log driver is handed converted texts: gate and check see no loss in what it joins."""
    done = called.paste(command)

    assert done.code == 0, done.err
    assert called.git("show", "HEAD:filter.log") + "\n" == JOINED
    assert found(called, "HEAD~1..") <= {"filter.log"}


@pytest.mark.parametrize(
    "command", ["git merge-tree --write-tree main side", "git log -1 -p --remerge-diff both"]
)
def test_a_look_ahead_leaves_no_record(called: Repo, command: str) -> None:
    """Nothing is written where git holds no lock of the index."""
    called.git(
        "branch",
        "both",
        called.git("commit-tree", "-p", "main", "-p", "side", "-m", "x", "main^{tree}"),
    )

    done = called.paste(command)

    assert "coord: derived-two-sided" in done.err
    assert judged(called) == []


def test_what_is_merged_by_hand_is_judged_as_it_is_committed(called: Repo) -> None:
    """``git merge-file`` calls nobody and leaves no record; its conflict is one all the same."""
    sides = "git show base:plain.log >../b && git show side:plain.log >../s"

    done = called.paste(f"{sides} && git merge-file plain.log ../b ../s")

    assert (done.code, done.err, judged(called)) == (1, "", [])
    assert called.paste("git commit -qam x").refusal.rule == "conflict-markers"


def test_a_merge_that_dies_of_a_closed_pipe_is_cut_off(called: Repo) -> None:
    """Git says what it merged when the files are there; MERGE_HEAD and the index come later."""
    called.unread("git", "merge", "side", both=False)

    assert not called.private("MERGE_HEAD").exists()
    assert {one.path for one, _ in judged(called)} == {*FILES}
    stopped = called.paste("git commit -qam x")
    assert (stopped.code, stopped.refusal.rule) == (1, "operation-cut-off")
    assert called.paste(stopped.refusal.run).code == 0
    assert called.git("status", "--short") == ""
