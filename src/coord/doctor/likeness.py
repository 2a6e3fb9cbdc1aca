"""One more of many worktrees that are alike: whether git reads there what it reads in another.

The git that fires the probe there prints all that it reads. What has to be so for that to be safe
is known before: our own files hold what we write, and nothing sets places for one worktree alone.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import gitconfig, peerfile
from coord.doctor import configured, strayed
from coord.doctor.configured import Entry, Listing
from coord.identity import includeif

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.doctor.facts import View
    from coord.doctor.probes import Hooks, Prober

_SECTIONS = ("user", "author", "committer")
# All but what joins the authors: each worktree reads other lines of it.
_PRINTED = "[!i]*,i[!n]*,in[!c]*,includ[!e]*,include.*"


class Model(NamedTuple):
    """A worktree of which everything is known.

    Attributes:
        before: what git reads before the author that is joined for it.
        after: what it reads then.
        hooks: what it runs.
    """

    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    hooks: Hooks

    def listing(self, own: str, author: Iterable[tuple[str, str]]) -> Listing:
        """Return what git reads where another author is joined, from the file `own`."""
        joined = (Entry("local", own, key, value) for key, value in author)
        return Listing((*self.before, *joined, *self.after))


class Like(NamedTuple):
    """What git reads and runs in a worktree like another."""

    config: Listing
    hooks: Hooks


def model(views: Iterable[View]) -> Model | None:
    """Return the first of these that others can be like; None if there is none."""
    return next((found for view in views if (found := _model(view)) is not None), None)


def _model(view: View) -> Model | None:
    here = view.here
    own = os.path.realpath(here.private(includeif.AUTHOR))
    folder = os.path.realpath(os.path.join(here.common_dir, "coord"))
    joining = {os.path.join(folder, name) for name in includeif.files(here.common_dir)}
    entries = [entry for entry in view.config.entries if entry.file not in joining]
    places = [number for number, entry in enumerate(entries) if entry.file == own]
    if not (places and view.alias and view.hooks is not None and view.hooks.proved):
        return None
    if any(map(_differs, entries)) or not _are_clean(here.common_dir):
        return None
    before, after = entries[: places[0]], entries[places[-1] + 1 :]
    return Model(tuple(before), tuple(after), view.hooks._replace(fired=1))


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


def found(like: Model, view: View, prober: Prober) -> Like | None:
    """Fire the probe in a worktree; return what git reads and runs there, None if it differs."""
    here = view.here
    author = _author(here.private(includeif.AUTHOR))
    if not author or not here.linked or not strayed.leads(view.folder, here.git_dir):
        return None
    listing = like.listing(os.path.realpath(here.private(includeif.AUTHOR)), author)
    read = prober.traced(view.folder, _PRINTED)
    if read is None or _printed(read) != [(entry.key, entry.value) for entry in listing.entries]:
        return None
    return Like(listing, like.hooks)


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
