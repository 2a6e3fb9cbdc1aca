"""How a copy of a board is kept up to date, and gone on with while the board does not answer.

It is brought up to date when it is older than a command may see it, with one request; and with the
answer to each write.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from coord.stores import about, answers, moved
from coord.stores.applied import applied
from coord.stores.news import Since
from coord.stores.opencopy import NEVER, OpenCopy
from coord.stores.store import Misconfigured, Unavailable, Unknown
from coord.stores.unreached import Unreached, unavailable

if TYPE_CHECKING:
    from coord.stores.news import Delta
    from coord.stores.transacting import Transacting

_AGAIN = 5.0  # seconds until a server that could not be reached is asked again
TRIES = 8


class KeptCopy(OpenCopy):
    """A copy, and how far it can be relied on.

    Attributes:
        epoch: which board it has to be of (:mod:`coord.stores.about`); empty for any.
        unreached: since when the board is not reached, where the last that was asked is such a one.
        as_it_is: it is read as it is, however old.
    """

    def __init__(
        self, board: Transacting[Any], path: str, fresh: float, epoch: str, url: str
    ) -> None:
        """Prepare (:class:`coord.stores.replica.Replica`)."""
        super().__init__(board, path)
        self.epoch = epoch
        self.unreached: Unreached | None = None
        self.as_it_is = False
        self._fresh = fresh
        self._url = url

    def is_old(self) -> bool:
        """Tell whether it is older than what is read may be.

        Away it is old, however lately that was found: what is asked again later has to be asked.
        """
        return self.unreached is not None or time.monotonic() - self.as_of > self._fresh

    def bring(self) -> None:
        """Bring it up to date for a read, where that has to be and can be."""
        self.connection()  # after a fork it is another, of which nothing is known
        if self.is_old() and not (self.as_it_is and self.rev()):
            self.reaches()

    def insist(self) -> bool:
        """Bring it up to date; tell whether what was read before was so, too.

        Raises:
            StoreError: that cannot be.
        """
        self.require_reached()
        if not (self.as_it_is or (self._fresh and self.is_old())):
            return True
        try:
            self.refresh()
        except Unavailable as error:
            if self.rev():  # what is read next is the copy, and waits for nobody once more
                self.away(error)
            raise
        return False

    def refresh(self) -> None:
        """Bring it up to date: one request, and one more where something was deleted.

        Raises:
            StoreError: the board cannot be reached.
        """
        for _ in range(TRIES):
            asked, base = self.asking(), self.rev()
            without = self.leaving() if base else []
            news = self.board.since(self.since(base) or Since(0), without)
            is_applied = applied(self, self._url, base, news)
            self.left(without)
            if is_applied:
                self.require_same()  # at each read, until it is
                self.unreached, self.as_it_is = None, False
                self.looked(asked if news.at is None else news.at)
                self.remember()
                return

    def learned(self, asked: float, base: int, news: Delta | None) -> None:
        """Write what came with an answer, of `asked`; without it the next read refreshes."""
        self.as_of, self.unreached, self.as_it_is = NEVER, None, False
        self.remember()
        try:
            if news is not None and applied(self, self._url, base, news):
                self.require_same()
                self.looked(asked if news.at is None else news.at)
        except Misconfigured:
            return  # what was written stands; the next read says it

    def require_same(self) -> None:
        """Insist that this is the board that was chosen.

        Raises:
            Moved: it is elsewhere by now.
            Misconfigured: it was emptied, set back, or is another's by now.
        """
        left = self.value_of(moved.KEY)
        goal = None if left is None else moved.decode(left)
        if goal is not None:
            raise moved.Moved(goal, self.board.where)
        if not self.epoch:
            return
        said = self.value_of(about.KEY)
        found = None if said is None else about.decode(said)
        if found is None or found.epoch != self.epoch:
            raise answers.another(
                self.board.where,
                self._url,
                "what it says of itself is gone"
                if said is None
                else "it calls itself by another epoch",
            )

    def reaches(self) -> bool:
        """Bring it up to date, or go on with it as it is: then return False.

        Raises:
            Unavailable: there is none.
        """
        if self._is_away():
            return False
        try:
            self.refresh()
        except Unavailable as error:
            if not self.rev():
                raise
            self.away(error)
            return False
        return True

    def away(self, error: Unavailable | Unknown) -> None:
        """Go on with it as it is for a while."""
        ((at,),) = self.run("SELECT at FROM upto")
        self.unreached = Unreached(self.board.where, unavailable(error), at)
        self.as_of = time.monotonic() + _AGAIN

    def _is_away(self) -> bool:
        return self.unreached is not None and time.monotonic() < self.as_of

    def require_reached(self) -> None:
        """End at once what would have to wait for a server that has just not answered.

        Raises:
            Unavailable: that is so.
        """
        if self.unreached is not None and self._is_away():
            raise unavailable(self.unreached.error)
