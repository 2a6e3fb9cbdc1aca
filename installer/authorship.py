"""What an install changes for whom: each worktree's author, before and after."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.identity import includeif, pin, whoami
from coord.installer import worktrees
from coord.repo import git

if TYPE_CHECKING:
    from coord.identity.pin import Authorship
    from coord.repo.worktree import Worktree

_HEX = "<4 hex>"


@dataclass(frozen=True)
class Change:
    """The author of one worktree.

    Attributes:
        worktree: its folder.
        actor: who is pinned there, or will be; None for a worktree that is not pinned.
        before: author as git writes it now, empty when git knows none.
        after: author once the worktree is pinned.
        state: ``pinned`` (already), ``new`` (pinned by this run), ``later`` (by its next hook or
            verb), ``unpinned`` (the main worktree: its branch may be anybody's).
    """

    worktree: str
    actor: str | None
    before: str
    after: str
    state: str

    def line(self) -> str:
        """Return it as one line."""
        change = self.before if self.before == self.after else f"{self.before} -> {self.after}"
        return f"author  {self.worktree}: {change or 'none set'} ({self._about()})"

    def _about(self) -> str:
        abouts = {
            "pinned": f"{self.actor} is pinned",
            "new": f"{self.actor} is pinned now",
            "later": f"{self.actor} will be pinned by its next hook",
            "unpinned": "not pinned: the main worktree stays its user's own",
        }
        return abouts[self.state]


def changes(here: Worktree, rule: Authorship) -> list[Change]:
    """Return what an install means for each worktree that has a folder."""
    return [_change(there, rule) for there in _with_top(here)]


def pin_existing(here: Worktree, rule: Authorship) -> list[Change]:
    """Pin every linked worktree that is not, and return each author before and after."""
    return [
        _pinned_now(there, rule, before) if before.state == "later" else before
        for there in _with_top(here)
        for before in [_change(there, rule)]
    ]


def mend(here: Worktree, rule: Authorship) -> None:
    """Put back the author files of pinned worktrees that have lost them."""
    if rule.keep:
        return
    entries = includeif.joined(here.common_dir)
    if len(entries) > includeif.ROOM or includeif.files(here.common_dir)[1:]:
        pin.regroup(here.common_dir)
    for git_dir, found in pin.live_pins(here.common_dir):
        entry = includeif.entry_for(git_dir, here.common_dir)
        there = os.path.exists(os.path.join(git_dir, includeif.AUTHOR)) and entry in entries
        if not found.email:
            pin.complete(git_dir, here.common_dir, found, rule)
        elif not there:
            pin.mend(git_dir, here.common_dir, found, rule)


def author(cwd: str, *options: str) -> str:
    """Return ``name <e-mail>`` as git will write it in `cwd`, empty when it knows none."""
    ident = git.ask(*options, "var", "GIT_AUTHOR_IDENT", cwd=cwd).text
    return ident.rpartition("> ")[0] + ">" if "> " in ident else ""


def unpinned(here: Worktree) -> str:
    """Return the author that git writes in a worktree without a pin, whoever is pinned `here`.

    That is a new worktree's author of before: the pin's own is joined to this one's config alone.
    """
    pinned = _pinned(here.git_dir)
    if pinned is None or not pinned.email:  # then git takes it from where it did before
        return author(here.cwd)
    own = {
        part: whoami.own(here, f"author.{part}") or whoami.own(here, f"user.{part}")
        for part in ("name", "email")
    }
    if not all(own.values()):
        return ""
    said = [word for part, text in own.items() for word in ("-c", f"author.{part}={text}")]
    return author(here.cwd, *said)


def after(rule: Authorship, actor: str, before: str) -> str:
    """Return the author that a pin of `actor` will give."""
    if rule.keep or not rule.email:
        return before
    name, email = rule.filled(actor)
    return f"{name} <{email}>"


def _with_top(here: Worktree) -> list[Worktree]:
    return [there for there in worktrees.present(here) if there.top is not None]


def _pinned_now(there: Worktree, rule: Authorship, before: Change) -> Change:
    handle = pin.branch_handle(there.git_dir)
    made, _ = pin.ensure(there.git_dir, there.common_dir, handle, rule)
    return Change(there.cwd, made.actor, before.before, author(there.cwd), "new")


def _change(there: Worktree, rule: Authorship) -> Change:
    before = author(there.cwd)
    pinned = _pinned(there.git_dir)
    if pinned is not None:
        return Change(there.cwd, pinned.actor, before, before, "pinned")
    if not there.linked:
        return Change(there.cwd, None, before, before, "unpinned")
    actor = pin.branch_handle(there.git_dir) + _HEX
    return Change(there.cwd, actor, before, after(rule, actor, before), "later")


def _pinned(git_dir: str) -> pin.Pin | None:
    """Return the pin; one that cannot be read is `doctor`'s business, and no pin here."""
    try:
        return pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return None
