"""Pin a worktree when it is created, or in the first later hook that finds it unpinned.

``git worktree add`` waits for this: no TOML parser, no git child, no import beyond
``coord.identity.pin``. The name comes from COORD_ACTOR, else from the branch; how the author
follows comes from the installed config, never from the checked-out tree, which a peer wrote.
"""

from __future__ import annotations

import os

from coord.base import command, gitconfig
from coord.base.names import is_actor, shown
from coord.identity import includeif, pin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

VARIABLE = "COORD_ACTOR"
_NAMED = 3


def pinned(git_dir: str, common_dir: str, environ: Mapping[str, str], *, during: str) -> str:
    """Pin a linked worktree, or put its author files back, and return what to say about it.

    A git dir that cannot be written leaves the worktree unpinned: the guards then refuse by name.
    """
    dirs = os.path.abspath(git_dir), os.path.abspath(common_dir)
    try:
        foreign = includeif.foreign(*dirs)
        said = _pinned_or_mended(dirs, environ, during)
        return said + _taken_out(set(foreign).difference(includeif.foreign(*dirs)))
    except OSError as error:
        return _line(_why_not(error))


def _pinned_or_mended(dirs: tuple[str, str], environ: Mapping[str, str], during: str) -> str:
    try:
        there = pin.read(dirs[0])
        if there is not None:
            if there.email:
                pin.mend(*dirs, there, _authorship(*dirs))
                return ""
            return _completed(dirs, there, during)
        return _told(*_pinned(dirs, environ), during)
    except pin.Unreadable:
        run = pin.command(dirs[0], "--replace")
        return _line(f"{os.path.join(dirs[0], pin.PIN)} is no pin; {run} mends it")
    except gitconfig.Unwritable:
        again = command.recorded(dirs[1])
        return _line(f"not pinned: the installed author holds a control character; {again}")


def _taken_out(foreign: Collection[str]) -> str:
    if not foreign:
        return ""
    what = ", ".join(sorted(foreign)[:_NAMED])
    return _line(f"coord/identities had what is no author, and every git obeyed it: {what} is out")


def _why_not(error: OSError) -> str:
    where = f" {error.filename}" if error.filename else ""
    if where.endswith(f"/{pin.PIN}") and os.path.lexists(error.filename):
        return f"who is pinned here may not be read:{where}; git coord doctor says why"
    return f"{os.getcwd()} is not pinned: {error.strerror}{where}"


def _pinned(dirs: tuple[str, str], environ: Mapping[str, str]) -> tuple[pin.Pin, str]:
    """Return the pin and the actor that was asked for, empty for none."""
    asked = environ.get(VARIABLE, "")
    wanted = asked if is_actor(asked) else pin.branch_handle(dirs[0])
    made, _ = pin.ensure(*dirs, wanted, _authorship(*dirs))
    return made, asked


def _told(made: pin.Pin, asked: str, during: str) -> str:
    """Return what to say of a new pin: to a person, or where it is not what was asked for.

    Git tells a hook nothing of ``-q``: scripts, its own tests too, expect silence then.
    """
    said = f"pinned {made.actor} to {os.getcwd()}"
    but = ""
    if asked and not is_actor(asked):
        but = f" ({VARIABLE}={asked} is not the name of an actor)"
    elif asked and made.actor != asked:
        but = f" ({asked}, the {VARIABLE} in the environment, is pinned in another worktree)"
    if during == "prepare-commit-msg":
        but += "; the commit under way still has the author of before"
    return _line(said + but) if but or os.isatty(2) else ""


def _completed(dirs: tuple[str, str], there: pin.Pin, during: str) -> str:
    """Give a pin the author that was not known when it was made, and say so."""
    rule = _authorship(*dirs)
    if rule.keep:
        pin.mend(*dirs, there, rule)
        return ""
    made = pin.complete(*dirs, there, rule)
    return _told(made, "", during) if made.email else ""


def _authorship(git_dir: str, common_dir: str) -> pin.Authorship:
    found = pin.installed_authorship(common_dir)
    if found is None:
        return pin.Authorship("{actor}", "", keep=True)
    if found.keep or found.email:
        return found
    from coord.identity import whoami  # noqa: PLC0415  # an install before the user's identity
    from coord.repo.worktree import Worktree  # noqa: PLC0415

    return whoami.authorship(Worktree(git_dir, common_dir, os.getcwd()))


def _line(text: str) -> str:
    return f"coord: {shown(text)}\n"
