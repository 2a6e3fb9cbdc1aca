"""``release --landed``: claims of branches that are merged are settled, by whoever sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import progress, show
from coord.work import landed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.work.call import Call


def settle(call: Call, names: Sequence[str], onto: str | None, *, as_json: bool) -> None:
    """Settle the claims of every branch that has landed, and print them, a line a scope."""
    with progress.going("looking for branches that have landed"):
        found = landed.settle(call, names, onto)
    if as_json:
        from coord.documents import landed as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(found))
        return
    goal, settled = found
    for one in settled:
        heir = one.state.holder
        since = "still" if one.state.generation == one.before else "now"
        now = f"{since} held by {heir.actor}" if heir else "free"
        show.line(f"{one.scope} is {now}: {' and '.join(one.branches)} landed on {goal.name}")
    if not settled:
        show.line(f"no claim is left of a branch that landed on {goal.name}")
