"""Which paths are guarded, commit by commit: a rule binds from the commit that declares it.

A log that was edited before anybody called it one broke no rule. So a path is judged by the
``.gitattributes`` of the commit and of its parent. What is declared in this clone alone, in
``info/attributes``, binds in every commit, for no commit says since when. But what
``coord-install`` copied there is a cache of committed lines, which may be gone by now.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.check.layout import NAME
from coord.guard.guarded import BEGIN, END

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.check.layout import Scratch
    from coord.history.blobs import Blobs
    from coord.history.changes import Change

State = frozenset[tuple[bytes, str]]  # (path, blob) of each .gitattributes


def is_declaration(path: bytes) -> bool:
    """Tell whether git reads attributes from `path`."""
    return path == NAME or path.endswith(b"/" + NAME)


def state_of(tree: Mapping[bytes, str]) -> State:
    """Return the declarations of a tree."""
    return frozenset((path, blob) for path, blob in tree.items() if is_declaration(path))


def before(state: State, changed: Mapping[bytes, Change]) -> State:
    """Return the declarations of a parent, from those of the commit and what changed in it."""
    kept = {(path, blob) for path, blob in state if path not in changed}
    return frozenset(kept | {(path, edge.old) for path, edge in changed.items() if edge.old})


class Attributes:
    """Answers which kind a path is under the declarations of a commit."""

    def __init__(self, scratch: Scratch, blobs: Blobs, common_dir: str, tip: State) -> None:
        self._scratch = scratch
        self._blobs = blobs
        self._common_dir = common_dir
        self._tip = tip
        self._layouts: dict[State, str] = {}
        self._kinds: dict[State, dict[bytes, str]] = {}
        self._local: dict[bytes, str] = {}
        self._local_rules = _rules_of_this_clone(common_dir)

    def learn(self, state: State, paths: Iterable[bytes]) -> None:
        """Ask git about those of `paths` that it was not asked about under `state` yet."""
        known = self._kinds.setdefault(state, {})
        new = [path for path in paths if path not in known]
        known.update(dict.fromkeys(new, ""))
        if new and state:
            known.update(self._scratch.declared(self.layout(state), new))
        if state != self._tip:
            self.learn(self._tip, paths)
        elif self._local_rules:
            self._learn_local([path for path in new if not known[path]])

    def kind(self, state: State, path: bytes) -> str:
        """Return the kind of a path that was learnt under `state`, empty when it is free."""
        if self._kinds[self._tip].get(path):
            return self._kinds[state].get(path, "")
        return self._kinds[state].get(path, "") or self._local.get(path, "")

    def layout(self, state: State) -> str:
        """Return the folder in which the declarations of `state` are laid out."""
        if state not in self._layouts:
            files = {path: self._blobs.read(blob) for path, blob in state}
            self._layouts[state] = self._scratch.layout(files)
        return self._layouts[state]

    def effective(self, paths: Iterable[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        """Return (path, ``merge`` or a macro, value) at the tip, this clone's own lines on top."""
        return self._scratch.effective(self.layout(self._tip), self._common_dir, paths)

    def _learn_local(self, paths: list[bytes]) -> None:
        layout = self._scratch.layout({NAME: self._local_rules})
        for path, kind in self._scratch.declared(layout, paths).items():
            self._local.setdefault(path, kind)


def _rules_of_this_clone(common_dir: str) -> bytes:
    """Return ``info/attributes`` without the block of ``coord-install``, where it names us."""
    try:
        path = os.path.realpath(os.path.join(common_dir, "info", "attributes"))  # as git does
        lines = peerfile.read(path, peerfile.WHOLE).splitlines(keepends=True)
    except OSError:
        return b""
    own, inside = [], False
    for line in lines:
        inside = inside or line.startswith(BEGIN)
        if not inside:
            own.append(line)
        inside = inside and not line.startswith(END)
    text = b"".join(own)
    return text if b"coord-" in text else b""
