"""``take-over``: the explicit, recorded way to what somebody else holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused, Usage
from coord.base.names import quote
from coord.board import claims, events, view
from coord.work import arrive
from coord.work.call import bounded, typed
from coord.work.claim import Claim, Claims

if TYPE_CHECKING:
    from coord.board.events import Change, Place, State
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call

_WIDEST = 200


def take_over(
    call: Call,
    name: str,
    reason: str | None = None,
    *,
    from_present: bool = False,
    gone: bool = False,
    generation: int | None = None,
) -> Claims:
    """Take a scope from its holder, on the record: silence alone frees nothing.

    Args:
        call: who takes it.
        name: the scope.
        reason: why; the former holder is told.
        from_present: even from a holder who is there.
        gone: only from one whose worktree git has forgotten, which is reason enough.
        generation: only while the scope stands at this one, as it was when that was decided.

    Raises:
        Usage: there is no reason, or it is too long for a record; or it is no scope.
        Refused: nobody holds it, or the holder's presence forbids it.
    """
    text = bounded(reason, "--reason", "take-over") or (
        gone and "git has forgotten the holder's worktree"
    )
    if not (text and text.strip()):
        raise _without_reason()
    worker = arrive.acting(call, [name])
    scope, roll = worker.scopes[0], worker.roll()
    mine = arrive.place(worker, worker.branch)
    seen: list[State] = []

    def decide(state: State) -> Change | None:
        seen.append(state)
        _require_generation(scope, state, generation)
        _may_take(
            call, scope, seen, worker, roll, from_present=from_present, gone=gone, reason=text
        )
        return events.taken(state, mine, text, roll.lingers)

    outcome = claims.change(worker.store, scope, worker.me, decide)
    if outcome.event is None:
        call.note(f"{scope} is yours already")
    held = outcome.state.places_of(worker.instance)[0]
    return Claims(worker, roll, (Claim(scope, outcome.state, held),))


def _may_take(
    call: Call,
    scope: str,
    seen: list[State],
    worker: Worker,
    roll: Roll,
    *,
    from_present: bool,
    gone: bool,
    reason: str,
) -> None:
    """Refuse a take-over that the holder's presence forbids, or whose holder has just changed."""
    state, holder = seen[-1], seen[-1].holder
    if holder is None:
        raise Refused(
            "not-held",
            f"{scope} is held by nobody",
            where=scope,
            why="what is free needs no taking over",
            run=f"git coord claim {quote(scope)}",
        )
    if holder.instance == worker.instance:
        return
    if state.generation != seen[0].generation:
        raise _changed_hands(scope, holder)
    status = None if holder.instance is None else roll.of(holder.instance)
    if gone and not (status and status.gone):
        raise _not_gone(scope, holder)
    at_work = holder.command if roll.works_on(holder) else None
    if roll.lingers(holder):
        call.note(f"what {view.run(holder)} has started may work on under {scope}")
    elif at_work is not None:
        if not from_present:
            raise _running(scope, holder, at_work.pid)
        call.note(f"{at_work.name}, pid {at_work.pid}, is still running under {scope}")
    elif status and status.present and not roll.is_dead(holder) and not from_present:
        raise _paused(scope, state, reason) if state.paused_at else _present(scope, holder)


def _require_generation(scope: str, state: State, generation: int | None) -> None:
    """Refuse to take what is not as it was when somebody decided to take it."""
    if generation is None or generation == state.generation or state.holder is None:
        return
    raise Refused(
        "holder-changed",
        f"{scope} is at generation {state.generation} by now, not {generation}",
        where=scope,
        why=f"it is held by {view.told(state.holder)}; a take-over is for the holder you saw",
        run=f"git coord show {quote(scope)}",
    )


def _without_reason() -> Usage:
    return Usage(
        "usage",
        "wrong usage",
        where="git coord take-over",
        why="--reason TEXT is needed: the former holder is told why",
        run="git coord take-over -h",
    )


def _changed_hands(scope: str, holder: Place) -> Refused:
    return Refused(
        "holder-changed",
        f"{scope} went to {holder.actor} in this very moment",
        where=scope,
        why="a take-over is meant for the holder you saw",
        run=f"git coord log {quote(scope)}",
    )


def _not_gone(scope: str, holder: Place) -> Refused:
    return Refused(
        "holder-not-gone",
        f"{holder.actor}'s worktree is not proved to be gone",
        where=scope,
        why="--gone is for claims of worktrees that git has forgotten; give a --reason instead",
        run="git coord board",
    )


def _present(scope: str, holder: Place) -> Refused:
    return Refused(
        "holder-present",
        f"{scope} is held by {view.told(holder)}, who is present",
        where=scope,
        why="a claim is taken from somebody at work only with --from-present",
        run=f"git coord wait {quote(scope)}",
    )


def _paused(scope: str, state: State, reason: str) -> Refused:
    why = f", saying {_quoted(state.paused_why)}" if state.paused_why else ""
    words = typed("take-over", [scope], {"--reason": reason, "--from-present": True})
    return Refused(
        "holder-present",
        f"{scope} is held by {view.told(state.line[0])}, who has paused it but is present",
        where=scope,
        why=f"it has been paused since {(state.paused_at or '')[:19]}Z{why}; "
        "a claim is taken from somebody present only with --from-present",
        run=f"git coord {words}",
    )


def _quoted(words: str) -> str:
    """Return the first line of a peer's words between quotes that are none of theirs."""
    first = words.split("\n", maxsplit=1)[0].replace('"', "'")
    return f'"{first if len(first) <= _WIDEST else first[:_WIDEST] + "…"}"'


def _running(scope: str, holder: Place, pid: int) -> Refused:
    return Refused(
        "holder-present",
        f"{scope} is held by {view.told(holder)} for a command at work",
        where=scope,
        why=f"its command, pid {pid}, is still running; "
        "a claim is taken from somebody at work only with --from-present",
        run=f"git coord wait {quote(scope)}",
    )
