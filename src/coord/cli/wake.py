"""``wake``: begin a session. One screen, one suggestion, and no stampede."""

from __future__ import annotations

import gc

import click

from coord.base import duration
from coord.cli import ahead, edge, show
from coord.fleet import screen
from coord.work import wake as waking


def _seconds(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    """Read ``--stagger``: a duration, or a plain number of seconds."""
    del ctx, param
    if text is None:
        return None
    found = duration.parse(text if text[-1:] in duration.UNITS else f"{text}s")
    if found is None:
        raise click.BadParameter("it takes a duration such as 5s or 2m, or a number of seconds")
    return found


@click.command()
@click.option("--stagger", metavar="S", callback=_seconds, help="Wait at most S; default: 5s.")
@click.option("--no-stagger", "at_once", is_flag=True, help="Do not wait at all.")
@show.json_option
@click.pass_obj
def wake(asked: str | None, *, stagger: float | None, at_once: bool, as_json: bool) -> None:
    """Begin a session: who is here, what is taken, what was shipped, and one suggestion."""
    gc.disable()  # as in `board`
    pause = 0.0 if at_once else stagger
    made = waking.wake(edge.call(asked, "wake"), pause, everything=as_json)
    ahead.warn(made.put_down)
    ahead.warn(made.shipped)
    if as_json:
        from coord.documents import wake as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(made.screen))
    else:
        show.lines(screen.lines(waking.aged(made)))
