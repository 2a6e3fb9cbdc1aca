"""``whoami``: who acts in a worktree, how that is known, and the author that git will write."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.identity import outgoing
from coord.identity import whoami as identities
from coord.repo import git, heads, worktree
from coord.work import settling, where

if TYPE_CHECKING:
    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


class Author(NamedTuple):
    """Name and e-mail as git will write them; empty where git knows none."""

    name: str
    email: str


class Known(NamedTuple):
    """Who acts in a worktree.

    Attributes:
        me: who, and how that is known.
        author: whom git will write.
        worktree: the folder.
        branch: what is checked out there, None when detached.
    """

    me: Identity
    author: Author
    worktree: str
    branch: str | None


def whoami(call: Call) -> Known:
    """Return who acts here; whatever contradicts it is warned of.

    Raises:
        Usage: the explicit name is no actor.
        Environment: the pin cannot be read.
    """
    here = where.located(call)
    where.tell_of_copy(call, here)
    where.lazily_pin(call, here)
    me = identities.resolve(here, call.actor, call.environ, minting=here.in_use)
    if me.conflict is not None:
        variable = identities.VARIABLE
        call.note(f"--as or {variable} says {me.conflict}, but {me.actor} is pinned here")
    leaked = worktree.leaked(here, call.cwd, call.environ)
    if leaked is not None:
        call.note(f"GIT_DIR names another worktree, and git would commit there: {leaked}")
    words = misnamed(here)
    if words is not None:
        call.note(words)
    left = settling.of(here.common_dir)
    if left is not None:
        call.note(f"{left.told}: git coord store")
    return known(here, me)


def known(here: Worktree, me: Identity) -> Known:
    """Return `me`, who acts here, with the author that git will write."""
    branch = heads.checked_out(here.cwd) or None
    return Known(me, author(here), here.cwd, branch)


def misnamed(here: Worktree) -> str | None:
    """Return words for an author that git will write instead of the pin's, with the way back."""
    pinned = identities.read_pin(here)
    if pinned is None or not outgoing.follows(here.common_dir, pinned):
        return None
    name, email = author(here)
    if (name, email) == (pinned.name, pinned.email):
        return None
    return (
        f"git will write {name} <{email}>, not the pinned {pinned.name} <{pinned.email}>; "
        f"mended by: {identities.way_back(here, 'author')}"
    )


def author(here: Worktree) -> Author:
    """Return whom git will write as author."""
    ident = git.ask("var", "GIT_AUTHOR_IDENT", cwd=here.cwd).text
    name, _, rest = ident.rpartition(" <")
    return Author(name, rest.partition(">")[0])
