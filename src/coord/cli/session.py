"""``session``: the parent of an agent's harness, which writes down when all of it has ended."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import click

from coord.cli import edge, forward, show
from coord.liveness import process
from coord.work.session import keeping

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.work.session import Kept

_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH)
# A terminal sends these to the command as well: it decides, and we outlive it.
_LEFT_TO_THE_COMMAND = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
_PR_SET_CHILD_SUBREAPER = 36


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.pass_obj
def session(asked: str | None, *, command: tuple[str, ...]) -> int:
    """Run CMD, an agent or its harness, as a session: others can prove when it is over.

    Signals go to CMD, and its status comes back. What it starts knows the session by COORD_SESSION.
    """
    call = edge.call(asked, "session", [], {}, command)
    with (
        forward.to_command(_FORWARDED, _LEFT_TO_THE_COMMAND) as started,
        keeping(call) as kept,
    ):
        return _status(kept, command, started)


def _status(
    kept: Kept, command: tuple[str, ...], started: Callable[[subprocess.Popen[bytes]], None]
) -> int:
    adopting = _adopt()
    kept.session.starting()
    environ = {**kept.call.environ, "COORD_SESSION": kept.session.id}
    if os.path.realpath(environ.get("GIT_DIR", os.devnull)) == kept.worker.here.git_dir:
        del environ["GIT_DIR"]  # git sets it for an alias
    environ.pop("GIT_PREFIX", None)
    try:
        child = subprocess.Popen(
            command, cwd=kept.call.cwd, env=environ, pass_fds=[kept.session.fd]
        )
    except OSError as error:
        show.note(f"{command[0]}: {error.strerror}")
        kept.over(all_of_it=True)
        return 127 if isinstance(error, FileNotFoundError) else 126
    started(child)
    kept.record(process.of(child.pid))
    code = child.wait()
    kept.quiet()
    kept.over(all_of_it=not adopting or not _has_children())
    return code if code >= 0 else 128 - code


def _adopt() -> bool:
    """Take in whatever the command leaves behind, so that it can be seen; Linux only."""
    import ctypes  # noqa: PLC0415  # 8 ms that only a session pays

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (AttributeError, OSError):
        return False


def _has_children() -> bool:
    """Tell whether anything that was started below is still there, after reaping what is not."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
