"""The law of a rehearsal: what it foresees is what merging in that order really does."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from coord.rehearse.run import rehearse
from coord.repo import worktree

if TYPE_CHECKING:
    from harness import Repo

SEEDS = range(int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "6")))
RULES = "*.log coord-log\n*.lock coord-derived\n"
FILES = ("a.txt", "dir/b.txt", "dir/deep/c.txt", "moves.log", "dir/more.log", "api.lock")
PLAIN = ("-c", "core.hooksPath=/dev/null", "-c", "rerere.enabled=false")


class Met(NamedTuple):
    """What merging one branch really did."""

    outcome: str
    conflicts: frozenset[str]
    refused: frozenset[str]
    tree: str


def change(dice: random.Random, repo: Repo, name: str) -> None:
    """Change one file as somebody on branch `name` would."""
    path = dice.choice(FILES)
    full = repo.path / path
    deed = dice.random()
    if not full.exists():
        repo.write(path, f"anew by {name}\n")
    elif path.endswith(".log") and deed < 0.9:
        with full.open("a") as log:
            log.write(f"2026-01-{dice.randrange(10, 29)}T00:00:00Z {name}\n")
    elif deed < 0.1:
        full.unlink()
    elif deed < 0.2:
        repo.write(f"dir/{name}{full.suffix}", full.read_bytes())
        full.unlink()
    elif deed < 0.3:
        rules = repo.path / ".gitattributes"
        line = dice.choice(["*.txt coord-log\n", "*.txt coord-derived\n", "*.lock !merge\n"])
        rules.write_text(rules.read_text() + line if rules.exists() else line)
    else:
        lines = full.read_text().splitlines(keepends=True)
        lines[dice.randrange(len(lines))] = f"by {name}\n"
        repo.write(path, "".join(lines))


def grow(dice: random.Random, repo: Repo) -> list[str]:
    """Make branches, some stacked on others, some with merges of others; return an order."""
    body = "".join(f"line {number}\n" for number in range(8))
    dated = "".join(f"2026-01-0{day}T00:00:00Z start\n" for day in range(1, 5))
    files = {path: dated if path.endswith(".log") else body for path in FILES}
    repo.commit("ground", {".gitattributes": RULES, **files})
    made: list[str] = []
    for number in range(7):
        name = f"b{number}"
        start = dice.choice(made) if made and dice.random() < 0.3 else "main"
        repo.git("switch", "-q", "-c", name, start)
        if made and dice.random() < 0.3:
            repo.git(*PLAIN, "merge", "-q", "--no-edit", "-s", "ours", dice.choice(made))
        for _ in range(dice.randrange(1, 4)):
            change(dice, repo, name)
        repo.git("add", "-A")
        repo.git(*PLAIN, "commit", "-q", "--allow-empty", "-m", name)
        made.append(name)
    repo.git("switch", "-q", "main")
    dice.shuffle(made)
    return made


def merge(repo: Repo, name: str) -> Met:
    """Really merge; where only guarded files were refused, go on with ours of them."""
    done = repo.tried(*PLAIN, "merge", "-q", "--no-edit", name)
    if done.code == 0:
        return Met("clean", frozenset(), frozenset(), repo.git("rev-parse", "HEAD^{tree}"))
    unmerged = frozenset(repo.git("diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1])
    refused = frozenset(recorded(repo)) & unmerged
    tree = ""
    if unmerged - refused or "CONFLICT (" in without_contents(repo, name):
        repo.git("merge", "--abort")
    else:
        repo.git("checkout", "-q", "--ours", "--", *refused)
        repo.git("add", "--", *refused)
        repo.git(*PLAIN, "commit", "-q", "--no-edit")
        tree = repo.git("rev-parse", "HEAD^{tree}")
    for record in repo.private("coord-refused").iterdir() if refused else ():
        record.unlink()
    return Met("refused" if tree else "conflict", unmerged - refused, refused, tree)


def without_contents(repo: Repo, name: str) -> str:
    """Return what git says of a merge but for files changed on both sides."""
    said = repo.tried("merge-tree", "--write-tree", "--messages", "HEAD", name).out
    keep = [line for line in said.split("\n") if "CONFLICT (content)" not in line]
    return "\n".join(line for line in keep if "CONFLICT (add/add)" not in line)


def recorded(repo: Repo) -> list[str]:
    """Return the paths of the refusal records that the drivers left."""
    folder = repo.private("coord-refused")
    files = folder.iterdir() if folder.exists() else ()
    lines = [line for file in files for line in file.read_text().splitlines()]
    return [line.removeprefix("path ") for line in lines if line.startswith("path ")]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rehearsal_foresees_what_merging_does(installed: Repo, seed: int) -> None:
    """Outcome, conflicts, refused files and every byte of each tree, whatever the history."""
    order = grow(random.Random(seed), installed)  # noqa: S311
    found = rehearse(worktree.discover(str(installed.path)), "main", order)

    for step in found.steps:
        met = merge(installed, step.branch)
        assert (step.outcome, step.tree) == (met.outcome, met.tree), (step, met)
        assert {artifact.path for artifact in step.refused} == met.refused
        assert met.conflicts <= {conflict.path for conflict in step.conflicts}
    assert found.tree == installed.git("rev-parse", "HEAD^{tree}")
