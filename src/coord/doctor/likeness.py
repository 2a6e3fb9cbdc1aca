"""One more of many worktrees that are alike: whether git reads there what it reads in another.

Where git ran all of our hooks in one worktree it runs them in each that belongs to the same common
git dir and reads the same config: they are the same files, found by the same words. No hook is
fired there: the git that has to list the guarded paths prints all that it reads. What has to be so
for that to tell is known before: our own files hold what we write, and nothing sets places for one
worktree alone.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import gitconfig, peerfile
from coord.doctor import configured, guards, strayed
from coord.doctor.configured import Entry, Listing
from coord.identity import includeif

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.doctor.probes import Hooks, Prober
    from coord.repo.worktree import Worktree

_SECTIONS = ("user", "author", "committer")
# All but what joins the authors: each worktree reads other lines of it.
_PRINTED = "[!i]*,i[!n]*,in[!c]*,includ[!e]*,include.*"


class Model(NamedTuple):
    """A worktree of which everything is known.

    Attributes:
        before: what git reads before the author that is joined for it.
        after: what it reads then.
        hooks: what it runs.
        alias: whether ``git coord`` answers there: config names it, and it is everybody's.
    """

    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    hooks: Hooks
    alias: bool

    def listing(self, own: str, author: Iterable[tuple[str, str]]) -> Listing:
        """Return what git reads where another author is joined, from the file `own`."""
        joined = (Entry("local", own, key, value) for key, value in author)
        return Listing((*self.before, *joined, *self.after))


class Like(NamedTuple):
    """What git reads, runs and lists in a worktree like another."""

    config: Listing
    hooks: Hooks
    alias: bool
    listed: guards.Tags


def model(here: Worktree, config: Listing, hooks: Hooks | None, *, alias: bool) -> Model | None:
    """Return what others can be like, of a worktree that was looked at in full; None for no such.

    Args:
        here: the worktree.
        config: what git reads there.
        hooks: what it runs there.
        alias: whether ``git coord`` answers there.
    """
    own = os.path.realpath(here.private(includeif.AUTHOR))
    folder = os.path.realpath(os.path.join(here.common_dir, "coord"))
    joining = {os.path.join(folder, name) for name in includeif.files(here.common_dir)}
    entries = [entry for entry in config.entries if entry.file not in joining]
    places = [number for number, entry in enumerate(entries) if entry.file == own]
    if not places or hooks is None or not hooks.proved:
        return None
    if any(map(_differs, entries)) or not _are_clean(here.common_dir):
        return None
    before, after = entries[: places[0]], entries[places[-1] + 1 :]
    return Model(tuple(before), tuple(after), hooks._replace(fired=0), alias)


def _differs(entry: Entry) -> bool:
    """Tell whether a setting may make worktrees differ, or what runs at a probe."""
    places = {"core.hookspath", "core.worktree", "extensions.worktreeconfig"}
    bare = entry.key == "core.bare" and configured.truth(entry.value)
    return entry.key.startswith(("includeif.", "hook.")) or entry.key in places or bare


def _are_clean(common_dir: str) -> bool:
    """Tell whether what joins the authors is as we write it."""
    for name in includeif.files(common_dir):
        try:
            data = peerfile.read(os.path.join(common_dir, "coord", name), peerfile.WHOLE)
        except OSError:
            return False
        text = data.decode(errors="surrogateescape")
        if includeif.checked(text, common_dir, name) != text:
            return False
    return True


def found(like: Model, here: Worktree, prober: Prober) -> Like | None:
    """Return what git reads, runs and lists in a worktree; None if it differs from the model."""
    author = _author(here.private(includeif.AUTHOR))
    if not author or not _belongs(here):
        return None
    listing = like.listing(os.path.realpath(here.private(includeif.AUTHOR)), author)
    told, read = prober.traced(*guards.LISTED, cwd=here.cwd, keys=_PRINTED)
    # What is set for this very command is set for each, and says the same everywhere.
    wanted = [(one.key, one.value) for one in listing.entries if one.scope != "command"]
    if told.code or _printed(read) != wanted:
        return None
    return Like(listing, like.hooks, like.alias, guards.tags(told))


def _belongs(here: Worktree) -> bool:
    """Tell whether git finds this private git dir from the worktree, and from there the common."""
    if not here.linked or not strayed.leads(here.cwd, here.git_dir):
        return False
    try:
        named = os.fsdecode(peerfile.read(here.private("commondir"))).rstrip("\n")
    except OSError:
        return False
    return os.path.realpath(here.private(named)) == os.path.realpath(here.common_dir)


def _author(path: str) -> list[tuple[str, str]]:
    """Return what a worktree's own file sets; nothing where it is not as we write it."""
    try:
        text = peerfile.read(path).decode(errors="surrogateescape")
    except OSError:
        return []
    sections = {section: gitconfig.pairs(text, section) for section in _SECTIONS}
    try:
        written = [gitconfig.block(one, None, pairs.items()) for one, pairs in sections.items()]
    except gitconfig.Unwritable:
        return []
    if "".join(written) != text:
        return []
    return [
        (f"{section}.{key.lower()}", value)
        for section, pairs in sections.items()
        for key, value in pairs.items()
    ]


def _printed(lines: bytes) -> list[tuple[str, str]]:
    """Return (key, value) of all that a git has printed of its config, as events of its own."""
    found = []
    for line in lines.split(b"\n"):
        if b'"event":"def_param"' in line:
            try:
                event = json.loads(os.fsdecode(line))
                found.append((event["param"], event["value"]))
            except (ValueError, LookupError, TypeError):
                return []
    return found
