"""A guard that cannot judge refuses what it would have to judge, and says by what it can again.

"A fault of ours, git goes on" holds where nothing is at stake: behind a guard that was started
because a refusal is pending or a record is taken away, silence would be the loss itself.
"""

from __future__ import annotations

import os

from coord.base.errors import CoordError, Refused
from coord.base.names import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

REFUSALS = "what a merge driver refused"
DERIVED = "the conflict in a derived file"
RECORDS = "the records that a log would lose"
ONCE = "the write-once files that would change"
SIGNED = "whose sign-off it is"
GUARDED = "what is taken from a guarded file, or was refused"


def judged(judge: Callable[[], T], stake: str) -> T:
    """Return what a guard says; its fault refuses the commit as well.

    Raises:
        Refused: the guard refuses, or could not judge `stake`.
    """
    try:
        return judge()
    except Refused:
        raise
    except CoordError as error:
        raise refused(error, stake) from error
    except Exception as error:
        if os.environ.get("COORD_DEBUG") == "1":
            raise  # shown whole; the sh in front stops the commit
        raise fault(error, stake) from error


def refused(error: CoordError, stake: str) -> Refused:
    """Return the refusal for a guard whose rules or surroundings cannot be read."""
    why = f"{error.why}; so {stake} cannot be judged"
    return Refused(error.rule, error.what, where=error.where, why=why, run=error.run)


def fault(error: Exception, stake: str) -> CoordError:
    """Return the refusal for a guard that broke."""
    from coord.repo import cwd  # noqa: PLC0415  # only after a fault

    return cwd.gone() or Refused(
        "guard-fault",
        "a fault of git-coord in its own guard",
        where=stake,
        why=f"{shown(f'{type(error).__name__}: {error}')[:200]}; it cannot be judged "
        "(git -c core.hooksPath=/dev/null COMMAND goes on without any hook)",
        run="git coord doctor",
    )
