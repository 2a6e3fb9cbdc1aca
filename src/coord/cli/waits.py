"""``wait`` and ``run``: until a scope can be held, and for as long as a command needs it."""

from __future__ import annotations

import contextlib

import click

from coord.base.errors import CoordError
from coord.cli import edge, pulse, show, words
from coord.cli.timeout import timeout_option
from coord.work import news
from coord.work.wait import wait as until_open


@click.command()
@click.argument("name", shell_complete=words.scope, metavar="SCOPE")
@timeout_option
@show.json_option
@click.pass_obj
def wait(asked: str | None, *, name: str, timeout: float, as_json: bool) -> None:
    """Wait until you could hold SCOPE; never longer than the process that waits lives."""
    from coord.cli import asleep  # noqa: PLC0415  # not for run

    done = until_open(
        edge.call(asked, "wait", [name]),
        name,
        timeout,
        lambda waiting: asleep.fall(waiting, "json" if as_json else "text"),
        asleep.resumed(),
    )
    pulse.tell(news.reader(done.worker))  # what its last holder has done there already
    if as_json:
        from coord.documents import wait as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(done))
        return
    show.line(f"{done.scope} is {'yours' if done.state.holder else 'free'}")


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
@click.argument("name", shell_complete=words.scope, metavar="SCOPE")
@click.option("--no-wait", is_flag=True, help="Refuse instead of waiting in line.")
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.pass_obj
def run(
    asked: str | None, *, name: str, no_wait: bool, timeout: float, command: tuple[str, ...]
) -> int:
    """Run CMD while holding SCOPE: wait in line, stay present, release, pass its status on."""
    from coord.cli import launched  # noqa: PLC0415  # 3 ms: a wait starts nothing
    from coord.work.run import holding  # noqa: PLC0415  # likewise

    call = edge.call(asked, "run", [name], {"--no-wait": no_wait}, command)
    patience = 0.0 if no_wait else timeout
    with (
        launched.ending(),
        holding(call, name, patience, command, lambda who: pulse.tell(news.reader(who))) as hold,
    ):
        code = launched.status(hold, command)
    with contextlib.suppress(CoordError, OSError):  # the board is ill: that has been said
        pulse.tell(news.reader(hold.worker))
    return code
