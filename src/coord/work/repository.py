"""A board on a git remote as it is chosen: which repository, where it may be, and to make it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import quote
from coord.remote import address, made, place
from coord.remote import named as names
from coord.stores.choice import is_rate

if TYPE_CHECKING:
    from coord.remote.address import Address
    from coord.stores.choice import Choice
    from coord.work.call import Call

# As git, git daemon, web servers and the services say it, in git's words of the C locale.
_PERSONAL = "certificates and passwords for git come from git's own configuration"


def named(call: Call, found: Choice, *, create: bool, verb: str) -> Choice:
    """Return a choice of a git remote as it is recorded: by its URL, if the board may be there.

    Raises:
        ValueError: it names no repository, or has options that are not for one.
        Refused: the repository may not be pushed to, is not there, or cannot be made.
    """
    where = address.parsed(names.resolved(found.url, call.cwd))
    if found.ca or found.cert or found.key or found.password_file:
        raise ValueError(_PERSONAL)
    if not (found.rate is None or is_rate(found.rate)):
        raise ValueError("--pushes-a-minute takes a number, 0 for any number of pushes")
    led = names.led(where, call.cwd)
    if led is not None and led.is_local:
        _require_apart(led)
    if create:
        _make(call, where, led)
    elif led is not None and led.is_local and not _is_there(led):
        raise absent(where.text, verb, "that folder is not there", call.cwd)
    remote = names.naming(where, call.cwd)
    if remote:
        call.note(
            f"{where.url} is where {remote} pushes the code to: whoever mirrors that has the board "
            "too, and its hooks see every push; a repository of its own is better"
        )
    return found._replace(url=where.text, remote=address.name(found.url))


def _is_there(where: Address) -> bool:
    return os.path.lexists(where.path) or bool(place.beside(where.path))


def absent(url: str, verb: str, why: str, cwd: str) -> Refused:
    """Return that there is no repository for a board, and the one command that makes it.

    Args:
        url: the board.
        verb: of ``git coord store``, that is to make it.
        why: what says that it is not there.
        cwd: whose config of git leads there.
    """
    where = address.parsed(url)
    led = names.led(where, cwd)
    can = led is not None and made.can(led)
    return Refused(
        "store-absent",
        "there is no repository that the board could be kept in",
        where=url,
        why=why
        if can
        else f"{why}; {where.host} alone can make it: an empty one, which whoever "
        "works here may push to",
        run=f"git coord store {verb} --create {quote(url)}"
        if can
        else f"git ls-remote {quote(where.url)}",
    )


def _require_apart(where: Address) -> None:
    """Insist that a folder of this machine is none that a branch can write.

    Raises:
        Refused: it may be.
    """
    why = place.unfit(where.path)
    if why:
        raise Refused(
            "store-inside",
            "a board is kept in a bare repository outside of every worktree",
            where=where.path,
            why=f"{why}: git runs the hooks of what it pushes to",
            run="git coord store use -h",
        )


def _make(call: Call, where: Address, led: Address | None) -> None:
    """Make a repository where git is led by its URL, unless it is there.

    Raises:
        Refused: it cannot be made from here.
    """
    if led is None or not made.can(led):
        raise absent(where.text, "use", "no repository can be made there by --create", call.cwd)
    done = made.create(led, call.cwd)
    if done.why:
        raise Refused(
            "store-absent",
            "the repository of the board cannot be made",
            where=where.text,
            why=done.why,
            run=f"git ls-remote {quote(where.url)}",
        )
    call.note(f"{led.url} {'is made' if done.is_new else 'was there already, and stays as it is'}")
