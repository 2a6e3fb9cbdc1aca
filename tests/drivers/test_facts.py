"""The facts of a refusal, and how another's text is shown."""

from __future__ import annotations

import pytest

from coord.drivers.clash import EDITED, FORM, GROWN, MOVED, PLACE, TEXTS, Clash
from coord.drivers.facts import facts, shown, told
from coord.drivers.join import Rewritten, Torn, TwoHeaders
from coord.drivers.logfile import NotText
from coord.drivers.start import Invalid


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


@pytest.mark.parametrize("reason", [EDITED, FORM, GROWN, MOVED, PLACE, TEXTS])
@pytest.mark.parametrize("side", ["ours", "theirs", "both"])
@pytest.mark.parametrize("of", ["base", "ours", "join"])
def test_every_clash_is_told_on_one_line_each(reason: str, side: str, of: str) -> None:
    """With the sides to be named by whoever knows how they are called."""
    texts = (b"- a", b"  \x1b[2J"), (b"- a",)
    rule, _, what, why = told(Clash(reason, b"- a", b"## 1", of, 7, side, *texts), "changelog")

    assert (rule, what.startswith("line 7 of ")) == ("changelog-clash", True)
    assert why.startswith('"- a" below "## 1": ')
    assert why.endswith('; {ours} has "  \\x1b[2J", {theirs} has nothing')
    assert (what + why).isprintable()


def test_a_text_that_both_sides_have_is_not_told_twice() -> None:
    """It only stands in another place on one of them."""
    clash = Clash(MOVED, b"- a", b"", "base", 1, "ours", (b"- a",), (b"- a",))

    assert told(clash, "log")[2:] == (
        "line 1 of the base stands in another place on {ours}",
        '"- a": what both have keeps its order',
    )
