"""Write docs/reference.md and the manual page from the commands: ``python docs/reference.py``."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coord.cli.install import main as install
from coord.cli.main import main
from coord.cli.verbs import GROUPS, VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = """\
# Reference

For whoever looks up a command; `-h` of one says what its options mean. Written by
`python docs/reference.py`; do not edit. Every command but {mute} takes `--json`.

Exit codes: 0 done, 1 refused by a rule or a negative answer, 2 wrong usage, 3 the surroundings
(not a repository, unreadable, locked, git too old, configuration invalid, a fault of ours).
With `--json` the answer is one document on stdout, of a JSON Schema in `coord/documents/schemas`;
a failure is `{{"schema": 1, "error": {{"rule", "what", "where", "why", "run"}}}}`.

```
"""

MANUAL = r"""
.TH GIT\-COORD 1 "" "git-coord" "Git Manual"
.SH NAME
git\-coord \- many workers, agents and people, in one repository
.SH SYNOPSIS
.nf
git coord [\-\-as ACTOR] VERB [OPTIONS]
git coord VERB \-\-help
coord\-install [\-\-dry\-run]
.fi
.SH DESCRIPTION
Pins each worktree to its worker, guards derived files and logs where git merges, and keeps a board
of who works on what and who waits for whom.
.B coord\-install
puts hooks, merge drivers and the alias into a repository;
.B coord\-install \-\-uninstall
takes them out again.
.PP
A session begins with
.BR "git coord wake" ,
takes a task with
.BR "git coord claim" ,
says with
.B git coord finish
that its branch may be merged, and ends with
.BR "git coord sign\-off" .
.SH VERBS
@VERBS@
.SH EXIT STATUS
0 done (waiting in line is done), 1 refused by a rule or a negative answer, 2 wrong usage, 3 the
surroundings.
""".lstrip()


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Context]]:
    """Yield (full name, context) of a command and of everything below it."""
    names = ["-h", "--help"]  # of the verbs, too: they have it from `main`
    context = click.Context(command, info_name=name, terminal_width=88, help_option_names=names)
    yield name, context
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            if child is not None:
                yield from commands(child, f"{name} {verb}")


def text() -> str:
    """Return the whole page."""
    found = [*commands(install, "coord-install"), *commands(main, "git coord")]
    groups = {next(iter(verbs)): title for title, verbs in GROUPS.items()}
    parts = [HEADER.format(mute=", ".join(f"`{name}`" for name in _mute(found)))]
    for full, context in found:
        title = groups.get(full.removeprefix("git coord "))
        parts.append(f"```\n\n## {title}\n\n```\n" if title else "\n")
        parts.append(_told(context))
    return "".join([*parts, "```\n"]).replace("```\n\ncoord-install", "```\ncoord-install")


def _mute(found: list[tuple[str, click.Context]]) -> list[str]:
    """Return the commands that answer in no JSON; groups only lead to others."""
    leaves = [(full, ctx) for full, ctx in found if not isinstance(ctx.command, click.Group)]
    mute = [full for full, ctx in leaves if "--json" not in _options(ctx)]
    return [full.removeprefix("git coord ") for full in mute]


def _options(context: click.Context) -> dict[str, tuple[str, str]]:
    """Return a command's options by their longest name, each as its help has it."""
    options = (one for one in context.command.get_params(context) if isinstance(one, click.Option))
    named = {max(one.opts, key=len): one for one in options}
    records = {name: one.get_help_record(context) for name, one in named.items()}
    return {name: record for name, record in records.items() if record is not None}


_UNBROKEN = "\u2011"  # a hyphen at which no line is broken: an option is one word


def _told(context: click.Context) -> str:
    """Return a command's usage, with the options of its own, and what it does."""
    formatter = context.make_formatter()
    needed = {max(one.opts, key=len) for one in context.command.params if one.required}
    told = [
        option if name in needed else f"[{option}]"
        for name, (option, _) in _options(context).items()
        if name not in {"--help", "--json"}
    ]
    pieces = context.command.collect_usage_pieces(context)
    words = [*told, *(piece for piece in pieces if piece != "[OPTIONS]")]
    usage = " ".join(words).replace("-", _UNBROKEN)
    formatter.write_usage(context.command_path, usage, prefix="")
    with formatter.indentation():
        formatter.write_text(_line(context))
    return formatter.getvalue().replace(_UNBROKEN, "-")


def _line(context: click.Context) -> str:
    """Return a command in a line: that of the help of all, else the first of its own."""
    _, line = VERBS.get(context.command_path.removeprefix("git coord "), ("", ""))
    return line or inspect.cleandoc(context.command.help or "").split("\n\n")[0]


def manual() -> str:
    """Return the page that ``git help coord`` shows where ``git-coord`` is on PATH."""
    return MANUAL.replace("@VERBS@\n", "".join(_group(title) for title in GROUPS))


def _group(title: str) -> str:
    rows = ((_roff(verb), _roff(about)) for verb, (_, about) in GROUPS[title].items())
    return f".SS {title}\n" + "".join(f".TP\n.B {verb}\n{about}\n" for verb, about in rows)


def _roff(text: str) -> str:
    """Return text that no letter of steers troff; ``-`` stays one that can be pasted."""
    return text.replace("\\", "\\e").replace("-", "\\-")


if __name__ == "__main__":
    Path(__file__).with_name("git-coord.1").write_text(manual(), encoding="utf-8")
    page = Path(__file__).with_name("reference.md")
    page.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"{page}\n")
