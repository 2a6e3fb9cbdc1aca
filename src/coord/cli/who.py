"""``whoami`` and ``pin``: who acts in this worktree, and how that is known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord.base import command, gitconfig
from coord.base.errors import CoordError, Environment, Refused
from coord.base.names import quote, slug
from coord.cli import show
from coord.identity import outgoing
from coord.identity import pin as pins
from coord.identity import whoami as known
from coord.repo import git, worktree

if TYPE_CHECKING:
    from coord.repo.worktree import Place


_LISTED = 5


@click.command()
@show.json_option
@click.pass_obj
def whoami(asked: str | None, *, as_json: bool) -> None:
    """Show who acts here, how that is known, and the author git will write."""
    place = here()
    lazily_pin(place, asked)
    who = known.resolve(place, asked, minting=place.in_use)
    if who.conflict is not None:
        show.note(f"--as or {known.VARIABLE} says {who.conflict}, but {who.actor} is pinned here")
    leaked = worktree.leaked(place, os.getcwd(), os.environ)
    if leaked is not None:
        show.note(f"GIT_DIR names another worktree, and git would commit there: {leaked}")
    warn_of_author(place)
    report(place, who, as_json=as_json)


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
    place = here()
    worktree.refuse_leaked(place, os.getcwd(), "pin", os.environ)
    asked = name or asked or os.environ.get(known.VARIABLE)
    again = "git coord pin --replace" + (" --self" if as_self else "")
    wanted = _wanted(place, asked, as_self=as_self)
    rule = known.self_authorship(place) if as_self else known.authorship(place)
    if replace:
        made = pins.replace(place.git_dir, place.common_dir, wanted, rule)
    else:
        made = _pinned(place, wanted, rule, f"{again} --actor {asked}" if asked else again)
    _enrol(place, made)
    _tell_left_behind(place, made)
    if not place.installed:
        show.note(f"git does not read the pinned author here until {command.install()} has run")
    report(place, known.resolve(place, made.actor), as_json=as_json)


def here() -> Place:
    """Return the place of the user's folder."""
    return worktree.discover(os.getcwd())


def lazily_pin(place: Place, asked: str | None) -> None:
    """Pin an unpinned linked worktree (made with ``--no-checkout``, or before the install).

    Never the main worktree: its branch may be a peer's. A git dir that cannot be written leaves
    the identity inferred, which the guards then refuse by name.
    """
    if not (place.linked and place.installed) or known.read_pin(place) is not None:
        return
    wanted = asked or os.environ.get(known.VARIABLE) or pins.branch_handle(place.git_dir)
    if not wanted.endswith("-"):
        known.require_actor(wanted, known.instead_of(asked))
    try:
        made, _ = pins.ensure(place.git_dir, place.common_dir, wanted, known.authorship(place))
    except OSError as error:
        show.note(f"this worktree could not be pinned: {error.strerror}: {error.filename}")
    else:
        _enrol(place, made)
        show.note(f"pinned {made.actor} to {place.cwd}")


def _enrol(place: Place, made: pins.Pin) -> None:
    from coord.cli import roster  # noqa: PLC0415  # once in a worktree's life

    roster.enrol_pinned(place, made)


def _tell_left_behind(place: Place, made: pins.Pin) -> None:
    """Say that a pin is another owner than whoever claimed here before it."""
    from coord.cli import roster  # noqa: PLC0415

    for scope in roster.left_behind(place, made)[:_LISTED]:
        taken = f"git coord take-over {quote(scope)} --gone"
        show.note(f"{scope} was claimed here before this pin, by another instance; {taken}")


def report(place: Place, who: known.Identity, *, as_json: bool) -> None:
    """Print the answer of ``whoami``: the author is what git itself will write."""
    name, email = author(place)
    branch = git.ask("symbolic-ref", "--quiet", "--short", "HEAD", cwd=place.cwd).text or None
    if as_json:
        show.document(
            {
                "actor": who.actor,
                "instance": who.instance,
                "source": who.source,
                "name": name,
                "email": email,
                "worktree": place.cwd,
                "branch": branch,
            }
        )
        return
    show.line(f"{who.actor} ({who.source})")
    show.line(f"author    {name} <{email}>")
    show.line(f"instance  {who.instance or 'none: pin this worktree'}")
    show.line(f"worktree  {place.cwd}, {f'on {branch}' if branch else 'detached'}")


def warn_of_author(place: Place) -> None:
    """Say when git will write another author than the pin's, and where to look for what does."""
    pinned = known.read_pin(place)
    if pinned is None or not outgoing.follows(place.common_dir, pinned):
        return
    name, email = author(place)
    if (name, email) != (pinned.name, pinned.email):
        show.note(
            f"git will write {name} <{email}>, not the pinned {pinned.name} <{pinned.email}>; "
            f"mended by: {known.way_back(place, 'author')}"
        )


def author(place: Place) -> tuple[str, str]:
    """Return name and e-mail as git will write them; empty where git knows none."""
    ident = git.ask("var", "GIT_AUTHOR_IDENT", cwd=place.cwd).text
    name, _, rest = ident.rpartition(" <")
    return name, rest.partition(">")[0]


def _wanted(place: Place, name: str | None, *, as_self: bool) -> str:
    if name is not None:
        known.require_actor(name, f"git coord pin{' --self' if as_self else ''} --actor {{}}")
        return name
    if as_self:
        return (slug(known.own(place, "user.name")) or "self") + "-"
    return pins.branch_handle(place.git_dir)


def _pinned(place: Place, wanted: str, rule: pins.Authorship, again: str) -> pins.Pin:
    there = known.read_pin(place)
    if there is not None:
        raise Refused(
            "pin-exists",
            f"{there.actor} is pinned here",
            where=place.cwd,
            why="a pin is written once, so that nobody becomes somebody else by accident; "
            f"{again} makes another owner, who holds none of its claims",
            run="git coord whoami",
        )
    try:
        return pins.ensure(place.git_dir, place.common_dir, wanted, rule)[0]
    except gitconfig.Unwritable as error:
        raise _hostile_author(place) from error


def _hostile_author(place: Place) -> CoordError:
    return Environment(
        "author-invalid",
        "the author's name or e-mail holds a control character",
        where=place.cwd,
        why="written into git config, it could become a command",
        run="git config --show-origin --get-regexp '^user\\.'",
    )
