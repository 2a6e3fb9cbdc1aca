"""Whether a claim may be given another number: nobody's is taken away behind their back.

A number that others know is moved only where something disputes it. One's own, that nobody else
has yet, is free to move.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import quote, shown
from coord.history.problem import printed
from coord.ids import claim, taken
from coord.ids.claimtext import folded
from coord.ids.sources import HERE, survey
from coord.settle import index

if TYPE_CHECKING:
    from coord.ids.claim import Claim
    from coord.settle.resolve import Case


def require_open(case: Case) -> None:
    """Insist that the conflict of a path is still there to be settled.

    Raises:
        Refused: the last run has settled it.
    """
    settled = [one.reason for one in case.records if one.resolved]
    if settled and len(settled) == len(case.records) and not _is_unmerged(case):
        raise Refused(
            "nothing-refused",
            "the conflict is settled already",
            where=case.path,
            why=f"{settled[0]}; the next commit says so",
            run=f"git status -- {case.spot.typed(case.path)}",
        )


def require_disputed(case: Case, text: bytes, mine: Claim) -> None:
    """Insist that something disputes a committed claim, or that it is the caller's own and fresh.

    Raises:
        Refused: it is a claim like any other.
        GitError: git cannot read the repository.
    """
    if _is_disputed(case) or (_is_own(text, mine) and not _is_published(case)):
        return
    folder = os.path.dirname(case.path)
    inside = os.path.dirname(folder) == claim.FOLDER
    raise Refused(
        "nothing-refused",
        "nobody disputes this claim",
        where=case.path,
        why=f"it is the one of {shown(claim.claimant(text))}: no merge refused it, and no other "
        "branch or spelling contests it; git coord id list shows who has which",
        run=f"git coord id list {quote(os.path.basename(folder))}" if inside
        else f"git log --oneline -- {case.spot.typed(case.path)}",
    )  # fmt: skip


def _is_unmerged(case: Case) -> bool:
    return case.path in index.unmerged(case.spot.here)


def _is_disputed(case: Case) -> bool:
    """Tell whether ``id check`` names the path; outside its folder, by the same rules."""
    path = os.fsencode(case.path)
    if case.path.startswith(claim.FOLDER + "/"):
        return printed(path) in {one.path for one in taken.judge(case.spot.here).problems}
    seen = survey(case.spot.here, os.path.dirname(case.path), deep=False)
    versions = {source.files[path] for source in seen.sources if path in source.files}
    twins = [other for other in seen.paths() if folded(other) == folded(path)]
    return len(versions) > 1 or len(twins) > 1


def _is_own(text: bytes, mine: Claim) -> bool:
    fields = claim.fields(text)
    if "instance" in fields:
        return fields["instance"] == mine.instance
    return fields.get("actor", fields.get("owner", mine.actor)) == mine.actor


def _is_published(case: Case) -> bool:
    path = os.fsencode(case.path)
    seen = survey(case.spot.here, os.path.dirname(case.path), deep=False)
    return any(path in source.files for source in seen.sources if source.name != HERE)
