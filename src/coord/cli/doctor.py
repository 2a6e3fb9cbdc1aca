"""``doctor``: what is in force in each worktree, what is not, and the one command for each."""

from __future__ import annotations

import os

import click

from coord.cli import edge, show
from coord.doctor import text
from coord.doctor.examine import examine


@click.command()
@show.json_option
def doctor(*, as_json: bool) -> int:
    """Prove what is in force in every worktree, and name what is not; change nothing."""
    found = examine(edge.located(), os.getcwd(), os.environ)
    if as_json:
        show.document(text.document(found))
        return 0 if found.ok else 1
    for line in text.lines(found):
        show.line(line)
    return 0 if found.ok else 1
