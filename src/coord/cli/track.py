"""``track`` and ``untrack``: guarded files, declared for all and selected in this clone."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import click

from coord.base import command as ourselves
from coord.base.errors import Refused
from coord.base.names import quote
from coord.cli import edge, show, trackfaults
from coord.drivers.registered import DRIVERS
from coord.guard import trust
from coord.installer import attributesfile, declaration, disk
from coord.installer import pattern as patterns
from coord.installer.apply import alone, apply
from coord.installer.steps import Edit
from coord.repo import git
from coord.settings import config

if TYPE_CHECKING:
    from coord.installer.declaration import Value
    from coord.installer.steps import Change
    from coord.repo.worktree import Worktree


#: Kind → the section of .coord.toml that has more to say of it. A changelog has none of its own: an
#: earlier version would refuse the whole file.
_SECTIONS = {"changelog": "log", "derived": "derived", "log": "log"}


@click.group()
def track() -> None:
    """Guard the files that PATTERN matches; it counts from the top level of the worktree."""


@track.command()
@click.argument("pattern")
@click.option("--regenerate", "command", metavar="CMD", required=True, help="Makes the file.")
@click.option("--input", "inputs", metavar="GLOB", multiple=True, help="What it is made from.")
@show.json_option
def derived(pattern: str, *, command: str, inputs: tuple[str, ...], as_json: bool) -> None:
    """Guard a file that CMD makes: merges refuse it, and name the command ({path} is the file)."""
    if not command.strip() or "" in inputs:
        raise trackfaults.usage(pattern, "--regenerate and --input need a text", "derived")
    values: dict[str, Value] = {"regenerate": command}
    values |= {"inputs": list(inputs)} if inputs else {}
    _declare("derived", pattern, values, as_json=as_json)


@track.command()
@click.argument("pattern")
@click.option("--start", metavar="PREFIX", help="Begins a record ('': paragraphs).")
@click.option("--lines", is_flag=True, help="Each line is a record, whatever the file looks like.")
@show.json_option
def log(pattern: str, *, start: str | None, lines: bool, as_json: bool) -> None:
    """Guard a log that only grows: merges join its records, and refuse to lose one.

    Where PATTERN is a file, and nothing says what a record is, the file is looked at.
    """
    values = _of_one_line("log", pattern, start)
    if not lines:
        values = trackfaults.looked_at(edge.located(), pattern, values)
    _declare("log", pattern, values, as_json=as_json)


@track.command()
@click.argument("pattern")
@click.option("--start", metavar="PREFIX", help="Begins a section, where no heading does.")
@show.json_option
def changelog(pattern: str, *, start: str | None, as_json: bool) -> None:
    """Guard a document of sections that people also edit: merges join what both sides added."""
    _declare("changelog", pattern, _of_one_line("changelog", pattern, start), as_json=as_json)


@track.command()
@click.argument("pattern")
@show.json_option
def once(pattern: str, *, as_json: bool) -> None:
    """Guard files that are written once: merges refuse a second claim, commits a change."""
    _declare("once", pattern, {}, as_json=as_json)


def _of_one_line(kind: str, pattern: str, start: str | None) -> dict[str, Value]:
    if start is not None and "\n" in start:
        raise trackfaults.usage(pattern, "--start needs a text of one line", kind)
    return {} if start is None else {"start": start}


@click.command()
@click.argument("pattern")
@show.json_option
def untrack(pattern: str, *, as_json: bool) -> None:
    """Stop guarding PATTERN, spelled as it was given to ``track``."""
    here, again = edge.located(), f"git coord untrack {quote(pattern)}"
    with alone(here.common_dir, again=again):
        files = _Files.read(here)
        edits = files.edits(None, pattern, {})
        if not edits:
            raise trackfaults.not_tracked(pattern)
        apply(edits, here.common_dir, again=again)
    _tell(files, edits, {"pattern": pattern}, f"{pattern}: not guarded any more", as_json=as_json)


@dataclass(frozen=True)
class _Files:
    """The two committed files of a worktree, as they are now."""

    here: Worktree
    top: str
    texts: dict[str, bytes | None] = field(default_factory=dict)

    @classmethod
    def read(cls, here: Worktree) -> _Files:
        """Read them, and insist that they are files of this worktree.

        Raises:
            Environment: there is no worktree, or ``.coord.toml`` is invalid.
            Refused: a committed link stands in the place of one.
        """
        if here.top is None:
            raise trackfaults.no_worktree(here)
        names = (attributesfile.COMMITTED, config.FILE)
        files = cls(here, here.top, {name: _text(here.top, name) for name in names})
        config.parse(files.texts[config.FILE] or b"", files.path(config.FILE))
        return files

    def path(self, name: str) -> str:
        """Return the path of a file at the top level."""
        return os.path.join(self.top, name)

    def edits(self, kind: str | None, pattern: str, values: dict[str, Value]) -> list[Edit]:
        """Return the edits that guard `pattern` as `kind` (None: not at all); none: it is so."""
        changes: list[tuple[str, Change]] = [
            (self.path(attributesfile.COMMITTED), partial(_attributes, kind, pattern)),
            (self.path(config.FILE), partial(_sections, kind, pattern, values)),
        ]
        if self.here.installed:
            info = os.path.join(self.here.common_dir, attributesfile.INFO)
            changes.append((info, partial(_info, kind, pattern)))
        now = {self.path(name): text for name, text in self.texts.items()}
        return [
            Edit(path, change, "guarded paths")
            for path, change in changes
            for old in [now[path] if path in now else disk.read(path)]
            if change(old) != old
        ]


def _declare(kind: str, pattern: str, values: dict[str, Value], *, as_json: bool) -> None:
    here, again = edge.located(), f"git coord track {kind} {quote(pattern)}"
    command = values.get("regenerate")
    # From the first look to the last rename: what another adds meanwhile would be written over.
    with alone(here.common_dir, again=again):
        files = _Files.read(here)
        fault = patterns.fault(pattern, files.top)
        if fault:
            raise trackfaults.usage(pattern, fault, kind)
        edits = files.edits(kind, pattern, values)
        apply(edits, here.common_dir, again=again)
        if isinstance(command, str) and here.installed:
            _accept(here.common_dir, command)
    about = f"{pattern}: {kind}{f', made by: {command}' if command else ''}"
    _tell(files, edits, {"pattern": pattern, "kind": kind, **values}, about, as_json=as_json)
    if not files.here.installed:
        show.note(f"this clone has no drivers yet: {ourselves.install()}")
    committed = disk.read(files.path(attributesfile.COMMITTED)) or b""
    for warning in patterns.overridden(files.here, committed, pattern, kind):
        show.note(warning)


def _accept(common_dir: str, command: str) -> None:
    """Accept a producer for this clone, where the sandbox lets us write beside the hooks."""
    try:
        trust.accept(common_dir, [command])
    except OSError as error:
        show.note(
            f"the command is not accepted in this clone yet ({error.strerror}: hooks/coord); "
            "git coord regenerate will ask for --trust"
        )


def _attributes(kind: str | None, pattern: str, old: bytes | None) -> bytes | None:
    if kind is not None:
        return attributesfile.declared(old, pattern, kind)
    return None if old is None else attributesfile.undeclared(old, pattern)


def _sections(
    kind: str | None, pattern: str, values: dict[str, Value], old: bytes | None
) -> bytes | None:
    """Change ``.coord.toml``: the section of `kind`, and none of another kind."""
    own = _SECTIONS.get(kind or "")
    for other in dict.fromkeys(_SECTIONS.values()):
        if other != own and old is not None:
            old = declaration.undeclared(old, other, pattern)
    return declaration.declared(old, own, pattern, values) if own else old


def _info(kind: str | None, pattern: str, old: bytes | None) -> bytes | None:
    return attributesfile.guarding(old, list(DRIVERS), pattern, kind)


def _tell(
    files: _Files, edits: list[Edit], fields: dict[str, object], line: str, *, as_json: bool
) -> None:
    """Print what was done, and the command that commits it."""
    changed = [os.path.relpath(edit.path, files.top) for edit in edits]
    if as_json:
        show.document({**fields, "changed": changed})
    else:
        show.line(line)
        show.line(f"wrote {' '.join(changed)}" if changed else "it was so already")
    names = " ".join(f":/{name}" for name in _committable(files, changed))
    if names:
        message = quote(f"Guard {fields['pattern']}" if "kind" in fields else "Guard less")
        sparse = git.ask("config", "--bool", "core.sparseCheckout", cwd=files.top).text == "true"
        add = "git add --sparse" if sparse else "git add"
        show.note(f"commit it: {add} {names} && git commit -m {message} -- {names}")


def _committable(files: _Files, changed: list[str]) -> list[str]:
    """Return the changed files that git can add: a deleted one only if it is tracked."""
    names = [name for name in files.texts if name in changed]
    known = git.tell("ls-files", "-z", "--", *names, cwd=files.top).fields if names else []
    return [name for name in names if name in known or os.path.exists(files.path(name))]


def _text(top: str, name: str) -> bytes | None:
    path = os.path.join(top, name)
    found = disk.look(path)
    if found is None and git.ask("ls-files", "-t", "--", name, cwd=top).text.startswith("S "):
        raise trackfaults.outside_sparse(path, name)
    if found is None or found.kind == "file":
        return found.data if found else None
    raise Refused(
        "symlink",
        f"{name} is no file of this worktree",
        where=path,
        why="a committed link can lead anywhere, so what is written here follows none"
        if found.kind == "link"
        else f"it is a {found.kind}",
        run=f"mv {quote(path)} {quote(path)}.aside",
    )
