"""``track`` and ``untrack``: guarded files, declared for all and selected in this clone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command
from coord.base.names import operand, quote
from coord.check import commands
from coord.guard import guarded, trust
from coord.installer import attributesfile, disk, pattern
from coord.installer.apply import alone, apply
from coord.repo import git, underway, worktree
from coord.settings import config
from coord.settle import template
from coord.work import logmode, trackfaults, where
from coord.work.trackfiles import Files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.installer.declaration import Value
    from coord.installer.steps import Edit
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


class Rule(NamedTuple):
    """What is to be guarded, and how.

    Attributes:
        pattern: the files, counted from the top level of the worktree.
        kind: one of ``guarded.KINDS``.
        regenerate: what makes a derived file.
        inputs: what it is made from, as globs.
        start: what a record of a log begins with; empty: paragraphs, None: lines.
        lines: lines are meant, whatever the file looks like.
    """

    pattern: str
    kind: str
    regenerate: str | None = None
    inputs: tuple[str, ...] = ()
    start: str | None = None
    lines: bool = False


class Changed(NamedTuple):
    """A pattern whose guard has changed.

    Attributes:
        pattern: the pattern.
        rule: how it is guarded now; None: not any more.
        files: the committed files, as they were.
        paths: the files that were written, relative to the top level; none where it was so already.
        replaced: what was declared of it before, where that was something else.
    """

    pattern: str
    rule: Rule | None
    files: Files
    paths: list[str]
    replaced: Rule | None = None


def track(call: Call, rule: Rule) -> Changed:
    """Guard the files of a pattern.

    Raises:
        Usage: the pattern, or what is said of it, makes no sense.
        Refused: another installer is at work, or a file cannot be changed as text.
        Environment: there is no worktree, or a file cannot be written.
    """
    _require_sense(rule)
    here = where.located(call)
    worktree.require_own(here, call.cwd, call.words, call.environ)
    if rule.kind == "log" and not rule.lines:
        rule = rule._replace(start=logmode.looked_at(call, here, rule.pattern, rule.start))
    # From the first look to the last rename: what another adds meanwhile would be written over.
    with alone(here.common_dir, again=f"git coord {call.words}"):
        files = Files.read(here)
        fault = pattern.fault(rule.pattern, files.top)
        fault = fault or pattern.unfit(here, files.top, rule.pattern)
        if fault:
            raise trackfaults.usage(rule.pattern, fault, rule.kind)
        rule = rule._replace(pattern=pattern.meant(here, files.top, rule.pattern))
        edits = files.edits(rule.kind, rule.pattern, _values(rule))
        apply(edits, here.common_dir, again=f"git coord {call.words}")
        if rule.regenerate and here.installed:
            _accept(call, here, rule.regenerate)
    before = _declared(files, rule.pattern)
    replaced = None if before == rule._replace(lines=False) else before
    return Changed(rule.pattern, rule, files, _relative(files, edits), replaced)


def untrack(call: Call, name: str) -> Changed:
    """Stop guarding a pattern, spelled as it was tracked.

    Raises:
        Refused: it is not guarded, another installer is at work, or a file cannot be changed.
        Environment: there is no worktree, or a file cannot be written.
    """
    here = where.located(call)
    worktree.require_own(here, call.cwd, call.words, call.environ)
    with alone(here.common_dir, again=f"git coord {call.words}"):
        files = Files.read(here)
        name, edits = _undeclaring(files, name)
        if not edits:
            raise trackfaults.not_tracked(name)
        apply(edits, here.common_dir, again=f"git coord {call.words}")
    return Changed(name, None, files, _relative(files, edits))


def _undeclaring(files: Files, name: str) -> tuple[str, list[Edit]]:
    """Return the pattern that is meant, a file's name as `track` took it, and what lets it go."""
    exact = guarded.exact_pattern(name)
    found = [(one, files.edits(None, one, {})) for one in dict.fromkeys((name, exact))]
    return next((one for one in found if one[1]), found[0])


def left(call: Call, done: Changed) -> None:
    """Say what is left to do. It comes after the answer: what was declared stands."""
    files = done.files
    names = " ".join(f":/{name}" for name in files.committable(done.paths))
    if names:
        message = quote(f"Guard {done.pattern}" if done.rule else "Guard less")
        sparse = git.ask("config", "--bool", "core.sparseCheckout", cwd=files.top).text == "true"
        add = "git add --sparse" if sparse else "git add"
        # A merge takes along what is added; git refuses a commit of single paths meanwhile.
        commit = "" if underway.is_busy(files.here) else f" && git commit -m {message} -- {names}"
        call.note(f"commit it: {add} {names}{commit}")
    if done.rule is None:
        return
    if not pattern.has_files(files.here, files.top, done.pattern):
        call.note(_guards_nothing(files.top, done.rule))
    if done.rule.kind in guarded.JOINED and not logmode.is_text(files.top, done.pattern):
        call.note(
            f"{done.pattern} is no text, it has NUL bytes or stands for a large file: nothing is "
            "joined, and each merge of two versions is left to a person"
        )
    if not files.here.installed:
        call.note(f"this clone has no drivers yet: {command.install()}")
    committed = disk.read(files.path(attributesfile.COMMITTED)) or b""
    for warning in pattern.overridden(files.here, committed, done.pattern, done.rule.kind):
        call.note(warning)


def _guards_nothing(top: str, rule: Rule) -> str:
    """Return what is said of a pattern without files; of a folder's name, what guards its files."""
    if not pattern.is_folder(top, rule.pattern):
        return f"{rule.pattern} matches no file yet"
    how = rule.regenerate if rule.kind == "derived" else rule.start
    inside = commands.track(rule.kind, f"{rule.pattern}/**", how, rule.inputs)
    again = f"git coord untrack {operand(rule.pattern)} && {inside}"
    return f"{rule.pattern} is a folder, and guards no file; for those in it: {again}"


def _require_sense(rule: Rule) -> None:
    """Insist on texts that can be declared.

    Raises:
        Usage: one cannot.
    """
    empty = rule.regenerate is not None and not rule.regenerate.strip()
    if empty or "" in rule.inputs:
        raise trackfaults.usage(rule.pattern, "--regenerate and --input need a text", rule.kind)
    if rule.regenerate is not None and template.is_code(rule.regenerate):
        said = "--regenerate names {path} within quotes: as one word of its own it needs none"
        raise trackfaults.usage(rule.pattern, said, rule.kind)
    if rule.start is not None and "\n" in rule.start:
        raise trackfaults.usage(rule.pattern, "--start needs a text of one line", rule.kind)


def _values(rule: Rule) -> dict[str, Value]:
    """Return what ``.coord.toml`` is to say of it."""
    said: dict[str, Value | None] = {
        "regenerate": rule.regenerate,
        "inputs": list(rule.inputs) or None,
        "start": rule.start,
    }
    return {key: text for key, text in said.items() if text is not None}


def _declared(files: Files, name: str) -> Rule | None:
    """Return what the committed files declared of a pattern; None: nothing."""
    lines = attributesfile.rules(files.texts[attributesfile.COMMITTED] or b"")
    words = {word for line in lines if line.is_for(name) for word in line.attributes}
    kinds = [kind for kind in guarded.KINDS if guarded.attribute(kind).encode() in words]
    if not kinds:
        return None
    said = config.parse(files.texts[config.FILE] or b"", files.path(config.FILE))
    rule = Rule(name, kinds[0])
    for made in said.derived if rule.kind == "derived" else ():
        if made.pattern == name:
            rule = rule._replace(regenerate=made.regenerate, inputs=made.inputs)
    for log in said.log if rule.kind in guarded.JOINED else ():
        if log.pattern == name:
            rule = rule._replace(start=log.start)
    return rule


def _accept(call: Call, here: Worktree, producer: str) -> None:
    """Accept a producer for this clone, where the sandbox lets us write beside the hooks."""
    try:
        trust.accept(here.common_dir, [producer])
    except OSError as error:
        call.note(
            f"the command is not accepted in this clone yet ({error.strerror}: hooks/coord); "
            "git coord regenerate will ask for --trust"
        )


def _relative(files: Files, edits: Sequence[Edit]) -> list[str]:
    return [os.path.relpath(edit.path, files.top) for edit in edits]
