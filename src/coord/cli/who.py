"""``whoami`` and ``pin``: who acts in this worktree, and how that is known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord.base import command, gitconfig
from coord.base.errors import CoordError, Environment, Refused
from coord.base.names import quote, slug
from coord.cli import acting, edge, show
from coord.identity import pin as pins
from coord.identity import whoami as identities
from coord.repo import worktree
from coord.work import whoami as known

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


_LISTED = 5


@click.command()
@show.json_option
@click.pass_obj
def whoami(asked: str | None, *, as_json: bool) -> None:
    """Show who acts here, how that is known, and the author git will write."""
    acting.answer(known.whoami(edge.call(asked, "whoami")), as_json=as_json)


@click.command()
@click.option(
    "--actor", "name", metavar="NAME", help="Name to pin; default: the branch's, plus 4 hex."
)
@click.option("--self", "as_self", is_flag=True, help="Pin yourself: the author stays as it is.")
@click.option("--replace", is_flag=True, help="Pin anew, with a fresh instance.")
@show.json_option
@click.pass_obj
def pin(
    asked: str | None, *, name: str | None, as_self: bool, replace: bool, as_json: bool
) -> None:
    """Pin an identity to this worktree, so that no peer can change who works here."""
    here = edge.located()
    worktree.refuse_leaked(here, os.getcwd(), "pin", os.environ)
    asked = name or asked or os.environ.get(identities.VARIABLE)
    again = "git coord pin --replace" + (" --self" if as_self else "")
    wanted = _wanted(here, asked, as_self=as_self)
    rule = identities.self_authorship(here) if as_self else identities.authorship(here)
    if replace:
        made = pins.replace(here.git_dir, here.common_dir, wanted, rule)
    else:
        made = _pinned(here, wanted, rule, f"{again} --actor {asked}" if asked else again)
    _enrol(here, made)
    _tell_left_behind(here, made)
    if not here.installed:
        show.note(f"git does not read the pinned author here until {command.install()} has run")
    acting.answer(known.known(here, identities.resolve(here, made.actor)), as_json=as_json)


def _enrol(here: Worktree, made: pins.Pin) -> None:
    from coord.work import enrolment  # noqa: PLC0415  # once in a worktree's life

    enrolment.enrol_pinned(here, made)


def _tell_left_behind(here: Worktree, made: pins.Pin) -> None:
    """Say that a pin is another owner than whoever claimed here before it."""
    from coord.work import enrolment  # noqa: PLC0415

    for scope in enrolment.left_behind(here, made)[:_LISTED]:
        taken = f"git coord take-over {quote(scope)} --gone"
        show.note(f"{scope} was claimed here before this pin, by another instance; {taken}")


def warn_of_author(here: Worktree) -> None:
    """Say when git will write another author than the pin's; for sign-off alone."""
    words = known.misnamed(here)
    if words is not None:
        show.note(words)


def _wanted(here: Worktree, name: str | None, *, as_self: bool) -> str:
    if name is not None:
        identities.require_actor(name, f"git coord pin{' --self' if as_self else ''} --actor {{}}")
        return name
    if as_self:
        return (slug(identities.own(here, "user.name")) or "self") + "-"
    return pins.branch_handle(here.git_dir)


def _pinned(here: Worktree, wanted: str, rule: pins.Authorship, again: str) -> pins.Pin:
    there = identities.read_pin(here)
    if there is not None:
        raise Refused(
            "pin-exists",
            f"{there.actor} is pinned here",
            where=here.cwd,
            why="a pin is written once, so that nobody becomes somebody else by accident; "
            f"{again} makes another owner, who holds none of its claims",
            run="git coord whoami",
        )
    try:
        return pins.ensure(here.git_dir, here.common_dir, wanted, rule)[0]
    except gitconfig.Unwritable as error:
        raise _hostile_author(here) from error


def _hostile_author(here: Worktree) -> CoordError:
    return Environment(
        "author-invalid",
        "the author's name or e-mail holds a control character",
        where=here.cwd,
        why="written into git config, it could become a command",
        run="git config --show-origin --get-regexp '^user\\.'",
    )
