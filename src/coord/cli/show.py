"""What a verb prints: the answer on stdout (text, or one JSON document), commentary on stderr."""

from __future__ import annotations

import json
import os
import stat
import sys
from typing import TYPE_CHECKING

import click

from coord.base.names import shown
from coord.cli import closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TextIO

    from coord.base.errors import CoordError

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def document(answer: Mapping[str, object]) -> None:
    """Print `answer` as one JSON document with its schema number first."""
    click.echo(json.dumps({"schema": 1, **answer}, ensure_ascii=True))


def line(text: str) -> None:
    """Print one line of the answer; text of others is escaped on the way."""
    lines([text])


def lines(texts: Iterable[str]) -> None:
    """Print many lines of the answer in one go; text of others is escaped on the way."""
    _print(texts, sys.stdout)


def reaches_anybody() -> bool:
    """Flush the answer, and tell whether it went anywhere: not to a closed stdout or pipe.

    git opens the null device in the place of a closed stdout before it starts us.

    Raises:
        OSError: it could not be written.
    """
    if sys.stdout is None:
        return False
    sys.stdout.flush()
    if closed.is_lost(sys.stdout):
        return False
    try:
        mode = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):  # a test's own stream
        return True
    return not (stat.S_ISCHR(mode.st_mode) and mode.st_rdev == os.stat(os.devnull).st_rdev)


def note(text: str) -> None:
    """Print one line of commentary to stderr."""
    _print([commentary(text)], sys.stderr)


def commentary(text: str) -> str:
    """Return one line of commentary as it is printed."""
    return f"coord: {text}"


def quoted(text: str) -> None:
    """Print one line of another's words to stderr, marked as such."""
    _print([f"| {text}"], sys.stderr)


def refusal(error: CoordError) -> None:
    """Print an error to stderr, in three lines."""
    _print(error.lines().splitlines(), sys.stderr)


def _print(texts: Iterable[str], stream: TextIO | None) -> None:
    escaped = map(shown, texts)
    if stream is None or not stream.isatty():
        click.echo("\n".join((*escaped, "")), file=stream, nl=False)
        return
    from coord.cli import progress, terminal  # noqa: PLC0415  # nobody else pays for them

    with progress.aside():
        click.echo("\n".join((*terminal.fitted(escaped, stream), "")), file=stream, nl=False)
