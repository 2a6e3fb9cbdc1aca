"""The entry of ``git coord``: finds the verb, loads only its module, handles every error once."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import NoReturn

import click

import coord
from coord.base import command
from coord.base.errors import CoordError, Environment, Usage
from coord.base.names import quote, shown
from coord.cli import closed, show
from coord.cli.verbs import GROUPS, VERBS

# They leave no trace, not even of who has asked; a session gives the signs of its command alone.
_TRACELESS = {"agents", "clone-id", "completion", "doctor", "log-merge", "session", "store"}

# Where an answer is lost: who may be asked again as they were, and what shows what others did.
_LOOKING = {
    "agents", "board", "check", "completion", "doctor", "inbox", "lanes", "list", "log",
    "log-merge", "merge-order", "mirror", "overlap", "show", "whoami",
}  # fmt: skip
_SHOWN = {
    "announce": "list",
    "finish": "merge-order",
    "id": "id list",
    "pin": "whoami",
    "put-down": "put-down",
    "ship": "mirror",
    "store": "store",
    "track": "doctor",
    "untrack": "doctor",
}


class UnknownVerb(click.UsageError):
    """No such verb; `near` is the one that may be meant, empty where none is."""

    def __init__(self, verb: str, near: str, ctx: click.Context) -> None:
        meant = f" Did you mean {near}?" if near else ""
        super().__init__(f"No such command '{verb}'.{meant}", ctx)
        self.near = near


class Verbs(click.Group):
    """The group of verbs, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every verb, in the order of the reference."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb's command, importing its module."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"coord.cli.{VERBS[cmd_name][0]}")
        attribute = cmd_name.replace("-", "_")
        command: click.Command = getattr(module, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; of an unknown one, name the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415  # 4 ms, after a miss only

            near = difflib.get_close_matches(args[0], VERBS, n=1)
            raise UnknownVerb(args[0], near[0] if near else "", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing them."""
        del ctx
        widest = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(verb.ljust(widest), about) for verb, (_, about) in verbs.items()]
                )


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(coord.VERSION, prog_name="git-coord", message="%(prog)s %(version)s")
@click.option("--as", "actor", metavar="ACTOR", help="Act as ACTOR (outranks COORD_ACTOR).")
@click.pass_context
def main(ctx: click.Context, actor: str | None) -> None:
    """Coordinate many workers, agents and people, in one repository."""
    ctx.obj = actor
    if ctx.invoked_subcommand in _TRACELESS:
        return
    from coord.cli import pulse  # noqa: PLC0415  # not for --help and --version

    pulse.beat(actor)


def _tell_of_copies() -> None:
    """Say of each board elsewhere that was read from its copy how old that is; close them all.

    And of what this clone has not published there yet.
    """
    chosen = sys.modules.get("coord.stores.chosen")
    for board in chosen.opened() if chosen else ():
        with contextlib.suppress(CoordError):
            board.unload()
        if board.unreached is not None:
            show.note(board.unreached.told)
        board.close()
    if chosen and chosen.opened():
        from coord.work import settling  # noqa: PLC0415  # most boards are files

        for common_dir in chosen.clones():
            left = settling.waiting(common_dir)
            if left:
                show.note(f"{left.told}: git coord store")


def run() -> NoReturn:
    """Run ``git coord`` and leave with its exit code."""
    closed.outlive_readers()
    args = sys.argv[1:]
    if args[:1] == ["help"]:  # as in `git help VERB`; git itself keeps `git coord --help`
        args = [*args[1:], "--help"]
    sys.exit(answer(main, args, "git coord"))


def answer(command: click.Command, args: list[str], name: str) -> int:
    """Run a click command and return its exit code, printing any error once, in three lines."""
    try:
        return _answered(command, args, name)
    finally:
        _tell_of_copies()


def _answered(command: click.Command, args: list[str], name: str) -> int:
    try:
        done = command.main(args, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        if error.ctx.parent is not None:
            return _told(_usage(_needs_verb(error.ctx), name, args), args)
        click.echo(error.ctx.get_help(), err=True)
        return 2
    except Exception as error:
        told = _of_stdout(name, args) or foreseen(error, name, args)
        if told is None and os.environ.get("COORD_DEBUG") == "1":
            raise
        return _told(_repeated(told, name, args) or _bug(error, name, args), args)
    return done if isinstance(done, int) else 0


def foreseen(error: Exception, name: str, args: list[str]) -> CoordError | None:
    """Return `error` as one of the tree, or None when it is a fault of ours."""
    if isinstance(error, CoordError):
        return _cause(error)
    if isinstance(error, click.UsageError):
        return _usage(error, name, args)
    return _system(error) if isinstance(error, OSError) else None


def _of_stdout(name: str, args: list[str]) -> Environment | None:
    """Return why the answer could not be written, where that is what failed; it is given up."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python's exit flushes too
        return Environment(
            "output-lost",
            "the answer could not be written, whatever was done",
            where="stdout",
            why=str(error.strerror),
            run=_anew(name, args),
        )
    return None


def _anew(name: str, args: list[str]) -> str:
    """Return what answers again: the same, where it only looks; else what shows what was done.

    A number would be taken twice, a letter sent twice.
    """
    if name == command.NAME:
        return "git coord doctor"
    verb = next((word for word in args if word in VERBS), "")
    if verb in _LOOKING or not verb or {"-h", "--help"} & {*args}:
        return " ".join([name, *map(quote, args)])
    return f"{name} {_SHOWN.get(verb, 'board')}"


def _cause(error: CoordError) -> CoordError:
    """Return why git reads no repository here, where that is a damaged file of ours."""
    if error.rule != "repository-unreadable":
        return error
    from coord.identity import damage  # noqa: PLC0415  # only after a failure

    return damage.found_from(os.getcwd()) or error


def _told(error: CoordError, args: list[str]) -> int:
    from coord.repo import caller  # noqa: PLC0415  # only after a failure

    error.run = caller.placed(error.run)
    if "--json" in args:
        show.document({"error": error.document()["error"]})
    show.refusal(error)
    return error.exit_code


def _repeated(error: CoordError | None, name: str, args: list[str]) -> CoordError | None:
    """Return `error` with the very command as what to run, where a scope has no kind.

    Another verb would do another thing: pasted after a ``release``, a ``claim`` would hold it.
    """
    if error is None or error.rule != "scope-invalid":
        return error
    from coord.stores.scopes import UnknownKind  # noqa: PLC0415  # only after a failure

    if isinstance(error, UnknownKind):
        words = [_instead(word, error.where, error.meant) for word in args]
        if words != args:
            error.run = " ".join([name, *map(quote, words)])
    return error


def _instead(word: str, wrong: str, meant: str) -> str:
    """Return `meant` for a word of the command line that is wrong, or is so behind its ``=``."""
    option, equals, text = word.partition("=")
    if shown(word) == wrong:
        return meant
    is_option = option.startswith("--") and equals and shown(text) == wrong
    return f"{option}={meant}" if is_option else word


def _usage(error: click.UsageError, name: str, args: list[str]) -> Usage:
    path = error.ctx.command_path if error.ctx else _called(name, args)
    return Usage(
        "usage",
        "wrong usage",
        where=path,
        why=" ".join(error.format_message().split()),
        run=_help(
            f"{path} {error.near}" if isinstance(error, UnknownVerb) and error.near else path
        ),
    )


def _needs_verb(ctx: click.Context) -> click.UsageError:
    """Return what is wrong with a group's name alone: a page of help would bury it."""
    group = ctx.command
    verbs = group.list_commands(ctx) if isinstance(group, click.Group) else []
    return click.UsageError(f"It needs one of these commands: {', '.join(verbs)}.", ctx)


def _called(name: str, args: list[str]) -> str:
    """Return the command of an error that click raised without saying of which one it is."""
    rest = args[2:] if args[:1] == ["--as"] else args
    return f"{name} {rest[0]}" if name == "git coord" and rest and rest[0] in VERBS else name


def _help(path: str) -> str:
    if path == command.NAME:
        return command.install("-h")
    if path == "git coord":  # to `-h` right behind an alias git says what it stands for
        return f"{path} help"
    return f"{path} -h"


def _system(error: OSError) -> Environment:
    from coord.repo import cwd  # noqa: PLC0415  # only after a failure

    return cwd.gone() or _refused(error)


def _refused(error: OSError) -> Environment:
    name = errno_name(error) if error.errno is not None else ""
    where = str(error.filename or os.getcwd())
    said = str(error.strerror or error)
    if name in {"ENOSPC", "EDQUOT"}:
        run = f"df -h {quote(where if os.path.isdir(where) else os.path.dirname(where) or '.')}"
        return Environment("disk-full", "there is no room to write", where=where, why=said, run=run)
    sandboxed = name in {"EROFS", "EACCES", "EPERM"}
    return Environment(
        "not-writable" if sandboxed else "system-error",
        "the system refused",
        where=where,
        why=said + ("; add the common git dir to the sandbox's writable roots" * sandboxed),
        run="git rev-parse --path-format=absolute --git-common-dir",
    )


def errno_name(error: OSError) -> str:
    """Return the symbolic name of an OSError, such as ``EROFS``."""
    import errno  # noqa: PLC0415  # only after a failure

    return errno.errorcode.get(error.errno or 0, "")


def _bug(error: Exception, name: str, args: list[str]) -> Environment:
    return Environment(
        "internal-error",
        f"this is a fault of {name}",
        where=" ".join(args) or name,
        why=f"{type(error).__name__}: {error}",
        run=f"COORD_DEBUG=1 {command.install() if name == command.NAME else name} "
        + " ".join(map(quote, args)),
    )
