"""What git has under way in a worktree, and what it brings in: git's own notes, in one table.

The table of who calls a merge driver (docs/drivers.md) is the same for people.
"""

from __future__ import annotations

from coord.base.frozen import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


class Operation(NamedTuple):
    """One kind of operation that may stop for a person.

    Attributes:
        verb: git's, to which ``--continue`` or ``--abort`` is said.
        sign: what the private git dir holds while it lasts.
        head: the head that git keeps of what is brought in; empty: none, a patch is.
        brought: the revision whose files are the other side.
        role: what a person calls that; the commit follows.
    """

    verb: str
    sign: str
    head: str
    brought: str
    role: str


_REBASED = ("REBASE_HEAD", "REBASE_HEAD", "the replayed")
#: The first that is there is the one that goes on. A revert brings the state before its commit.
OPERATIONS = (
    Operation("rebase", "rebase-merge", *_REBASED),
    Operation("am", "rebase-apply/applying", "", "", "the mailed"),
    Operation("rebase", "rebase-apply", *_REBASED),
    Operation("merge", "MERGE_HEAD", "MERGE_HEAD", "MERGE_HEAD", "the merged"),
    Operation(
        "cherry-pick", "CHERRY_PICK_HEAD", "CHERRY_PICK_HEAD", "CHERRY_PICK_HEAD", "the picked"
    ),
    Operation(
        "revert",
        "REVERT_HEAD",
        "REVERT_HEAD",
        "REVERT_HEAD^",
        "the state before the reverted commit,",
    ),
)
#: Signs that are gone with the one commit that they wait for.
OF_ONE_COMMIT = tuple(one.sign for one in OPERATIONS if one.sign == one.head)
_SEQUENCE = "sequencer"  # picks or reverts of several commits, also between two of them


def going_on(here: Worktree) -> list[Operation]:
    """Return what is under way: a pick within a rebase comes after the rebase."""
    return [one for one in OPERATIONS if here.has(one.sign)]


def kept(here: Worktree) -> list[Operation]:
    """Return those of which git keeps a head, in that order."""
    return [one for one in going_on(here) if one.head and here.has(one.head)]


def is_busy(here: Worktree) -> bool:
    """Tell whether anything is under way, or a sequence stands between two of its commits.

    REBASE_HEAD is no sign: ``rebase --quit`` leaves it behind.
    """
    return here.has(_SEQUENCE) or bool(going_on(here))


def is_rebasing(here: Worktree) -> bool:
    """Tell whether a rebase or an ``am`` is under way."""
    return any(one.sign.startswith("rebase-") for one in going_on(here))


def brought(here: Worktree) -> list[str]:
    """Return revisions of what is brought in: several of an octopus, none of a patch or a stash."""
    found = (one.brought for one in kept(here) if one.brought != "MERGE_HEAD")
    return [*dict.fromkeys(found), *here.merging()]
