"""``.coord.toml``: what the repository declares, read from the working tree and checked whole.

A typo must not switch a guard off in silence, so a value that cannot be is an error that names its
line. A key that nothing here knows is kept for the doctor: a later version may have added it, and
workers of both share one repository.
"""

from __future__ import annotations

import errno
import os
import posixpath

from coord.base import peerfile
from coord.base.frozen import NamedTuple
from coord.base.names import is_actor, shown
from coord.drivers import bounded
from coord.settings import patterns
from coord.settings.sections import ConfigInvalid, ConfigUnreadable, Sections, below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.settings.sections import Unknown

FILE = ".coord.toml"
_SECTIONS = {
    "identity": ("author", "name", "email"),
    "push": ("authorship",),
    "board": ("store",),
    "presence": ("expires",),
    "moves": ("kinds", "ledger"),
    "put-down": ("ledger",),
    "wake": ("stagger",),
}
_LATER = {"id": ("format",)}  # sections that modules of their own read, and the keys in there
AUTHORS = ("actor", "keep")
AUTHORSHIP = ("warn", "refuse")
DIRECTORY = "directory"
MOVES = "coordination/moves.tsv"
PUT_DOWN = "coordination/put-down.tsv"
EXPIRES, STAGGER = 1800.0, 5.0  # seconds
KINDS = ("new", "improve", "fix", "combine", "reach", "infra", "outreach")


class Derived(NamedTuple):
    """A derived artifact: ``[derived."PATTERN"]``.

    Attributes:
        pattern: gitattributes pattern.
        regenerate: shell command run at the top level; ``{path}`` is the file.
        inputs: pathspec globs the artifact is made from.
    """

    pattern: str
    regenerate: str
    inputs: tuple[str, ...] = ()


class Log(NamedTuple):
    """An append-only log: ``[log."PATTERN"]``; `start` begins a record.

    An empty one means paragraphs, None lines.
    """

    pattern: str
    start: str | None = None


class Identity(NamedTuple):
    """``[identity]``: whether the author follows the pin, and as what."""

    author: str = "actor"
    name: str = "{actor}"
    email: str | None = None


class Lane(NamedTuple):
    """``[lane.NAME]``: a duty to tend at least `every` so many seconds; `about` says what it is."""

    name: str
    every: float
    about: str = ""


class Fleet(NamedTuple):
    """The fleet's habits.

    Attributes:
        kinds: ``[moves] kinds``: what a shipped move may be.
        moves: ``[moves] ledger``: path of the shipped moves, relative to the top level.
        put_down: ``[put-down] ledger``: path of what was considered and rejected.
        stagger: ``[wake] stagger``: the longest random wait of a wake, in seconds.
        lanes: ``[lane.NAME]``.
    """

    kinds: tuple[str, ...] = KINDS
    moves: str = MOVES
    put_down: str = PUT_DOWN
    stagger: float = STAGGER
    lanes: tuple[Lane, ...] = ()


class Config(NamedTuple):
    """The whole declaration; later patterns win over earlier ones.

    Attributes:
        derived: ``[derived."PATTERN"]``.
        log: ``[log."PATTERN"]``.
        identity: ``[identity]``.
        authorship: ``[push] authorship``: warn or refuse.
        store: ``[board] store``: a server that is suggested for the board; it acts when accepted
            in a clone (coord.work.suggested), and may be any text until then.
        expires: ``[presence] expires``: seconds of silence after which nobody is called present.
        fleet: ``[moves]``, ``[put-down]``, ``[wake]`` and ``[lane.NAME]``.
        unknown: the keys that nothing here reads, in the order of the file.
    """

    derived: tuple[Derived, ...] = ()
    log: tuple[Log, ...] = ()
    identity: Identity = Identity()
    authorship: str = "warn"
    store: str = DIRECTORY
    expires: float = EXPIRES
    fleet: Fleet = Fleet()
    unknown: tuple[Unknown, ...] = ()


def load(top: str | None) -> Config:
    """Return the declaration of the worktree at `top`; the defaults where there is none.

    Raises:
        ConfigInvalid: broken syntax, a value of the wrong kind, a key that is needed and missing.
    """
    return parse(*source(top))


def source(top: str | None) -> tuple[bytes, str]:
    """Return the text of the declaration at `top`, empty where there is none, and its path.

    Raises:
        ConfigInvalid: it cannot be read.
    """
    path = os.path.join(top or "", FILE)
    return _read(path) if top else b"", path


def _read(path: str) -> bytes:
    try:
        return peerfile.read(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigInvalid(path, 0, "", f"cannot be read: {error.strerror}") from error
        raise ConfigUnreadable(path, _odd(path) or f"{error.strerror}") from error


def _odd(path: str) -> str:
    """Return what stands at a path in place of a file, and what is to be done; empty for a file."""
    import stat  # noqa: PLC0415  # where something is wrong only

    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    names = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a FIFO"}
    kind = names.get(stat.S_IFMT(mode), "a device or a socket")
    away = "none is followed or opened; move it away, and `git checkout -- .coord.toml` brings back"
    return "" if stat.S_ISREG(mode) else f"it is {kind}: {away} one that was committed"


def parse(data: bytes, path: str) -> Config:
    """Return the declaration `data` holds; `path` is for messages only.

    Raises:
        ConfigInvalid: as :func:`load`.
    """
    return _Reader(data.decode("utf-8-sig", errors="replace"), path).config(tables(data, path))


def tables(data: bytes, path: str) -> dict[str, object]:
    """Return the tables of `data`, unchecked; `path` is for messages only.

    Raises:
        ConfigInvalid: no UTF-8, broken syntax, or beyond the bounds of what is parsed.
    """
    try:
        return bounded.tables(data)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigInvalid(path, line, "", "the file is not UTF-8") from error
    except ValueError as error:
        raise ConfigInvalid(path, _line_of(str(error), data), "", str(error)) from error


def _line_of(message: str, data: bytes) -> int:
    """Return the line a TOMLDecodeError speaks of (3.11 has it in the message only), or 0."""
    _, found, rest = message.partition("(at line ")
    if not found:
        return data.count(b"\n") + 1 if "(at end of document)" in message else 0
    return int(rest.partition(",")[0])


class _Reader(Sections):
    """Reads tables into the declaration."""

    def config(self, tables: dict[str, object]) -> Config:
        self._known("", tables, ("derived", "log", "lane", *_LATER, *_SECTIONS))
        section = {name: self._table(name, tables) for name in _SECTIONS}
        for name, known in _SECTIONS.items():
            self._known(name, section[name], known)
        self._known_later(tables)
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
            self._text("board", section["board"], "store") or DIRECTORY,
            self._duration("presence", section["presence"], "expires", EXPIRES),
            Fleet(
                self._kinds(section["moves"]),
                self._ledger("moves", section["moves"], MOVES),
                self._ledger("put-down", section["put-down"], PUT_DOWN),
                self._stagger(section["wake"]),
                tuple(self._lane(name, rule) for name, rule in self._rules("lane", tables)),
            ),
            tuple(sorted(self._unknown)),
        )

    def _known_later(self, tables: dict[str, object]) -> None:
        """Note unknown keys of the sections of others; what is no table there is theirs to say."""
        for section, keys in _LATER.items():
            rules = tables.get(section)
            for name, rule in rules.items() if isinstance(rules, dict) else ():
                if isinstance(rule, dict):
                    self._known(below(section, name), rule, keys)

    def _derived(self, pattern: str, rule: dict[str, object]) -> Derived:
        at = f'derived."{pattern}"'
        self._require_pattern(at, pattern)
        self._known(at, rule, ("regenerate", "inputs"))
        command = self._text(at, rule, "regenerate")
        if not command:
            raise self._invalid(at, pattern, 'it needs regenerate = "COMMAND"')
        return Derived(pattern, command, self._texts(at, rule, "inputs"))

    def _require_pattern(self, at: str, pattern: str) -> None:
        """Refuse what ``track`` refuses: it would guard nothing, in silence."""
        why = patterns.fault(pattern)
        if why:
            raise self._invalid(at, pattern, why)

    def _log(self, pattern: str, rule: dict[str, object]) -> Log:
        at = f'log."{pattern}"'
        self._require_pattern(at, pattern)
        self._known(at, rule, ("start",))
        start = self._text(at, rule, "start")
        if start is not None and "\n" in start:
            raise self._invalid(f"{at}.start", "start", "it must be text of one line")
        return Log(pattern, start)

    def _kinds(self, moves: dict[str, object]) -> tuple[str, ...]:
        kinds = self._texts("moves", moves, "kinds") if "kinds" in moves else KINDS
        if kinds and all(kind and kind == shown("".join(kind.split())) for kind in kinds):
            return tuple(dict.fromkeys(kinds))
        raise self._invalid("moves.kinds", "kinds", "it must be a list of words")

    def _ledger(self, at: str, table: dict[str, object], default: str) -> str:
        path = self._text(at, table, "ledger")
        if path is None:
            return default
        plain = path == posixpath.normpath(path) == shown(path) and path not in {".", ".."}
        if plain and not path.startswith(("/", "../")) and path.split("/")[0].lower() != ".git":
            return path
        raise self._invalid(f"{at}.ledger", "ledger", "it must be a path inside the worktree")

    def _stagger(self, wake: dict[str, object]) -> float:
        if wake.get("stagger") == "0s":
            return 0.0
        return self._duration("wake", wake, "stagger", STAGGER)

    def _lane(self, name: str, rule: dict[str, object]) -> Lane:
        at = f"lane.{name}" if is_actor(name) else f'lane."{name}"'
        self._known(at, rule, ("every", "about"))
        if not name or shown(name) != name or name != name.strip():
            raise self._invalid(at, name, "a lane's name is one line of plain text")
        if "every" not in rule:
            raise self._invalid(at, name, 'it needs every = "1d"')
        return Lane(name, self._duration(at, rule, "every", 0), self._text(at, rule, "about") or "")
