"""What branches declare that no worktree has checked out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord import git
from coord.installer import attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.installer.attributes import Line
    from coord.worktree import Place


def declared(place: Place, *prefixes: str) -> dict[str, tuple[Line, ...]]:
    """Return ref → the rules that guard paths in its root ``.gitattributes``, where it has any.

    Merged into a branch that is older than the declaration, such a file would merge as text: git
    takes the attributes of the side that is checked out.

    Args:
        place: the repository.
        prefixes: such as ``refs/heads``.
    """
    listing = git.tell("for-each-ref", "--format=%(refname)", *prefixes, cwd=place.cwd)
    refs = [ref for ref in listing.text.split("\n") if ref]
    found = {ref: tuple(attributes.rules(text)) for ref, text in _blobs(place, refs)}
    return {ref: rules for ref, rules in found.items() if rules}


def _blobs(place: Place, refs: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the file of each ref that has it, all of one git child."""
    asked = "".join(f"{ref}:{attributes.COMMITTED}\n" for ref in refs)
    if not asked:
        return
    rest = git.tell("cat-file", "--batch", cwd=place.cwd, stdin=os.fsencode(asked)).out
    for ref in refs:
        header, _, rest = rest.partition(b"\n")
        words = header.split()
        if len(words) == 3 and words[1] == b"blob":  # noqa: PLR2004  # else: REF:PATH missing
            size = int(words[2])
            yield ref, rest[:size]
            rest = rest[size + 1 :]
