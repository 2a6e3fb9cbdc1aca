"""Write docs/reference.md from the commands themselves: ``python docs/reference.py``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coord.cli.install import main as install
from coord.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = """\
# Reference

Written by `python docs/reference.py` from the commands' own help; do not edit.

Exit codes: 0 done, 1 refused by a rule or a negative answer, 2 wrong usage, 3 the surroundings
(not a repository, unreadable, locked, git too old, configuration invalid, a fault of ours).
A refusal is three lines on stderr: `coord: RULE: WHAT: WHERE`, `  why: …`, `  run: ONE COMMAND`.
With `--json` the answer is one document on stdout, and a failure is
`{"schema": 1, "error": {"rule", "what", "where", "why", "run"}}`. The JSON Schema of
each answer is shipped in `coord/documents/schemas`, a file a verb; an answer may have more keys.
"""


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Context]]:
    """Yield (full name, context) of a command and of everything below it."""
    context = click.Context(command, info_name=name, terminal_width=88)
    yield name, context
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            if child is not None:
                yield from commands(child, f"{name} {verb}")


def text() -> str:
    """Return the whole page."""
    parts = [HEADER]
    for root, name in ((install, "coord-install"), (main, "git coord")):
        for full, context in commands(root, name):
            parts.append(f"## {full}\n\n```\n{context.get_help()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    page = Path(__file__).with_name("reference.md")
    page.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"{page}\n")
