"""Where the records of a log begin: ``[log."PATTERN"] start`` of the worktree's ``.coord.toml``.

While a driver runs that file still is this side's. It is not opened through a symlink, and it is
not parsed unless it can matter: tomllib alone costs 15 ms, twice the start of a driver.
"""

from __future__ import annotations

import posix

from coord.drivers import bounded

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Iterable

_READ = posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC | posix.O_NONBLOCK


class Invalid(Exception):
    """``.coord.toml`` cannot say how the log is written; the argument says why."""


def start_of(path: str) -> bytes | None:
    """Return what begins a record of the log `path`; None where every line is one."""
    text = _declarations()
    if b"start" not in text or b"log" not in text:
        return None
    starts = _starts(text)
    chosen = matching(starts, path)
    return None if chosen is None else starts[chosen]


def _declarations() -> bytes:
    """Return the bytes of ``.coord.toml``; in a bare repository, which has no worktree, HEAD's."""
    try:
        file = posix.open(b".coord.toml", _READ)
    except FileNotFoundError:
        if posix.environ.get(b"GIT_DIR") != b".":
            return b""
        return ask_git([b"cat-file", b"blob", b"HEAD:.coord.toml"])
    except OSError as error:
        raise Invalid(f".coord.toml cannot be read: {error.strerror}") from None
    with open(file, "rb", buffering=0) as stream:
        try:
            return stream.read(bounded.MOST + 1) or b""  # a FIFO that nobody writes to is empty
        except OSError as error:
            raise Invalid(f".coord.toml cannot be read: {error.strerror}") from None


def _starts(text: bytes) -> dict[str, bytes | None]:
    """Return pattern → start of each ``[log."PATTERN"]``, in the order of the file."""
    try:
        logs = bounded.tables(text).get("log", {})
    except ValueError as error:  # a TOMLDecodeError or a UnicodeDecodeError is one
        raise Invalid(f".coord.toml cannot be read: {error}") from None
    if not isinstance(logs, dict):
        raise Invalid(".coord.toml: log must be a table")
    return {pattern: _start(pattern, table) for pattern, table in logs.items()}


def _start(pattern: str, table: object) -> bytes | None:
    start = table.get("start") if isinstance(table, dict) else None
    if start is None:
        return None
    if not isinstance(start, str) or "\n" in start:
        raise Invalid(f'.coord.toml: [log."{pattern}"] start must be a string of one line')
    return start.encode()


def matching(patterns: Iterable[str], path: str) -> str | None:
    """Return the last pattern that matches `path`, as git judges patterns of gitattributes.

    git judges: it is handed them as an attributes file of its own, with an attribute of our own.
    """
    numbered = list(patterns)
    lines = [b"%s coord-start=%d\n" % (quoted(name), n) for n, name in enumerate(numbered)]
    answer = ask_git(
        [
            b"-c",
            b"core.attributesFile=/dev/stdin",
            b"check-attr",
            b"-z",
            b"coord-start",
            b"--",
            path,
        ],
        b"".join(lines),
    )
    number = answer.split(b"\0")[-2:-1]
    return numbered[int(number[0])] if number and number[0].isdigit() else None


def quoted(pattern: str) -> bytes:
    """Return a pattern in the C quotes of gitattributes, where a blank would end it otherwise."""
    odd = b'"\\' + bytes(range(ord(" ")))
    escapes = (b"\\%03o" % byte if byte in odd else bytes([byte]) for byte in pattern.encode())
    return b'"%s"' % b"".join(escapes)


def ask_git(args: list[str | bytes], feed: bytes = b"") -> bytes:
    """Return the stdout of a git child that reads `feed` (`subprocess` costs 11 ms)."""
    child_in, to_child = posix.pipe()
    from_child, child_out = posix.pipe()
    actions = [
        (posix.POSIX_SPAWN_DUP2, child_in, 0),
        (posix.POSIX_SPAWN_DUP2, child_out, 1),
        (posix.POSIX_SPAWN_OPEN, 2, b"/dev/null", posix.O_WRONLY, 0),
    ]
    child = posix.posix_spawnp(b"git", [b"git", *args], posix.environ, file_actions=actions)
    posix.close(child_in)
    posix.close(child_out)
    with open(to_child, "wb") as stream:
        stream.write(feed)
    with open(from_child, "rb", buffering=0) as stream:
        answer = stream.read()
    posix.waitpid(child, 0)
    return answer
