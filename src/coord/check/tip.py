"""The problems of the tree at the end of the range, whatever its history: ids and declarations."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import command
from coord.check import commands, effective, once
from coord.guard import guarded, trust
from coord.history.problem import Problem, printed
from coord.ids import claimtext
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.subject import Subject


def problems(subject: Subject, notes: list[str]) -> Iterator[Problem]:
    """Yield them by rule, then path; add to `notes` what is no problem and has no effect."""
    notes += [key.told(config.FILE) for key in subject.config.unknown]
    yield from _ids(subject)
    yield from _declarations(subject, notes)
    if subject.invalid is not None:
        fault = subject.invalid
        run = commands.edit(subject.here, subject.cwd, ".coord.toml", fault.line)
        yield Problem(
            fault.rule, ".coord.toml", None, f"{fault.what}: {fault.why}", run, fault.line
        )


def _ids(subject: Subject) -> Iterator[Problem]:
    paths = {path for path in subject.tree if path.startswith(claimtext.FOLDER)}
    paths.update(subject.of_kind("once"))
    texts = subject.blobs.read_small(subject.tree[path] for path in paths if claimtext.is_id(path))
    for clash in claimtext.clashes(paths, lambda path: texts[subject.tree[path]]):
        run = commands.renumber(clash.path)
        yield Problem(once.TAKEN, printed(clash.path), None, clash.message, run)


def _declarations(subject: Subject, notes: list[str]) -> Iterator[Problem]:
    triples = subject.history.attributes.effective(subject.tree)
    drivers = _drivers(subject)
    notes += effective.unregistered(triples, drivers)
    for finding in effective.unguarded(triples, drivers):
        run = commands.edit(subject.here, subject.cwd, ".gitattributes")
        run = command.install() if finding.by_install else run
        yield Problem(effective.UNREGISTERED, printed(finding.path), None, finding.message, run)
    made = frozenset[bytes]().union(*(unit.paths for unit in subject.units))
    for path in sorted(set(subject.of_kind("derived")) - made):
        if subject.invalid is None:
            text = "no [derived] section of .coord.toml says what makes it"
            run = commands.declare_producer(path)
            yield Problem(effective.PRODUCER, printed(path), None, text, run)
    yield from _unattributed(subject)


def _drivers(subject: Subject) -> set[bytes]:
    """Return the merge drivers this clone's config has a command for."""
    pattern = r"^merge\..*\.driver$"
    listing = subject.door.ask("config", "-z", "--includes", "--name-only", "--get-regexp", pattern)
    names = (
        name.removeprefix(b"merge.").removesuffix(b".driver") for name in listing.out.split(b"\0")
    )
    return set(names) - {b""}


def _unattributed(subject: Subject) -> Iterator[Problem]:
    """Yield the files that ``.coord.toml`` speaks of and no attribute guards."""
    free = [os.fsdecode(path) for path in subject.tree if path not in subject.kinds]
    for path, made in guarded.derived_rules(subject.here, subject.config, free).items():
        how = made.regenerate
        # `track` accepts the command it is given: nobody shall do so by pasting.
        known = trust.is_accepted(subject.here.common_dir, how)
        run = commands.track("derived", made.pattern, how if known else None, made.inputs)
        yield _unattributed_one(path, "derived", run)
    for path, log in guarded.log_rules(subject.here, subject.config, free).items():
        yield _unattributed_one(path, "log", commands.track("log", log.pattern, log.start))


def _unattributed_one(path: str, kind: str, run: str) -> Problem:
    text = f"declared as {kind} in .coord.toml, but no attribute guards it"
    return Problem(effective.UNREGISTERED, printed(os.fsencode(path)), None, text, run)
