"""The plan of an install: from what is there and what is wanted to a list of steps. Pure.

The order makes every prefix of the steps harmless: the manifest first, then the files that others
point to, the drivers' attributes after the drivers, the hooks last.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.base.names import shown
from coord.identity import copied, includeif
from coord.installer import attributesfile, hookfile, include, manifest
from coord.installer.manifest import Manifest
from coord.installer.steps import Change, Create, Drop, Edit, Folder, Step, Write

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.installer.disk import Entry, Seen

HOME = "hooks/coord"
IDENTITIES = "coord/identities"
CONFIG = "config"
FOLDERS = ("hooks", HOME, "coord", "info")
_NAMED = 5  # lines that are shown of what is taken out
_LONGEST = 300  # characters of these


@dataclass(frozen=True)
class Wanted:
    """What an install has to leave.

    Attributes:
        common_dir: the common git dir.
        home: content of each file of ``hooks/coord``, by name.
        hooks: event → content of its hook file.
        hook_folder: where hook files go; None puts them into ``hooks/coord``, for others to call.
        rules: committed lines that guard paths, in every worktree; the last ones win.
        drivers: names of the drivers that the macros select.
        declared: files of the worktree that are written, to be remembered.
        copies: what another library may have copied out of our files into the shared config.
        identities: names in ``coord`` of the files that join the authors.
    """

    common_dir: str
    home: Mapping[str, bytes]
    hooks: Mapping[str, bytes]
    hook_folder: str | None
    rules: tuple[attributesfile.Line, ...]
    drivers: tuple[str, ...]
    declared: tuple[manifest.Declared, ...] = ()
    copies: copied.Copies = copied.NONE
    identities: tuple[str, ...] = (os.path.basename(IDENTITIES),)

    def path(self, name: str) -> str:
        """Return a path in the common git dir."""
        return os.path.join(self.common_dir, name)

    def hook_files(self) -> dict[str, bytes]:
        """Return the content of each hook file, by path."""
        folder = self.hook_folder or self.path(HOME)
        return {os.path.join(folder, event): data for event, data in self.hooks.items()}

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Return content and mode of every whole file that is only ours, by path."""
        found = {self.path(f"{HOME}/{name}"): (data, 0o666) for name, data in self.home.items()}
        if self.hook_folder is None:
            found |= {path: (data, hookfile.MODE) for path, data in self.hook_files().items()}
        return found


def paths(wanted: Wanted) -> list[str]:
    """Return every path whose present state :func:`install` has to know."""
    joined = [f"coord/{name}" for name in wanted.identities]
    named = [*FOLDERS, CONFIG, attributesfile.INFO, *joined, manifest.FILE]
    hooks = [name for path in wanted.hook_files() for name in hookfile.names(path)]
    return [*map(wanted.path, named), *wanted.files(), *hooks]


def install(wanted: Wanted, seen: Seen, before: Manifest | None) -> list[Step]:
    """Return the steps from what is `seen` to what is `wanted`; none when it is there already."""
    folders = [wanted.path(name) for name in FOLDERS]
    after = planned(wanted, seen, before)
    steps: list[Step] = [Folder(path) for path in folders if seen[path] is None]
    steps += _written({wanted.path(manifest.FILE): (after.text(), 0o666)}, seen)
    steps += _configured(wanted, seen)
    steps += _written(wanted.files(), seen)
    if seen[wanted.path(IDENTITIES)] is None:
        steps.append(Create(wanted.path(IDENTITIES)))
    else:
        steps += [step for name in wanted.identities for step in _joined(wanted, name, seen)]
    steps += _edited(wanted.path(attributesfile.INFO), _guard(wanted), "guarded paths", seen)
    for path, data in wanted.hook_files().items() if wanted.hook_folder else ():
        written = _digests(path, wanted, before)
        steps += hookfile.installed(path, data, hookfile.MODE, seen, written)
    return steps + _outdated(wanted, after, before)


def _digests(path: str, wanted: Wanted, before: Manifest | None) -> list[str]:
    """Return how the manifest names what an earlier install left at a path."""
    name = _name(path, wanted)
    return [digest for known, digest in (before.files if before else ()) if known == name]


def planned(wanted: Wanted, seen: Seen, before: Manifest | None) -> Manifest:
    """Return the manifest of the install, which remembers what earlier ones made."""
    before = before or Manifest()
    made = {name for name in FOLDERS if seen[wanted.path(name)] is None}
    if _is_half_made(wanted, seen):
        made.add("hooks")
    files = {path: data for path, (data, _) in wanted.files().items()} | wanted.hook_files()
    digests = {_name(path, wanted): manifest.digest(data) for path, data in files.items()}
    folder = _name(wanted.hook_folder, wanted) if wanted.hook_folder else None
    others = [name for name in before.hooks if name != folder]
    kept = {name: digest for name, digest in before.files if os.path.dirname(name) in others}
    return Manifest(
        made=tuple(sorted(made | set(before.made))),
        hooks=tuple(sorted([*others, *([folder] if folder else [])])),
        files=tuple(sorted((kept | digests).items())),
        declared=_declared(before, wanted),
    )


def _declared(before: Manifest, wanted: Wanted) -> tuple[manifest.Declared, ...]:
    """Return what is known of the worktree's files; what is written again replaces it."""
    now = {file.name: file for file in (*before.declared, *wanted.declared)}
    return tuple(now.values())


def _name(path: str, wanted: Wanted) -> str:
    return manifest.name(path, wanted.common_dir)


def _is_half_made(wanted: Wanted, seen: Seen) -> bool:
    """Tell whether a run was killed after it made ``hooks``, before it could write that down."""
    hooks = seen[wanted.path("hooks")]
    home = seen[wanted.path(HOME)]
    alone = hooks is not None and hooks.data == b"coord"
    return alone and home is not None and seen[wanted.path(manifest.FILE)] is None


def _written(files: Mapping[str, tuple[bytes, int]], seen: Seen) -> list[Step]:
    return [
        Write(path, data, mode)
        for path, (data, mode) in files.items()
        if not _is_current(seen[path], data, mode)
    ]


def _is_current(entry: Entry | None, data: bytes, mode: int) -> bool:
    if entry is None or entry.kind != "file" or entry.data != data:
        return False
    return entry.executable == bool(mode & 0o100)


def _edited(
    path: str, change: Change, about: str, seen: Seen, *, locked: bool = False
) -> list[Step]:
    entry = seen[path]
    old = entry.data if entry else None
    return [] if change(old) == old else [Edit(path, change, about, locked)]


def _configured(wanted: Wanted, seen: Seen) -> list[Step]:
    """Return the edit of the shared config: our two lines, and nothing else of ours."""

    def change(old: bytes | None) -> bytes:
        return include.added(None if old is None else wanted.copies.taken_out(old))

    entry = seen[wanted.path(CONFIG)]
    about = "copies of ours" if entry and wanted.copies.keys(entry.data) else "include.path"
    return _edited(wanted.path(CONFIG), change, about, seen, locked=True)


def _joined(wanted: Wanted, name: str, seen: Seen) -> list[Step]:
    """Return the step that leaves our own entries alone in a file that every git includes."""
    path = wanted.path(f"coord/{name}")

    def change(old: bytes | None) -> bytes:
        text = (old or b"").decode(errors="surrogateescape")
        kept = includeif.checked(text, wanted.common_dir, name)
        return kept.encode(errors="surrogateescape")

    return _edited(path, change, _dropped(change, seen[path]), seen)


def _dropped(change: Change, entry: Entry | None) -> str:
    """Return what a change takes out of such a file: a few lines, by name."""
    old = entry.data if entry and entry.data else b""
    kept = frozenset((change(old) or b"").split(b"\n"))
    lines = [line.strip() for line in old.split(b"\n") if line not in kept]
    named = b"; ".join(lines[:_NAMED]).decode(errors="surrogateescape")
    more = f"; and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    return f"without {shown(named[:_LONGEST])}{more}"


def _guard(wanted: Wanted) -> Change:
    """Return the change that puts our block into ``info/attributes``."""

    def change(old: bytes | None) -> bytes:
        rules = attributesfile.joined(attributesfile.guarded(old), list(wanted.rules))
        return attributesfile.with_block(old, attributesfile.block(list(wanted.drivers), rules))

    return change


def _outdated(wanted: Wanted, after: Manifest, before: Manifest | None) -> list[Step]:
    """Return the steps that clear away files of an earlier version or mode of install."""
    now = dict(after.files)
    names = [name for name, _ in before.files if name not in now] if before else []
    home = [name for name in names if os.path.dirname(name) == HOME]
    return [Drop(manifest.located(name, wanted.common_dir)) for name in home]
