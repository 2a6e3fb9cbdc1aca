"""Where branches have parted, and which paths both sides have touched since: for all pairs at once.

One walk down from the tips gives each commit the set of tips that have it, as the bits of a number.
The first commit with both bits of a pair is its merge base, the one git names first; and a path may
have changed on both sides only if each has a commit of its own that touched it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coord.repo.worktree import Worktree

_DIFF = ("diff-tree", "--stdin", "-r", "-m", "--root", "-z", "--raw", "--no-renames")


class Fork(NamedTuple):
    """Two commits with a history in common, and what each may have changed since.

    Attributes:
        tips: the two, in the order they were given.
        base: their merge base, none of the two.
        paths: what commits of either side have touched, and of the other.
    """

    tips: tuple[str, str]
    base: str
    paths: frozenset[str]


class _Walk(NamedTuple):
    """What the walk has found.

    Attributes:
        masks: {commit: the tips that have it}, without what all have that share a history.
        met: for each tip, by its number, (the tips it first met at a commit, the commit).
        shared: the commit that all have, where there is one.
    """

    masks: dict[str, int]
    met: list[list[tuple[int, str]]]
    shared: str


def forks(here: Worktree, tips: Iterable[str]) -> Iterator[Fork]:
    """Yield the pairs of commits that may have changed one path on both sides."""
    for group in _related(here, list(dict.fromkeys(tips))):
        walk = _walked(here, group)
        for (one, other), paths in _touched_by_both(_touched(here, walk)).items():
            base = _base(walk, one, other)
            if base and base not in {group[one], group[other]}:
                yield Fork((group[one], group[other]), base, frozenset(paths))


def _related(here: Worktree, tips: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the commits that have a history in common, also through others; mostly all have one."""
    left = list(tips)
    while len(left) > 1:
        kin = left if _common(here, left) else left[:1]
        before = 0
        while before < len(kin) < len(left):
            before = len(kin)
            kin += [one for one in left if one not in kin and _met(here, one, kin)]
        yield kin
        left = [one for one in left if one not in kin]


def _met(here: Worktree, one: str, others: Sequence[str]) -> str:
    """Return a merge base of a commit and any of the others, as if those were merged."""
    return git.ask("merge-base", one, *others, cwd=here.cwd).text


def _common(here: Worktree, tips: Sequence[str]) -> str:
    return git.ask("merge-base", "--octopus", *tips, cwd=here.cwd).text


def _walked(here: Worktree, tips: Sequence[str]) -> _Walk:
    shared = _common(here, tips)
    stdin = "".join(f"{one}\n" for one in (*tips, *([f"^{shared}"] if shared else [])))
    walk = ("rev-list", "--parents", "--date-order", "--stdin")
    listing = git.tell(*walk, cwd=here.cwd, stdin=stdin.encode()).text
    masks = {tip: 1 << number for number, tip in enumerate(tips)}
    met: list[list[tuple[int, str]]] = [[] for _ in tips]
    seen = [1 << number for number in range(len(tips))]
    done: set[int] = set()
    listed = [line.split(" ") for line in listing.split("\n") if line]
    for commit, *parents in listed:
        mask = masks[commit]
        for parent in parents:
            masks[parent] = masks.get(parent, 0) | mask
        if mask not in done:
            done.add(mask)
            for number in _bits(mask):
                if mask & ~seen[number]:
                    met[number].append((mask & ~seen[number], commit))
                    seen[number] |= mask
    every = (1 << len(tips)) - 1
    kept = {commit: masks[commit] for commit, *_ in listed if masks[commit] != every}
    return _Walk(kept, met, shared)


def _base(walk: _Walk, one: int, other: int) -> str:
    bit = 1 << other
    return next((commit for mask, commit in walk.met[one] if mask & bit), walk.shared)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _touched(here: Worktree, walk: _Walk) -> dict[str, set[int]]:
    """Return {path: the masks of the commits that touched it}, a merge's against each parent."""
    found: dict[str, set[int]] = {}
    stdin = "".join(f"{commit}\n" for commit in walk.masks).encode()
    fields = iter(git.tell(*_DIFF, cwd=here.cwd, stdin=stdin).fields if stdin else ())
    mask = 0
    for field in fields:
        if field.startswith(":"):
            found.setdefault(next(fields), set()).add(mask)
        else:
            mask = walk.masks[field]
    return found


def _touched_by_both(touched: Mapping[str, set[int]]) -> dict[tuple[int, int], list[str]]:
    """Return the paths that each of a pair of tips has touched in a commit the other has not."""
    found: dict[tuple[int, int], list[str]] = {}
    pairs_of: dict[frozenset[int], list[tuple[int, int]]] = {}
    for path, masks in touched.items():
        if len(masks) > 1:
            key = frozenset(masks)
            if key not in pairs_of:
                pairs_of[key] = list(_apart(sorted(key)))
            for pair in pairs_of[key]:
                found.setdefault(pair, []).append(path)
    return found


def _apart(masks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of tips of which each is in a mask that the other is not in."""
    reached: dict[int, int] = {}
    for at, mask in enumerate(masks):
        for number in _bits(mask):
            reached[number] = reached.get(number, 0) | 1 << at
    alike: dict[int, list[int]] = {}
    for number, some in reached.items():
        alike.setdefault(some, []).append(number)
    for (mine, ones), (theirs, others) in itertools.combinations(alike.items(), 2):
        if mine & ~theirs and theirs & ~mine:
            yield from ((min(pair), max(pair)) for pair in itertools.product(ones, others))
