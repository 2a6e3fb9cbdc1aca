"""Why documents cannot be joined, as a value: where, who, and what each side has there."""

from __future__ import annotations

from coord.drivers.join import Refused

EDITED = "edited"  # a journal's line was changed or removed
TEXTS = "texts"  # both sides changed the lines below one head, differently
GROWN = "grown"  # one side removed or renamed what the other one changed
MOVED = "moved"  # pieces of the base stand in another order
PLACE = "place"  # both sides changed or removed pieces of one place, differently
APART = "apart"  # a piece was moved to two places, or moved by one and removed by the other
FORM = "form"  # the join would not read as what it was joined from


class Clash(Refused):
    """The sides cannot be joined at one piece, for a `reason`: one of the above.

    `name` is its first line, `below` that of the piece around it, `line` its number from 1 in the
    text `of` ("base", "ours", "theirs" or "join"); `side` is the one at fault, or "both"; `ours`
    and `theirs` are the lines that each has there, without blank ones.
    """

    def __init__(  # noqa: PLR0917 - a value of eight fields
        self,
        reason: str,
        name: bytes,
        below: bytes,
        of: str,
        line: int,
        side: str,
        ours: tuple[bytes, ...],
        theirs: tuple[bytes, ...],
    ) -> None:
        super().__init__(reason, name)
        self.reason = reason
        self.name = name
        self.below = below
        self.of = of
        self.line = line
        self.side = side
        self.ours = ours
        self.theirs = theirs
