"""What a line is that nothing around it can change, told once however often it stands."""

from __future__ import annotations

import re  # the tree needs it anyway

from coord.drivers.line import BULLET, LINK, RULE, depth_of

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    Kind = tuple[int, int, tuple[bytes, ...], bytes]  # …, depth, head and name of its piece
    Known = dict[bytes, Kind]
else:
    Known = dict

SECTION, ITEM, TEXT = 0, 1, 2  # what a piece is; a TEXT below another line is glue
BLANK, ODD = 3, 4  # … and what it may be, the lines around tell
INDENTED = 100  # the depth of what is no section begins here, and grows with its indent
# what may be a rule, a link, a fence or a comment; a heading; an item
_WHAT = re.compile(
    rb"(?P<odd>%s|%s|\s*(?:```|~~~|<!--))|(?P<hashes>#{1,6} )|(?P<item>%s)"
    % (RULE.pattern, LINK.pattern, BULLET.pattern)
)
_MOST = 1 << 12  # lines to be remembered: more than that are not often the same


class Kinds(Known):
    """Line → kind; of one that begins a piece, if no rule below makes a title of it, all of it."""

    def __init__(self, start: bytes | None) -> None:
        super().__init__()
        self._start = start or b""

    def __missing__(self, line: bytes) -> Kind:
        if len(self) == _MOST:
            self.clear()
        found = self[line] = self._kind(line)
        return found

    def _kind(self, line: bytes) -> Kind:
        if not line or line.isspace():
            return BLANK, 0, (), b""
        found = _WHAT.match(line)
        what = found and found.lastgroup
        begins = self._start != b"" and line.startswith(self._start)
        if what == "hashes" or (begins and what != "odd" and line.startswith(b"#")):
            depth = depth_of(self._start) if begins else line.index(b" ")
            return SECTION, depth, (line,), line.rstrip()
        if what == "odd" or begins or b"urgency=" in line:
            return ODD, 0, (), b""
        indent = len(line) - len(line.lstrip()) if line[:1].isspace() else 0
        return ITEM if what else TEXT, INDENTED + indent, (line,), line.rstrip()
