"""Branches by name: the one that is checked out, and how a command names one.

git's own short names are for people: where a tag or a remote has the name of a branch too, it says
``heads/feat/b``, which is no branch's name; and of an ambiguous ``feat/b`` most verbs take the tag.
So a name is always cut from the full one, and typed in full where the short one is not enough.
"""

from __future__ import annotations

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HEADS = "refs/heads/"
_SHORTEST_ID = 40
_HEX = frozenset("0123456789abcdef")


def checked_out(cwd: str, env: Mapping[str, str] | None = None) -> str:
    """Return the short name of the branch that is checked out, empty when HEAD is detached."""
    return git.ask("symbolic-ref", "--quiet", "HEAD", cwd=cwd, env=env).text.removeprefix(HEADS)


def spelled(cwd: str, *refs: str) -> dict[str, str]:
    """Return, of each of `refs` that exists, what names it and nothing else in a command of git's.

    That is the short name, or the full one where something else has the short one or it reads as an
    option, as HEAD or as the id of a commit. One child, however many they are.

    Args:
        cwd: where git is asked.
        refs: full names of branches, also of remote ones.
    """
    if not refs:
        return {}
    strictly = ("-c", "core.warnAmbiguousRefs=true", "for-each-ref")
    listing = git.ask(*strictly, "--format=%(refname) %(refname:short)", *refs, cwd=cwd).text
    pairs = (line.split(" ", 1) for line in listing.split("\n") if line)
    asked = frozenset(refs)  # git lists what is below a name too: all of a remote
    found = {full: short for full, short in pairs if full in asked}
    return {full: short if _is_plain(full, short) else full for full, short in found.items()}


def _is_plain(full: str, short: str) -> bool:
    name = full.split("/", 2)[2]
    as_id = len(name) >= _SHORTEST_ID and _HEX.issuperset(name)
    return short == name and name != "@" and not name.startswith("-") and not as_id
