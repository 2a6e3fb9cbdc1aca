"""Where an entry of a ledger is written: who writes, into which file, and what is left to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command
from coord.base.errors import Environment
from coord.base.names import operand, quote
from coord.board import claims
from coord.fleet import refusals
from coord.guard import guarded
from coord.identity import whoami
from coord.repo import git, worktree
from coord.settings import config
from coord.stores import chosen, scopes
from coord.stores.store import StoreError
from coord.work import where

if TYPE_CHECKING:
    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree
    from coord.settings.config import Fleet
    from coord.work.call import Call


class Writer(NamedTuple):
    """Who writes an entry, and where: the worktree, and what is declared there."""

    here: Worktree
    top: str
    me: Identity
    declared: Fleet


def worktree_of(here: Worktree) -> str:
    """Return the top level of the worktree, where the ledgers are.

    Raises:
        Environment: there is none, as in a bare repository.
    """
    if here.top is not None:
        return here.top
    raise Environment(
        "no-worktree",
        "there is no worktree with ledgers in it",
        where=here.git_dir,
        why="they are committed files: run this in a worktree",
        run="git worktree list",
    )


def writer_of(call: Call) -> Writer:
    """Return who writes an entry, and where.

    Raises:
        Refused: the writer is only inferred among several worktrees, or contradicts the pin.
    """
    here = where.located(call)
    worktree.require_own(here, call.cwd, call.words, call.environ)
    top = worktree_of(here)
    declared = config.load(top).fleet
    where.lazily_pin(call, here)
    me = whoami.resolve(here, call.actor, call.environ)
    whoami.require_certain(me, here, call.words)
    return Writer(here, top, me, declared)


def require_merged(call: Call, writer: Writer, name: str) -> None:
    """Insist that no merge is open on the ledger `name`.

    A record below the conflict's markers is on neither side: whoever settles it would lose it.

    Raises:
        Refused: one is.
    """
    listed = git.ask("--literal-pathspecs", "ls-files", "-u", "--", name, cwd=writer.top)
    if not listed.out:
        return
    word = operand(_relative(call, writer, name))
    if guarded.kinds(writer.here, [name]).get(name) == "log":
        run = f"git coord resolve {word} --take both --reason 'both sides shipped'"
    else:
        run = f"${{EDITOR:-vi}} {word} && git add -- {word}"
    raise refusals.unmerged(os.path.join(writer.top, name), run)


def tell(call: Call, writer: Writer, name: str, *, made: bool) -> None:
    """Say what is left to do: commit the ledger, and guard a new one."""
    typed = operand(_relative(call, writer, name))
    if _is_ignored(writer, name):
        call.note(f"{typed} is ignored by git, so nobody else will see it: git add -f {typed}")
    else:
        call.note(f"commit {typed} with your work")
    if made and guarded.kinds(writer.here, [name]).get(name) != "log":
        again = command.install("--fleet")
        call.note(f"{name} is new, and not guarded as a log yet: {again}")


def _relative(call: Call, writer: Writer, name: str) -> str:
    return os.path.relpath(os.path.join(writer.top, name), call.cwd)


def _is_ignored(writer: Writer, name: str) -> bool:
    """Tell whether git passes the file by; one that it tracks is none of these."""
    return git.ask("check-ignore", "-q", "--", f"./{name}", cwd=writer.top).code == 0


def warn_of_claim(call: Call, writer: Writer, scope: str) -> None:
    """Say when what was dealt with is still claimed; a board that cannot be read says nothing."""
    try:
        state = claims.state(chosen.board_of(writer.here.common_dir), scope)
    except StoreError:
        return
    places = state.places_of(writer.me.instance or "")
    if places:
        known = scopes.shown(scope)
        what = f"{known} is" if state.holder in places else f"a place in the line for {known} is"
        call.note(f"{what} still yours; git coord release {quote(scope)} ends it")
