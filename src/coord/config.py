"""``.coord.toml``: what the repository declares, read from the working tree and checked whole.

A typo must not switch a guard off in silence, so an unknown section or key is an error that names
its line. Sections: derived, log, identity, push (here) and those of the board and the fleet.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field

from coord import duration
from coord.errors import Environment
from coord.names import quote

FILE = ".coord.toml"
_SECTIONS = {
    "identity": ("author", "name", "email"),
    "push": ("authorship",),
    "board": ("store",),
    "presence": ("expires",),
}
_LATER = ("moves", "lane", "id", "fleet")  # checked by their own modules
AUTHORS = ("actor", "keep")
AUTHORSHIP = ("warn", "refuse")
STORES = ("directory",)


@dataclass(frozen=True)
class Derived:
    """A derived artifact: ``[derived."PATTERN"]``.

    Attributes:
        pattern: gitattributes pattern.
        regenerate: shell command run at the top level; ``{path}`` is the file.
        inputs: pathspec globs the artifact is made from.
    """

    pattern: str
    regenerate: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Log:
    """An append-only log: ``[log."PATTERN"]``; `start` begins a record.

    An empty one means paragraphs, None lines.
    """

    pattern: str
    start: str | None = None


@dataclass(frozen=True)
class Identity:
    """``[identity]``: whether the author follows the pin, and as what."""

    author: str = "actor"
    name: str = "{actor}"
    email: str | None = None


@dataclass(frozen=True)
class Config:
    """The whole declaration; later patterns win over earlier ones.

    Attributes:
        derived: ``[derived."PATTERN"]``.
        log: ``[log."PATTERN"]``.
        identity: ``[identity]``.
        authorship: ``[push] authorship``: warn or refuse.
        store: ``[board] store``: where shared records live.
        expires: ``[presence] expires``: seconds of silence after which nobody is called present.
    """

    derived: tuple[Derived, ...] = ()
    log: tuple[Log, ...] = ()
    identity: Identity = field(default_factory=Identity)
    authorship: str = "warn"
    store: str = "directory"
    expires: float = 1800.0


class ConfigInvalid(Environment):
    """``.coord.toml`` cannot be used.

    Attributes:
        line: 1-based line of the fault, 0 when unknown.
        key: dotted key at fault, empty for broken syntax.
    """

    def __init__(self, path: str, line: int, key: str, why: str) -> None:
        super().__init__(
            "config-invalid",
            f"{key} is not valid" if key else "not valid TOML",
            where=f"{path}:{line}" if line else path,
            why=why,
            run=f"${{EDITOR:-vi}} {f'+{line} ' if line else ''}{quote(path)}",
        )
        self.line = line
        self.key = key


def load(top: str | None) -> Config:
    """Return the declaration of the worktree at `top`; the defaults where there is none.

    Raises:
        ConfigInvalid: broken syntax, an unknown key, a value of the wrong kind.
    """
    path = os.path.join(top or "", FILE)
    return parse(_read(path) if top else b"", path)


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ConfigInvalid(path, 0, "", f"cannot be read: {error.strerror}") from error
    with open(fd, "rb") as file:
        return file.read()


def parse(data: bytes, path: str) -> Config:
    """Return the declaration `data` holds; `path` is for messages only.

    Raises:
        ConfigInvalid: as :func:`load`.
    """
    try:
        text = data.decode()
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigInvalid(path, line, "", "the file is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid(path, _line_of(str(error), text), "", str(error)) from error
    return _Reader(text, path).config(tables)


def _line_of(message: str, text: str) -> int:
    """Return the line a TOMLDecodeError speaks of (3.11 has it in the message only)."""
    _, found, rest = message.partition("(at line ")
    if not found:
        return text.count("\n") + 1  # "(at end of document)"
    return int(rest.partition(",")[0])


class _Reader:
    """Checks tables against what each section may hold, with the text at hand for lines."""

    def __init__(self, text: str, path: str) -> None:
        self._lines = text.split("\n")
        self._path = path

    def config(self, tables: dict[str, object]) -> Config:
        own = {key: table for key, table in tables.items() if key not in _LATER}
        self._known("", own, ("derived", "log", *_SECTIONS))
        section = {name: self._table(name, tables) for name in _SECTIONS}
        for name, known in _SECTIONS.items():
            self._known(name, section[name], known)
        identity = section["identity"]
        return Config(
            tuple(self._derived(pattern, rule) for pattern, rule in self._rules("derived", tables)),
            tuple(self._log(pattern, rule) for pattern, rule in self._rules("log", tables)),
            Identity(
                self._choice("identity", identity, "author", AUTHORS),
                self._text("identity", identity, "name") or "{actor}",
                self._text("identity", identity, "email"),
            ),
            self._choice("push", section["push"], "authorship", AUTHORSHIP),
            self._choice("board", section["board"], "store", STORES),
            self._duration("presence", section["presence"], "expires", Config.expires),
        )

    def _derived(self, pattern: str, rule: dict[str, object]) -> Derived:
        at = f'derived."{pattern}"'
        self._known(at, rule, ("regenerate", "inputs"))
        command = self._text(at, rule, "regenerate")
        if not command:
            raise self._invalid(at, pattern, 'it needs regenerate = "COMMAND"')
        return Derived(pattern, command, self._texts(at, rule, "inputs"))

    def _log(self, pattern: str, rule: dict[str, object]) -> Log:
        at = f'log."{pattern}"'
        self._known(at, rule, ("start",))
        start = self._text(at, rule, "start")
        if start is not None and "\n" in start:
            raise self._invalid(f"{at}.start", "start", "it must be text of one line")
        return Log(pattern, start)

    def _rules(
        self, section: str, tables: dict[str, object]
    ) -> list[tuple[str, dict[str, object]]]:
        rules = self._table(section, tables)
        return [(pattern, self._table(pattern, rules, section)) for pattern in rules]

    def _table(self, key: str, tables: dict[str, object], at: str = "") -> dict[str, object]:
        found = tables.get(key, {})
        if not isinstance(found, dict):
            raise self._invalid(f'{at}."{key}"' if at else key, key, "it must be a table")
        return found

    def _text(self, at: str, table: dict[str, object], key: str) -> str | None:
        found = table.get(key)
        if found is None or isinstance(found, str):
            return found
        raise self._invalid(f"{at}.{key}", key, "it must be a string")

    def _texts(self, at: str, table: dict[str, object], key: str) -> tuple[str, ...]:
        found = table.get(key, [])
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return tuple(found)
        raise self._invalid(f"{at}.{key}", key, "it must be a list of strings")

    def _choice(self, at: str, table: dict[str, object], key: str, choices: tuple[str, ...]) -> str:
        found = table.get(key, choices[0])
        if found in choices:
            return str(found)
        raise self._invalid(f"{at}.{key}", key, f"it must be one of: {', '.join(choices)}")

    def _duration(self, at: str, table: dict[str, object], key: str, default: float) -> float:
        text = self._text(at, table, key)
        seconds = default if text is None else duration.parse(text)
        if seconds:
            return seconds
        raise self._invalid(f"{at}.{key}", key, "it must be a duration such as 90s, 30m, 24h or 7d")

    def _known(self, at: str, table: dict[str, object], keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                dotted = f"{at}.{key}" if at else key
                raise self._invalid(dotted, key, f"known here are: {', '.join(keys)}")

    def _invalid(self, dotted: str, word: str, why: str) -> ConfigInvalid:
        return ConfigInvalid(self._path, self._line(dotted, word), dotted, why)

    def _line(self, dotted: str, word: str) -> int:
        """Return where `word` is set inside its own section, else the section's header, else 0."""
        header, best = "", 0
        for number, raw in enumerate(self._lines, 1):
            line = raw.strip()
            if line.startswith("["):
                header = line.strip("[] ").replace("'", '"')
                best = best or (number if _related(header, dotted) else 0)
            elif _related(header, dotted) and line.lstrip("\"'").startswith(word):
                return number
        return best


class Section(_Reader):
    """One section that :func:`load` leaves to a module of its own."""

    def __init__(self, top: str | None, name: str) -> None:
        path = os.path.join(top or "", FILE)
        data = _read(path) if top else b""
        parse(data, path)
        super().__init__(data.decode(), path)
        self._tables = tomllib.loads(data.decode())
        self._name = name

    def tables(self, keys: tuple[str, ...]) -> dict[str, dict[str, str | None]]:
        """Return the tables below it, by name; each may hold texts under `keys` and no more.

        Raises:
            ConfigInvalid: one holds something else.
        """
        found = {}
        for name, table in self._rules(self._name, self._tables):
            self._known(self._at(name), table, keys)
            found[name] = {key: self._text(self._at(name), table, key) for key in keys}
        return found

    def invalid(self, name: str, key: str, why: str) -> ConfigInvalid:
        """Return the error for a key of one of its tables."""
        return self._invalid(f"{self._at(name)}.{key}", key, why)

    def _at(self, name: str) -> str:
        """Return the key of a table as it is written: in quotes where it needs them."""
        is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        return f"{self._name}.{name}" if is_bare else f'{self._name}."{name}"'


def _related(header: str, dotted: str) -> bool:
    """Tell whether a section's header is the key, holds it, or lies below it."""
    return dotted.startswith(header) or header.startswith(dotted)
