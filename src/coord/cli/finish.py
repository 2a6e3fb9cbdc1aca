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
    show.line(f"{branch} is finished at {made.tip[:12]}; {_kept(made)} until it lands")
    if not here.linked:
        show.note(
            f"{branch} is what the main worktree merges into: it lands nowhere but with --onto"
        )
    changed = uncommitted.paths(here)
    if changed:
        several = "s are" if len(changed) > 1 else " is"
        what = uncommitted.told(changed)
        show.note(f"{len(changed)} path{several} not committed, and not part of it: {what}")


def _kept(made: Finished) -> str:
    """Return what stays: the branch was claimed by the verb, so it is no claim of the user's."""
    others = len(made.kept) - (made.scope in made.kept)
    if not others:
        return "the branch stays claimed"
    return f"{others} claim{'' if others == 1 else 's'} and the branch's own stay"
