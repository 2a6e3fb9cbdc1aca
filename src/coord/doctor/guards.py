"""Guarded paths as they are in one worktree: what git would do with each, and what declares it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.base.errors import CoordError
from coord.doctor import configured
from coord.guard import guarded, written
from coord.ids import namespaces
from coord.installer import appended, attributesfile, disk
from coord.repo import git
from coord.settings import config
from coord.settings.config import Config, Derived

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from coord.doctor.configured import Listing
    from coord.installer.attributesfile import Line
    from coord.repo.git import Output
    from coord.repo.worktree import Worktree
    from coord.settings.sections import Unknown

_LOOKED_AT = 50  # logs of one worktree, which are few
_NAMES = tuple(map(guarded.attribute, guarded.KINDS))
_READS_OUTSIDE = (2, 43)  # the first git that reads attributes files outside of a sparse cone
_SPECS = (*(f":(top,attr:{name})" for name in _NAMES), ":(top,glob)**/.gitattributes")
#: What lists what can be guarded in a worktree, and what says so.
LISTED = (*("ls-files", "-t", "-z", "--full-name", "--"), *_SPECS, f":(top,literal){config.FILE}")
#: Path → tag of ``git ls-files -t``: ``S`` is outside of the sparse checkout.
Tags = dict[str, str]


class Path(NamedTuple):
    """One guarded path.

    Attributes:
        path: relative to the top level.
        kind: one of ``guarded.KINDS``.
        driver: the effective ``merge`` attribute.
        sparse: it is outside of the sparse checkout.
    """

    path: str
    kind: str
    driver: str
    sparse: bool


class Missing(NamedTuple):
    """A derived path without a producer: the path, and the pattern that guards it (or "")."""

    path: str
    pattern: str


@dataclass(frozen=True)
class Guards:
    """What is guarded in one worktree.

    Attributes:
        paths: tracked files that bear one of our attributes.
        rules: lines of the root ``.gitattributes`` that guard.
        fallbacks: macros of ours that this file defines.
        named: other merge drivers that attributes files name: (file, driver).
        hidden: attributes files with guards that a sparse cone switches off.
        producers: ``[derived]`` of this worktree's ``.coord.toml``.
        without: derived paths without a producer there.
        fault: why ``.coord.toml`` cannot be used.
        unknown: its keys that nothing here reads.
        undeclared: ``.coord.toml`` is tracked, but outside of the sparse checkout.
        changelogs: files that are declared as logs and written as changelogs, each with why.
    """

    paths: tuple[Path, ...] = ()
    rules: tuple[Line, ...] = ()
    fallbacks: frozenset[str] = frozenset()
    named: tuple[tuple[str, str], ...] = ()
    hidden: tuple[str, ...] = ()
    producers: tuple[Derived, ...] = ()
    without: tuple[Missing, ...] = ()
    fault: CoordError | None = None
    unknown: tuple[Unknown, ...] = ()
    undeclared: bool = False
    changelogs: tuple[tuple[str, str], ...] = ()


#: What decides what git makes of attributes: settings, paths, and texts of attributes files.
Deciding = tuple[tuple[str, ...], tuple[str, ...], tuple[bytes | None, ...]]


class Known(NamedTuple):
    """What worktrees, which are mostly alike, were found to have; each adds to it.

    Attributes:
        matches: (ignorecase, patterns, paths) → path → number of the last pattern that matches it.
        attributes: what decides → the triples of ``check-attr``.
        env: the environment of a git child.
    """

    matches: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, int]]
    attributes: dict[Deciding, list[tuple[str, str, str]]]
    env: Mapping[str, str] | None = None


def ask(
    here: Worktree,
    listing: Listing,
    block: Sequence[Line],
    version: tuple[int, ...],
    known: Known | None = None,
    *,
    listed: Tags | None = None,
) -> Guards:
    """Look at the guarded paths of one worktree.

    Args:
        here: the worktree.
        listing: config as git reads it there.
        block: the rules in ``info/attributes``.
        version: git's.
        known: what other worktrees were found to have.
        listed: what git has listed there; by default it is asked.
    """
    known = known or Known({}, {})
    found = tags(git.tell(*LISTED, cwd=here.cwd, env=known.env)) if listed is None else listed
    texts, hidden = _files(here, found, cone=version < _READS_OUTSIDE and _is_cone(listing))
    rules = tuple(attributesfile.rules(texts.get(attributesfile.COMMITTED, b"")))
    paths = _paths(here, found, listing.values(), known)
    declared, fault = _declared(here)
    derived = [path.path for path in paths if path.kind == "derived"]
    fold = listing.values().get("core.ignorecase", "")
    matching = partial(_matching, here, fold, known)
    return Guards(
        paths=paths,
        rules=rules,
        fallbacks=_macros(texts.get(attributesfile.COMMITTED, b"")),
        named=tuple((name, driver) for name, text in texts.items() for driver in drivers(text)),
        hidden=hidden,
        producers=declared.derived,
        without=() if fault else _without(matching, declared, derived, (*rules, *block)),
        fault=fault,
        unknown=declared.unknown,
        undeclared=found.get(config.FILE) == "S" and not os.path.lexists(_full(here, config.FILE)),
        changelogs=tuple(_changelogs(here, paths)),
    )


def _changelogs(here: Worktree, paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    logs = [path.path for path in paths if path.kind == "log" and not path.sparse]
    for name in logs[:_LOOKED_AT]:
        full = _full(here, name)
        if os.path.islink(full) or not os.path.isfile(full):
            continue
        found = written.how(peerfile.head(full, written.LOOKED_AT))
        if found.why == written.VERSIONS:
            yield name, found.why


def drivers(text: bytes) -> list[str]:
    """Return the merge drivers that an attributes file names, git's own and ours left out."""
    known = {"text", "binary", "union", *_NAMES}
    words = (word for line in appended.split(text) for word in _attributes(line))
    named = (os.fsdecode(word[6:]) for word in words if word.startswith(b"merge="))
    return [name for name in dict.fromkeys(named) if name and name not in known]


def _attributes(line: bytes) -> tuple[bytes, ...]:
    if line.lstrip().startswith(b"[attr]"):
        return tuple(line.split()[1:])
    rule = attributesfile.parsed(line)
    return rule.attributes if rule else ()


def _macros(text: bytes) -> frozenset[str]:
    names = (line.split()[0][6:] for line in appended.split(text) if line.startswith(b"[attr]"))
    return frozenset(map(os.fsdecode, names))


def tags(told: Output) -> Tags:
    """Return what git has told of :data:`LISTED`."""
    return {field[2:]: field[0] for field in told.fields}


def _files(here: Worktree, listed: Tags, *, cone: bool) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the attributes files that git reads here, and those with guards that it does not.

    git falls back on the index for a file that is not checked out, but with a cone it used to skip
    those outside: all they speak of should be outside too.
    """
    names = [name for name in listed if os.path.basename(name) == attributesfile.COMMITTED]
    texts: dict[str, bytes] = {}
    hidden = []
    for name in dict.fromkeys((attributesfile.COMMITTED, *names)):
        text = disk.read(_full(here, name))
        away = text is None and listed.get(name) == "S"
        if away:
            text = git.ask("cat-file", "blob", f":{name}", cwd=here.cwd).out
        if away and cone and attributesfile.rules(text or b""):
            hidden.append(name)
        elif text is not None:
            texts[name] = text
    return texts, tuple(hidden)


def _is_cone(listing: Listing) -> bool:
    values = listing.values()
    sparse = configured.truth(values.get("core.sparsecheckout", ""))
    return sparse and configured.truth(values.get("core.sparsecheckoutcone", ""))


def _paths(
    here: Worktree, listed: Tags, settings: dict[str, str], known: Known
) -> tuple[Path, ...]:
    """Return the guarded ones among the listed paths, as git sees their attributes."""
    decide = _deciding(here, listed, settings)
    triples = known.attributes.get(decide) if decide else None
    if triples is None:
        triples = guarded.attributes(here, ("merge", *_NAMES), listed)
    if decide:
        known.attributes[decide] = triples
    values: dict[str, dict[str, str]] = {}
    for path, name, value in triples:
        values.setdefault(path, {})[name] = value
    return tuple(
        Path(path, kind, found["merge"], listed[path] == "S")
        for path, found in values.items()
        for kind in guarded.KINDS
        if found[guarded.attribute(kind)] == "set"
    )


def _deciding(here: Worktree, listed: Tags, settings: dict[str, str]) -> Deciding | None:
    """Return what decides the attributes of the listed paths; None if it is not files alone.

    In place of a file that is not checked out git takes the one of the index.
    """
    folders = {folder for path in listed for folder in _above(path)}
    names = sorted(os.path.join(folder, attributesfile.COMMITTED) for folder in folders)
    texts = {name: disk.read(_full(here, name)) for name in names}
    own = settings.get("core.attributesfile", "")
    away = any(text is None and name in listed for name, text in texts.items())
    if away or "attr.tree" in settings or (own and not own.startswith(("/", "~"))):
        return None
    return (own, settings.get("core.ignorecase", "")), (*listed,), (*texts.values(),)


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, the top one as an empty name."""
    while path:
        path = os.path.dirname(path)
        yield path


def _declared(here: Worktree) -> tuple[Config, CoordError | None]:
    try:
        declared = config.load(here.top)
        namespaces.formats_of(here.top)  # what no other verb than those of ids reads
    except CoordError as error:
        return Config(), error
    return declared, None


def _matching(
    here: Worktree, fold: str, known: Known, patterns: Sequence[str], paths: Sequence[str]
) -> dict[str, int]:
    """Return path → number of the last of `patterns` that matches it, asked for once a fleet."""
    key = fold, tuple(patterns), tuple(paths)
    if key not in known.matches:
        known.matches[key] = guarded.matched(here, patterns, paths)
    return known.matches[key]


def _without(
    matching: Callable[[Sequence[str], Sequence[str]], dict[str, int]],
    declared: Config,
    derived: list[str],
    rules: Iterable[Line],
) -> tuple[Missing, ...]:
    made = matching([rule.pattern for rule in declared.derived], derived)
    lacking = [path for path in derived if path not in made]
    if not lacking:
        return ()
    patterns = [attributesfile.unquoted(os.fsdecode(rule.pattern)) for rule in rules]
    found = matching(patterns, lacking)
    return tuple(Missing(path, patterns[found[path]] if path in found else "") for path in lacking)


def _full(here: Worktree, name: str) -> str:
    return os.path.join(here.cwd, name)
