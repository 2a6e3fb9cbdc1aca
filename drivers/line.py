"""What a line of a document is: a heading, an item, a fence, the label of a link."""

# `re` costs a driver 4 ms, once a file that is a tree: by hand the patterns cost more a megabyte.
from __future__ import annotations

import re

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Sequence

    Lines = Sequence[bytes]

_UNDERLINES = b"=-~^\"'`*+.#"  # the order is the depth of the titles they underline
_BULLETS = b"-*+0123456789"
_COMMENT_END = b"-->"
_DEFAULT = 2  # the depth of a start line that does not tell by its `#`

_ATX = re.compile(rb"#{1,6} ")
BULLET = re.compile(rb"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+\S|[-*+]$)")
_DEBIAN = re.compile(rb"[a-z0-9]\S* \(\S+\)[^;]*; *urgency=")
LINK = re.compile(rb"\[[^\]]+\]:[ \t]|\.\. ")
_LABEL = re.compile(rb"[ \t]*(?:\[[^\]]+\]:|\.\. (?:_[^:]+:(?!:)|\[[^\]]+\]))")
_DIRECTIVE = re.compile(rb"[ \t]*\.\. [^\s:][^:]*::")
RULE = re.compile(rb"(?P<rule>[-=~^\"'`*+.#])(?P=rule)(?P=rule)+[ \t]*$")
_FENCE = re.compile(rb"(`{3,})[^`]*$|(~{3,})")


def fence(bare: bytes) -> bytes | None:
    """Return what has to end the code that begins at a line, if it does."""
    if bare[:3] not in (b"```", b"~~~"):
        return None
    opens = _FENCE.match(bare)
    return opens and (opens[1] or opens[2])


def comment(bare: bytes) -> bytes | None:
    """Return what has to end the comment that begins at a line and goes on below it."""
    return _COMMENT_END if bare.startswith(b"<!--") and _COMMENT_END not in bare else None


def closes(bare: bytes, end: bytes) -> bool:
    """Tell whether a line ends what `end` has to end."""
    if end == _COMMENT_END:
        return end in bare
    return bare.startswith(end) and not bare.strip(end[:1])


def heading(
    lines: Lines, at: int, start: bytes | None, *, fresh: bool
) -> tuple[int, tuple[bytes, ...], bool] | None:
    """Return depth and head of the section that begins at a line, and whether it is underlined.

    `fresh`: nothing stands right above that the line could continue.
    """
    line = lines[at]
    if line.startswith(b"#") and not start and _ATX.match(line):
        return line.index(b" "), (line,), False
    below = lines[at + 1] if at + 1 < len(lines) else b""
    if start and line.startswith(start):
        # a start line may be underlined too, as in `Version 2` and dashes
        return depth_of(start), (line,), _underlined(line, below)
    if line.startswith(b"#") and _ATX.match(line):
        return line.index(b" "), (line,), False
    if not start and b"urgency=" in line and _DEBIAN.match(line):
        return _DEFAULT, (line,), False
    return _title(lines, at, below) if fresh else None


def depth_of(start: bytes) -> int:
    """Return the depth of the sections that a start line begins."""
    return len(start) - len(start.lstrip(b"#")) or _DEFAULT


def _title(lines: Lines, at: int, below: bytes) -> tuple[int, tuple[bytes, ...], bool] | None:
    """Return the same of a title that a line below it makes one, or one above and one below."""
    line = lines[at]
    if is_rule(line):
        third = lines[at + 2] if at + 2 < len(lines) else b""
        if not below.strip() or third[:3] != line[:3] or _width(line) < _width(below):
            return None  # a rule, or a fence of code
        return 1 + _UNDERLINES.index(line[:1]), (line, below), is_rule(third)
    if not line[:1].isspace() and is_rule(below):
        return 1 + _UNDERLINES.index(below[:1]), (line,), True
    return None


def _width(line: bytes) -> int:
    return len(line.rstrip().decode(errors="replace"))


def is_item(line: bytes, bare: bytes) -> bool:
    """Tell whether a line, `bare` without the blanks around it, begins an item."""
    return bare[:1] in _BULLETS and BULLET.match(line) is not None


def _underlined(line: bytes, below: bytes) -> bool:
    return not line.startswith(b"#") and is_rule(below)


def is_rule(line: bytes) -> bool:
    """Tell whether a line can underline a title; three backticks rather begin code."""
    return _is_ruled(line) and line.rstrip() != b"```"


def _is_ruled(line: bytes) -> bool:
    # most lines are told by their first bytes, a fifth of what the pattern takes
    return line[1:2] == line[:1] == line[2:3] and RULE.match(line) is not None


def label(line: bytes) -> bytes:
    """Return the label of a link, footnote or target that a line defines, in lower case, or b""."""
    found = _LABEL.match(line)
    return b" ".join(found[0].lower().split()) if found else b""


def is_release(line: bytes) -> bool:
    """Tell whether a line begins a release of Debian."""
    return bool(_DEBIAN.match(line))


def is_directive(line: bytes) -> bool:
    """Tell whether a line begins a directive of reST, the name of which names no piece."""
    return bool(_DIRECTIVE.match(line))


def seam(lines: Lines, begin: int, start: bytes | None) -> int:
    """Return the first line, from `begin`, at which a section begins whatever stands above.

    The lines from `begin` are those that all texts end with; without such a section, the length.
    """
    for at in range(begin + 2, len(lines)):
        if seam_depth(lines, at, start) is not None:
            return at
    return len(lines)


def seam_depth(lines: Lines, at: int, start: bytes | None) -> int | None:
    """Return the depth of the section that begins at a line whatever stands above; else None."""
    line = lines[at]
    bare = not lines[at - 1].strip()
    if not line.strip() or _is_ruled(line):
        return None
    if not bare and (_is_ruled(lines[at - 1]) or _is_ruled(lines[at - 2])):
        return None
    found = heading(lines, at, start, fresh=bare)
    return None if found is None else found[0]


def _atx_depth(lines: Lines, at: int) -> int | None:
    """Return what :func:`seam_depth` does, of most headings; else None."""
    line = lines[at]
    if _is_ruled(lines[at - 1]) or _is_ruled(lines[at - 2]) or not _ATX.match(line):
        return None
    return None if _is_ruled(line) else line.index(b" ")


def sections(lines: Lines, start: bytes | None) -> list[tuple[int, int, int]]:
    """Return begin, end and depth of the sections with `#` that one at most as deep ends."""
    out: list[tuple[int, int, int]] = []
    open_ones: list[tuple[int, int]] = []
    plain = start is None or (start.startswith(b"#") and start.lstrip(b"#") == b" ")
    for at in [at for at, line in enumerate(lines) if line.startswith(b"#") and at > 1]:
        depth = _atx_depth(lines, at) if plain else None
        depth = seam_depth(lines, at, start) if depth is None else depth
        if depth is not None:
            while open_ones and open_ones[-1][1] >= depth:
                begin, deep = open_ones.pop()
                out.append((begin, at, deep))
            open_ones.append((at, depth))
    return sorted(out)
