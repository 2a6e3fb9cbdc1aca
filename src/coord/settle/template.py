"""The text of a producer: where it may name ``{path}``, and what a shell is given for it.

A file's name comes from whoever committed it. Put into the text it is code wherever the text
quotes it, for the quotes of the one end those of the other.
"""

from __future__ import annotations

PATH = "{path}"
_ARGUMENT = '"$1"'
_READERS = ("eval", "sh", "bash", "dash", "ksh", "zsh", "ssh", "su", "xargs", "python", "perl")


def with_argument(text: str) -> str:
    """Return the text for ``sh -c`` that takes the path as its first argument."""
    return text.replace(PATH, _ARGUMENT)


def is_code(text: str) -> bool:
    """Tell whether `text` names the path where it would not stay one word.

    That is within quotes or after a backslash, in a here-document, or as a word of what reads its
    words as code.
    """
    at = text.find(PATH)
    while at >= 0:
        before = text[:at]
        if _is_quoted(before) or "<<" in before or _reader(before):
            return True
        at = text.find(PATH, at + 1)
    return False


def mended(text: str) -> str:
    """Return the text with the quotes right around ``{path}`` taken off."""
    for mark in "\"'":
        text = text.replace(f"{mark}{PATH}{mark}", PATH)
    return text


def _is_quoted(before: str) -> bool:
    """Tell whether a shell is within quotes, or escapes, at the end of this text."""
    mark, escaped = "", False
    for char in before:
        if escaped:
            escaped = False
        elif char == "\\" and mark != "'":
            escaped = True
        elif not mark and char in "\"'":
            mark = char
        elif char == mark:
            mark = ""
    return bool(mark) or escaped


def _reader(before: str) -> bool:
    """Tell whether the command at hand reads its words, or the one after ``-c``, as code."""
    for mark in ";|&(\n`":
        before = before.rpartition(mark)[2]
    words = before.split()
    names = [word.rpartition("/")[2] for word in words]
    if "eval" in names or "ssh" in names:
        return True
    return words[-1:] in (["-c"], ["-e"]) and any(name in _READERS for name in names)
