"""Which unpublished commits a worktree itself made since its pin, but under another identity.

Made here is what its own HEAD reflog says was made (``coord.reflog``), so the human's unpushed
commits, fetched colleagues and merged peers are never blamed (design.md §6).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord import git, pin
from coord.reflog import Doubt, made_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.pin import Pin
    from coord.reflog import Made
    from coord.worktree import Place

_FORMAT = "--format=%H %P%x00%an%x00%ae%x00%cn%x00%ce"
# What git strips from both ends of a name (ident.c), so that a pinned "Ada H." is not blamed.
_CRUD = "".join(chr(code) for code in range(33)) + ".,:;<>\"\\'"


class Commit(NamedTuple):
    """What the judgement needs of a commit; `author` and `committer` are (name, e-mail)."""

    id: str
    parents: list[str]
    author: tuple[str, str]
    committer: tuple[str, str]


class Wrong(NamedTuple):
    """A commit made here under another identity, and which of its two signatures is off."""

    commit: Commit
    author: bool
    committer: bool


def commits(listing: bytes) -> list[Commit]:
    """Return the commits of a ``rev-list`` in our format, in its order."""
    found = []
    for line in listing.decode("utf-8", "surrogateescape").split("\n"):
        if not line:
            continue
        ids, name, email, committer, address = line.split("\0")
        own, *parents = ids.split()
        found.append(Commit(own, parents, (name, email), (committer, address)))
    return found


def wrong(listing: Iterable[Commit], ours: Mapping[str, Made], who: tuple[str, str]) -> list[Wrong]:
    """Return the commits of `listing` that were made here, but not as `who` (name, e-mail)."""
    expected = cleaned(who)
    found = []
    for commit in listing:
        how = ours.get(commit.id)
        if how is None or how.who != commit.committer:
            continue
        author = bool(how.author) and cleaned(commit.author) != expected
        committer = cleaned(commit.committer) != expected
        if author or committer:
            found.append(Wrong(commit, author, committer))
    return found


def cleaned(who: tuple[str, str]) -> tuple[str, str]:
    """Return (name, e-mail) as git writes them: stripped of stops and quotes at both ends."""
    return who[0].strip(_CRUD), who[1].strip(_CRUD)


def reachable(listing: Iterable[Commit], tips: Iterable[str]) -> set[str]:
    """Return the ids in `listing` that can be reached from `tips` within it."""
    parents = {commit.id: commit.parents for commit in listing}
    found: set[str] = set()
    pending = [tip for tip in tips if tip in parents]
    while pending:
        commit = pending.pop()
        if commit not in found:
            found.add(commit)
            pending += [parent for parent in parents[commit] if parent in parents]
    return found


def unpublished(
    cwd: str,
    tips: Sequence[str],
    hidden: Sequence[str],
    env: Mapping[str, str],
    options: Sequence[str] = (),
) -> list[Commit]:
    """Return the commits of `tips` that no remote-tracking ref and none of `hidden` reaches.

    Ids that are unknown here, such as a remote's that was never fetched, are passed over.
    `options` of rev-list come first: ``--exclude`` takes back a remote-tracking ref.

    Raises:
        Doubt: git could not list them.
    """
    revs = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{rev}\n" for rev in hidden)
    done = git.ask(
        "rev-list", "--ignore-missing", "--no-commit-header", "--encoding=none", _FORMAT,
        *options, "--not", "--remotes", "--not", "--stdin",
        cwd=cwd, env=env, stdin=revs.encode(),
    )  # fmt: skip
    if done.code:
        raise Doubt(" ".join(done.err.decode("utf-8", "replace").split()))
    return commits(done.out)


def since_pin(place: Place, found: Iterable[Wrong], ours: Mapping[str, Made]) -> list[Wrong]:
    """Return those of `found` that are not older than the worktree's pin.

    A loose object's file says when it was written, to the nanosecond and whatever
    GIT_COMMITTER_DATE said; for a packed one the reflog's whole seconds have to do.
    """
    pinned = os.stat(place.private(pin.PIN)).st_mtime_ns
    objects = os.path.join(place.common_dir, "objects")
    kept = []
    for item in found:
        commit = item.commit.id
        try:
            written = os.stat(os.path.join(objects, commit[:2], commit[2:])).st_mtime_ns
        except FileNotFoundError:
            written = ours[commit].time * 1_000_000_000
        if written > pinned:
            kept.append(item)
    return kept


def judge(
    place: Place, who: tuple[str, str], listing: Sequence[Commit], env: Mapping[str, str]
) -> list[Wrong]:
    """Return the commits of `listing` that this worktree made since its pin, but not as `who`.

    Raises:
        Doubt: the worktree keeps no reflog.
    """
    if not listing:
        return []
    ours = made_here(place, env)
    return since_pin(place, wrong(listing, ours, who), ours)


def follows(place: Place, who: Pin) -> bool:
    """Tell whether git's author follows the pin here: not with ``author = "keep"``."""
    rule = pin.installed_authorship(place.common_dir)
    return bool(who.email) and not (rule is not None and rule.keep)
