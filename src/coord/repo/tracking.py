"""Branches of other clones as this one last fetched them: ``refs/remotes/<remote>/<branch>``.

A remote's name may have slashes, as a branch's may: only the list of remotes tells where one ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator

_REMOTES = "refs/remotes/"


class Tracked(NamedTuple):
    """A branch of a remote: its name there, and the commit it was last fetched at."""

    remote: str
    name: str
    commit: str


def tracked(cwd: str) -> Iterator[Tracked]:
    """Yield the branches of all remotes, those of ``origin`` first, then by the remote's name."""
    listing = git.ask("remote", cwd=cwd).text
    remotes = sorted(filter(None, listing.split("\n")), key=lambda one: (one != "origin", one))
    form = "--format=%(objectname) %(refname) %(symref)"
    lines = git.ask("for-each-ref", form, _REMOTES, cwd=cwd).text.split("\n")
    refs = [line.split(" ") for line in lines if line]
    for remote in remotes if refs else ():
        begin = f"{_REMOTES}{remote}/"
        nested = tuple(f"{_REMOTES}{one}/" for one in remotes if one.startswith(f"{remote}/"))
        for commit, full, symbolic in refs:
            if full.startswith(begin) and not symbolic and not full.startswith(nested or " "):
                yield Tracked(remote, full.removeprefix(begin), commit)
