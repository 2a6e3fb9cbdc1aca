"""What a verb prints: the answer on stdout (text, or one JSON document), commentary on stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from coord.names import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def document(answer: Mapping[str, object]) -> None:
    """Print `answer` as one JSON document with its schema number first."""
    click.echo(json.dumps({"schema": 1, **answer}, ensure_ascii=True))


def line(text: str) -> None:
    """Print one line of the answer; text of others is escaped on the way."""
    click.echo(shown(text))


def note(text: str) -> None:
    """Print one line of commentary to stderr."""
    click.echo(f"coord: {shown(text)}", err=True)
