"""``claim``: a place in the line of a scope; the first holds it, a later one waits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coord.base.errors import Usage
from coord.base.frozen import NamedTuple
from coord.base.names import shown
from coord.board import claims, events
from coord.repo import git
from coord.work import arrive, circle, enrolment, unpublished
from coord.work.call import bounded

_KEY = re.compile(r"(?=.*[^\W\d_])[^\W_]\S*")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.events import Change, Place, State
    from coord.board.roll import Roll
    from coord.overlap.pathspecs import Meeting
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Claim(NamedTuple):
    """How a scope stands: the whole of it, and the worker's own place."""

    scope: str
    state: State
    place: Place


class Claims(NamedTuple):
    """How claims stand, and what is known of whoever shares them."""

    worker: Worker
    roll: Roll
    made: tuple[Claim, ...]

    def again(self) -> Claims:
        """Return how they stand now; what was given up meanwhile stands as it did."""
        return self._replace(made=tuple(map(self._now, self.made)))

    def _now(self, one: Claim) -> Claim:
        state = claims.state(self.worker.store, one.scope)
        mine = events.places_for(state, one.place, self.roll.is_finished)
        return Claim(one.scope, state, state.line[mine[0]]) if mine else one


def claim(
    call: Call,
    names: Sequence[str],
    *,
    branch: str | None = None,
    issue: str | None = None,
    intent: str | None = None,
    globs: Sequence[str] = (),
    session: str | None = None,
) -> Claims:
    """Claim scopes, for the branch that is checked out or for another one's worker to come.

    Raises:
        Usage: a scope, a branch or a path is none, or a text is too long for a record.
        Refused: who acts here is only inferred, or contradicts the pin.
    """
    said = {"--branch": branch, "--issue": issue, "--intent": intent, "--session": session}
    for option, text in (*said.items(), *(("--path", glob) for glob in globs)):
        bounded(text, option, "claim")
    worker = arrive.acting(call, names, enrolment.enlist)
    own = worker.branch
    target = own if branch is None else _branch(branch, worker)
    mine = arrive.place(worker, target)._replace(
        issue=_issue(issue),
        intent=intent or None,
        paths=_rooted(call, worker, globs) if globs else (),
        session=session or None,
        on_behalf=branch is not None and target != own,
    )
    if branch is not None and mine.tip is None:
        call.note(f"there is no branch {target} in this repository yet")
    with worker.store.unrefreshed():  # a claim is proved by what is written of it
        roll = worker.roll()
        made, left = unpublished.each(
            call, worker, "claim", worker.scopes, lambda scope: join(worker, roll, scope, mine)
        )
    unpublished.require(call, left)
    for one in made:
        if one.place not in one.state.line[:1]:
            circle.met(call, worker, one.scope, one.place)
    return Claims(worker, worker.roll() if worker.store.caps.hosts else roll, tuple(made))


def join(worker: Worker, roll: Roll, scope: str, mine: Place) -> Claim:
    """Take the place `mine` in the line of `scope`, and return how it stands then."""

    def stays(place: Place) -> bool:
        """Tell whether a place is of another branch, which is finished, and not of a new name."""
        renamed = place.branch != mine.branch and roll.branch(place) == mine.branch
        return roll.is_finished(place) and not renamed

    theirs = {one.name for one in worker.others()}

    def decide(state: State) -> Change | None:
        """Claim; what another session of the worker has claimed stays marked as that one's."""
        said = mine
        for at in events.places_for(state, mine, stays)[:1]:
            there = state.line[at]
            if there.by in theirs:
                said = mine._replace(by=there.by, session=there.session)
        return events.joined(state, said, roll.is_dead, stays)

    outcome = claims.change(worker.store, scope, worker.me, decide)
    state = outcome.state
    places = events.places_for(state, mine, stays)
    return Claim(scope, state, state.line[places[0]])


def met(made: Claims) -> list[Meeting]:
    """Tell the owners of overlapping paths, once a pair, and return the overlaps.

    It comes after the answer: what was claimed stands, whatever becomes of the letters.
    """
    from coord.work import overlaps  # noqa: PLC0415  # most claims declare no paths

    return [
        meeting
        for one in made.made
        for meeting in overlaps.tell(made.worker, made.roll, one.scope, one.place)
    ]


def _rooted(call: Call, worker: Worker, globs: Sequence[str]) -> tuple[str, ...]:
    from coord.overlap import pathspecs  # noqa: PLC0415  # most claims declare no paths

    return pathspecs.rooted(worker.here, call.cwd, globs)


def _branch(branch: str, worker: Worker) -> str:
    short = branch.removeprefix("refs/heads/")
    if git.ask("check-ref-format", "--branch", short, cwd=worker.here.cwd).code == 0:
        return short
    raise Usage(
        "branch-invalid",
        "not the name of a branch",
        where=branch,
        why="git check-ref-format refuses it",
        run="git branch --list",
    )


def _issue(text: str | None) -> int | str | None:
    """Return an issue's number as one, a key such as ``HW-12`` as it stands.

    Raises:
        Usage: it is neither, as where the next option was taken for it.
    """
    if text is None:
        return None
    plain = text.removeprefix("#")
    if plain.isascii() and plain.isdigit() and int(plain):
        return int(plain)
    if _KEY.fullmatch(plain) and text == shown(text):
        return text
    raise Usage(
        "issue-invalid",
        "not an issue",
        where=shown(text) or "(empty)",
        why="it is a number from 1, or a tracker's key in one word, such as HW-12",
        run="git coord claim -h",
    )
