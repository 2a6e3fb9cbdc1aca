"""Guarded paths as they are in one worktree: what git would do with each, and what declares it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord import config, git, guarded
from coord.config import Config, Derived
from coord.errors import CoordError
from coord.installer import attributes, disk, lines
from coord.installer.doctor import configured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.installer.attributes import Line
    from coord.installer.doctor.configured import Listing
    from coord.sections import Unknown
    from coord.worktree import Place

_NAMES = tuple(map(guarded.attribute, guarded.KINDS))
_READS_OUTSIDE = (2, 43)  # the first git that reads attributes files outside of a sparse cone
_SPECS = (*(f":(top,attr:{name})" for name in _NAMES), ":(top,glob)**/.gitattributes")


class Path(NamedTuple):
    """One guarded path.

    Attributes:
        path: relative to the top level.
        kind: ``derived``, ``log`` or ``once``.
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


def ask(place: Place, listing: Listing, block: Sequence[Line], version: tuple[int, ...]) -> Guards:
    """Look at the guarded paths of one worktree.

    Args:
        place: the worktree.
        listing: config as git reads it there.
        block: the rules in ``info/attributes``.
        version: git's.
    """
    tags = _tags(place, (*_SPECS, f":(top,literal){config.FILE}"))
    texts, hidden = _files(place, tags, cone=version < _READS_OUTSIDE and _is_cone(listing))
    rules = tuple(attributes.rules(texts.get(attributes.COMMITTED, b"")))
    paths = _paths(place, tags)
    declared, fault = _declared(place)
    derived = [path.path for path in paths if path.kind == "derived"]
    return Guards(
        paths=paths,
        rules=rules,
        fallbacks=_macros(texts.get(attributes.COMMITTED, b"")),
        named=tuple((name, driver) for name, text in texts.items() for driver in drivers(text)),
        hidden=hidden,
        producers=declared.derived,
        without=() if fault else _without(place, declared, derived, (*rules, *block)),
        fault=fault,
        unknown=declared.unknown,
        undeclared=tags.get(config.FILE) == "S" and not os.path.lexists(_full(place, config.FILE)),
    )


def drivers(text: bytes) -> list[str]:
    """Return the merge drivers that an attributes file names, git's own and ours left out."""
    known = {"text", "binary", "union", *_NAMES}
    words = (word for line in lines.split(text) for word in _attributes(line))
    named = (os.fsdecode(word[6:]) for word in words if word.startswith(b"merge="))
    return [name for name in dict.fromkeys(named) if name and name not in known]


def _attributes(line: bytes) -> tuple[bytes, ...]:
    if line.lstrip().startswith(b"[attr]"):
        return tuple(line.split()[1:])
    rule = attributes.parsed(line)
    return rule.attributes if rule else ()


def _macros(text: bytes) -> frozenset[str]:
    names = (line.split()[0][6:] for line in lines.split(text) if line.startswith(b"[attr]"))
    return frozenset(map(os.fsdecode, names))


def _tags(place: Place, specs: Iterable[str]) -> dict[str, str]:
    """Return path → tag of ``git ls-files -t``: ``S`` is outside of the sparse checkout."""
    done = git.tell("ls-files", "-t", "-z", "--full-name", "--", *specs, cwd=place.cwd)
    return {field[2:]: field[0] for field in done.fields}


def _files(
    place: Place, tags: dict[str, str], *, cone: bool
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the attributes files that git reads here, and those with guards that it does not.

    git falls back on the index for a file that is not checked out, but with a cone it used to skip
    those outside: all they speak of should be outside too.
    """
    names = [name for name in tags if os.path.basename(name) == attributes.COMMITTED]
    texts: dict[str, bytes] = {}
    hidden = []
    for name in dict.fromkeys((attributes.COMMITTED, *names)):
        text = disk.read(_full(place, name))
        away = text is None and tags.get(name) == "S"
        if away:
            text = git.ask("cat-file", "blob", f":{name}", cwd=place.cwd).out
        if away and cone and attributes.rules(text or b""):
            hidden.append(name)
        elif text is not None:
            texts[name] = text
    return texts, tuple(hidden)


def _is_cone(listing: Listing) -> bool:
    values = listing.values()
    sparse = configured.truth(values.get("core.sparsecheckout", ""))
    return sparse and configured.truth(values.get("core.sparsecheckoutcone", ""))


def _paths(place: Place, tags: dict[str, str]) -> tuple[Path, ...]:
    """Return the guarded ones among the listed paths, as git sees their attributes."""
    values: dict[str, dict[str, str]] = {}
    for path, name, value in guarded.attributes(place, ("merge", *_NAMES), tags):
        values.setdefault(path, {})[name] = value
    return tuple(
        Path(path, kind, found["merge"], tags[path] == "S")
        for path, found in values.items()
        for kind in guarded.KINDS
        if found[guarded.attribute(kind)] == "set"
    )


def _declared(place: Place) -> tuple[Config, CoordError | None]:
    try:
        return config.load(place.top), None
    except CoordError as error:
        return Config(), error


def _without(
    place: Place, declared: Config, derived: list[str], rules: Iterable[Line]
) -> tuple[Missing, ...]:
    made = guarded.derived_rules(place, declared, derived)
    lacking = [path for path in derived if path not in made]
    if not lacking:
        return ()
    patterns = (attributes.unquoted(os.fsdecode(rule.pattern)) for rule in rules)
    by_pattern = Config(derived=tuple(Derived(pattern, "-") for pattern in patterns))
    matched = guarded.derived_rules(place, by_pattern, lacking)
    return tuple(
        Missing(path, matched[path].pattern if path in matched else "") for path in lacking
    )


def _full(place: Place, name: str) -> str:
    return os.path.join(place.cwd, name)
