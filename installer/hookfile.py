"""The hook files: which are ours, what goes beside, what comes back. Pure functions.

A foreign hook is renamed beside ours and run first by it, never copied or injected into. Other
tools do the same to us: ``pre-commit install`` renames us ``NAME.legacy`` and runs that, lefthook
renames us ``NAME.old``, ``git lfs install --force`` writes over us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.installer.steps import Drop, Keep, Move, Write

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.installer.disk import Entry
    from coord.installer.steps import Step

EVENTS = (
    "post-checkout",
    "prepare-commit-msg",
    "commit-msg",
    "applypatch-msg",
    "pre-applypatch",
    "post-rewrite",
    "pre-push",
)
PRIOR = ".coord-prior"
RENAMED = (".legacy", ".old")
_REPLACED = tuple(f"{PRIOR}-{number}" for number in range(1, 10))
MODE = 0o777
_MARK = b"# git-coord hook, version "


def text(template: str, event: str) -> bytes:
    """Return the hook file of `event`."""
    return template.replace("@EVENT@", event).encode()


def names(path: str) -> list[str]:
    """Return every path that matters for the hook at `path`."""
    return [path, path + PRIOR, *(path + suffix for suffix in (*RENAMED, *_REPLACED))]


def is_ours(entry: Entry | None) -> bool:
    """Tell whether a file is a hook of ours, of any version: its second line says so."""
    if entry is None or entry.kind != "file":
        return False
    return entry.data.partition(b"\n")[2].startswith(_MARK)


def installed(path: str, wanted: bytes, mode: int, seen: Mapping[str, Entry | None]) -> list[Step]:
    """Return the steps that leave our hook at `path`, with any foreign one beside it.

    There is no moment without a hook: Keep links the foreign one, Write renames ours over it.
    """
    hook, prior = seen[path], seen[path + PRIOR]
    strays = [path + suffix for suffix in RENAMED if is_ours(seen[path + suffix])]
    steps: list[Step] = []
    if hook is None or is_ours(hook):
        steps += [Drop(stray) for stray in strays]
    elif prior is None or prior.same(hook):
        steps += [Drop(stray) for stray in strays]
        steps += [] if prior else [Keep(path, path + PRIOR)]
    elif strays:
        # pre-commit renamed us and took our place: the older hook goes where it runs ours from.
        steps += [Move(path + PRIOR, strays[0]), Keep(path, path + PRIOR)]
    else:
        steps += [Move(path + PRIOR, _free(path, seen)), Keep(path, path + PRIOR)]
    if hook is None or hook.data != wanted or not hook.executable or hook.kind != "file":
        steps.append(Write(path, wanted, mode))
    return steps


def removed(path: str, seen: Mapping[str, Entry | None]) -> tuple[list[Step], str]:
    """Return the steps that take our hook at `path` out, and what is left to say about it."""
    hook, prior = seen[path], seen[path + PRIOR]
    strays = [path + suffix for suffix in RENAMED if is_ours(seen[path + suffix])]
    if hook is None or is_ours(hook):
        gone: list[Step] = [Drop(stray) for stray in strays]
        if prior is not None:
            return [*gone, Move(path + PRIOR, path)], ""
        return [*gone, *([] if hook is None else [Drop(path)])], ""
    if prior is None:
        return [Drop(stray) for stray in strays], ""
    if strays:
        return [Move(path + PRIOR, strays[0]), *(Drop(stray) for stray in strays[1:])], ""
    if prior.same(hook):
        return [Drop(path + PRIOR)], ""
    return [], f"{path} is not ours any more and stays; the hook before it is {path + PRIOR}"


def _free(path: str, seen: Mapping[str, Entry | None]) -> str:
    """Return where an older foreign hook is kept, not run: another tool was told to replace it."""
    free = [suffix for suffix in _REPLACED if seen[path + suffix] is None]
    return path + (free or _REPLACED)[0]
