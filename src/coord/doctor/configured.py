"""Config as git reads it in one worktree: every value with its scope and the file it stands in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import quote
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Entry(NamedTuple):
    """One value.

    Attributes:
        scope: ``system``, ``global``, ``local``, ``worktree`` or ``command``.
        file: the file it stands in, absolute; git's words for what is no file.
        key: as git prints it: section and name in lower case.
        value: ``true`` where the file gives none.
    """

    scope: str
    file: str
    key: str
    value: str

    def unset(self) -> str:
        """Return the command that takes every value of this key out of its file."""
        return f"git config --file {quote(self.file)} --unset-all {quote(self.key)}"


class Listing(NamedTuple):
    """All entries, in git's order: the last one of a key wins."""

    entries: tuple[Entry, ...] = ()

    def last(self, *keys: str) -> Entry | None:
        """Return the entry in force for the first of `keys` that is set."""
        for key in keys:
            found = [entry for entry in self.entries if entry.key == key]
            if found:
                return found[-1]
        return None

    def values(self) -> dict[str, str]:
        """Return key → value in force."""
        return {entry.key: entry.value for entry in self.entries}

    def in_file(self, file: str) -> Listing:
        """Return what stands in one file only."""
        return Listing(tuple(entry for entry in self.entries if entry.file == file))


#: As git names a config file, with the folder where it does not say the whole path → the file.
Files = dict[str, str]


def ask(cwd: str, env: Mapping[str, str], files: Files | None = None) -> Listing | None:
    """Return what git reads in `cwd`; None when it reads nothing (the repository is broken).

    Args:
        cwd: a worktree.
        env: the environment of the user's own git.
        files: those that other worktrees read, which are mostly the same; added to.
    """
    options = ("--list", "--null", "--show-scope", "--show-origin", "--includes")
    done = git.as_user("config", *options, cwd=cwd, env=env)
    return None if done.code else parsed(done.out, cwd, files)


def ask_file(file: str, cwd: str, env: Mapping[str, str]) -> Listing:
    """Return what stands in one config file itself, without what it includes."""
    options = ("--list", "--null", "--show-scope", "--show-origin", "--no-includes")
    done = git.as_user("config", "--file", file, *options, cwd=cwd, env=env)
    return parsed(done.out, cwd)


def parsed(out: bytes, cwd: str, files: Files | None = None) -> Listing:
    """Return the entries in the output of ``git config --list --show-scope --show-origin -z``."""
    fields = os.fsdecode(out).split("\0")[:-1]
    triples = zip(fields[::3], fields[1::3], fields[2::3], strict=True)
    files = {} if files is None else files
    return Listing(tuple(_entry(*triple, cwd, files) for triple in triples))


def _entry(scope: str, origin: str, pair: str, cwd: str, files: Files) -> Entry:
    key, has_value, value = pair.partition("\n")
    named = origin if origin.startswith("file:/") else f"{origin}\n{cwd}"
    if named not in files:
        file = origin.removeprefix("file:")
        files[named] = os.path.realpath(os.path.join(cwd, file)) if origin != file else origin
    return Entry(scope, files[named], key, value if has_value else "true")


def truth(value: str) -> bool:
    """Tell whether git takes `value` for true."""
    return value.lower() in {"true", "yes", "on"} or (value.isdigit() and int(value) != 0)


def in_order(commands: Iterable[str]) -> str:
    """Return the one command that runs several, each once."""
    return " && ".join(dict.fromkeys(commands))
