"""``announce``: claim the branch that is checked out, and say what is meant to happen there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import slug
from coord.overlap import pathspecs
from coord.work import arrive, mail, overlaps, unpublished
from coord.work.call import bounded
from coord.work.claim import Claims, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.overlap.pathspecs import Meeting
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Announced(NamedTuple):
    """How the branch's claim stands, and where its paths meet others'."""

    claims: Claims
    met: list[Meeting]


def announce(
    call: Call,
    *,
    intent: str | None = None,
    globs: Sequence[str] = (),
    session: str | None = None,
) -> Announced:
    """Claim the branch, and tell it to whoever has declared the same paths, once a pair.

    Raises:
        Usage: a path is none, or a text is too long for a record.
        Refused: no branch is checked out, or who acts here is only inferred.
    """
    said = {"--intent": intent, "--session": session}
    for option, text in (*said.items(), *(("--path", glob) for glob in globs)):
        bounded(text, option, "announce")
    worker, _ = mail.talking(call)
    branch = worker.branch
    if branch is None:
        raise _detached(worker)
    mine = arrive.place(worker, branch)._replace(
        intent=intent or None,
        paths=pathspecs.rooted(worker.here, call.cwd, globs),
        session=session or None,
    )
    roll = worker.roll()
    made = unpublished.kept(
        call, worker, f"announce {branch}", lambda: join(worker, roll, f"branch:{branch}", mine)
    )
    met = overlaps.tell(worker, roll, made.scope, made.place)
    return Announced(Claims(worker, roll, (made,)), met)


def _detached(worker: Worker) -> Refused:
    return Refused(
        "no-branch",
        "no branch is checked out, so there is none to announce",
        where=worker.here.cwd,
        why="an announcement is about a branch; what has none is claimed as a task",
        run=f"git switch -c {slug(worker.me.actor)}",
    )
