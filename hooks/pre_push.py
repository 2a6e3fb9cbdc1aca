"""pre-push: warn of, or refuse, outgoing commits that this worktree made under another identity.

Which commits those are is told by ``coord.identity.outgoing``. Whatever cannot be read is said in
one line and the push goes on: a guard in doubt must not stand in the way of work.
"""

from __future__ import annotations

import os
import sys
from itertools import chain, islice

from coord.base import peerfile
from coord.base.errors import CoordError, Refused
from coord.hooks.updates import is_null, updates
from coord.identity import outgoing, pin, unlogged
from coord.repo import git, reflog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.hooks.updates import Update
    from coord.identity.outgoing import Who, Wrong
    from coord.identity.pin import Pin

LISTED = 10  # how many ids a message names
COUNTED = 100  # how many are looked for: whoever has made more is not helped by the number
_IDENTITY_VARIABLES = tuple(
    f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
)


def run(argv: Sequence[str], stdin: bytes, dirs: tuple[str, str]) -> int:
    """Judge a push and return the hook's exit status.

    Args:
        argv: the remote's name, or its URL when it was named so, and the URL.
        stdin: the lines git gave the hook.
        dirs: private and common git dir.
    """
    try:
        refusal, refuses = _judged(dirs, argv, updates(stdin))
    except (CoordError, reflog.Doubt, pin.Unreadable, OSError, ValueError) as doubt:
        refusal, refuses = _unchecked(doubt, dirs[0]), False
    if refusal is None:
        return 0
    from coord.repo import caller  # noqa: PLC0415  # most pushes are in order

    refusal.run = caller.placed(refusal.run)
    sys.stderr.write(refusal.lines())
    return refusal.exit_code if refuses else 0


def _unchecked(doubt: Exception, git_dir: str) -> Refused:
    """Return what is said where nobody can tell who made the commits; the push goes on."""
    where, why, run = git_dir, str(doubt) or type(doubt).__name__, "git coord doctor"
    if isinstance(doubt, CoordError):
        where, why, run = doubt.where, doubt.why, doubt.run
    elif isinstance(doubt, pin.Unreadable):
        where, run = os.path.join(git_dir, pin.PIN), pin.command(git_dir, "--replace")
        why = "it is not a file this version wrote"
    elif isinstance(doubt, OSError):
        where, why = doubt.filename or git_dir, doubt.strerror or str(doubt)
    what = "who made the outgoing commits could not be checked"
    why = f"{why}; a warning only, the push goes on"
    return Refused("author-unchecked", what, where=where, why=why, run=run)


def _judged(
    dirs: tuple[str, str], argv: Sequence[str], pushed: list[Update]
) -> tuple[Refused | None, bool]:
    """Return the refusal, if there is one, and whether it stops the push."""
    pinned = pin.read(dirs[0])
    if pinned is None or not pushed or not outgoing.follows(dirs[1], pinned):
        return None, False
    cwd, env, who = os.getcwd(), git.here(), (pinned.name, pinned.email)
    known = [update.old for update in pushed if not is_null(update.old)]
    # What *any* remote has is published, whichever one this push goes to.
    listing = outgoing.unpublished(cwd, [update.tip for update in pushed], known, env)
    found = _found(dirs, cwd, listing, who)
    if not found:
        return None, False
    from coord.hooks import repair  # noqa: PLC0415  # most pushes are in order

    refuses = _refuses(cwd)
    # A warned push goes on: when the command is pasted, the remote has the commits.
    remote = "" if refuses else repair.remote(cwd, argv)
    run, tags = repair.command(cwd, pushed, listing, found, remote)
    return _refusal(pinned, found, run, tags, refuses=refuses), refuses


def _found(dirs: tuple[str, str], cwd: str, listing: bytes, who: Who) -> list[Wrong]:
    """Return the wrong commits; the reflog is not read where all are signed as they should be."""
    suspected = outgoing.suspects(listing, who)
    first = next(suspected, None)
    if first is None:
        return []
    log = reflog.read(*dirs, cwd, git.here())
    unlogged.assume(log, dirs, cwd, git.here(), outgoing.commits(listing))
    wrong = outgoing.since_pin(dirs, outgoing.wrong(chain([first], suspected), log, who))
    return list(islice(outgoing.owned(cwd, wrong, log, git.here()), COUNTED))


def _refuses(top: str) -> bool:
    """Tell whether ``[push] authorship = "refuse"`` is declared in the working tree."""
    try:
        if b"authorship" not in peerfile.read(os.path.join(top, ".coord.toml")):
            return False
    except FileNotFoundError:
        return False
    except OSError:
        pass  # the settings say what is wrong with it
    from coord.settings import config, sections  # noqa: PLC0415  # few declare this

    try:
        return config.load(top).authorship == "refuse"
    except sections.ConfigInvalid:
        return True  # what may be declared there is not opened by making it unreadable


def _refusal(
    who: Pin, found: list[Wrong], run: str, tags: Sequence[str], *, refuses: bool
) -> Refused:
    count = f"{len(found)}{' or more' if len(found) == COUNTED else ''}"
    ids = ", ".join(item.commit.id[:12] for item in found[:LISTED])
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    signed = {item.commit.author for item in found if item.author}
    signed |= {item.commit.committer for item in found if item.committer}
    others = ", ".join(f"{name} <{email}>" for name, email in sorted(signed)[:3])
    leaked = [name for name in _IDENTITY_VARIABLES if os.environ.get(name)]
    return Refused(
        "author-mismatch",
        f"{count} outgoing commit{'s' if len(found) > 1 else ''} made here, but not as {who.actor}",
        where=ids + more,
        why=f"this worktree is pinned to {who.name} <{who.email}>, and they say {others}"
        + (f"; {' and '.join(leaked)} set in this shell outrank the pin" if leaked else "")
        + (f"; the command makes the tag {' and '.join(tags[:3])} again" if tags else "")
        + ("" if refuses else "; a warning only, the push goes on"),
        run=run,
    )
