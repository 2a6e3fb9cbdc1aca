"""Who made the commits: against the pins of this clone, and against their own sign-offs.

Which commits a worktree made since its pin is told by its reflog (``coord.identity.outgoing``), so
a clone without pins has nothing to say. A sign-off closes with the author or the committer; where
the last one is somebody else's, a worker signed off as a peer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import is_actor
from coord.history.commits import SIGNED
from coord.identity import outgoing, pin, unlogged
from coord.repo import git, reflog

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.history.commits import Commit, Person
    from coord.repo.worktree import Worktree

RULE = "author-mismatch"
_CO_AUTHORS = ("Co-authored-by", "Co-developed-by")


class Mismatch(NamedTuple):
    """A commit that a pinned worktree made under another identity."""

    commit: str
    git_dir: str
    actor: str
    message: str


def mismatches(here: Worktree, commits: Sequence[Commit]) -> Iterator[Mismatch]:
    """Yield the commits that a pinned worktree of this clone made, but not as its pin.

    Raises:
        reflog.Doubt: a pinned worktree keeps no reflog.
    """
    listing = [
        outgoing.Commit(commit.id, list(commit.parents), commit.author, commit.committer)
        for commit in commits
    ]
    for git_dir, who in pin.live_pins(here.common_dir):
        if not outgoing.follows(here.common_dir, who):
            continue
        dirs = (git_dir, here.common_dir)
        log = reflog.read(*dirs, git_dir, git.elsewhere())
        unlogged.assume(log, dirs, git_dir, git.elsewhere(), listing)
        wrong = outgoing.wrong(listing, log, (who.name, who.email))
        recent = outgoing.since_pin(dirs, wrong)
        for found in outgoing.owned(here.cwd, recent, log, git.elsewhere()):
            parts = [part for part in ("author", "committer") if getattr(found, part)]
            name = getattr(found.commit, parts[0])[0]
            text = f"{' and '.join(parts)} {name}, but made in the worktree pinned as {who.actor}"
            yield Mismatch(found.commit.id, git_dir, who.actor, text)


def false_sign_offs(commits: Sequence[Commit]) -> Iterator[tuple[Commit, str]]:
    """Yield the commits whose last sign-off is neither the author's nor the committer's."""
    for commit in commits:
        signers = commit.texts(SIGNED)
        if not signers:
            continue
        known = [commit.author, commit.committer]
        known += [_person(text) for key in _CO_AUTHORS for text in commit.texts(key)]
        if not any(_is_same(_person(signers[-1]), person) for person in known):
            name = _person(signers[-1])[0]
            yield commit, f"signed off by {name}, but committed by {commit.committer[0]}"


def _person(text: str) -> Person:
    name, _, email = text.partition("<")
    return name.strip(), email.rpartition(">")[0].strip() or email.strip()


def _is_same(one: Person, other: Person) -> bool:
    """Tell whether two are one person: by name, or by e-mail, which several actors may share."""
    actors = is_actor(one[0]) and is_actor(other[0])
    return one[0] == other[0] or (
        not actors and bool(one[1]) and one[1].lower() == other[1].lower()
    )
