"""What another library has copied out of our included files into the shared config.

dulwich reads a config with all that it includes, and writes all of it back into the one file: from
then on the author of one worktree is everybody's, for what stands after an include wins.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.drivers.registered import DRIVERS
from coord.identity import includeif, pin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.identity.pin import Authorship

_HEADER = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SECTIONS = ("user", "author", "committer")
_JOINED = re.compile(rf"\.\./(?:worktrees/[^/]+/)?{re.escape(includeif.AUTHOR)}")


class Copies(NamedTuple):
    """What of ours may stand in the shared config by mistake.

    Attributes:
        authors: (key, value) of the authors of workers, such as ``author.email``.
    """

    authors: frozenset[tuple[str, str]] = frozenset()

    def holds(self, key: str, value: str) -> bool:
        """Tell whether a value of ``.git/config`` is a copy of one of ours.

        Args:
            key: as git lists it, section and name in lower case.
            value: what stands there.
        """
        if key.startswith("coord.") or (key, value) in self.authors or (key, value) in _DRIVERS:
            return True
        if key == "alias.coord":
            return "hooks/coord" in value or value.startswith("!: git coord -h")
        joined = _JOINED.fullmatch(value) is not None or includeif.is_below(value)
        return key.startswith("includeif.") and joined

    def keys(self, text: bytes) -> list[str]:
        """Return the keys of the copies in a config text."""
        return [key for _, _, key in self._found(_lines(text))]

    def taken_out(self, text: bytes) -> bytes:
        """Return a config text without the copies, and without the sections that they leave."""
        lines = _lines(text)
        found = list(self._found(lines))
        gone = {number for _, number, _ in found}
        for header in {header for header, _, _ in found}:
            body = range(header + 1, _end(lines, header))
            if all(number in gone or not lines[number].strip() for number in body):
                gone.add(header)
        kept = [line for number, line in enumerate(lines) if number not in gone]
        return os.fsencode("\n".join(kept))

    def _found(self, lines: list[str]) -> Iterator[tuple[int, int, str]]:
        """Yield (line of the header, line, key) of each copy.

        A name without an address was set by a person.
        """
        found = list(self._held(lines))
        keys = {key for _, _, key in found}
        for header, number, key in found:
            section, _, name = key.partition(".")
            if section not in _SECTIONS or name != "name" or f"{section}.email" in keys:
                yield header, number, key

    def _held(self, lines: list[str]) -> Iterator[tuple[int, int, str]]:
        header, section = 0, ""
        for number, line in enumerate(lines):
            head = _HEADER.match(line.strip())
            if head:
                header, section = number, head[1].lower()
                section += f".{_plain(head[2])}" if head[2] is not None else ""
                continue
            name, _, value = line.partition("=")
            key = f"{section}.{name.strip().lower()}"
            if value and self.holds(key, _value(value)):
                yield header, number, key


NONE = Copies()
_DRIVERS = {
    (f"merge.{name}.{key}", value)
    for name, driver in DRIVERS.items()
    for key, value in (
        ("driver", driver.command),
        ("recursive", driver.recursive),
        ("name", driver.about),
    )
}


def of(common_dir: str) -> Copies:
    """Return what may have been copied in a repository."""
    rule = pin.installed_authorship(common_dir)
    authors: set[tuple[str, str]] = set()
    for _, found in pin.live_pins(common_dir):
        # Who has pinned themselves has the same `user.*` of their own.
        mine = rule is not None and rule.filled(found.actor) == (found.name, found.email)
        sections = _SECTIONS if mine and rule is not None and rule.tagged else _SECTIONS[1:]
        if found.email:
            authors |= _author(sections, found.name, found.email)
    if rule is not None and rule.key:
        authors.add(("user.signingkey", rule.key))
    if rule is not None and rule.tagged:
        for actor in _gone(_text(common_dir), rule):
            authors |= _author(_SECTIONS, *rule.filled(actor))
    return Copies(frozenset(authors))


def read(common_dir: str) -> tuple[str, ...]:
    """Return the keys of the copies in the shared config of a repository."""
    return tuple(dict.fromkeys(of(common_dir).keys(_text(common_dir))))


def _author(sections: Sequence[str], name: str, email: str) -> set[tuple[str, str]]:
    return {pair for one in sections for pair in ((f"{one}.name", name), (f"{one}.email", email))}


def _gone(text: bytes, rule: Authorship) -> list[str]:
    """Return the actors whose address stands in a text, by a name that was made here: 4 hex."""
    before, after = map(re.escape, rule.email.split("{actor}", 1))
    return re.findall(f"{before}([\\w.-]*-[0-9a-f]{{4}}){after}", os.fsdecode(text))


def _text(common_dir: str) -> bytes:
    try:
        return peerfile.read(os.path.join(common_dir, "config"), peerfile.WHOLE)
    except OSError:
        return b""


def _lines(text: bytes) -> list[str]:
    return os.fsdecode(text).split("\n")


def _end(lines: list[str], header: int) -> int:
    later = range(header + 1, len(lines))
    return next((number for number in later if _HEADER.match(lines[number].strip())), len(lines))


def _value(raw: str) -> str:
    """Return a value as it was meant: dulwich escapes it, and quotes it only now and then."""
    text = raw.strip()
    return _plain(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)
