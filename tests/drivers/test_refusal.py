"""The facts of a refusal, and how another's text is shown."""

from __future__ import annotations

import pytest

from coord.drivers.config import Invalid
from coord.drivers.join import Rewritten, Torn, TwoHeaders
from coord.drivers.logfile import NotText
from coord.drivers.refusal import facts, shown


@pytest.mark.parametrize(
    ("error", "rule"),
    [
        (TwoHeaders(), "log-headers"),
        (Torn(), "log-torn"),
        (NotText("it holds a NUL byte"), "log-binary"),
        (Invalid(".coord.toml: \x1b[2J\nrun: rm"), "config-invalid"),
        (OSError(28, "No space left on device"), "driver-failed"),
        (RecursionError("one\ntwo"), "driver-failed"),
        (Rewritten("ours", 0), "driver-failed"),  # with no files at hand, it cannot be told
    ],
)
def test_there_are_four_lines_whatever_happened(error: Exception, rule: str) -> None:
    """The sh reads rule, side, what and why, and nothing may shift them."""
    lines = facts(error, None).decode().split("\n")

    assert len(lines) == 5
    assert (lines[0], lines[1], lines[4]) == (rule, "-", "")
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (b"plain", '"plain"'),
        (b"two\nlines", '"two"'),
        ("caf\u00e9".encode(), '"caf\u00e9"'),
        (b"\x1b[31mred", '"\\x1b[31mred"'),
        (b"\xff\xfe", '"\\xff\\xfe"'),
        ("\u202eevil\u0085".encode(), '"\\u202eevil\\x85"'),
        (b"x" * 100, '"' + "x" * 80 + '\u2026"'),
    ],
)
def test_a_record_is_shown_short_and_harmless(record: bytes, text: str) -> None:
    """Controls and bidi marks of another's text are escaped; one line, 80 characters."""
    assert shown(record) == text
