"""What branches declare that no worktree has checked out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.installer import attributesfile
from coord.repo import git
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.installer.attributesfile import Line
    from coord.repo.worktree import Worktree


def declared(here: Worktree, *prefixes: str) -> dict[str, tuple[Line, ...]]:
    """Return ref → the rules that guard paths in its root ``.gitattributes``, where it has any.

    Merged into a branch that is older than the declaration, such a file would merge as text: git
    takes the attributes of the side that is checked out.

    Args:
        here: the repository.
        prefixes: such as ``refs/heads``.
    """
    listing = git.tell("for-each-ref", "--format=%(refname)", *prefixes, cwd=here.cwd, env=here.env)
    refs = [ref for ref in listing.text.split("\n") if ref]
    texts = list(_blobs(here, refs, attributesfile.COMMITTED))
    known: dict[bytes, tuple[Line, ...]] = {}  # most branches have the same file
    for _, text in texts:
        if text not in known:
            known[text] = tuple(attributesfile.rules(text))
    return {ref: known[text] for ref, text in texts if known[text]}


def producers(here: Worktree, *prefixes: str) -> dict[str, str]:
    """Return pattern → a branch that declares what makes such files; a local one before others.

    Args:
        here: the repository.
        prefixes: such as ``refs/heads``; the first that has one counts.
    """
    names = ("--format=%(refname)", *prefixes)
    refs = [
        ref
        for ref in git.tell("for-each-ref", *names, cwd=here.cwd, env=here.env).text.split("\n")
        if ref
    ]
    refs.sort(key=lambda ref: [ref.startswith(prefix) for prefix in prefixes], reverse=True)
    found: dict[str, str] = {}
    seen = set()
    for ref, text in _blobs(here, refs, config.FILE):
        if text in seen:
            continue
        seen.add(text)
        try:
            rules = config.parse(text, config.FILE).derived
        except CoordError:
            continue
        for rule in rules:
            found.setdefault(rule.pattern, ref.split("/", 2)[2])
    return found


def _blobs(here: Worktree, refs: list[str], name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the file `name` of each ref that has it, all of one git child."""
    asked = "".join(f"{ref}:{name}\n" for ref in refs)
    if not asked:
        return
    feed, at = os.fsencode(asked), 0
    answer = git.tell("cat-file", "--batch", "--buffer", cwd=here.cwd, env=here.env, stdin=feed).out
    for ref in refs:
        end = answer.index(b"\n", at)
        words = answer[at:end].split()
        at = end + 1
        if len(words) == 3 and words[1] == b"blob":  # noqa: PLR2004  # else: REF:PATH missing
            size = int(words[2])
            yield ref, answer[at : at + size]
            at += size + 1
