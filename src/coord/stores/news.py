"""What is new on a board elsewhere since some revision of it: what a copy of it is kept up by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.stores.store import Rec


class Since(NamedTuple):
    """From where news are asked for.

    Attributes:
        rev: a revision.
        key: a record, the newest that was written by then; empty for none.
        at: the revision that wrote it.
        cluster: whose revisions these are; empty for whosever they are.
    """

    rev: int
    key: str = ""
    at: int = 0
    cluster: str = ""


class Delta(NamedTuple):
    """What is new on a board since some revision.

    Attributes:
        recs: the records that were written since, keys of others among them.
        total: how many there are in all; None where what is gone is told by name.
        rev: the revision up to which this holds.
        cluster: whose revisions these are; a cluster that was restored is another.
        whole: these are all there are, and what else is known is gone.
        gone: the keys of records that are there no more.
        stands: the record that was named is as it was: without deletions, nothing else has changed.
        at: when all of this was so, by the monotonic clock; None where that is when it was asked.
    """

    recs: Sequence[Rec]
    total: int | None
    rev: int
    cluster: str
    whole: bool
    gone: Sequence[str] = ()
    stands: bool = True
    at: float | None = None
