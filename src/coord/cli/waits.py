"""``wait`` and ``run``: until a scope can be held, and for as long as a command needs it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from coord import duration
from coord.board import claims, events, process, view, waiting
from coord.cli import pulse, show
from coord.cli import seat as seats
from coord.errors import Refused
from coord.names import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coord.board.events import Place, State
    from coord.cli.seat import Seat

PATIENCE = "30m"
_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
# A terminal sends these to the command as well: it decides, and we outlive it to release.
_LEFT_TO_THE_COMMAND = (signal.SIGINT, signal.SIGQUIT)


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
    seat = seats.looking(asked, [name])
    scope = seat.scopes[0]

    def is_open() -> bool:
        holder = claims.state(seat.store, scope).holder
        return holder is None or holder.instance == seat.me.instance is not None

    _wait(seat, scope, is_open, timeout)
    state = claims.state(seat.store, scope)
    if seat.me.instance is not None and seat.me.conflict is None:
        pulse.tell(seat.store, seat.me.instance)  # what its last holder has done there already
    found = "held" if state.holder else "free"
    if as_json:
        show.document({"scope": scope, "state": found, "generation": state.generation})
        return
    show.line(f"{scope} is {'yours' if state.holder else 'free'}")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", metavar="SCOPE")
@click.option("--no-wait", is_flag=True, help="Refuse instead of waiting in line.")
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.pass_obj
def run(
    asked: str | None, *, name: str, no_wait: bool, timeout: float, command: tuple[str, ...]
) -> int:
    """Run CMD while holding SCOPE: wait in line, stay present, release, pass its status on."""
    options = {"--no-wait": no_wait}
    seat = seats.acting(asked, "run", [name], options, tail=command)
    scope = seat.scopes[0]
    mine = seats.claim(seat, seat.branch)._replace(run=True, process=process.own())
    with _held(seat, scope, mine, 0.0 if no_wait else timeout):
        code = _watched(seat, command)
    pulse.tell(seat.store, seat.instance)
    return code


@contextmanager
def _held(seat: Seat, scope: str, mine: Place, timeout: float) -> Iterator[None]:
    """Hold `scope` for a block, and give up what was taken for it whatever happens.

    A place that the worker has by ``claim`` serves as well, and is left as it is.
    """
    roll = seat.roll()
    state = claims.change(
        seat.store, scope, seat.me, lambda at: events.joined(at, mine, roll.is_dead)
    ).state
    if mine not in state.line:
        show.note(f"{scope} is claimed by you, and stays so after this command")
    try:
        _wait(seat, scope, lambda: _is_first(claims.state(seat.store, scope), mine), timeout)
        yield
    finally:
        claims.change(
            seat.store,
            scope,
            seat.me,
            lambda at: events.left(at, _is_for(mine), seat.roll().is_dead),
        )


def _is_for(mine: Place) -> Callable[[Place], bool]:
    """Return the test for the place of this very run, whatever else was said of it since."""
    return lambda place: place.run and place.process == mine.process


def _is_first(state: State, mine: Place) -> bool:
    holder = state.holder
    return holder is not None and events.is_same(holder, mine, _nobody_is_dead)


def _nobody_is_dead(_: Place) -> bool:
    return False


def _wait(seat: Seat, scope: str, is_open: Callable[[], bool], timeout: float) -> None:
    try:
        done = waiting.until(is_open, seat.watch, timeout, seat.beat, seat.beat_every)
    except waiting.Orphaned:
        raise Refused(
            "worker-gone",
            f"nobody is left to wait for {scope}",
            where=scope,
            why="a process that this wait was started from has ended",
            run="git coord board",
        ) from None
    if not done:
        raise _timed_out(scope, claims.state(seat.store, scope), timeout)


def _timed_out(scope: str, state: State, timeout: float) -> Refused:
    holder = state.holder
    by = f"held by {view.told(holder)}" if holder else "held by others"
    if state.paused_at:
        by += f", who has paused it since {state.paused_at[:19]}Z"
    after = f"after {duration.told(timeout)}" if timeout else "and this call does not wait"
    return Refused(
        "still-held",
        f"{scope} is {by}",
        where=scope,
        why=f"it did not become yours {after}" if timeout else f"it is not yours, {after}",
        run=f"git coord wait {quote(scope)}",
    )


def _watched(seat: Seat, command: Sequence[str]) -> int:
    """Run `command` in the user's folder, with signs of life all the while; return its status."""
    done = threading.Event()
    beats = threading.Thread(target=_beat_until, args=(done, seat), daemon=True)
    beats.start()
    try:
        return _status(command, _environment(seat))
    finally:
        done.set()
        seat.beat()


def _beat_until(done: threading.Event, seat: Seat) -> None:
    own = process.own()
    worker = seat.watch.worker
    while not done.wait(seat.beat_every):
        # A worker may end before what it has started: then the command itself is the one at work.
        seat.beat(own if worker is None or worker.is_dead else worker)


def _environment(seat: Seat) -> dict[str, str]:
    """Return the caller's environment, without what git sets for an alias only.

    Its GIT_DIR would hold the command's own ``cd ../other && git …`` to this worktree.
    """
    drop = {"GIT_PREFIX"}
    if os.path.realpath(os.environ.get("GIT_DIR", os.devnull)) == seat.place.git_dir:
        drop.add("GIT_DIR")
    return {key: text for key, text in os.environ.items() if key not in drop}


def _status(command: Sequence[str], env: Mapping[str, str]) -> int:
    try:
        child = subprocess.Popen(command, cwd=os.getcwd(), env=env)
    except OSError as error:
        show.note(f"{command[0]}: {error.strerror}")
        return 127 if isinstance(error, FileNotFoundError) else 126
    before = [
        *(
            (number, signal.signal(number, lambda got, _: child.send_signal(got)))
            for number in _FORWARDED
        ),
        *((number, signal.signal(number, lambda *_: None)) for number in _LEFT_TO_THE_COMMAND),
    ]
    try:
        code = child.wait()
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code
