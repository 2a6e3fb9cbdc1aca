"""Other sessions of one worker in one worktree that are proved to live.

    declared     its lock is held, and it is not ours
    not declared the nearest process of it that lives, and that runs what nobody else asked for, is
                 no ancestor of ours, as ours is none of its

What is not to be seen from here is none: a command in a sandbox would find its own worker to be
another, for ever, and nobody could give up what that has claimed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.liveness import sessionfile, signs
from coord.liveness.programs import CARRIERS

if TYPE_CHECKING:
    from coord.liveness.process import Process
    from coord.liveness.sessionfile import Declared
    from coord.liveness.signs import Chain


class Other(NamedTuple):
    """Another session that lives.

    Attributes:
        name: what claims are marked with that it has made.
        told: its process, in a few words.
    """

    name: str
    told: str


def mark(git_dir: str, given: Chain) -> str | None:
    """Return what claims of this session are marked with.

    None of one that is shells and the like alone: nobody takes that for another than its own.
    """
    if not given.session and all(map(_carries, given.links)):
        return None
    return signs.name_of(git_dir, given)


def living(git_dir: str, instance: str, given: Chain) -> list[Other]:
    """Return the other sessions of `instance` that live; `given` is what stands above us.

    What cannot be read says nothing.
    """
    own = signs.name_of(git_dir, given)
    try:
        declared = {one.id: one for one in sessionfile.every(git_dir) if one.kind == "session"}
        left = [one for one in signs.every(git_dir, instance) if one.name != own]
    except OSError:
        return []
    found = []
    for one in left:
        process = (
            _declared(git_dir, declared.get(one.session))
            if one.session
            else _nearest(one.chain, given)
        )
        if process is not None:
            found.append(Other(one.name, f"{process.name} ({process.pid})"))
    return found


def _declared(git_dir: str, found: Declared | None) -> Process | None:
    """Return the process of a declared session that lives; one that is over has none."""
    if found is None or found.end is not None or not sessionfile.lives(git_dir, found):
        return None
    process = found.command or found.keeper
    return None if process.name in {"git", "git-coord"} else process  # it is a session's parent


def _nearest(chain: Chain, given: Chain) -> Process | None:
    """Return whoever lives of a session that nobody has declared, if it is another than ours."""
    alive = (one for one in chain.links if one.is_here and not one.has_ended)
    nearest = next((one for one in alive if not _carries(one)), None)
    if nearest is None or _key(nearest) in map(_key, given.links):
        return None
    ours = given.worker
    return None if ours is not None and _key(ours) in map(_key, chain.links) else nearest


def _carries(one: Process) -> bool:
    return one.name.partition(" ")[0] in CARRIERS


def _key(one: Process) -> tuple[int, str]:
    return one.pid, one.start
