"""``pin``: an identity of its own for a worktree, which no peer can change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import command, gitconfig, peerfile
from coord.base.errors import Environment, Refused
from coord.base.names import quote, shown, slug
from coord.identity import includeif
from coord.identity import pin as pins
from coord.identity import whoami as identities
from coord.work import where
from coord.work.whoami import known

if TYPE_CHECKING:
    from coord.identity.pin import Authorship, Pin
    from coord.repo.worktree import Worktree
    from coord.work.call import Call
    from coord.work.whoami import Known

_LISTED = 5
_QUOTED = 1000  # bytes of each file of a pin that is replaced


def pin(
    call: Call, name: str | None = None, *, as_self: bool = False, replace: bool = False
) -> Known:
    """Pin an identity to the worktree of the call.

    Args:
        call: the call; without `name`, its actor is pinned if it has one.
        name: who is pinned; by default the branch's name, plus 4 hex digits.
        as_self: the author stays as it is.
        replace: pin anew, with a fresh instance.

    Raises:
        Usage: the name is no actor.
        Refused: there is a pin, or GIT_DIR names another worktree.
        Environment: the author's name or e-mail holds a control character.
    """
    here = where.located(call)
    where.require_own(call, here)
    flags = {"--self": as_self, "--replace": replace}
    asked = name or call.actor or call.environ.get(identities.VARIABLE)
    said = "".join(f" {flag}" for flag, given in flags.items() if given)
    wanted = _wanted(here, asked, said, as_self=as_self)
    rule = identities.self_authorship(here) if as_self else identities.authorship(here)
    if replace:
        former = _former(here)
        made = pins.replace(here.git_dir, here.common_dir, wanted, rule)
        if former:
            call.note(f"in place of the pin that said: {former}")
    else:
        again = "git coord pin --replace" + (" --self" if as_self else "")
        again = f"{again} --actor {asked}" if asked else again
        # Whoever is the person here is not left as the worker that a wrong command has made.
        run = again if as_self and not here.linked else "git coord whoami"
        made = _pinned(here, wanted, rule, again, run)
    _enrol(call, here, made)
    if not (here.linked or as_self or asked):
        call.note(
            f"{here.cwd} is the main worktree, and commits here are {made.actor}'s from now on; "
            f"if you are its user: {pins.command(here.git_dir, '--replace')}"
        )
    if not here.installed:
        call.note(f"git does not read the pinned author here until {command.install()} has run")
    return known(here, identities.resolve(here, made.actor, call.environ))


def _former(here: Worktree) -> str:
    """Return what the pin says that is to be replaced, however damaged, and its author's file."""
    texts = []
    for name in (pins.PIN, includeif.AUTHOR):
        try:
            texts.append(peerfile.head(here.private(name), _QUOTED).decode("utf-8", "replace"))
        except OSError:  # absent, or no file
            continue
    lines = "\n".join(texts).replace("\t", "").split("\n")
    return shown("; ".join(dict.fromkeys(line for line in lines if line and line[0] != "[")))


def _enrol(call: Call, here: Worktree, made: Pin) -> None:
    """Put the worker on the roll, and say that it is another than whoever claimed here before."""
    from coord.work import enrolment  # noqa: PLC0415  # once in a worktree's life

    enrolment.enrol_pinned(here, made)
    for scope in enrolment.left_behind(here, made)[:_LISTED]:
        taken = f"git coord take-over {quote(scope)} --from-present --reason 'pinned anew'"
        call.note(f"{scope} was claimed here before this pin, by another instance; {taken}")


def _wanted(here: Worktree, name: str | None, said: str, *, as_self: bool) -> str:
    if name is not None:
        identities.require_actor(name, f"git coord pin{said} --actor {{}}")
        return name
    if as_self:
        return (slug(identities.own(here, "user.name")) or "self") + "-"
    return pins.branch_handle(here.git_dir)


def _pinned(here: Worktree, wanted: str, rule: Authorship, again: str, run: str) -> Pin:
    there = identities.read_pin(here)
    if there is not None:
        raise Refused(
            "pin-exists",
            f"{there.actor} is pinned here",
            where=here.cwd,
            why="a pin is written once, so that nobody becomes somebody else by accident; "
            f"{again} makes another owner, who holds none of its claims",
            run="git coord whoami" if there.email == rule.email else run,
        )
    try:
        return pins.ensure(here.git_dir, here.common_dir, wanted, rule)[0]
    except gitconfig.Unwritable as error:
        raise _hostile_author(here) from error


def _hostile_author(here: Worktree) -> Environment:
    return Environment(
        "author-invalid",
        "the author's name or e-mail holds a control character",
        where=here.cwd,
        why="written into git config, it could become a command",
        run="git config --show-origin --get-regexp '^user\\.'",
    )
