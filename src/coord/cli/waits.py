"""``wait`` and ``run``: until a scope can be held, and for as long as a command needs it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from coord.base import duration
from coord.base.errors import CoordError, Refused
from coord.base.names import quote
from coord.board import claims, events, process, view, waiting
from coord.cli import edge, launched, pulse, show
from coord.work import arrive, lost, news

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.board.events import Place, State
    from coord.board.process import Process
    from coord.work.arrive import Worker
    from coord.work.call import Call

PATIENCE = "30m"


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
    default=PATIENCE,
    show_default=True,
    metavar="TIME",
    help="How long to wait.",
)


@click.command()
@click.argument("name", metavar="SCOPE")
@timeout_option
@show.json_option
@click.pass_obj
def wait(asked: str | None, *, name: str, timeout: float, as_json: bool) -> None:
    """Wait until you could hold SCOPE; never longer than the process that waits lives."""
    call = edge.call(asked, "wait", [name])
    worker = arrive.looking(call, [name])
    scope = worker.scopes[0]

    def is_open() -> bool:
        holder = claims.state(worker.store, scope).holder
        return holder is None or holder.instance == worker.me.instance is not None

    if not is_open():
        lost.tell(call, worker, scope, claims.state(worker.store, scope), worker.roll())
    _wait(worker, scope, is_open, timeout)
    state = claims.state(worker.store, scope)
    pulse.tell(news.reader(worker))  # what its last holder has done there already
    found = "held" if state.holder else "free"
    if as_json:
        show.document({"scope": scope, "state": found, "generation": state.generation})
        return
    show.line(f"{scope} is {'yours' if state.holder else 'free'}")


class Run(click.Command):
    """``run``: options stand before the command, on either side of SCOPE; what follows is CMD's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Bring SCOPE behind the options, so that the parser ends where CMD begins."""
        rest = self._after_options(ctx, args)
        if rest:
            given = [*args[: len(args) - len(rest)], *rest[1:]]
            command = self._after_options(ctx, given)
            options = given[: len(given) - len(command)]
            args = [*(options[:-1] if options[-1:] == ["--"] else options), "--", rest[0], *command]
        return super().parse_args(ctx, args)

    def _after_options(self, ctx: click.Context, args: list[str]) -> list[str]:
        found = self.make_parser(ctx).parse_args(list(args))[0]
        scope, command = found.get("name"), found.get("command")
        words = command if isinstance(command, tuple) else ()
        return [scope, *words] if isinstance(scope, str) else []


@click.command(cls=Run, context_settings={"allow_interspersed_args": False})
@click.argument("name", metavar="SCOPE")
@click.option("--no-wait", is_flag=True, help="Refuse instead of waiting in line.")
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.pass_obj
def run(
    asked: str | None, *, name: str, no_wait: bool, timeout: float, command: tuple[str, ...]
) -> int:
    """Run CMD while holding SCOPE: wait in line, stay present, release, pass its status on.

    The answer is CMD's own output, so there is no --json.
    """
    options = {"--no-wait": no_wait}
    call = edge.call(asked, "run", [name], options, command)
    worker = arrive.acting(call, [name])
    scope = worker.scopes[0]
    mine = arrive.place(worker, worker.branch)._replace(run=True, process=process.own())
    with _held(call, worker, scope, mine, 0.0 if no_wait else timeout):
        code = launched.watched(worker, command, lambda it: _record(worker, scope, mine, it))
    with contextlib.suppress(CoordError, OSError):  # the board is ill: that has been said
        pulse.tell(news.reader(worker))
    return code


@contextlib.contextmanager
def _held(call: Call, worker: Worker, scope: str, mine: Place, timeout: float) -> Iterator[None]:
    """Hold `scope` for a block, and give up what was taken for it whatever happens.

    A place that the worker has by ``claim`` serves as well, and is left as it is.
    """
    roll = worker.roll()
    state = claims.change(
        worker.store, scope, worker.me, lambda at: events.joined(at, mine, roll.is_dead)
    ).state
    _say(call, worker, scope, state, mine, timeout)
    try:
        _wait(worker, scope, lambda: _is_first(claims.state(worker.store, scope), mine), timeout)
        yield
    finally:
        _give_up(worker, scope, mine)


def _say(  # noqa: PLR0917  # read in this order at the one call
    call: Call, worker: Worker, scope: str, state: State, mine: Place, timeout: float
) -> None:
    """Say what is waited for, and that a place of the worker's own stays after the command."""
    roll = worker.roll()
    there = next(one for one in view.claimants(state, roll) if _serves(one.place, mine))
    own = there.place != mine
    if there.state == "held":
        if own:
            show.note(f"{scope} is claimed by you, and stays so after this command")
        return
    if own:
        show.note(f"your place in the line for {scope} stays yours after this command")
    if timeout:
        show.note(
            f"waiting for {scope}: held by {view.told(state.line[0])}, "
            f"you are number {there.number}, at most {duration.told(timeout)}"
        )
        lost.tell(call, worker, scope, state, roll)


def _serves(place: Place, mine: Place) -> bool:
    return events.is_same(place, mine, _nobody_is_dead)


def _record(worker: Worker, scope: str, mine: Place, command: Process) -> None:
    """Put the command on the record: it may outlive this process, and the scope is its own then."""
    try:
        claims.change(
            worker.store, scope, worker.me, lambda at: events.started(at, _is_for(mine), command)
        )
    except CoordError as error:
        show.note(f"{scope}: its record does not name the command, pid {command.pid}: {error.why}")


def _give_up(worker: Worker, scope: str, mine: Place) -> None:
    """Give up the place of a run; a board that cannot be written does not hide how it ended."""
    try:
        claims.change(
            worker.store,
            scope,
            worker.me,
            lambda at: events.left(at, _is_for(mine), worker.roll().is_dead),
        )
    except CoordError as error:
        show.note(f"{scope} could not be released: {error.why}")
        show.note(f"git coord release {quote(scope)} does it, as soon as the board can be written")


def _is_for(mine: Place) -> Callable[[Place], bool]:
    """Return the test for the place of this very run, whatever else was said of it since."""
    return lambda place: place.run and place.process == mine.process


def _is_first(state: State, mine: Place) -> bool:
    return state.holder is not None and _serves(state.holder, mine)


def _nobody_is_dead(_: Place) -> bool:
    return False


def _wait(worker: Worker, scope: str, is_open: Callable[[], bool], timeout: float) -> None:
    try:
        done = waiting.until(is_open, worker.watch, timeout, worker.beat, worker.beat_every)
    except waiting.Orphaned:
        raise _orphaned(worker, scope) from None
    if not done:
        raise _timed_out(worker, scope, claims.state(worker.store, scope), timeout)


def _orphaned(worker: Worker, scope: str) -> Refused:
    ended = worker.watch.ended
    who = "a process" if ended is None else f"{ended.name} (pid {ended.pid})"
    wait = f"git coord wait {quote(scope)}"
    return Refused(
        "worker-gone",
        f"nobody is left to wait for {scope}",
        where=scope,
        why=f"{who} that this wait was started from has ended; what is to outlive its shell "
        f"is started by setsid {wait}",
        run=wait,
    )


def _timed_out(worker: Worker, scope: str, state: State, timeout: float) -> Refused:
    holder = state.holder
    found = None if holder is None else lost.found(scope, holder, worker.roll())
    by = f"held by {view.told(holder)}" if holder else "held by others"
    by += found.words if found else ""
    if state.paused_at:
        by += f", who has paused it since {state.paused_at[:19]}Z"
    after = f"after {duration.told(timeout)}" if timeout else "and this call does not wait"
    return Refused(
        "still-held",
        f"{scope} is {by}",
        where=scope,
        why=f"it did not become yours {after}" if timeout else f"it is not yours, {after}",
        run=found.run if found else f"git coord wait {quote(scope)}",
    )
