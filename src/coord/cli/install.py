"""The entry of ``coord-install``."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import click

import coord
from coord.base import command
from coord.base.errors import Usage
from coord.base.names import quote
from coord.cli import closed, edge, show
from coord.cli.main import answer
from coord.documents import install as documents
from coord.installer import report
from coord.stores.choice import Choice
from coord.work import install, store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from coord.base.finding import Problem


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", "versioned", is_flag=True, help="Show the version and exit.")
@click.option("--dry-run", is_flag=True, help="Print what would be done; touch nothing.")
@click.option("--check", "checking", is_flag=True, help="Ask git whether all is in force.")
@click.option("--uninstall", is_flag=True, help="Take everything out of the git dir again.")
@click.option("--purge", is_flag=True, help="With --uninstall: drop pending refusals and claims.")
@click.option("--no-hooks", is_flag=True, help="Install all but hooks; print how to call them.")
@click.option("--pin-existing", is_flag=True, help="Also pin every linked worktree there is.")
@click.option("--fleet", is_flag=True, help="Also lay down the fleet's sections and ledgers.")
@click.option("--trust", is_flag=True, help="Accept the declared producers, which are shown.")
@click.option("--board", metavar="URL", help="Keep the board there, as store use does.")
@show.json_option
def main(
    *,
    versioned: bool,
    dry_run: bool,
    checking: bool,
    uninstall: bool,
    purge: bool,
    no_hooks: bool,
    pin_existing: bool,
    fleet: bool,
    trust: bool,
    board: str | None,
    as_json: bool,
) -> int:
    """Install hooks, merge drivers and the alias `git coord` into this repository."""
    if versioned:
        _tell_version(as_json=as_json)
        return 0
    chosen = {
        "--check": checking,
        "--uninstall": uninstall,
        "--no-hooks": no_hooks,
        "--pin-existing": pin_existing,
        "--fleet": fleet,
        "--trust": trust,
        "--board": bool(board),
    }
    _require_one_job(chosen, purge=purge, dry_run=dry_run)
    typed = {**chosen, "--purge": purge, "--dry-run": dry_run}
    flags = [flag for flag, given in typed.items() if given and flag != "--board"]
    again = command.install(*flags, *(["--board", quote(board)] if board else []))
    call = edge.call(None, command.NAME)
    if board:
        store.named(call, Choice(board))
    if checking:
        return _checked(install.checked(call), as_json=as_json)
    if uninstall:
        done = install.uninstall(call, again, purge=purge, dry_run=dry_run)
        _tell(done, documents.uninstalled(done), as_json=as_json)
        return 0
    act = install.planned if dry_run else install.install
    done = act(
        call, again, hooks=not no_hooks, pin_existing=pin_existing, fleet=fleet, trusting=trust
    )
    _tell(done, documents.installed(done), as_json=as_json)
    if board and not dry_run:
        stands = store.use(call, Choice(board))
        show.note(f"the board is at {stands.url} from now on")
    if not as_json and (page := _unfound_manual()):
        show.note(f"for git coord --help, let man find it: {page}")
    return 0


def _unfound_manual() -> str:
    """Return the command that puts the manual where man looks, which is beside a folder of PATH.

    ``uv tool install`` leaves it in a folder of its own, and git shows a command's help by man. It
    is no part of the repository: so it is said, not done.
    """
    program = shutil.which("git-coord")
    page = os.path.join(sys.prefix, "share/man/man1/git-coord.1")
    if program is None or not os.path.exists(page):
        return ""
    folder = os.path.join(os.path.dirname(os.path.dirname(program)), "share/man/man1")
    if os.path.exists(os.path.join(folder, "git-coord.1")):
        return ""
    return f"mkdir -p {quote(folder)} && ln -sf {quote(page)} {quote(folder)}"


def _tell_version(*, as_json: bool) -> None:
    if as_json:
        show.document({"version": coord.VERSION})
    else:
        show.line(f"{command.NAME} {coord.VERSION}")


def run() -> NoReturn:
    """Run ``coord-install`` and leave with its exit code."""
    # A lock file of git's must not outlive us: die by the way that cleans up.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _leave)
    closed.outlive_readers()
    sys.exit(answer(main, sys.argv[1:], command.NAME))


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    sys.exit(128 + number)


def _require_one_job(chosen: dict[str, bool], *, purge: bool, dry_run: bool) -> None:
    """Insist on options that go together.

    Raises:
        Usage: they do not.
    """
    given = [flag for flag, is_given in chosen.items() if is_given]
    clash = len(given) > 1 and {"--check", "--uninstall"} & set(given)
    if clash or (purge and given != ["--uninstall"]) or (dry_run and given == ["--check"]):
        raise Usage(
            "usage",
            "options that do not go together",
            where=" ".join([*given, *(["--purge"] if purge else [])]),
            why="--check and --uninstall stand alone; --purge belongs to --uninstall",
            run=command.install("-h"),
        )


def _checked(problems: list[Problem], *, as_json: bool) -> int:
    if as_json:
        show.document(documents.checked(problems))
    for text in [] if as_json else report.checked(problems):
        show.line(text)
    return 1 if problems else 0


def _tell(told: report.Report, document: Mapping[str, object], *, as_json: bool) -> None:
    if as_json:
        show.document(document)
        return
    for text in told.lines:
        show.line(text)
    for text in told.notes:
        show.note(text)
