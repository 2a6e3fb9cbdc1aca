"""One worktree as git sees it: every fact that the subjects judge, asked from inside of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import CoordError
from coord.doctor import configured, guards, likeness, strayed
from coord.doctor.configured import Listing
from coord.doctor.guards import Guards
from coord.identity import includeif, pin
from coord.repo import git, worktree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.doctor.likeness import Model
    from coord.doctor.probes import Hooks, Prober
    from coord.doctor.strayed import Stray
    from coord.identity.pin import Pin
    from coord.installer.attributesfile import Line
    from coord.repo.worktree import Sibling, Worktree

_WHO = ("name", "email")
_NEXT = "--coord-next"  # rev-parse prints what it does not know: a path may hold a newline
_ROLES = ("AUTHOR", "COMMITTER")
_PLACES = ("core.worktree", "core.hookspath")
# What git takes off the ends of a name or an address, and what it takes out of the middle.
_CRUD = "\\x00-\\x20.,:;<>\"'\\\\"
_PLAIN = re.compile(f"[^{_CRUD}]([^\\n<>]*[^{_CRUD}])?")

# Why git cannot work in a worktree.
UNREADABLE = "unreadable"
ELSEWHERE = "elsewhere"
NO_FILES = "no files"
OTHER_FILES = "other files"


@dataclass(frozen=True)
class View:
    """One worktree.

    Attributes:
        here: private and common git dir, and the folder as git sees it.
        branch: short branch name, None when detached.
        bare: it is the bare repository itself.
        fault: why git cannot work in it, one of the words above; the rest then holds nothing.
        words: the same in git's words.
        away: its folder is not there.
        config: what git reads there.
        hooks: what a probe found that git runs; None where nothing is installed.
        alias: whether ``git coord`` answers there.
        author: author as git will write it.
        committer: likewise.
        pin: who works there.
        pin_broken: there is a pin, but not one that can be read.
        guards: its guarded paths.
        stray: of a linked one that is not where git lists it, what is known of it.
    """

    here: Worktree
    branch: str | None
    bare: bool = False
    fault: str = ""
    words: str = ""
    away: bool = False
    config: Listing = field(default_factory=Listing)
    hooks: Hooks | None = None
    alias: bool = False
    author: str = ""
    committer: str = ""
    pin: Pin | None = None
    pin_broken: bool = False
    guards: Guards = field(default_factory=Guards)
    stray: Stray | None = None

    @property
    def folder(self) -> str:
        """The worktree's folder, the git dir of a bare repository."""
        return self.here.cwd

    @property
    def works(self) -> bool:
        """Whether git works in it and a worker can."""
        return not (self.fault or self.away or self.bare)


class Means(NamedTuple):
    """What every look needs.

    Attributes:
        common_dir: the common git dir.
        prober: fires hooks and alias.
        installed: whether there is something to fire.
        block: the rules in ``info/attributes``.
        git: git's version.
        proved: hook folders of which every hook of ours answered already, and texts of the alias.
        known: what attributes were found in other worktrees.
        files: config files that were found in other worktrees.
        model: a worktree that others may be like.
    """

    common_dir: str
    prober: Prober
    installed: bool
    block: tuple[Line, ...]
    git: tuple[int, ...]
    proved: frozenset[str] = frozenset()
    known: guards.Known | None = None
    files: configured.Files | None = None
    model: Model | None = None


def look(sibling: Sibling, means: Means) -> View:
    """Look at one worktree; what git cannot do there is a fact too."""
    here = worktree.Worktree(sibling.git_dir, means.common_dir, sibling.path)
    view = View(here, sibling.branch, sibling.bare)
    if sibling.git_dir:
        view = _pinned(view)
    if not os.path.isdir(sibling.path):
        return replace(view, away=True, stray=_strayed(view))
    if view.bare or sibling.path == sibling.git_dir:
        # Named, for `safe.bareRepository = explicit` lets no folder lead to it.
        env = {**means.prober.env, "GIT_DIR": view.here.git_dir}
        means = means._replace(prober=means.prober._replace(env=env))
    if _is_somewhere(view, means.prober.env):
        return replace(view, away=True)
    try:
        return _inside(view, means)
    except CoordError as error:
        return replace(view, fault=UNREADABLE, words=error.why)


def _inside(view: View, means: Means) -> View:
    """Ask git inside a worktree that has a folder."""
    like = means.model and likeness.found(means.model, view.here, means.prober)
    if like is not None:
        here = view.here._replace(top=os.path.realpath(view.folder))
        view = replace(view, config=like.config, here=here, hooks=like.hooks, alias=like.alias)
        return _guarded(view, means, like.listed)
    listing = configured.ask(view.folder, means.prober.env, means.files)
    hooks, git_dir, top, err = _read(view, listing) or _asked(view, means)
    fault, words = _disagreement(view, git_dir, top, err)
    if listing is None and not fault:
        told = git.as_user("config", "--list", cwd=view.folder, env=means.prober.env)
        fault, words = UNREADABLE, os.fsdecode(told.err)
    if fault or listing is None:
        taken = fault == ELSEWHERE and strayed.is_taken(view.folder)
        stray = _strayed(view) if taken else None
        return replace(view, fault=fault, words=" ".join(words.split()), stray=stray)
    hooks = os.path.realpath(os.path.join(view.folder, hooks))
    top_here = None if view.bare else top
    view = replace(view, config=listing, here=view.here._replace(top=top_here))
    if means.installed:
        view = _probed(view, means, hooks)
    return view if view.bare else _guarded(view, means)


def _guarded(view: View, means: Means, listed: guards.Tags | None = None) -> View:
    """Look who commits there, and what is guarded."""
    idents = _configured(view.config) or _idents(view.folder)
    found = Guards()
    if means.installed:
        found = guards.ask(
            view.here, view.config, means.block, means.git, means.known, listed=listed
        )
    return replace(view, author=idents["AUTHOR"], committer=idents["COMMITTER"], guards=found)


_QUESTION = (
    # Asked for an absolute path, git dies of `.git/hooks` in a linked worktree.
    *("rev-parse", "--git-path", "hooks", _NEXT, "--path-format=absolute"),
    # --show-toplevel comes last: in a bare repository git dies there.
    *("--git-dir", _NEXT, "--show-toplevel"),
)


def _read(view: View, listing: Listing | None) -> tuple[str, str, str, str] | None:
    """Return what :func:`_asked` does, where what git reads here has said it already.

    That is the author that is joined for this private git dir alone, and no setting of places.
    """
    here = view.here
    if listing is None or not here.linked or listing.last(*_PLACES) or _is_bare(listing):
        return None
    own = os.path.realpath(here.private(includeif.AUTHOR))
    if not listing.in_file(own).entries or not strayed.leads(view.folder, here.git_dir):
        return None
    folder = os.path.realpath(view.folder)
    return os.path.join(here.common_dir, "hooks"), here.git_dir, folder, ""


def _is_bare(listing: Listing) -> bool:
    entry = listing.last("core.bare")
    return entry is not None and configured.truth(entry.value)


def _asked(view: View, means: Means) -> tuple[str, str, str, str]:
    """Return hooks folder, git dir and top level, empty where git did not say, and its words."""
    done = git.as_user(*_QUESTION, cwd=view.folder, env=means.prober.env)
    parts = os.fsdecode(done.out).split(f"\n{_NEXT}\n")
    hooks, git_dir, top = [*(part.removesuffix("\n") for part in parts), "", "", ""][:3]
    return hooks, git_dir, top, os.fsdecode(done.err)


def _strayed(view: View) -> Stray | None:
    here = view.here
    return strayed.sought(here.git_dir, here.common_dir) if here.linked else None


def _disagreement(view: View, git_dir: str, top: str, err: str) -> tuple[str, str]:
    """Return why this is not the worktree that the repository takes it for: a fault and words."""
    here = view.here
    if not git_dir:
        return UNREADABLE, err or "git gives no answer"
    if here.git_dir and os.path.realpath(git_dir) != os.path.realpath(here.git_dir):
        return ELSEWHERE, f"git takes it for a part of {git_dir}"
    if view.bare:
        return "", ""
    if not top:
        return NO_FILES, err or "git finds no files here"
    # The main one of a submodule is listed by its git dir.
    if here.linked and os.path.realpath(top) != os.path.realpath(view.folder):
        return OTHER_FILES, f"git takes {top} for its files"
    return "", ""


def _is_somewhere(view: View, env: Mapping[str, str]) -> bool:
    """Tell whether this is a main worktree whose folder nobody but itself can name.

    With ``git init --separate-git-dir``, or `.git` as a link, git lists the git dir in its place.
    """
    here = view.here
    if here.linked or view.bare or view.folder != here.common_dir:
        return False
    asked = ("config", "--get", "core.worktree")
    unset = git.as_user(*asked, cwd=view.folder, env=env).code == 1
    return unset and os.path.exists(here.private("index"))


def _probed(view: View, means: Means, folder: str) -> View:
    """Fire hooks and alias."""
    proved = folder in means.proved
    hooks = means.prober.hooks(view.folder, folder, view.config, proved=proved)
    alias = view.config.last("alias.coord")
    if alias is None:
        return replace(view, hooks=hooks)
    # Its text asks git for the common dir, as has just been done from here, and nothing more.
    heard = alias.value in means.proved or means.prober.alias(view.folder, alias.value)
    return replace(view, hooks=hooks, alias=heard)


def _pinned(view: View) -> View:
    try:
        return replace(view, pin=pin.read(view.here.git_dir))
    except (pin.Unreadable, OSError):
        return replace(view, pin_broken=True)


def _configured(listing: Listing) -> dict[str, str]:
    """Return what :func:`_idents` does, where config names both as plainly as git writes them.

    git reads all of config three times for an answer, and among many worktrees that costs most.
    """
    values = {entry.key: entry.value for entry in listing.entries if entry.scope != "command"}
    found = {}
    for role in _ROLES:
        own = [
            values.get(f"{role.lower()}.{part}") or values.get(f"user.{part}", "") for part in _WHO
        ]
        if not all(map(_PLAIN.fullmatch, own)):
            return {}
        found[role] = "{} <{}>".format(*own)
    return found


def _idents(cwd: str) -> dict[str, str]:
    """Return ``name <e-mail>`` of author and committer as git will write them.

    Whatever this very environment says: that is judged apart, of the current worktree only.
    """
    env = git.elsewhere()
    for name in (f"GIT_{role}_{part}" for role in _ROLES for part in ("NAME", "EMAIL", "DATE")):
        env.pop(name, None)
    listing = git.ask("var", "-l", cwd=cwd, env=env).text.split("\n")
    # The two come after all of config, where a value may look like them.
    pairs = dict(line.partition("=")[::2] for line in listing)
    idents = {role: pairs.get(f"GIT_{role}_IDENT", "") for role in _ROLES}
    return {
        role: ident.rpartition("> ")[0] + ">" if "> " in ident else ""
        for role, ident in idents.items()
    }
