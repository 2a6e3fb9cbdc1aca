"""``take-over``: the explicit, recorded way to what somebody else holds."""

from __future__ import annotations

import click

from coord.cli import answer, edge, show, words
from coord.work import takeover


@click.command()
@click.argument("name", shell_complete=words.scope, metavar="SCOPE")
@click.option("--reason", metavar="TEXT", help="Why; the former holder is told.")
@click.option("--from-present", is_flag=True, help="Even from a holder who is there.")
@click.option("--gone", is_flag=True, help="Only from a removed worktree; needs no reason.")
@click.option(
    "--generation", type=int, metavar="N", help="Only while it stands at this generation."
)
@show.json_option
@click.pass_obj
def take_over(
    asked: str | None,
    *,
    name: str,
    reason: str | None,
    from_present: bool,
    gone: bool,
    generation: int | None,
    as_json: bool,
) -> None:
    """Take a scope from its holder, on the record: silence alone frees nothing."""
    options = {
        "--reason": reason,
        "--from-present": from_present,
        "--gone": gone,
        "--generation": generation,
    }
    call = edge.call(asked, "take-over", [name], options)
    made = takeover.take_over(
        call, name, reason, from_present=from_present, gone=gone, generation=generation
    )
    answer.claims(made, as_json=as_json)
