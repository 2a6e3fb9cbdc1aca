"""Sections of ``.coord.toml``, checked key by key: a fault is named with its line."""

from __future__ import annotations

import coord
from coord.base import duration
from coord.base.errors import Environment
from coord.base.frozen import NamedTuple
from coord.base.names import quote, shown

# Unknown keys that are told of one file: each is looked for in the text, and more help nobody.
TOLD = 10


class Unknown(NamedTuple):
    """A key that nothing here reads: misspelt, or of a later version than this one.

    Attributes:
        line: 1-based line, 0 when that cannot be told.
        at: dotted key of the table that holds it, empty for the top.
        word: the key itself.
        known: the keys that may stand in its place.
    """

    line: int
    at: str
    word: str
    known: tuple[str, ...]

    def told(self, file: str) -> str:
        """Return what is to be known of it, in one line, with the nearest key there is."""
        from difflib import get_close_matches  # noqa: PLC0415  # 4 ms, only where one is found

        near = get_close_matches(self.word.lower(), self.known, n=1)
        helped = f"did you mean {near[0]}?" if near else f"known here are: {', '.join(self.known)}"
        key = shown(f"{self.at}.{self.word}" if self.at else self.word)
        where = f"{file}:{self.line}" if self.line else file
        return (
            f"{where}: {key} is no key of git-coord {coord.VERSION} and has no effect; "
            f"a later version may know it; {helped}"
        )


def editor(path: str, line: int) -> str:
    """Return the command that opens a file, at a line where there is one."""
    return f"${{EDITOR:-vi}} {f'+{line} ' if line else ''}{quote(path)}"


def below(section: str, name: str) -> str:
    """Return the key of a table of a section as it is written: in quotes where it needs them."""
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return f"{section}.{name}" if is_bare else f'{section}."{name}"'


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
            run=editor(path, line),
        )
        self.line = line
        self.key = key


class ConfigUnreadable(ConfigInvalid):
    """In place of ``.coord.toml`` stands no file, or one not to be read: no editor helps."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, 0, "", why)
        self.what = "not a file that can be read"
        self.run = f"ls -ld {quote(path)}"


class Sections:
    """Checks tables against what each section may hold, with the text at hand for lines."""

    def __init__(self, text: str, path: str) -> None:
        self._lines = text.split("\n")
        self._path = path
        self._unknown: list[Unknown] = []

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

    def _rules(
        self, section: str, tables: dict[str, object]
    ) -> list[tuple[str, dict[str, object]]]:
        rules = self._table(section, tables)
        return [(pattern, self._table(pattern, rules, section)) for pattern in rules]

    def _known(self, at: str, table: dict[str, object], keys: tuple[str, ...]) -> None:
        """Note the keys that a table holds beside `keys`, the first `TOLD`."""
        for key in table:
            if key not in keys and len(self._unknown) < TOLD:
                line = self._line(f"{at}.{key}" if at else key, key)
                self._unknown.append(Unknown(line, at, key, keys))

    def _invalid(self, dotted: str, word: str, why: str) -> ConfigInvalid:
        return ConfigInvalid(self._path, self._line(dotted, word), dotted, why)

    def _line(self, dotted: str, word: str) -> int:
        """Return where `word` is set inside its own section, else the section's header, else 0."""
        header, best = "", 0
        for number, raw in enumerate(self._lines, 1):
            if "[" in raw and (line := raw.strip()).startswith("["):
                header = line.strip("[] ").replace("'", '"')
                best = best or (number if _related(header, dotted) else 0)
            elif word in raw and _sets(raw.strip(), word) and _related(header, dotted):
                return number
        return best


def _sets(line: str, word: str) -> bool:
    """Tell whether a line begins with a key, and not with a longer one."""
    rest = line.lstrip("\"'")
    after = rest[len(word) :][:1]
    return rest.startswith(word) and not (after.isalnum() or after in {"-", "_"})


def _related(header: str, dotted: str) -> bool:
    """Tell whether a section's header is the key, holds it, or lies below it."""
    return dotted.startswith(header) or header.startswith(dotted)
