"""What in shared, global or a worktree's own config breaks worktrees or ours: judgement."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command, peerfile
from coord.base.names import quote, shown
from coord.doctor import installation, strayed
from coord.doctor.configured import Listing, in_order, truth
from coord.doctor.facts import NO_FILES, OTHER_FILES
from coord.doctor.findings import Finding, Verdict, verdict
from coord.identity import damage, includeif

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.doctor.configured import Entry
    from coord.doctor.facts import View


_LONGEST = 200  # characters of a value that is shown


class Shared(NamedTuple):
    """What all worktrees share.

    Attributes:
        common_dir: the common git dir.
        config: its ``config`` file alone.
        own: the main one's ``config.worktree``, empty without extensions.worktreeConfig.
        written: key → value of our installed config, empty where nothing is installed.
        copied: keys of ours that another library has copied into the shared config.
        has_index: there is an index in the common git dir: it has, or had, a worktree of its own.
    """

    common_dir: str
    config: Listing
    own: Listing
    written: Mapping[str, str]
    has_index: bool
    copied: Sequence[str] = ()

    @property
    def file(self) -> str:
        """The shared config file."""
        return os.path.join(self.common_dir, "config")


def judge(views: Sequence[View], shared: Shared) -> Verdict:
    """Judge the config that worktrees share, and what each adds."""
    bare, files = list(_bare(views, shared)), list(_files(views, shared))
    findings = [*bare, *files, *_foreign(views, shared)]
    # What these break shows in every worktree: it is named once, with its cause.
    others = [view for view in views if view.here.linked or not files]
    findings += _broken(others, explained=bool(bare or files))
    findings += _strays(views)
    findings += _copied(shared)
    findings += [finding for view in views for finding in _ours(view, shared)]
    right = _right(shared)
    return verdict("config", right, findings, _notes(views, shared))


def _right(shared: Shared) -> str:
    ours = ", and reads our drivers and alias there" if shared.written else ""
    return f"git works in every worktree{ours}"


def _bare(views: Sequence[View], shared: Shared) -> Iterator[Finding]:
    """Yield core.bare where it is untrue, or true and read by linked worktrees too."""
    all_read = shared.config.last("core.bare")
    entry = shared.own.last("core.bare") or all_read
    if shared.has_index and entry is not None and truth(entry.value):
        message = f"core.bare is true in {entry.file}, of a repository with files: git refuses here"
        run = f"git config --file {quote(entry.file)} core.bare false"
        yield Finding("core-bare", os.path.dirname(shared.common_dir), message, run)
    elif all_read is not None and truth(all_read.value) and _misleads(views, shared):
        message = (
            f"core.bare is true in {all_read.file}, and with extensions.worktreeConfig it holds in "
            "every linked worktree too"
        )
        yield Finding("core-bare", shared.common_dir, message, _moved(all_read, shared))


def _files(views: Sequence[View], shared: Shared) -> Iterator[Finding]:
    """Yield core.worktree where it leads away, or is read by linked worktrees too."""
    all_read = shared.config.last("core.worktree")
    entry = shared.own.last("core.worktree") or all_read
    if entry is None:
        return
    target = os.path.realpath(os.path.join(shared.common_dir, entry.value))
    if not _is_worktree_of(target, shared.common_dir):
        message = f"core.worktree in {entry.file} leads to {target}, whose repository is another"
        yield Finding("core-worktree", shared.common_dir, message, entry.unset())
    elif all_read is not None and _misleads(views, shared):
        message = (
            f"core.worktree is in {all_read.file}, and with extensions.worktreeConfig every linked "
            f"worktree takes {target} for its files"
        )
        yield Finding("core-worktree", shared.common_dir, message, _moved(all_read, shared))


def _misleads(views: Sequence[View], shared: Shared) -> bool:
    """Tell whether linked worktrees read what is meant for the main one, and fail."""
    return is_extended(shared.config) and any(view.words and view.here.linked for view in views)


def _moved(entry: Entry, shared: Shared) -> str:
    """Return the command that moves an entry where only the main worktree reads it."""
    own = quote(os.path.join(shared.common_dir, "config.worktree"))
    return in_order([f"git config --file {own} {entry.key} {quote(entry.value)}", entry.unset()])


def is_extended(config: Listing) -> bool:
    """Tell whether each worktree reads a ``config.worktree`` of its own."""
    entry = config.last("extensions.worktreeconfig")
    return entry is not None and truth(entry.value)


def _is_worktree_of(folder: str, common_dir: str) -> bool:
    """Tell whether a folder's own `.git` is, or leads to, this repository."""
    link = os.path.join(folder, ".git")
    if os.path.isdir(link):
        return os.path.realpath(link) == common_dir
    try:
        line = os.fsdecode(peerfile.read(os.path.realpath(link)))  # git too follows a link there
    except OSError:
        return False
    text = line.removeprefix("gitdir: ").rstrip("\n")
    return os.path.realpath(os.path.join(folder, text)) == common_dir


def _broken(views: Sequence[View], *, explained: bool) -> Iterator[Finding]:
    """Yield the worktrees that git cannot work in."""
    broken = [
        view
        for view in views
        if view.words and not (explained and view.fault in {NO_FILES, OTHER_FILES})
    ]
    own = {view.folder: _repair(view) for view in broken}
    linked = in_order([_linked(view) for view in broken if not own[view.folder]])
    for view in broken:
        yield Finding("worktree-broken", view.folder, view.words, own[view.folder] or linked)


def _linked(view: View) -> str:
    """Return the command that leads a worktree to its private git dir, and touches no other.

    ``git worktree repair`` rewrites all that are registered, in a copied repository those of the
    original.
    """
    link = quote(os.path.join(view.folder, ".git"))
    return f"printf 'gitdir: %s\\n' {quote(view.here.git_dir)} >{link}"


def _repair(view: View) -> str:
    """Return what brings a worktree back, git's own command where it prints one.

    Empty where it is its link that has to be written again.
    """
    damaged = damage.found_in(view.here.git_dir, view.here.common_dir)
    if damaged is not None:
        return damaged.run
    if view.stray is not None:
        return view.stray.run
    told = view.words.partition("git config --global --add safe.directory ")
    if told[1]:
        return told[1] + told[2]
    if not view.fault:  # moved by hand: from where it is now git writes down the place
        return strayed.way(view.folder, view.here.git_dir, view.here.common_dir)
    if view.here.linked and view.here.git_dir:
        return ""
    return f"git -C {quote(view.folder)} status"


def _strays(views: Sequence[View]) -> Iterator[Finding]:
    """Yield the worktrees that were moved by hand, as far as that is seen or has to be feared."""
    for view in views:
        stray = view.stray
        if not view.away or stray is None:
            continue
        if stray.folder:
            message = f"it was moved by hand to {stray.folder}, and a prune forgets it, pin and all"
        elif stray.present:
            message = (
                "nothing is there, and yet its worker is present: run this in the folder that it "
                f"was moved to; only if it was deleted: {_forget(view)}"
            )
        else:
            continue
        yield Finding("worktree-broken", view.folder, message, stray.run)


def _forget(view: View) -> str:
    return f"git worktree remove {quote(view.folder)}"


def _copied(shared: Shared) -> Iterator[Finding]:
    if shared.copied:
        message = installation.about_copies(shared.common_dir, shared.copied)
        yield Finding("config-copied", shared.common_dir, message, command.install())


def _ours(view: View, shared: Shared) -> Iterator[Finding]:
    """Yield our keys that git answers otherwise, as ``coord-install --check`` judges them."""
    if not view.works or not shared.written:
        return
    for rule, key in installation.differing(shared.written, view.config.values()):
        entry = view.config.last(key)
        if entry is not None and entry.file == shared.file and key in shared.copied:
            continue  # its cause is named
        if rule == "config-missing" or entry is None:
            yield Finding(rule, view.folder, f"git does not read our {key}", command.install())
        else:
            message = f"git has another {key}, from {entry.file}"
            yield Finding(rule, view.folder, message, entry.unset())


def _foreign(views: Sequence[View], shared: Shared) -> Iterator[Finding]:
    """Yield what stands in the author's files and is no author: every git command obeys it."""
    folder = os.path.join(shared.common_dir, "coord")
    joined = {
        os.path.realpath(os.path.join(folder, one)) for one in includeif.files(shared.common_dir)
    }
    judged: set[Entry] = set()
    for view in views:
        own = os.path.realpath(view.here.private(includeif.AUTHOR))
        for entry in view.config.entries:
            if (entry.file != own and entry.file not in joined) or entry in judged:
                continue
            judged.add(entry)
            if not _is_foreign(entry, own):
                continue
            said = shown(f"{entry.key} = {entry.value[:_LONGEST]}")
            message = f"{said} in {entry.file}: git obeys it, and no author needs it"
            run = in_order(
                [*([f"rm {quote(own)}"] if entry.file == own else []), command.install()]
            )
            yield Finding("config-foreign", view.folder, message, run)


def _is_foreign(entry: Entry, own: str) -> bool:
    """Tell whether an entry of `own`, or of the file that joins all of those, is none of ours."""
    section = entry.key.partition(".")[0]
    if entry.file == own:
        return section not in {"user", "author", "committer"}
    folder, name = os.path.split(entry.value)
    ours = folder == ".." or os.path.dirname(folder) == "../worktrees"
    ours = (ours and name == includeif.AUTHOR) or includeif.is_below(entry.value)
    return section != "includeif" or not ours


def _notes(views: Sequence[View], shared: Shared) -> Iterator[str]:
    """Yield what is no fault and yet surprises."""
    if is_extended(shared.config):
        yield (
            "extensions.worktreeConfig is on: git worktree add copies config.worktree, so an "
            "identity set there is inherited; a pin is not, and wins"
        )
    for view in views:
        if view.away and not view.here.linked:
            yield f"the main worktree of {view.folder} is elsewhere: only seen from inside it"
        elif view.stray is not None and view.away and not (view.stray.folder or view.stray.present):
            yield (
                f"{view.folder} is not there: if it was moved by hand, {view.stray.run} in its new "
                f"folder leads git to it; only if it was deleted for good, {_forget(view)} forgets "
                "it, pin and all"
            )
