"""What ``whoami``, ``pin`` and ``worktree add`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.work.whoami import Known


class KnownDocument(TypedDict):
    """Who acts in a worktree.

    Attributes:
        instance: what owns its claims, null where only the name is known.
        source: how that is known: ``pinned``, ``explicit`` or ``inferred``.
        name: the author's name as git will write it.
        email: the author's e-mail, likewise.
        branch: what is checked out there, null when detached.
    """

    actor: str
    instance: str | None
    source: str
    name: str
    email: str
    worktree: str
    branch: str | None


def document(found: Known) -> KnownDocument:
    """Return who acts in a worktree."""
    return {
        "actor": found.me.actor,
        "instance": found.me.instance,
        "source": found.me.source,
        "name": found.author.name,
        "email": found.author.email,
        "worktree": found.worktree,
        "branch": found.branch,
    }
