"""The facts of a refusal, for the sh that prints the three lines of it (``drivers/sh/log``).

Four lines: rule, the side that is at fault (``ours``, ``theirs`` or ``-``), what, why. That sh
knows how the sides are called, and writes the record and the markers, also when Python is gone.
"""

from __future__ import annotations

from coord.drivers.config import Invalid
from coord.drivers.join import Rewritten, Torn, TwoHeaders
from coord.drivers.logfile import Logs, NotText
from coord.drivers.records import split

_WIDTH = 80


def facts(error: Exception, logs: Logs | None) -> bytes:
    """Return the four lines for `error`, raised while `logs` were merged."""
    return "".join(f"{line}\n" for line in _lines(error, logs)).encode()


def _lines(error: Exception, logs: Logs | None) -> tuple[str, str, str, str]:
    if isinstance(error, Rewritten) and logs is not None:
        base = split(logs.tails[0], logs.start)
        number = logs.line_of(base.lines[error.index])
        return "log-rewritten", error.side, f"line {number}", shown(base.keys[error.index])
    if isinstance(error, TwoHeaders):
        why = "both sides added this file, each with another beginning, and a log has one header"
        return "log-headers", "-", "two different headers", why
    if isinstance(error, Torn):
        why = "both sides go on, differently, inside what looks like one record of several lines"
        advice = 'declare what begins a record ([log."PATTERN"] start, in .coord.toml)'
        return "log-torn", "-", "records of several lines", f"{why}; {advice}"
    if isinstance(error, NotText):
        return "log-binary", "-", "no log of text", f"{error.args[0]}, so it has no records to join"
    if isinstance(error, Invalid):
        return "config-invalid", "-", "what a record is cannot be read", escaped(error.args[0])
    what = "the log could not be joined"
    return "driver-failed", "-", what, escaped(f"{type(error).__name__}: {error}")


def shown(record: bytes) -> str:
    """Return the first line of a record for a person: in quotes, short, nothing but printable."""
    line = record.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    return f'"{escaped(line[:_WIDTH])}{"…" if len(line) > _WIDTH else ""}"'


def escaped(text: str) -> str:
    """Return `text` with controls, bidi marks and the like as escapes, on one line."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
