"""``track`` and ``untrack``: guarded files, declared for all and selected in this clone."""

from __future__ import annotations

import click

from coord.cli import edge, show
from coord.documents import track as documents
from coord.work import track as tracking
from coord.work.track import Rule


@click.group()
def track() -> None:
    """Guard the files that PATTERN matches; it counts from the top level of the worktree."""


@track.command(short_help="What a command makes: merges refuse it.")
@click.argument("pattern")
@click.option("--regenerate", "command", metavar="CMD", required=True, help="Makes the file.")
@click.option("--input", "inputs", metavar="GLOB", multiple=True, help="What it is made from.")
@show.json_option
def derived(pattern: str, *, command: str, inputs: tuple[str, ...], as_json: bool) -> None:
    """Guard a file that CMD makes: merges refuse it, and name the command ({path} is the file)."""
    _track(Rule(pattern, "derived", regenerate=command, inputs=inputs), as_json=as_json)


@track.command(short_help="What only grows: merges join its records.")
@click.argument("pattern")
@click.option("--start", metavar="PREFIX", help="Begins a record ('': paragraphs).")
@click.option("--lines", is_flag=True, help="Each line is a record, whatever the file looks like.")
@show.json_option
def log(pattern: str, *, start: str | None, lines: bool, as_json: bool) -> None:
    """Guard a log that only grows: merges join its records, and refuse to lose one.

    Where PATTERN is a file, and nothing says what a record is, the file is looked at.
    """
    _track(Rule(pattern, "log", start=start, lines=lines), as_json=as_json)


@track.command(short_help="Sections that people also edit: merges join them.")
@click.argument("pattern")
@click.option("--start", metavar="PREFIX", help="Begins a section, where no heading does.")
@show.json_option
def changelog(pattern: str, *, start: str | None, as_json: bool) -> None:
    """Guard a document of sections that people also edit: merges join what both sides added."""
    _track(Rule(pattern, "changelog", start=start), as_json=as_json)


@track.command(short_help="What is written once: commits refuse a change.")
@click.argument("pattern")
@show.json_option
def once(pattern: str, *, as_json: bool) -> None:
    """Guard files that are written once: merges refuse a second claim, commits a change."""
    _track(Rule(pattern, "once"), as_json=as_json)


@click.command()
@click.argument("pattern")
@show.json_option
def untrack(pattern: str, *, as_json: bool) -> None:
    """Stop guarding PATTERN, spelled as it was given to ``track``."""
    call = edge.call(None, "untrack", [pattern])
    done = tracking.untrack(call, pattern)
    if as_json:
        show.document(documents.untracked(done))
    else:
        _print(f"{pattern}: not guarded any more", done)
    tracking.left(call, done)


def _track(rule: Rule, *, as_json: bool) -> None:
    call = edge.call(None, f"track {rule.kind}", [rule.pattern])
    done = tracking.track(call, rule)
    if as_json:
        show.document(documents.tracked(done.rule or rule, done))
    else:
        _print(f"{done.pattern}: {_said(rule)}", done)
    tracking.left(call, done)


def _said(rule: Rule) -> str:
    texts = (
        f", made by: {rule.regenerate}" if rule.regenerate else "",
        f", made from: {' '.join(rule.inputs)}" if rule.inputs else "",
        "" if rule.start is None else f", starting with: {rule.start!r}",
    )
    return rule.kind + "".join(texts)


def _print(headline: str, done: tracking.Changed) -> None:
    show.line(headline)
    if done.replaced:
        show.line(f"instead of {_said(done.replaced)}")
    show.line(f"wrote {' '.join(done.paths)}" if done.paths else "it was so already")
