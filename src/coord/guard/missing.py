"""What the result of a merge lacks of the records that its parents have."""

from __future__ import annotations

from collections import Counter


def missing(
    result: Counter[bytes], parents: list[Counter[bytes]], base: Counter[bytes]
) -> Counter[bytes]:
    """Return how often each record of the parents is missing from the result of their merge.

    What both have need be there once; what one parent removed since the base may stay removed.
    """
    lost: Counter[bytes] = Counter()
    for record in set().union(*parents):
        had = [parent[record] for parent in parents]
        kept = result[record]
        if kept < max(had) and not any(n <= kept and n < base[record] for n in had):
            lost[record] = max(had) - kept
    return lost
