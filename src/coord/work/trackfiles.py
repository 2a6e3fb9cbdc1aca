"""The committed files in which a worktree declares what is guarded, and how they change."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import quote
from coord.drivers.registered import DRIVERS
from coord.installer import attributesfile, declaration, disk
from coord.installer.steps import Edit
from coord.repo import git
from coord.settings import config
from coord.work import trackfaults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.installer.declaration import Value
    from coord.installer.steps import Change
    from coord.repo.worktree import Worktree

#: Kind → the section of .coord.toml that has more to say of it. A changelog has none of its own: an
#: earlier version would refuse the whole file.
_SECTIONS = {"changelog": "log", "derived": "derived", "log": "log"}


@dataclass(frozen=True)
class Files:
    """The two committed files of a worktree, as they are now."""

    here: Worktree
    top: str
    texts: dict[str, bytes | None] = field(default_factory=dict)

    @classmethod
    def read(cls, here: Worktree) -> Files:
        """Read them, and insist that they are files of this worktree.

        Raises:
            Environment: there is no worktree, or ``.coord.toml`` is invalid.
            Refused: a committed link stands in the place of one.
        """
        if here.top is None:
            raise trackfaults.no_worktree(here)
        names = (attributesfile.COMMITTED, config.FILE)
        files = cls(here, here.top, {name: _text(here.top, name) for name in names})
        config.parse(files.texts[config.FILE] or b"", files.path(config.FILE))
        return files

    def path(self, name: str) -> str:
        """Return the path of a file at the top level."""
        return os.path.join(self.top, name)

    def edits(self, kind: str | None, pattern: str, values: Mapping[str, Value]) -> list[Edit]:
        """Return the edits that guard `pattern` as `kind` (None: not at all); none: it is so."""
        changes: list[tuple[str, Change]] = [
            (self.path(attributesfile.COMMITTED), partial(_attributes, kind, pattern)),
            (self.path(config.FILE), partial(_sections, kind, pattern, values)),
        ]
        if self.here.installed:
            info = os.path.join(self.here.common_dir, attributesfile.INFO)
            changes.append((info, partial(_info, kind, pattern)))
        now = {self.path(name): text for name, text in self.texts.items()}
        return [
            Edit(path, change, "guarded paths")
            for path, change in changes
            for old in [now[path] if path in now else disk.read(path)]
            if change(old) != old
        ]

    def committable(self, changed: Sequence[str]) -> list[str]:
        """Return the changed files that git can add: a deleted one only if it is tracked.

        Where one was changed, so is what an earlier call has changed and nobody has committed: one
        says what the other's declarations mean.
        """
        names = [name for name in self.texts if name in changed]
        if names:
            names = [name for name in self.texts if name in changed or self._is_pending(name)]
        known = git.tell("ls-files", "-z", "--", *names, cwd=self.top).fields if names else []
        return [name for name in names if name in known or os.path.exists(self.path(name))]

    def _is_pending(self, name: str) -> bool:
        """Tell whether what a file declares of ours, as it was read, is not committed."""
        old = git.ask("show", f"HEAD:./{name}", cwd=self.top).out
        return _ours(name, old) != _ours(name, self.texts[name] or b"")


def _ours(name: str, text: bytes) -> list[bytes]:
    """Return the lines that are ours; an attributes file has others' too."""
    lines = text.rstrip().splitlines()
    return lines if name == config.FILE else [line for line in lines if b"coord-" in line]


def _attributes(kind: str | None, pattern: str, old: bytes | None) -> bytes | None:
    if kind is not None:
        return attributesfile.declared(old, pattern, kind)
    return None if old is None else attributesfile.undeclared(old, pattern)


def _sections(
    kind: str | None, pattern: str, values: Mapping[str, Value], old: bytes | None
) -> bytes | None:
    """Change ``.coord.toml``: the section of `kind`, and none of another kind."""
    own = _SECTIONS.get(kind or "")
    for other in dict.fromkeys(_SECTIONS.values()):
        if other != own and old is not None:
            old = declaration.undeclared(old, other, pattern)
    return declaration.declared(old, own, pattern, values) if own else old


def _info(kind: str | None, pattern: str, old: bytes | None) -> bytes | None:
    return attributesfile.guarding(old, list(DRIVERS), pattern, kind)


def _text(top: str, name: str) -> bytes | None:
    path = os.path.join(top, name)
    found = disk.look(path)
    if found is None and git.ask("ls-files", "-t", "--", name, cwd=top).text.startswith("S "):
        raise trackfaults.outside_sparse(path, name)
    if found is None or found.kind == "file":
        return found.data if found else None
    raise Refused(
        "symlink",
        f"{name} is no file of this worktree",
        where=path,
        why="a committed link can lead anywhere, so what is written here follows none"
        if found.kind == "link"
        else f"it is a {found.kind}",
        run=f"mv {quote(path)} {quote(path)}.aside",
    )
