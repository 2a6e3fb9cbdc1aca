"""``store``: where this clone's board is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from coord.base.names import shown
from coord.cli import edge, show
from coord.stores.moved import LOCAL
from coord.work import store as work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.stores.probe import Probe
    from coord.work.store import Stands

_FILES = {
    "ca": "Trust the authority in FILE (TLS; default: the system's).",
    "cert": "Show the certificate in FILE to the server (TLS).",
    "key": "The certificate's key, where it has a file of its own.",
    "password-file": "The user's password, in a file of mode 600 (default: git credential).",
}
_CREATE = "Make the repository on a git remote, where that can be done from here."
_RATE = "Pushes to a git remote, of all its clones together (6; 0: any number)."


@click.group("store", invoke_without_command=True)
@show.json_option
@click.pass_context
def store(ctx: click.Context, *, as_json: bool) -> None:
    """Show where this clone's board is kept, or keep it elsewhere.

    Without a command: where it is, and whether it can be reached.
    """
    if ctx.invoked_subcommand is None:
        _show(work.show(edge.call(ctx.obj, "store")), as_json=as_json)


@store.command("use")
@click.argument("url", required=False, metavar="[URL]")
@click.option("--suggested", is_flag=True, help="The URL that .coord.toml suggests.")
@click.option("--ca", default="", metavar="FILE", help=_FILES["ca"])
@click.option("--cert", default="", metavar="FILE", help=_FILES["cert"])
@click.option("--key", default="", metavar="FILE", help=_FILES["key"])
@click.option("--password-file", default="", metavar="FILE", help=_FILES["password-file"])
@click.option("--create", is_flag=True, help=_CREATE)
@click.option("--pushes-a-minute", "rate", type=float, metavar="N", help=_RATE)
@click.option("--force", is_flag=True, help="Leave the board there is, whatever is held on it.")
@show.json_option
@click.pass_obj
def use(
    asked: str | None,
    /,
    *,
    url: str | None,
    suggested: bool,
    create: bool,
    rate: float | None,
    force: bool,
    as_json: bool,
    **files: str,
) -> None:
    """Keep this clone's board at URL from now on, which other clones may share.

    URL is etcd://[USER@]HOST[:PORT][,HOST…]/PREFIX, or etcds://… for TLS; or a repository that all
    may push to, git+https://HOST/PATH, git+ssh://… or git+REMOTE; `local` is the git dir. An empty
    place becomes this repository's board; one of another repository is refused.

    With --suggested it is the URL in .coord.toml, shown first with its host and its commit.
    """
    if suggested == bool(url):
        raise click.UsageError("It takes a URL, or --suggested.")
    typed = {
        **_typed(files, rate), "--suggested": suggested, "--create": create, "--force": force
    }  # fmt: skip
    call = edge.call(asked, "store use", [url] if url else [], typed)
    if suggested:
        from coord.work import suggested as suggestions  # noqa: PLC0415  # once in a clone's life

        url = suggestions.shown(call)
    if url == LOCAL:
        _show(work.leave(call, force=force), as_json=as_json)
        return
    found = work.typed(call, url or "", files, rate)
    _show(work.use(call, found, force=force, create=create), as_json=as_json)


@store.command("migrate")
@click.argument("url", metavar="URL")
@click.option("--ca", default="", metavar="FILE", help=_FILES["ca"])
@click.option("--cert", default="", metavar="FILE", help=_FILES["cert"])
@click.option("--key", default="", metavar="FILE", help=_FILES["key"])
@click.option("--password-file", default="", metavar="FILE", help=_FILES["password-file"])
@click.option("--create", is_flag=True, help=_CREATE)
@click.option("--pushes-a-minute", "rate", type=float, metavar="N", help=_RATE)
@show.json_option
@click.pass_obj
def migrate(
    asked: str | None,
    /,
    *,
    url: str,
    create: bool,
    rate: float | None,
    as_json: bool,
    **files: str,
) -> None:
    """Move this clone's board to URL, records, numbers and stamps as they are.

    URL is as for `use`; `local` moves it to this clone's git dir. Refused while a run is at work or
    something is unpublished. Killed at any point, the same command goes on. The old board takes no
    records any more, and says where it went.
    """
    from coord.work import migrate as moving  # noqa: PLC0415  # once in a board's life

    typed = {**_typed(files, rate), "--create": create}
    call = edge.call(asked, "store migrate", [url], typed)
    found = work.typed(call, url, files, rate)
    _show(moving.migrate(call, found, create=create), as_json=as_json)


@store.command("probe")
@show.json_option
@click.pass_obj
def probe(asked: str | None, /, *, as_json: bool) -> int:
    """Try the board there is: who answers, whether one of many wins, and who else could write.

    On records of no meaning that are gone afterwards. Exit code 1 where something is wrong.
    """
    found = work.probe(edge.call(asked, "store probe"))
    if as_json:
        from coord.documents import store as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.probed(found))
    else:
        show.lines(list(_tried(found)))
    return 1 if found.troubles else 0


def _typed(files: dict[str, str], rate: float | None) -> dict[str, str]:
    """Return the options that say how a board is reached, as they were typed."""
    options = {f"--{name.replace('_', '-')}": text for name, text in files.items()}
    return {**options, "--pushes-a-minute": "" if rate is None else f"{rate:g}"}


def _tried(found: Probe) -> Iterator[str]:
    if found.right:
        yield f"ok    {found.right}"
    for fact in found.facts:
        yield f"ok    {fact}"
    for note in found.notes:
        yield f"note  {note}"
    for one in found.troubles:
        yield f"bad   {one.where}: {one.message}; run: {one.run}"


def _show(found: Stands, *, as_json: bool) -> None:
    if as_json:
        from coord.documents import store as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(found))
        return
    show.lines(list(_lines(found)))


def _lines(found: Stands) -> list[str]:
    held = f"{found.held} scopes are held" if found.held != 1 else "1 scope is held"
    if not found.url:
        return [f"the board is in this clone's git dir: {found.folder}", held]
    left = [
        f"unpublished: {one.words}, by {one.actor} at {_at(one.at)}" for one in found.unpublished
    ]
    left = [*_paced(found.pace), *left]
    left += [f"unreadable: {shown(one.path)}; run: {one.run}" for one in found.unreadable]
    if found.at is None:
        return [f"the board is at {found.url}, and can be reached", held, *left]
    return [
        f"the board is at {found.url}, and cannot be reached: {found.why}",
        f"{held}, as of {_at(found.at)}",
        *left,
    ]


def _paced(pace: float | None) -> list[str]:
    if pace is None:
        return []
    most = f"at most {pace:g} pushes a minute" if pace else "as many pushes as it takes"
    return [f"{most}, of all its clones together"]


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")[:19] + "Z"
