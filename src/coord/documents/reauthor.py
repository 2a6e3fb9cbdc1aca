"""What ``reauthor`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.reauthor.reauthor import Done, Plan
    from coord.work.reauthor import Reauthored


class CommitDocument(TypedDict):
    """A commit that is signed anew (``new`` is null before it is), and which signatures of it."""

    old: str
    new: str | None
    author: bool
    committer: bool


class MoveDocument(TypedDict):
    """A ref that was moved, and the ref that keeps where it stood."""

    ref: str
    old: str
    new: str
    backup: str


class ReauthoredDocument(TypedDict):
    """What was signed as whom, which refs moved, which commits lost a signature, who is left."""

    dry_run: bool
    name: str
    email: str
    commits: list[CommitDocument]
    rebuilt: int
    branches: list[MoveDocument]
    unsigned: list[str]
    left: list[str]


def reauthored(rewritten: Reauthored, *, dry_run: bool) -> ReauthoredDocument:
    """Return the answer of ``reauthor``."""
    plan, done = rewritten.plan, rewritten.done
    return {
        "dry_run": dry_run,
        "name": plan.who[0],
        "email": plan.who[1],
        "commits": _commits(plan, done),
        "rebuilt": len(plan.chain),
        "branches": _moves(done) if done else [],
        "unsigned": list(done.unsigned) if done else [],
        "left": list(done.left) if done else [],
    }


def _commits(plan: Plan, done: Done | None) -> list[CommitDocument]:
    new = done.new if done else {}
    return [
        {
            "old": commit,
            "new": new.get(commit),
            "author": change.author,
            "committer": change.committer,
        }
        for commit, change in plan.changes.items()
    ]


def _moves(done: Done) -> list[MoveDocument]:
    return [
        {"ref": move.ref, "old": move.old, "new": move.new, "backup": move.backup}
        for move in done.moves
    ]
