"""``store``: where this clone's board is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from coord.cli import edge, show
from coord.work import store as work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.probe import Probe
    from coord.work.store import Stands

_FILES = {
    "ca": "Trust the authority in FILE (TLS; default: the system's).",
    "cert": "Show the certificate in FILE to the server (TLS).",
    "key": "The certificate's key, where it has a file of its own.",
    "password-file": "The user's password, in a file of mode 600 (default: git credential).",
}


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
@click.argument("url", metavar="URL")
@click.option("--ca", default="", metavar="FILE", help=_FILES["ca"])
@click.option("--cert", default="", metavar="FILE", help=_FILES["cert"])
@click.option("--key", default="", metavar="FILE", help=_FILES["key"])
@click.option("--password-file", default="", metavar="FILE", help=_FILES["password-file"])
@click.option("--force", is_flag=True, help="Leave the board there is, whatever is held on it.")
@show.json_option
@click.pass_obj
def use(asked: str | None, /, *, url: str, force: bool, as_json: bool, **files: str) -> None:
    """Keep this clone's board at URL from now on, which other clones may share.

    URL is etcd://[USER@]HOST[:PORT][,HOST…]/PREFIX, or etcds://… for TLS; `local` is the git dir.
    An empty prefix becomes this repository's board; one of another repository is refused.
    """
    options = {f"--{name.replace('_', '-')}": text for name, text in files.items()}
    call = edge.call(asked, "store use", [url], {**options, "--force": force})
    if url == work.LOCAL:
        _show(work.leave(call, force=force), as_json=as_json)
        return
    _show(work.use(call, work.typed(call, url, files), force=force), as_json=as_json)


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
    if found.at is None:
        return [f"the board is at {found.url}, and can be reached", held]
    at = datetime.fromtimestamp(found.at, UTC).isoformat(" ", "seconds")
    return [
        f"the board is at {found.url}, and cannot be reached: {found.why}",
        f"{held}, as of {at[:19]}Z",
    ]
