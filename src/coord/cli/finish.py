"""``finish``: say that the branch you are on is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.cli import edge, show
from coord.work import finish as finishing
from coord.work import uncommitted

if TYPE_CHECKING:
    from coord.work.finish import Finished


@click.command()
@show.json_option
@click.pass_obj
def finish(asked: str | None, *, as_json: bool) -> None:
    """Say that the branch you are on is done: it may be merged, and its claims stay until then."""
    made = finishing.finish(edge.call(asked, "finish"))
    if as_json:
        from coord.documents import finish as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(made))
    else:
        _tell(made)


def _tell(made: Finished) -> None:
    branch, here = made.branch, made.worker.here
    count = f"{len(made.kept)} claim{'' if len(made.kept) == 1 else 's'}"
    stays = "stay" if len(made.kept) > 1 else "stays"
    show.line(f"{branch} is finished at {made.tip[:12]}; {count} {stays} until it lands")
    if not here.linked:
        show.note(
            f"{branch} is what the main worktree merges into: it lands nowhere but with --onto"
        )
    changed = uncommitted.paths(here)
    if changed:
        several = "s are" if len(changed) > 1 else " is"
        what = uncommitted.told(changed)
        show.note(f"{len(changed)} path{several} not committed, and not part of it: {what}")
