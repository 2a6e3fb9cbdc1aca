"""Holders who cannot come back: for their release nobody should wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import quote
from coord.board import view

if TYPE_CHECKING:
    from coord.board.events import Place, State
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Lost(NamedTuple):
    """What became of a holder, as words after its name, and the command that takes its scope."""

    words: str
    run: str


def found(scope: str, holder: Place, roll: Roll) -> Lost | None:
    """Return what became of a holder who surely cannot come back; None of any other."""
    take = f"git coord take-over {quote(scope)}"
    if view.is_unknown(holder):
        return Lost("", f"{take} --reason 'its record cannot be read'")
    if not roll.is_dead(holder):
        return None
    if roll.is_gone(holder):
        return Lost(", whose worktree is gone", f"{take} --gone")
    return Lost(", whose process has ended", f"{take} --reason 'its process has ended'")


def tell(call: Call, worker: Worker, scope: str, state: State, roll: Roll) -> None:
    """Say that the release of a scope will not come by itself, if so."""
    holder = state.holder
    if holder is None or holder.instance == worker.instance:
        return
    lost = found(scope, holder, roll)
    if lost is not None:
        call.note(f"{scope} is held by {view.told(holder)}{lost.words}")
        call.note(f"{lost.run} takes it, on the record")
