"""``claim`` and ``release``: who works on what, and who waits for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord.base.errors import Refused, Usage
from coord.base.names import quote
from coord.board import claims, events, view
from coord.cli import leaving, lost, show
from coord.cli import seat as seats
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.events import Place, State
    from coord.board.roll import Roll
    from coord.cli.seat import Seat


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="SCOPE...")
@click.option("--branch", metavar="B", help="Claim for another branch, until its worker does.")
@click.option("--issue", metavar="N", help="The issue this is about.")
@click.option("--intent", metavar="T", help="What you mean to do.")
@click.option("--path", "globs", multiple=True, metavar="GLOB", help="Files you mean to touch.")
@click.option("--session", metavar="S", help="The session you work in.")
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
    as_json: bool,
) -> None:
    """Claim scopes: the first claimant holds, a later one waits. Neither is a failure."""
    said = {"--branch": branch, "--issue": issue, "--intent": intent, "--session": session}
    for option, text in (*said.items(), *(("--path", glob) for glob in globs)):
        seats.bounded(text, option)
    seat = seats.acting(asked, "claim", names, said)
    own = seat.branch
    target = own if branch is None else _branch(branch, seat)
    mine = seats.claim(seat, target)._replace(
        issue=_issue(issue),
        intent=intent or None,
        paths=_rooted(seat, globs) if globs else (),
        session=session or None,
        on_behalf=branch is not None and target != own,
    )
    if branch is not None and mine.tip is None:
        show.note(f"there is no branch {target} in this repository yet")
    roll = seat.roll()
    made = [(scope, *claimed(seat, roll, scope, mine)) for scope in seat.scopes]
    answer(seat, roll, made, as_json=as_json)
    if globs:
        _tell_of_overlaps(seat, roll, made)


@click.command()
@click.argument("names", nargs=-1, metavar="[SCOPE]...")
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
    said = {"--landed": landed, "--onto": onto}
    seat = seats.acting(asked, "release", names, said, guarded=True)
    if landed:
        from coord.cli.landed import settle  # noqa: PLC0415  # brings the merge order along

        settle(seat, onto, as_json=as_json)
        return
    wanted = seat.scopes if names else own(seat)
    for scope in wanted:
        _require_mine(seat, scope)
    roll, moves = seat.roll(), leaving.own_moves(seat)
    held = {scope: claims.state(seat.store, scope).generation for scope in wanted}
    done = [leaving.give_up(seat, roll, scope, moves) for scope in wanted]
    if as_json:
        show.document({"released": [leaving.document(one) for one in done]})
        return
    for one in done:
        heir = one.state.holder
        since = "still" if one.state.generation == held[one.scope] else "now"
        show.line(f"{one.scope} is {f'{since} held by {heir.actor}' if heir else 'free'}")
        leaving.tell_of_offers(one)
    if not done:
        show.line(f"{seat.me.actor} holds nothing and waits for nothing")


def _tell_of_overlaps(seat: Seat, roll: Roll, made: Sequence[tuple[str, State, Place]]) -> None:
    from coord.cli import overlaps  # noqa: PLC0415  # most claims declare no paths

    for scope, _, held in made:
        for meeting in overlaps.tell(seat, roll, scope, held):
            headline, *rest = overlaps.lines(meeting)
            show.note(headline)
            for line in rest:
                show.quoted(line.strip(" |"))


def _rooted(seat: Seat, globs: tuple[str, ...]) -> tuple[str, ...]:
    from coord.overlap import pathspecs  # noqa: PLC0415  # most claims declare no paths

    return pathspecs.rooted(seat.here, os.getcwd(), globs)


def claimed(seat: Seat, roll: Roll, scope: str, mine: Place) -> tuple[State, Place]:
    """Claim `scope`, and return its state and the place that `seat` has there."""
    outcome = claims.change(
        seat.store,
        scope,
        seat.me,
        lambda state: events.joined(state, mine, roll.is_dead, roll.is_finished),
    )
    state = outcome.state
    return state, state.line[events.places_for(state, mine, roll.is_dead, roll.is_finished)[0]]


def answer(
    seat: Seat, roll: Roll, made: Sequence[tuple[str, State, Place]], *, as_json: bool
) -> None:
    """Print how claims stand: the claims of `seat` among them."""
    documents = [view.claim_document(scope, state, mine, roll) for scope, state, mine in made]
    if as_json:
        show.document({"claims": documents})
        return
    for (scope, state, _), answer in zip(made, documents, strict=True):
        holder = state.line[0]
        if answer["state"] == "held":
            show.line(f"{scope} is yours, generation {state.generation}")
            continue
        gone = lost.found(scope, holder, roll)
        by = f"{view.told(holder)}{gone.words if gone else ''}"
        show.line(f"{scope} is held by {by}; you are number {answer['place']}")
        if holder.instance != seat.instance:
            _tell_of_pause(scope, state)
            wait = f"git coord wait {quote(scope)} ends when it is yours"
            show.note(f"{gone.run} takes it, on the record" if gone else wait)
        elif roll.is_finished(holder):
            show.note(f"that is your claim for {holder.branch}, until the branch has landed")


def _tell_of_pause(scope: str, state: State) -> None:
    """Say that nobody is at work on a scope, and why, in its holder's words."""
    if state.paused_at is None:
        return
    show.note(f"{state.line[0].actor} has paused {scope} since {state.paused_at[:19]}Z")
    for line in state.paused_why.split("\n") if state.paused_why else ():
        show.quoted(line)


def own(seat: Seat) -> list[str]:
    """Return the scopes in which `seat` holds or waits."""
    tops = claims.tops(seat.store)
    return sorted(event.scope for event in tops if event.state.places_of(seat.instance))


def _require_mine(seat: Seat, scope: str) -> None:
    """Refuse to end what is somebody else's; what nobody has is as good as released."""
    state = claims.state(seat.store, scope)
    if state.holder is None:
        show.note(f"{scope} is held by nobody")
    elif not state.places_of(seat.instance):
        raise _not_holder(seat, scope, state.holder)


def _not_holder(seat: Seat, scope: str, holder: Place) -> Refused:
    return Refused(
        "not-holder",
        f"{scope} is not {seat.me.actor}'s to release",
        where=scope,
        why=f"it is held by {view.told(holder)}; "
        "only its owner, or a take-over on the record, ends a claim",
        run=f"git coord log {quote(scope)}",
    )


def _branch(branch: str, seat: Seat) -> str:
    short = branch.removeprefix("refs/heads/")
    if git.ask("check-ref-format", "--branch", short, cwd=seat.here.cwd).code == 0:
        return short
    raise Usage(
        "branch-invalid",
        "not the name of a branch",
        where=branch,
        why="git check-ref-format refuses it",
        run="git branch --list",
    )


def _issue(text: str | None) -> int | str | None:
    """Return an issue's number as one, a key such as ``HW-12`` as it stands."""
    plain = (text or "").removeprefix("#")
    return int(plain) if plain.isascii() and plain.isdigit() else text or None
