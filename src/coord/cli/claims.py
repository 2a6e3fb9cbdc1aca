"""``claim`` and ``release``: who works on what, and who waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.cli import answer, edge, show, words
from coord.cli.timeout import timeout_option
from coord.work import release as giving
from coord.work.claim import claim as take
from coord.work.claim import met

if TYPE_CHECKING:
    from coord.work.leaving import Given


@click.command()
@click.argument("names", nargs=-1, required=True, shell_complete=words.scope, metavar="SCOPE...")
@click.option(
    "--branch",
    shell_complete=words.branch,
    metavar="B",
    help="Claim for branch B, until its worker does.",
)
@click.option("--issue", metavar="N", help="The issue this is about.")
@click.option("--intent", metavar="T", help="What you mean to do.")
@click.option("--path", "globs", multiple=True, metavar="GLOB", help="Files you mean to touch.")
@click.option("--session", metavar="S", help="The session you work in.")
@click.option("--wait", "waits", is_flag=True, help="Wait until all are yours, as wait does.")
@timeout_option
@show.json_option
@click.pass_obj
def claim(
    asked: str | None,
    *,
    names: tuple[str, ...],
    branch: str | None,
    issue: str | None,
    intent: str | None,
    globs: tuple[str, ...],
    session: str | None,
    waits: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Claim scopes: the first claimant holds, a later one waits. Neither is a failure.

    A claim that only waits exits with 0 as well: before `&&`, say --wait. Ctrl-C and the end of
    its time leave your place in the line.
    """
    said = {"--branch": branch, "--issue": issue, "--intent": intent, "--session": session}
    call = edge.call(asked, "claim", names, said | {"--wait": waits})
    made = take(
        call, names, branch=branch, issue=issue, intent=intent, globs=globs, session=session
    )
    if not waits:
        answer.claims(made, as_json=as_json)
    if globs:
        answer.overlaps(made, met(made))
    if waits:
        from coord.cli import awaited  # noqa: PLC0415  # most claims wait for nothing

        awaited.claims(call, made, timeout, as_json=as_json)


@click.command()
@click.argument("names", nargs=-1, shell_complete=words.scope, metavar="[SCOPE]...")
@click.option("--landed", is_flag=True, help="Settle everybody's claims for merged branches.")
@click.option("--onto", metavar="B", help="With --landed: what they are merged into.")
@show.json_option
@click.pass_obj
def release(
    asked: str | None, *, names: tuple[str, ...], landed: bool, onto: str | None, as_json: bool
) -> None:
    """Give up your claims on scopes, or all of them; the next in line becomes holder.

    With --landed it settles instead, for whoever made them, the claims of branches whose commits
    are in B (default: HEAD).
    """
    if onto is not None and not landed:
        raise click.UsageError("--onto B is for --landed")
    call = edge.call(asked, "release", names, {"--landed": landed, "--onto": onto})
    if landed:
        from coord.cli.landed import settle  # noqa: PLC0415  # brings the merge order along

        settle(call, names, onto, as_json=as_json)
        return
    done = giving.release(call, names)
    if as_json:
        from coord.documents import released  # noqa: PLC0415  # scripts pay for it

        show.document(released.document(done))
        return
    for one in done.given:
        show.line(_released(one))
        answer.ended_offers(one)
    if not done.given:
        show.line(f"{done.actor} holds nothing and waits for nothing")


def _released(one: Given) -> str:
    if one.run is not None:
        return f"{one.scope} is released; {one.run} holds it until it ends"
    heir = one.state.holder
    since = "still" if one.state.generation == one.before else "now"
    return f"{one.scope} is {f'{since} held by {heir.actor}' if heir else 'free'}"
