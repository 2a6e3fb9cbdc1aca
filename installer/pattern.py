"""Patterns of guarded files: which git takes as meant, and what overrides them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.guard import guarded
from coord.installer import attributesfile
from coord.repo import git
from coord.settings import patterns
from coord.settings.config import Config, Derived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.repo.worktree import Worktree

_GLOB = frozenset("*?[\\")


def fault(pattern: str, top: str) -> str:
    """Return why git would not take `pattern` as meant, empty when it does.

    Args:
        pattern: as typed.
        top: top level of the worktree, where patterns count from.
    """
    if pattern.startswith("/") and ("/" in pattern[1:] or os.path.lexists(pattern)):
        return f"a pattern counts from the top level, {top}, without a slash in front"
    return patterns.fault(pattern) or _beyond(pattern.lstrip("/"), top)


def _beyond(name: str, top: str) -> str:
    """Return the fault of a pattern below what is no folder to git, empty where there is none."""
    folders = name.split("/")[:-1]
    for number in range(len(folders)):
        path = "/".join(folders[: number + 1])
        if os.path.islink(os.path.join(top, path)):
            return f"{path} is a symlink, and git tracks nothing beyond one"
    return ""


def unfit(here: Worktree, top: str, pattern: str) -> str:
    """Return why what `pattern` names is never guarded, empty where a file of it can be.

    A link is merged by git itself, by what it names: no driver is asked.
    """
    path = os.path.join(top, pattern.lstrip("/"))
    listed = git.tell("ls-files", "-z", "-co", "--exclude-standard", cwd=top).fields
    found = {os.path.join(top, name) for name in _matching(here, pattern, listed)}
    found |= {path} if os.path.lexists(path) else set()
    if any(not _is_odd(one) for one in found):
        return ""
    if any(map(os.path.islink, found)):
        return "it is a symlink: git asks no driver about one; track the file that it names"
    return "it is no regular file: git tracks none such" if found else ""


def _is_odd(path: str) -> bool:
    return os.path.islink(path) or (os.path.lexists(path) and not _is_file_or_folder(path))


def _is_file_or_folder(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


def is_folder(top: str, pattern: str) -> bool:
    """Tell whether a pattern is the name of a folder, which is no file to guard."""
    return os.path.isdir(os.path.join(top, pattern.lstrip("/")))


def meant(here: Worktree, top: str, pattern: str) -> str:
    """Return `pattern`, or where it is the name of a file that it does not match, that file's.

    To git ``[a].json`` is the file ``a.json``.
    """
    name = pattern.lstrip("/")
    if not _GLOB & set(name) or not os.path.isfile(os.path.join(top, name)):
        return pattern
    return pattern if _matching(here, pattern, [name]) else guarded.exact_pattern(pattern)


def has_files(here: Worktree, top: str, pattern: str) -> bool:
    """Tell whether any file that is tracked, or that nothing ignores, matches `pattern`."""
    if os.path.isfile(os.path.join(top, pattern.lstrip("/"))):
        return True
    listed = git.tell("ls-files", "-z", "-co", "--exclude-standard", cwd=top).fields
    return bool(_matching(here, pattern, listed))


def overridden(here: Worktree, committed: bytes, pattern: str, kind: str) -> Iterator[str]:
    """Yield a warning for each later line that gives a path of `pattern` to another driver.

    Args:
        here: the worktree; nothing is read of its ``.gitattributes``.
        committed: that file, in which `pattern` is declared.
        pattern: the guarded pattern.
        kind: how it is guarded.
    """
    tracked = git.tell("ls-files", "-z", "--full-name", cwd=here.cwd).fields
    paths = list(_matching(here, pattern, tracked))
    # A file that is still to be made; a literal pattern is its own path.
    paths += [] if _GLOB & set(pattern) or pattern in paths else [pattern.lstrip("/")]
    later = attributesfile.later_merge_rules(committed, pattern, kind)
    meant = [attributesfile.unquoted(os.fsdecode(rule.pattern)) for rule in later]
    over: dict[int, str] = {}  # the last one that matches a path is the one that decides
    for path, number in guarded.matched(here, meant, paths).items():
        over.setdefault(number, path)
    for number, path in sorted(over.items()):
        line = os.fsdecode(later[number].text()).rstrip("\n")
        yield f"{path}: overridden by the later line `{line}` of {attributesfile.COMMITTED}"
    if here.installed:
        yield from _otherwise(here, paths, guarded.attribute(kind))


def _otherwise(here: Worktree, paths: list[str], wanted: str) -> Iterator[str]:
    """Yield the paths that git merges in another way in this clone, whichever file says so."""
    for path, _, driver in guarded.attributes(here, ("merge",), paths):
        if driver != wanted:
            yield f"{path}: git merges it as {driver}, not as {wanted}: see {attributesfile.INFO}"


def _matching(here: Worktree, pattern: str, paths: list[str]) -> dict[str, Derived]:
    return guarded.derived_rules(here, Config(derived=(Derived(pattern, "-"),)), paths)
