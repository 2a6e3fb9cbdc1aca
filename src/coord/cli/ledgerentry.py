"""Where an entry of a ledger is written: who writes, into which file, and what is left to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command
from coord.base.errors import Environment
from coord.base.names import operand
from coord.cli import edge, show
from coord.fleet import refusals
from coord.guard import guarded
from coord.identity import whoami
from coord.repo import git
from coord.settings import config
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree
    from coord.settings.config import Fleet


class Desk(NamedTuple):
    """Where an entry is written: the worktree, who writes, what is declared."""

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


def open_at(
    asked: str | None, verb: str, words: list[str], options: Mapping[str, str | None]
) -> Desk:
    """Return where an entry is written.

    Raises:
        Refused: the writer is only inferred among several worktrees, or contradicts the pin.
    """
    call = edge.call(asked, verb, words, options)
    here = where.located(call)
    top = worktree_of(here)
    declared = config.load(top).fleet
    where.lazily_pin(call, here)
    me = whoami.resolve(here, asked)
    whoami.require_certain(me, here, call.words)
    return Desk(here, top, me, declared)


def require_merged(desk: Desk, name: str) -> None:
    """Insist that no merge is open on the ledger `name`.

    A record below the conflict's markers is on neither side: whoever settles it would lose it.

    Raises:
        Refused: one is.
    """
    listed = git.ask("--literal-pathspecs", "ls-files", "-u", "--", name, cwd=desk.top)
    if not listed.out:
        return
    word = operand(_relative(desk, name))
    if guarded.kinds(desk.here, [name]).get(name) == "log":
        run = f"git coord resolve {word} --take both --reason 'both sides shipped'"
    else:
        run = f"${{EDITOR:-vi}} {word} && git add -- {word}"
    raise refusals.unmerged(os.path.join(desk.top, name), run)


def tell(desk: Desk, name: str, *, made: bool) -> None:
    """Say what is left to do: commit the ledger, and guard a new one."""
    typed = operand(_relative(desk, name))
    if _is_ignored(desk, name):
        show.note(f"{typed} is ignored by git, so nobody else will see it: git add -f {typed}")
    else:
        show.note(f"commit {typed} with your work")
    if made and guarded.kinds(desk.here, [name]).get(name) != "log":
        again = command.install("--fleet")
        show.note(f"{name} is new, and not guarded as a log yet: {again}")


def _relative(desk: Desk, name: str) -> str:
    return os.path.relpath(os.path.join(desk.top, name))


def _is_ignored(desk: Desk, name: str) -> bool:
    """Tell whether git passes the file by; one that it tracks is none of these."""
    return git.ask("check-ignore", "-q", "--", f"./{name}", cwd=desk.top).code == 0
