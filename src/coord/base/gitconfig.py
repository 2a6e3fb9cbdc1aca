"""Git config as text: the one escaping, validating writer of sections and values.

A newline in a name that reached a config file unescaped became a command at the next
``git status``; so every value is quoted here, and control characters are refused.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


_CONTROLS = frozenset(map(chr, (*range(0x20), 0x7F)))


class Unwritable(ValueError):
    """A text that may not enter git config: it holds a control character."""


def value(text: str) -> str:
    """Return `text` quoted as a config value.

    Raises:
        Unwritable: `text` holds a newline, NUL or another control character.
    """
    return '"' + _escaped(text) + '"'


def header(section: str, subsection: str | None = None) -> str:
    """Return a section's header line, such as ``[merge "coord-log"]``.

    Raises:
        Unwritable: `subsection` holds a control character.
    """
    if subsection is None:
        return f"[{section}]\n"
    return f'[{section} "{_escaped(subsection)}"]\n'


def block(section: str, subsection: str | None, pairs: Iterable[tuple[str, str]]) -> str:
    """Return a whole section with its ``key = "value"`` lines, in the order given."""
    lines = [f"\t{key} = {value(text)}\n" for key, text in pairs]
    return header(section, subsection) + "".join(lines)


def pairs(text: str, section: str) -> dict[str, str]:
    """Read back what :func:`block` wrote for `section`: our own format only, no git child.

    Costs microseconds where ``git config`` would cost a process; foreign syntax is skipped.
    """
    found: dict[str, str] = {}
    inside = False
    for line in text.split("\n"):
        if line.startswith("["):
            inside = line == f"[{section}]"
        elif inside and line.startswith("\t") and line.endswith('"') and ' = "' in line:
            key, _, quoted = line[1:-1].partition(' = "')
            found[key] = _unescaped(quoted)
    return found


def is_writable(text: str) -> bool:
    """Tell whether :func:`value` takes `text`."""
    return _CONTROLS.isdisjoint(text)


def _escaped(text: str) -> str:
    if not is_writable(text):
        raise Unwritable(text)
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _unescaped(quoted: str) -> str:
    # Halves of an escaped backslash must not pair up with what follows them.
    return "\\".join(part.replace('\\"', '"') for part in quoted.split("\\\\"))
