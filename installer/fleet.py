"""What ``coord-install --fleet`` lays down in the worktree: sections, ledgers, their guard.

These are files to be committed, reviewed like code, so nothing here commits. What was there and
what was made of it is remembered: an uninstall takes back what nobody has changed since.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING

from coord.base.errors import Environment, Refused
from coord.base.names import quote
from coord.fleet import refusals
from coord.fleet.ledger import Move, PutDown, header
from coord.fleet.ledgerfile import Ledger
from coord.guard import guarded
from coord.installer import appended, attributesfile, disk
from coord.installer.manifest import Declared
from coord.installer.steps import Create, Drop, Edit, Folder, Leave, Step
from coord.repo import git
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.fleet.ledger import Entry
    from coord.repo.worktree import Worktree
    from coord.settings.config import Fleet

_SECTIONS = ("moves", "put-down", "wake", "lane")
_HEADS = tuple(f"[{name}{end}".encode() for name in _SECTIONS for end in "].")
_TEXT = f"""\
# The fleet's habits. What may be shipped: git coord ship KIND SUMMARY
[moves]
kinds = {json.dumps(config.KINDS)}

# A duty that somebody should tend: take the # away and name your own.
# [lane.social]
# every = "1d"
# about = "answer what people asked"
""".encode()


@dataclass(frozen=True)
class Laid:
    """What there is to lay down.

    Attributes:
        steps: from what is in the worktree to what is wanted; none when it is there already.
        files: what is to be remembered of each file that is written.
        rules: the lines that guard the ledgers.
    """

    steps: tuple[Step, ...] = ()
    files: tuple[Declared, ...] = ()
    rules: tuple[attributesfile.Line, ...] = ()

    def notes(self) -> list[str]:
        """Return what is left to do: the command that commits it, from anywhere inside."""
        names = " ".join(f":/{quote(file.name)}" for file in self.files)
        commit = f"git add {names} && git commit -m 'Declare the fleet' -- {names}"
        return [f"commit it: {commit}"] if names else []


def lay(here: Worktree, declared: Fleet) -> Laid:
    """Return what is missing in the worktree at `here`.

    Raises:
        Environment: there is no worktree.
        Refused: a committed link stands in the place of a file, or another file in a ledger's.
    """
    if here.top is None:
        raise _no_worktree(here)
    ledgers = {declared.moves: header(Move), declared.put_down: header(PutDown)}
    _require_no_links(here.top, [attributesfile.COMMITTED, config.FILE, *ledgers])
    _require_ours(here, Ledger(here.top, declared.moves, Move))
    _require_ours(here, Ledger(here.top, declared.put_down, PutDown))
    steps: list[Step] = []
    files: list[Declared] = []
    guard = partial(_guarded, _patterns(declared))
    for name, change in ((attributesfile.COMMITTED, guard), (config.FILE, _declared)):
        path = os.path.join(here.top, name)
        old = disk.read(path)
        new = change(old)
        if new != old:
            steps.append(Edit(path, change, "the fleet"))
            files.append(Declared.of(name, old, new))
    for name, text in ledgers.items():
        if not os.path.lexists(os.path.join(here.top, name)):
            steps += _folders(here.top, name, steps)
            steps.append(Create(os.path.join(here.top, name), text))
            files.append(Declared.of(name, None, text))
    rules = [attributesfile.line_for(pattern, "log") for pattern in _patterns(declared)]
    return Laid(tuple(steps), tuple(files), tuple(rules))


def taken_back(top: str, files: Iterable[Declared]) -> tuple[list[Step], list[str]]:
    """Return the steps that take back what is still as it was laid down, and what stays.

    The manifest does not say in which worktree that was: it is asked of each.
    """
    steps: list[Step] = []
    notes = []
    folders = set()
    for file in files:
        path = os.path.join(top, file.name)
        now = None if _link(top, file.name) else disk.read(path)
        if now is None or now == file.text_before:
            continue
        if not file.holds(now):
            if not _bears(file.name, now):
                continue
            notes.append(f"{path} was changed since it was laid down, and stays")
        elif file.before is None:
            steps.append(Drop(path))
            folders.add(os.path.dirname(path))
        else:
            steps.append(Edit(path, partial(_restored, file), "the fleet"))
    return [*steps, *(Leave(folder) for folder in sorted(folders - {top}, reverse=True))], notes


def _bears(name: str, text: bytes) -> bool:
    """Tell whether a file has anything of the fleet's, or is another branch's own of that name."""
    if name == attributesfile.COMMITTED:
        return any(b"coord-log" in rule.attributes for rule in attributesfile.rules(text))
    if name == config.FILE:
        return any(line.startswith(_HEADS) for line in text.split(b"\n"))
    return True


def _restored(file: Declared, now: bytes | None) -> bytes | None:
    return file.text_before if now is not None and file.holds(now) else now


def _patterns(declared: Fleet) -> list[str]:
    """Return the patterns that guard the ledgers: one for both where they are by default."""
    both = {declared.moves, declared.put_down}
    return ["coordination/*.tsv"] if both == {config.MOVES, config.PUT_DOWN} else sorted(both)


def _guarded(patterns: list[str], old: bytes | None) -> bytes:
    text = reduce(lambda text, one: attributesfile.declared(text, one, "log"), patterns, old)
    return text or b""


def _declared(old: bytes | None) -> bytes:
    """Put in the sections, unless one of the fleet's is there: then somebody has thought of it."""
    if set(config.tables(old or b"", config.FILE)) & set(_SECTIONS):
        return old or b""
    return appended.added(old, (b"\n" if old else b"") + _TEXT)


def _folders(top: str, name: str, planned: list[Step]) -> list[Step]:
    """Return the steps that make the folders of a file, the outermost first."""
    found: list[Step] = []
    folder = os.path.dirname(name)
    while folder:
        step = Folder(os.path.join(top, folder))
        if not os.path.isdir(step.path) and step not in planned:
            found.insert(0, step)
        folder = os.path.dirname(folder)
    return found


def _require_no_links(top: str, names: list[str]) -> None:
    for path in filter(None, (_link(top, name) for name in names)):
        raise refusals.link(path)


def _link(top: str, name: str) -> str | None:
    """Return the first symbolic link on the way to a file of the worktree, if there is one."""
    parts = name.split("/")
    steps = (os.path.join(top, *parts[:depth]) for depth in range(1, len(parts) + 1))
    return next(filter(os.path.islink, steps), None)


def _require_ours(here: Worktree, ledger: Ledger[Entry]) -> None:
    """Insist that what stands in a ledger's place is one: under the log's guard it cannot leave.

    Raises:
        Refused: it is something else; the command makes room, also in what is committed.
        Environment: it cannot be read.
    """
    try:
        with ledger.reading():
            return
    except Refused as refused:
        found = git.ask("--literal-pathspecs", "ls-files", "--", ledger.name, cwd=here.cwd)
        if refused.rule != "ledger-foreign" or not found.out:
            raise
        is_log = guarded.kinds(here, [ledger.name]).get(ledger.name) == "log"
        raise refusals.foreign_tracked(refused, guarded=is_log) from refused


def _no_worktree(here: Worktree) -> Environment:
    return Environment(
        "no-worktree",
        "there is no worktree to lay the fleet's files down in",
        where=here.git_dir,
        why="they are committed files: run this in a worktree",
        run="git worktree list",
    )
