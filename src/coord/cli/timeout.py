"""``--timeout``: how long to wait at most."""

from __future__ import annotations

import click

from coord.base import duration

_PATIENCE = "30m"


class Duration(click.ParamType[float]):
    """A length of time on the command line."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds of ``90s``, ``30m``, ``24h`` or ``7d``."""
        seconds = duration.parse(str(value))
        if seconds is None:
            self.fail(f"{value} is no duration such as 90s, 30m, 24h or 7d", param, ctx)
        return seconds


timeout_option = click.option(
    "--timeout",
    type=Duration(),
    default=_PATIENCE,
    show_default=True,
    metavar="TIME",
    help="How long to wait.",
)
