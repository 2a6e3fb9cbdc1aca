"""``mirror`` and ``lanes``: what was shipped lately, and what nobody has tended for too long."""

from __future__ import annotations

import click

from coord.cli import ahead, edge, show
from coord.fleet.mirror import WINDOW
from coord.fleet.text import lane_lines, mirror_lines
from coord.settings import config
from coord.work import lanes as tending
from coord.work import mirror as shipping


@click.command()
@click.option(
    "--last",
    "window",
    type=click.IntRange(1, 1000),
    default=WINDOW,
    metavar="N",
    help=f"How many moves to look at; default: {WINDOW}.",
)
@show.json_option
def mirror(*, window: int, as_json: bool) -> None:
    """Show the kinds of the last moves that were shipped, and which kind is going cold."""
    found = shipping.mirror(edge.call(None, "mirror"), window)
    if as_json:
        from coord.documents import mirror as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(found.mirror))
    else:
        show.lines(mirror_lines(found.mirror, found.read.until.now))
    ahead.warn(found.read)


@click.command()
@show.json_option
def lanes(*, as_json: bool) -> None:
    """Show the lanes: since when nobody has tended them, or who has claimed them."""
    rows, read = tending.lanes(edge.call(None, "lanes"))
    if as_json:
        from coord.documents import lanes as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(rows))
    else:
        show.lines(lane_lines(rows, read.until.now))
    ahead.warn(read)
    if not rows and not as_json:
        show.note(f'no lanes: [lane.NAME] with every = "1d" in {config.FILE} declares one')
