"""``doctor``: what is in force in each worktree, what is not, and the one command for each."""

from __future__ import annotations

import click

from coord.cli import edge, progress, show
from coord.doctor import text
from coord.doctor.examine import examine
from coord.documents.doctor import diagnosis
from coord.work import tidy, where

_HELD = (
    "; some stayed, since somebody is writing or no file can be locked there: "
    "git coord doctor --sweep"
)


@click.command()
@click.option("--sweep", is_flag=True, help="First take off the board what nobody needs any more.")
@show.json_option
def doctor(*, sweep: bool, as_json: bool) -> int:
    """Prove what is in force in every worktree, and name what is not; change nothing else."""
    call = edge.call(None, "doctor --sweep" if sweep else "doctor")
    if sweep:
        with progress.going("sweeping the board"):
            swept = tidy.everything(call)
        again = "; there may be more: git coord doctor --sweep" if swept.more else ""
        again = again if swept.alone else _HELD
        call.note(f"{swept.records} records went off the board{again}")
    with progress.going("looking at every worktree"):
        found = examine(where.located(call), call.cwd, call.environ)
    if as_json:
        show.document(diagnosis(found))
        return 0 if found.ok else 1
    show.lines(text.lines(found))
    return 0 if found.ok else 1
