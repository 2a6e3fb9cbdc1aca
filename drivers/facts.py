"""The facts of a refusal, for the sh that prints the three lines of it (``drivers/sh/join``).

Four lines: rule, the side that is at fault (``ours``, ``theirs`` or ``-``), what, why. That sh
knows how the sides are called, also where a line says ``{ours}`` and ``{theirs}``, and writes the
record and the markers, also when Python is gone.
"""

from __future__ import annotations

from coord.drivers import clash
from coord.drivers.clash import Clash
from coord.drivers.join import Rewritten, Torn, TwoHeaders
from coord.drivers.logfile import Logs, NotText
from coord.drivers.records import split
from coord.drivers.start import Invalid

TYPE_CHECKING = False  # `typing` costs 9 ms, and this is imported by whoever explains a refusal
if TYPE_CHECKING:
    from coord.drivers.logfile import Files

    Facts = tuple[str, str, str, str]

_WIDTH = 80
_OTHER = {"ours": "theirs", "theirs": "ours"}

# reason → what happened, and why that cannot be joined; {side} is the one at fault
_CLASHES = {
    clash.EDITED: ("{line} is edited or gone on {side}", "a journal only grows"),
    clash.TEXTS: ("{line} goes on in two ways", "both sides changed the text of one piece"),
    clash.GROWN: (
        "{line} is gone or renamed on {side}",
        "{other} changed what stands there, and nothing tells where that goes now",
    ),
    clash.MOVED: ("{line} stands in another place on {side}", "what both have keeps its order"),
    clash.PLACE: ("{line} was changed on both sides", "each edited or removed what stands there"),
    clash.APART: (
        "{line} was put into two places, or removed by one side and moved by the other",
        "nothing tells whether and where it stands now",
    ),
    clash.FORM: (
        "{line} would be read as part of another piece",
        "the join would change what it says",
    ),
}


def facts(error: Exception, files: Files | None, kind: str = "log") -> bytes:
    """Return the four lines for `error`, raised while `files` were merged."""
    if isinstance(files, Logs):
        lines = told(error, kind, files.tails[0], files.start, files.line_of(0))
    else:
        lines = told(error, kind)
    return "".join(f"{line}\n" for line in lines).encode()


def told(
    error: Exception, kind: str, base: bytes = b"", start: bytes | None = None, first: int = 1
) -> Facts:
    """Return rule, side, what and why of a refusal. `base` is the text from line number `first`."""
    if isinstance(error, Rewritten) and base:
        records = split(base, start)
        number = first + records.lines[error.index]
        return "log-rewritten", error.side, f"line {number}", shown(records.keys[error.index])
    if isinstance(error, Clash):
        return _clash(error, kind)
    rule, what, why = _form(error, kind)
    return rule, "-", what, why


def _form(error: Exception, kind: str) -> tuple[str, str, str]:
    """Return rule, what and why of a refusal that no side is at fault of."""
    if isinstance(error, TwoHeaders):
        why = "both sides added this file, each with another beginning, and a log has one header"
        return "log-headers", "two different headers", why
    if isinstance(error, Torn):
        why = "both sides go on, differently, inside what looks like one record of several lines"
        advice = 'declare what begins a record ([log."PATTERN"] start, in .coord.toml)'
        return "log-torn", "records of several lines", f"{why}; {advice}"
    if isinstance(error, NotText):
        why = f"{error.args[0]}, so it has no records to join"
        return f"{kind}-binary", f"no {kind} of text", why
    if isinstance(error, Invalid):
        return "config-invalid", "what a record is cannot be read", escaped(error.args[0])
    why = escaped(f"{type(error).__name__}: {error}")
    return "driver-failed", f"the {kind} could not be joined", why


def _clash(error: Clash, kind: str) -> Facts:
    what, why = _CLASHES[error.reason]
    whole = "the join" if error.of == "join" else "the base"
    line = f"line {error.line} of {{{error.of}}}" if error.of in _OTHER else ""
    side = f"{{{error.side}}}"
    words = {
        "line": line or f"line {error.line} of {whole}",
        "side": side,
        "other": f"{{{_OTHER.get(error.side, 'theirs')}}}",
    }
    why = f"{shown(error.name)}{_below(error)}: {why.format(**words)}"
    if error.ours != error.theirs:
        texts = difference(error.ours, error.theirs)
        why += f"; {{ours}} has {texts[0]}, {{theirs}} has {texts[1]}"
    return f"{kind}-clash", "-", what.format(**words), why


def _below(error: Clash) -> str:
    return f" below {shown(error.below)}" if error.below else ""


def difference(ours: tuple[bytes, ...], theirs: tuple[bytes, ...]) -> tuple[str, str]:
    """Return how each of two texts goes on from where they differ, as shown; or that it ends."""
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    one, other = (shown(text[at]) if at < len(text) else "nothing" for text in (ours, theirs))
    return one, other


def shown(record: bytes) -> str:
    """Return the first line of a record for a person: in quotes, short, nothing but printable."""
    line = record.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    return f'"{escaped(line[:_WIDTH])}{"…" if len(line) > _WIDTH else ""}"'


def escaped(text: str) -> str:
    """Return `text` with controls, bidi marks and the like as escapes, on one line."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
