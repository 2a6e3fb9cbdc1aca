"""``log-merge``: the join of logs and changelogs as a filter, in any folder, for any program."""

from __future__ import annotations

import os
import sys

import click

from coord.base.errors import Environment, Refused
from coord.base.names import quote
from coord.drivers import facts, law, logfile
from coord.drivers.join import Refused as NotJoined
from coord.repo import cwd


@click.command()
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.option(
    "--kind", type=click.Choice(sorted(law.KINDS)), default="log", help="What they are (log)."
)
@click.option("--start", metavar="PREFIX", help="Begins a record ('': paragraphs; default: lines).")
@click.option("--in-place", is_flag=True, help="Write the join over OURS, not to stdout.")
def log_merge(
    base: str, ours: str, theirs: str, *, kind: str, start: str | None, in_place: bool
) -> None:
    """Join three files as the merge drivers do: %O %A %B of git, or any others.

    Nothing has to be installed, and no repository and no .coord.toml is looked at. An empty BASE is
    none. Exit 1: they cannot be joined, and nothing is written.
    """
    begin = None if start is None else os.fsencode(start)
    texts = _read(base), _read(ours), _read(theirs)
    try:
        joined = law.merged(kind, begin, *texts)
    except (NotJoined, logfile.NotText) as error:
        raise _refused(error, kind, begin, (base, ours, theirs), texts[0]) from None
    if in_place:
        _write(ours, texts[1], joined)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(joined)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise _unusable(path, error) from None


def _write(path: str, old: bytes, new: bytes) -> None:
    """Write over a file in one go; after a failure it is as it was."""
    if new == old:
        return
    try:
        with open(path, "r+b", buffering=0) as file:
            try:
                _overwrite(file.fileno(), new)
            except OSError:
                _overwrite(file.fileno(), old)
                raise
    except OSError as error:
        raise _unusable(path, error) from None


def _overwrite(file: int, text: bytes) -> None:
    at = 0
    while at < len(text):
        at += os.pwrite(file, text[at:], at)
    os.ftruncate(file, at)


def _unusable(path: str, error: OSError) -> Environment:
    return cwd.gone() or Environment(
        "file-unusable",
        "a file of the merge cannot be used",
        where=path,
        why=f"{error.strerror}; nothing is written",
        run=f"ls -ld -- {quote(path)}",
    )


def _refused(
    error: Exception, kind: str, start: bytes | None, names: tuple[str, str, str], base: bytes
) -> Refused:
    rule, side, what, why = facts.told(error, kind, base, start)
    sides = {"ours": names[1], "theirs": names[2]}
    if side in sides:
        what = f"{sides[side]} has lost {what}"
    for word, name in sides.items():
        what, why = what.replace(f"{{{word}}}", name), why.replace(f"{{{word}}}", name)
    words = " ".join(map(quote, (names[1], names[0], names[2])))
    return Refused(
        rule,
        what,
        where=names[1],
        why=f"{why}; nothing is written. A text merge shows both sides",
        run=f"git merge-file -p -- {words}",
    )
