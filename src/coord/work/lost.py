"""Holders who are not there: whether their scope may be taken, and by which command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.board import text, view

if TYPE_CHECKING:
    from coord.board.events import Place, State
    from coord.board.roll import Roll
    from coord.liveness.presence import Status
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Lost(NamedTuple):
    """What is known of a holder who is not there.

    Attributes:
        words: that, after its name.
        run: the command that takes its scope.
        surely: it is proved to have ended or to be gone: its release will not come.
        over: it is proved that nothing of it works on.
    """

    words: str
    run: str
    surely: bool = True
    over: bool = True

    @property
    def offer(self) -> str:
        """The command in a line; to take what somebody may still work on is a decision."""
        if self.over:
            return f"{self.run} takes it, on the record"
        return f"to take it is your decision: {self.run}"


def found(
    scope: str,
    holder: Place,
    roll: Roll,
    generation: int | None = None,
    branch: str | None = None,
) -> Lost | None:
    """Return what is known of a holder who is not there; None of one who is, or works by ``run``.

    Nobody has to come back to a finished branch, but whoever has it checked out goes on with it:
    then its worker counts where it is proved not to come back.

    Args:
        scope: canonical scope.
        holder: who holds it.
        roll: the workers.
        generation: the scope's; the command holds for that one only.
        branch: the one that is checked out by who asks.
    """
    take = f"git coord take-over {quote(scope)}"
    take += "" if generation is None else f" --generation {generation}"
    if view.is_unknown(holder):
        return Lost("", f"{take} --reason 'its record cannot be read'")
    if holder.instance is None or roll.works_on(holder):
        return None
    if holder.run and roll.is_dead(holder):
        return Lost(", whose run has ended", f"{take} --reason 'its run has ended'")
    if roll.lingers(holder):
        words = ", whose run was killed; what that has started may work on"
        return Lost(words, f"{take} --reason 'its run was killed'", over=False)
    status = roll.of(holder.instance)
    lost = None if status.present else _away(status, take, roll.now)
    if lost is None or not roll.is_finished(holder):
        return lost
    return lost if lost.surely and branch is not None and branch == roll.branch(holder) else None


def held(scope: str, state: State, roll: Roll, branch: str | None) -> tuple[str, str]:
    """Return by whom a scope is held, in words, and what to run about it.

    To take it only where its holder is proved not to come back; else its log, which says more.
    `branch` is the one that is checked out by who asks.
    """
    holder = state.holder
    if holder is None:
        return "held by nobody now", f"git coord log {quote(scope)}"
    lost = found(scope, holder, roll, state.generation, branch)
    words = f"held by {view.told(holder, roll)}{lost.words if lost else ''}"
    return words, lost.run if lost and lost.surely else f"git coord log {quote(scope)}"


def _away(status: Status, take: str, now: float | None) -> Lost | None:
    if status.gone:
        return Lost(", whose worktree is gone", f"{take} --gone")
    if status.dead:
        return Lost(f", who has ended ({status.why})", f"{take} --reason {quote(status.why)}")
    return _silent(status, take, now)


def tell(call: Call, worker: Worker, scope: str, state: State, told: str = "") -> str:
    """Say that the release of a scope may not come by itself, if so and if it is not `told` yet.

    Returns what is told by then, which says nothing but to the next call of this.
    """
    holder, roll = state.holder, worker.roll()
    if holder is not None and holder.instance == worker.instance:
        holder = next(filter(roll.lingers, view.running(state, worker.instance, roll)), None)
    lost = holder and found(scope, holder, roll, state.generation, worker.branch)
    mark = f"{state.generation} {lost.surely}" if lost else ""
    if holder is not None and lost and mark != told:
        call.note(f"{scope} is held by {view.told(holder, roll)}{lost.words}")
        call.note(lost.offer)
    return mark or told


def _silent(status: Status, take: str, now: float | None) -> Lost | None:
    if status.seen is None:
        return None
    since = text.silence(status, now)
    why = f": {status.why}" if status.why else ""
    return Lost(f", {since}{why}", f"{take} --reason {quote(since)}", surely=False, over=False)
