"""Whether another tool's hook calls ours: read where that tool says what it runs, never fired.

A foreign hook would really do its work. Each tool says it elsewhere: in the hook itself, in the
file that husky's generated one runs, in the YAML of pre-commit, prek and lefthook.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.installer import disk, hookfile, hooktools

if TYPE_CHECKING:
    from coord.installer.disk import Entry

_CALL = b"hooks/coord/"
_LEFTHOOK = b"call_lefthook"


def calls(found: Entry, path: str, top: str, home: str) -> bool:
    """Tell whether the foreign hook `found` at `path` ends in a call of ours.

    Args:
        found: what stands there.
        path: the hook file.
        top: the worktree, where tools have their declarations.
        home: ``hooks/coord``, which has hooks to be called only after ``coord-install --no-hooks``.
    """
    if found.kind != "file" or not found.executable:
        return False
    if hookfile.is_framework(found) and _is_live(path + hookfile.LEGACY):
        return True
    event = os.path.basename(path)
    return _is_live(os.path.join(home, event)) and _named(found, path, event, top)


def _is_live(path: str) -> bool:
    there = disk.look(path)
    return there is not None and there.executable and hookfile.is_ours(there)


def _named(found: Entry, path: str, event: str, top: str) -> bool:
    """Tell whether what the hook runs, by its tool's own declaration, names ours."""
    if hookfile.is_framework(found):
        return _says(top, "pre-commit", b"coord-" + event.encode())
    if _LEFTHOOK in found.data:
        return _says(top, "lefthook", _CALL + event.encode())
    return _CALL in found.data or _husky(path)


def _says(top: str, tool: str, word: bytes) -> bool:
    """Tell whether a declaration of `tool` has a line with `word` that is no comment."""
    names = hooktools.FILES[tool]
    texts = [disk.read(os.path.join(top, name)) or b"" for name in names]
    lines = [line.strip() for text in texts for line in text.split(b"\n")]
    return any(word in line for line in lines if not line.startswith(b"#"))


def _husky(path: str) -> bool:
    """Tell whether the script that a generated hook of husky runs calls ours."""
    folder, event = os.path.split(path)
    if os.path.basename(folder) != "_":
        return False
    return _CALL in (disk.read(os.path.join(os.path.dirname(folder), event)) or b"")
