"""Attributes files as text: the committed declaration, and the block in ``info/attributes``.

Both hold the same path lines. In the committed file the macros are safe fallbacks (a clone without
the toolkit gets a loud conflict), in ``info/attributes`` they select the drivers; the later
definition wins (docs/drivers.md). Pure functions over bytes: a pattern may hold any of them.
"""

from __future__ import annotations

import codecs
import os
import re
from functools import cache
from typing import NamedTuple

from coord.base.cquote import c_unquoted
from coord.guard.guarded import BEGIN, END, KINDS, attribute, quoted_pattern
from coord.installer import appended

COMMITTED = ".gitattributes"
INFO = "info/attributes"
_NOTE = (
    b"# Guarded by git-coord; a clone without it stops at a conflict instead of merging as text.\n"
)
_BEGIN = BEGIN + b": coord-install and git coord track write these lines\n"
_END = END + b"\n"
_NAMED = b"coord-"  # stands in each line that guards
_PATTERN = re.compile(rb'\s*("(?:[^"\\]|\\.)*"|\S+)(?:[ \t]+|$)')
_OURS = re.compile(rb"[-!]?coord-[a-z]+")
_MERGE = re.compile(rb"[-!]?merge(?:=.*)?")


class Line(NamedTuple):
    """One rule of an attributes file."""

    pattern: bytes
    attributes: tuple[bytes, ...]

    @property
    def guards(self) -> bool:
        """Whether it names one of our attributes, to set it or to take it away."""
        return any(_OURS.fullmatch(word) for word in self.attributes)

    @property
    def merges(self) -> bool:
        """Whether it decides how the path is merged."""
        return self.guards or any(_MERGE.fullmatch(word) for word in self.attributes)

    @property
    def meant(self) -> str:
        """The pattern, however it is quoted."""
        return unquoted(os.fsdecode(self.pattern))

    def is_for(self, pattern: str) -> bool:
        """Tell whether this is the rule of `pattern`, however it is quoted."""
        return self.meant == pattern

    def text(self) -> bytes:
        """Return the rule as a line of the file."""
        return b" ".join((self.pattern, *self.attributes)) + b"\n"


def unquoted(pattern: str) -> str:
    """Return the pattern that a word of an attributes file stands for, as git does bad quotes."""
    try:
        return c_unquoted(pattern)
    except ValueError:
        return pattern


@cache  # a verb asks five times, and a peer may have written a megabyte
def parsed(line: bytes) -> Line | None:
    """Return the rule on a line; None for a comment, a blank line or a macro's definition."""
    line = line.removeprefix(codecs.BOM_UTF8)  # as git does on a file's first line
    match = _PATTERN.match(line.rstrip(b"\r\n"))
    if match is None or match[1].startswith((b"#", b"[attr]")):
        return None
    return Line(match[1], tuple(line[match.end() :].split()))


def rules(text: bytes) -> list[Line]:
    """Return the rules of a file that name our attributes, cut down to what merging needs."""
    lines = [line for line in appended.split(text) if _NAMED in line]  # of a million, the few
    found = [rule for rule in map(parsed, lines) if rule and rule.guards]
    return [
        rule._replace(
            attributes=tuple(
                word for word in rule.attributes if _OURS.fullmatch(word) or _MERGE.fullmatch(word)
            )
        )
        for rule in found
    ]


def declared(text: bytes | None, pattern: str, kind: str) -> bytes:
    """Return the committed file with `pattern` guarded as `kind`; macros come with the first."""
    rule = line_for(pattern, kind)
    if text is not None and any(_sets(found, pattern, kind) for found in rules(text)):
        return text
    rest = undeclared(text, pattern) if text and _NAMED in text else text
    texts = appended.split(rest or b"")
    missing = [macro for macro in _fallbacks() if macro not in texts]
    if _NOTE not in texts:
        lead = _NOTE + b"".join(missing) if missing else b""
        return appended.added(rest, lead + rule.text())
    # Written by an earlier version, which knew fewer kinds; the note's line is whole by then.
    at = texts.index(_NOTE) + 1
    own = [macro for macro in missing if macro == _fallback(kind)]
    return appended.added(b"".join([*texts[:at], *own, *texts[at:]]), rule.text())


def undeclared(text: bytes, pattern: str) -> bytes | None:
    """Return the committed file without what guards `pattern`; None when nothing is left of it.

    Other attributes on the same line stay. The macros go with the last rule, if ``track`` wrote
    them: its note above them says so.
    """
    rest = _without_rule(text, pattern)
    if rest is None or rules(rest) or _NOTE not in appended.split(rest):
        return rest
    return appended.without(rest, _macros_of_ours(appended.split(rest)))


def later_merge_rules(text: bytes, pattern: str, kind: str) -> list[Line]:
    """Return the rules below the one that guards `pattern` that could give it another driver."""
    lines = [line for line in appended.split(text) if _NAMED in line or b"merge" in line]
    found = [rule for rule in map(parsed, lines) if rule and rule.merges]
    at = [number for number, rule in enumerate(found) if _sets(rule, pattern, kind)]
    return [rule for rule in found[at[-1] + 1 :] if not rule.guards] if at else []


def block(drivers: list[str], guards: list[Line]) -> bytes:
    """Return the block of ``info/attributes``: macros that select `drivers`, then the rules."""
    macros = b"".join(f"[attr]{name} merge={name}\n".encode() for name in drivers)
    return _BEGIN + macros + b"".join(rule.text() for rule in guards) + _END


def guarded(info: bytes | None) -> list[Line]:
    """Return the rules in the block of ``info/attributes``."""
    if info is None:
        return []
    texts = appended.split(info)
    return rules(b"".join(texts[number] for number in sorted(_block(texts))))


def joined(known: list[Line], declaring: list[Line]) -> list[Line]:
    """Return the rules for the block: those `known` there, then all that are declared now.

    Known ones stay: a worktree on a branch older than the declaration would merge as text. Not
    those of a pattern that is declared as another kind now.
    """
    last = list(dict.fromkeys(reversed(declaring)))[::-1]
    again = {rule.meant for rule in last}
    return [rule for rule in dict.fromkeys(known) if rule.meant not in again] + last


def guarding(
    info: bytes | None, drivers: list[str], pattern: str, kind: str | None
) -> bytes | None:
    """Return ``info/attributes`` with `pattern` guarded as `kind` only; None: not at all."""
    known = guarded(info)
    rules = [rule for rule in known if not rule.is_for(pattern)]
    rules += [line_for(pattern, kind)] if kind else []
    return info if rules == known else with_block(info, block(drivers, rules))


def line_for(pattern: str, kind: str) -> Line:
    """Return the rule that guards `pattern` as `kind`."""
    return Line(os.fsencode(quoted_pattern(pattern)), (attribute(kind).encode(),))


def with_block(info: bytes | None, wanted: bytes) -> bytes:
    """Return ``info/attributes`` holding the block `wanted`, in the place of an earlier one."""
    texts = appended.split(info or b"")
    ours = _block(texts)
    if info is None or not ours:
        return appended.added(info, wanted)
    first, last = min(ours), max(ours)
    if not texts[last].endswith(b"\n"):
        wanted = wanted[:-1]
    kept = [texts[number] for number in range(first, last) if number not in ours]
    return b"".join([*texts[:first], *kept, wanted, *texts[last + 1 :]])


def without_block(info: bytes | None) -> bytes | None:
    """Return ``info/attributes`` without our block; None when the file should go."""
    return None if info is None else appended.without(info, _block(appended.split(info)))


def _fallbacks() -> list[bytes]:
    return [_fallback(kind) for kind in KINDS]


def _fallback(kind: str) -> bytes:
    return f"[attr]{attribute(kind)} -merge\n".encode()


def _macros_of_ours(texts: list[bytes]) -> set[int]:
    """Return the indexes of the note and of the macros right below it."""
    first = texts.index(_NOTE) if _NOTE in texts else len(texts)
    fallbacks, last = {macro.rstrip() for macro in _fallbacks()}, first
    while last + 1 < len(texts) and texts[last + 1].rstrip() in fallbacks:
        last += 1
    return set(range(first, last + 1))


def _sets(rule: Line, pattern: str, kind: str) -> bool:
    return rule.is_for(pattern) and attribute(kind).encode() in rule.attributes


def _without_rule(text: bytes, pattern: str) -> bytes | None:
    """Drop our attributes from the lines of `pattern`, and the lines that then say nothing."""
    texts, gone = appended.split(text), set()
    for number in [number for number, line in enumerate(texts) if _NAMED in line]:
        line = texts[number]
        rule = parsed(line)
        if rule is None or not rule.guards or not rule.is_for(pattern):
            continue
        rest = tuple(word for word in rule.attributes if not _OURS.fullmatch(word))
        if rest:
            end = line[len(line.rstrip(b"\r\n")) :]
            texts[number] = Line(rule.pattern, rest).text().rstrip(b"\n") + end
        else:
            gone.add(number)
    return appended.without(b"".join(texts), gone)


def _block(texts: list[bytes]) -> set[int]:
    """Return the indexes of our block's lines; of a damaged one, those that look like ours."""
    ours: set[int] = set()
    inside = False
    for number, line in enumerate(texts):
        if not inside and not line.startswith(BEGIN):
            continue
        if line.rstrip() == _BEGIN.rstrip():
            inside = True
        if inside and _is_of_block(line):
            ours.add(number)
        if line.rstrip() == _END.rstrip():
            inside = False
    return ours


def _is_of_block(line: bytes) -> bool:
    rule = parsed(line) if _NAMED in line else None
    return line.startswith((b"# git-coord ", b"[attr]coord-")) or (rule is not None and rule.guards)
