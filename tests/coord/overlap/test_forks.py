"""Pairs of branches asked all at once meet where git, asked pair by pair, says that they do."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest

from coord.overlap import contact
from coord.repo import git, worktree

if TYPE_CHECKING:
    from harness import Repo

FILES = "abcdef"


def drawn(repo: Repo, seed: int, branches: int = 6, commits: int = 40) -> list[str]:
    """Draw a history of branches that fork, merge and revert; one in two draws two roots of it."""
    pick = random.Random(seed)  # noqa: S311  # histories, drawn again by their number
    names = [f"b{number}" for number in range(branches)]
    born: list[str] = []
    lines = []
    for number in range(commits):
        name = names[number] if number < branches else pick.choice(names)
        head = (
            f"commit refs/heads/{name}\ncommitter A <a@b.c> {1700000000 + number} +0000\ndata 0\n"
        )
        source = pick.choice(born) if born else ""
        apart = number == branches - 1 and seed % 2
        start = f"from refs/heads/{source}\n" if name not in born and source and not apart else ""
        merge = f"merge refs/heads/{source}\n" if name in born and pick.random() < 0.3 else ""
        files = "".join(
            f"M 100644 inline {path}\ndata 2\n{pick.randrange(3)}\n\n"
            for path in pick.sample(FILES, 2)
        )
        lines.append(head + start + (merge if source != name else "") + files)
        born = [*dict.fromkeys([*born, name])]
    repo.git("fast-import", "--quiet", "--force", stdin="".join(lines))
    return born


def asked_alone(repo: Repo, one: str, other: str) -> tuple[set[str], bool]:
    """Return what git says both changed since each merge base, and whether there is but one."""
    bases = repo.tried("merge-base", "--all", one, other).out.split()
    tips = {repo.git("rev-parse", name) for name in (one, other)}
    if tips & set(bases):
        return set(), True
    both: set[str] = set()
    for base in bases:
        changed = [
            set(repo.git("diff-tree", "-r", "--name-only", base, name).split())
            for name in (one, other)
        ]
        both |= changed[0] & changed[1]
    return both, len(bases) < 2


# 33: two branches without a history in common, and one that has both.
@pytest.mark.parametrize("seed", [*range(5), 33])
def test_all_pairs_at_once_meet_where_each_pair_does(repo: Repo, seed: int) -> None:
    """With merges, reverts, criss-crosses, and a branch that shares no history."""
    names = drawn(repo, seed)
    found = contact.contacts(worktree.discover(str(repo.path)), names)
    met = {one.branches: {file.path for file in one.files} for one in found}

    for pair in itertools.combinations(sorted(names), 2):
        wanted, plain = asked_alone(repo, *pair)
        mine = met.get(pair, set())
        differ = set(repo.git("diff-tree", "-r", "--name-only", *pair).split())
        # Of several merge bases either may be taken; what both have alike is settled in any case.
        assert (mine & differ == wanted & differ) if plain else mine <= wanted, pair
        base = [one.base for one in found if one.branches == pair]
        assert not base or base[0] in repo.git("merge-base", "--all", *pair).split()


def test_children_do_not_grow_with_branches(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three or thirty: the same questions."""
    asked: list[str] = []
    real = git.ask
    monkeypatch.setattr(git, "ask", lambda *a, **k: asked.append(a[0]) or real(*a, **k))
    repo.commit("base", {"f": "base\n"})
    counts = []
    for number in range(30):
        repo.git("switch", "-q", "-c", f"b{number}", "main")
        repo.commit("mine", {"f": f"{number}\n", f"own{number}": "x\n"})
        if number in {2, 29}:
            asked.clear()
            names = [f"b{one}" for one in range(number + 1)]
            assert len(contact.contacts(worktree.discover(str(repo.path)), names)) == (
                number * (number + 1) // 2
            )
            counts.append(list(asked))
    assert counts[0] == counts[1]
