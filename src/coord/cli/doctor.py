"""``doctor``: what is in force in each worktree, what is not, and the one command for each."""

from __future__ import annotations

import click

from coord.cli import edge, progress, show
from coord.doctor import text
from coord.doctor.examine import examine
from coord.documents.doctor import diagnosis
from coord.work import where


@click.command()
@show.json_option
def doctor(*, as_json: bool) -> int:
    """Prove what is in force in every worktree, and name what is not; change nothing."""
    call = edge.call(None, "doctor")
    with progress.going("looking at every worktree"):
        found = examine(where.located(call), call.cwd, call.environ)
    if as_json:
        show.document(diagnosis(found))
        return 0 if found.ok else 1
    show.lines(text.lines(found))
    return 0 if found.ok else 1
