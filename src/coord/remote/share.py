"""How clones share the pushes of a minute: by what each sees come, and with no word between them.

The chain itself tells how many pushes there were, and whose. While there is room, who wants to push
does; the fuller a minute is, the longer is the way to the next push; and where several wait for the
same moment, who has pushed last lets the others go first. So a clone alone has all of it, and those
that push no more need nothing. What each knows of when a commit came is a guess, though: of clones
that begin together, or miss each other's, some push at once, and all but one for nothing.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, NamedTuple

from coord.remote import tips

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.remote.tips import Tip

_MINUTE = 60.0  # seconds
_FREE = 2 / 3  # of the pushes of a minute: so many need no distance
_SPARE = 1 / 3  # of the pushes of a minute: so many may be made while nobody waits for them
_APART = 3.0  # seconds between the turns of two clones: about as good as guesses are
_FEW = 4.0  # turns among which a clone takes one that has not pushed of late
_FIRST, _MOST = 0.1, 5.0  # seconds: bounds of the pause after a lost race, where there is no rate
_LONG = 4  # times as long as all that push need for one each, nobody waits


class Share(NamedTuple):
    """This clone's share of the pushes that a board may have.

    Attributes:
        rate: pushes a minute for all clones; 0 for as many as there are.
        tell: is told what is waited for, and for how many seconds.
    """

    rate: float
    tell: Callable[[str], object]

    @property
    def _even(self) -> float:
        """Seconds between two pushes, if they are even."""
        return _MINUTE / self.rate

    @property
    def _span(self) -> float:
        """Seconds in which there is room for one, or for those of a minute."""
        return max(_MINUTE, self._even)

    def longest(self, tip: Tip) -> float:
        """Return for how many seconds it is not this clone's turn, at most."""
        if not self.rate:
            return _MOST
        return _LONG * max(self._span, self._even * (1 + len(tip.seen)))

    def wait(self, tip: Tip) -> float:
        """Return for how many seconds there is no room for a push of anybody."""
        now, lately = tips.clock(), self._lately(tip)
        count, most = len(lately), max(1, math.floor(self.rate))
        if count < most * _FREE or not count:
            return 0.0
        full = lately[-most] + self._span if count >= most else now
        return max(0.0, full - now, lately[-1] + self._even * count / most - now)

    def may_spare(self, tip: Tip) -> bool:
        """Tell whether there is room for a push that nobody waits for, and for most of a minute."""
        return not self.rate or len(self._lately(tip)) < self.rate * _SPARE

    def _lately(self, tip: Tip) -> list[float]:
        now = tips.clock()
        return [at for at in tip.came if self.rate and now - at < self._span]

    def rest(self, tip: Tip, lost: int) -> float:
        """Return for how many seconds more others go first, after so many races were `lost`."""
        if not self.rate:
            return _chance(min(_MOST, _FIRST * 2**lost))
        apart = min(_APART, self._even / max(1, len(tip.seen)))
        mine = tip.seen.get(tip.host)
        if mine is None:
            turn = _chance(_FEW * apart)
        else:
            turn = apart * (sum(at < mine for at in tip.seen.values()) + _chance(0.3))
        return turn + (_chance(min(_MINUTE, self._even * 2**lost / _FEW)) if lost else 0.0)


def spent(tip: Tip) -> Tip:
    """Return a tip with a push of this clone that is made now."""
    now = tips.clock()
    return tip._replace(came=(*(at for at in tip.came if now - at < tips.LATELY), now))


def won(tip: Tip) -> Tip:
    """Return a tip with the push of :func:`spent`, which was accepted."""
    return tip._replace(seen={**tip.seen, tip.host: tip.came[-1]})


def _chance(most: float) -> float:
    return random.uniform(0, most)  # noqa: S311  # no secret
