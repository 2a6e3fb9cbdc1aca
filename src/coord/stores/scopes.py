"""Scopes: what can be claimed, and the one way each is written (``kind:name``)."""

from __future__ import annotations

import posixpath
import re

from coord.base.errors import Usage
from coord.base.names import quote
from coord.base.names import shown as escaped
from coord.stores import keys

KINDS = ("task", "artifact", "lane", "branch")
LIMIT = 4096
SHOWN = 80
# As git-check-ref-format(1) has it, for what stands below refs/heads.
_NO_BRANCH = re.compile(
    r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(^|/)\.|\.lock(/|$)|\.$|/$|^/|^-|^@$|^HEAD$"
)


class UnknownKind(Usage):
    """What was typed has a colon, but what is before it is no kind.

    Attributes:
        meant: what may be meant: the kind in small letters, or a task.
    """

    def __init__(self, text: str) -> None:
        kind, _, name = text.partition(":")
        self.meant = f"{kind.lower()}:{name}" if kind.lower() in KINDS else f"task:{text}"
        super().__init__(
            "scope-invalid",
            "not a scope",
            where=escaped(text) or "(empty)",
            why=f"{kind or 'nothing'} is no kind of scope; the kinds are {', '.join(KINDS)}",
            run=f"git coord show {quote(self.meant)}",
        )


def parse(text: str, top: str | None = None) -> str:
    """Return the canonical scope `text` names; a name without a kind is a task.

    Args:
        text: as typed; ``task:a:b`` for a name with a colon.
        top: top level of the worktree, for an artifact given by its absolute path.

    Raises:
        Usage: an unknown kind, an empty or overlong name, a path that leaves the repository.
    """
    kind, colon, name = text.partition(":")
    if not colon:
        kind, name = "task", text
    if kind not in KINDS:
        raise UnknownKind(text)
    if len(text) > LIMIT:
        raise _invalid(text[:60] + "…", f"a scope has at most {LIMIT} characters")
    if kind == "artifact":
        name = _artifact(name, top, text)
    if kind == "branch":
        name = name.removeprefix("refs/heads/")
        if _NO_BRANCH.search(name):
            raise _invalid(text, "git takes no such name for a branch", "git branch --list")
    if not name.strip(" "):
        raise _invalid(text, "it names nothing")
    return f"{kind}:{keys.normal(name)}"


def kind_of(scope: str) -> str:
    """Return the kind of a canonical scope."""
    return scope.partition(":")[0]


def orders_merges(scope: str) -> bool:
    """Tell whether a line for `scope` says in which order branches are merged, and nothing else.

    Each branch has its own copy of an artifact: only a ``run`` needs it for itself alone.
    """
    return kind_of(scope) == "artifact"


def name_of(scope: str) -> str:
    """Return the name in a canonical scope."""
    return scope.partition(":")[2]


def shown(scope: str) -> str:
    """Return a scope as a screen shows it: as it is when it is one short word, else in quotes.

    Others name scopes: with blanks in it, a name could pass for a sentence of ours beside it.
    """
    text = escaped(scope)
    if len(text) > SHOWN:
        return quote(text[:SHOWN] + "…")
    return text if text.split() == [text] else quote(text)


def _artifact(path: str, top: str | None, text: str) -> str:
    """Return `path` relative to the top level, without ``.``, ``..`` and doubled slashes."""
    if top is not None and path.startswith(top.rstrip("/") + "/"):
        path = path[len(top.rstrip("/")) :].lstrip("/")
    plain = posixpath.normpath(path) if path else ""
    if plain.startswith(("/", "../")) or plain == "..":
        raise _invalid(text, "an artifact is a path relative to the top level of the repository")
    if plain == ".":
        raise _invalid(text, "the top level itself is no artifact")
    if ".git" in plain.casefold().split("/"):
        raise _invalid(text, "git tracks nothing below .git")
    return plain


def _invalid(text: str, why: str, run: str = "git coord claim -h") -> Usage:
    return Usage("scope-invalid", "not a scope", where=escaped(text) or "(empty)", why=why, run=run)
