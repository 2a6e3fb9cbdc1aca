"""Hooks that stand in git's config (2.54): which of them call ours, and which end git.

``hook.NAME.event`` says when, ``hook.NAME.command`` what. They run before the file of the event,
whatever ``core.hooksPath`` is; ``git hook list`` says which of them git would run.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from coord.base.names import quote
from coord.doctor.configured import in_order, truth
from coord.doctor.findings import Finding
from coord.installer import disk, hookfile
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from coord.doctor.configured import Entry, Listing

_FIRST = (2, 54)
_NAMES_MATTER = (2, 55)
_COMMON = "$(git rev-parse --git-common-dir)"
_CALL = "hooks/coord/"
# githooks(5): git dies of a hook of its config that is called like one of them.
_KNOWN = """
applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist
p4-pre-submit p4-prepare-changelist post-applypatch post-checkout post-commit post-
index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-
auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-
msg proc-receive push-to-checkout reference-transaction sendemail-validate update
"""


def names(config: Listing, events: Collection[str] = hookfile.EVENTS) -> tuple[str, ...]:
    """Return the names of all that is configured for some events, ours by default."""
    return tuple(dict.fromkeys(name for name, entry in _events(config) if entry.value in events))


def run(cwd: str, event: str, env: Mapping[str, str]) -> list[str]:
    """Return the names of those that git runs at an event; none by a git that knows none."""
    done = git.as_user("hook", "list", event, cwd=cwd, env=env)
    return [] if done.code else done.text.split("\n")


def command(config: Listing, name: str) -> str:
    """Return the command of one, empty where it has none."""
    entry = config.last(f"hook.{name}.command")
    return entry.value if entry else ""


def called(text: str, cwd: str, common: str) -> str | None:
    """Return the file that a command does nothing but run; None for any other command."""
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    words = words[1:] if words[:1] in (["exec"], ["sh"]) else words
    if not words or words[1:] not in ([], ["$@"]):
        return None
    path = words[0].replace(_COMMON, common)
    return None if set("$`;&|<>()~*?\n") & set(path) else os.path.join(cwd, path)


def is_ours(path: str, event: str) -> bool:
    """Tell whether a file is our hook for `event`, which may be fired."""
    found = disk.look(path)
    return found is not None and os.path.basename(path) == event and hookfile.is_ours(found)


def names_ours(text: str, event: str, common: str) -> bool:
    """Tell whether a command calls our hook for `event` among other things."""
    there = disk.look(os.path.join(common, _CALL, event))
    return f"{_CALL}{event}" in text and there is not None and hookfile.is_ours(there)


def fatal(config: Listing, version: tuple[int, ...], folder: str) -> Iterator[Finding]:
    """Yield those that git dies of in the worktree `folder`."""
    for name, entry in _events(config) if version >= _FIRST else ():
        if name in _KNOWN.split() and version >= _NAMES_MATTER:
            what = (
                f"git dies where it runs hooks: hook.{name} in {entry.file} is called as an event"
            )
            yield Finding("hook-named-as-event", folder, what, _renamed(config, name))
        elif not _is_whole(config, name):
            what = f"git dies at {entry.value}: hook.{name} in {entry.file} has no command"
            yield Finding("hook-without-command", folder, what, entry.unset())


def _events(config: Listing) -> Iterator[tuple[str, Entry]]:
    for entry in config.entries:
        name = entry.key.removeprefix("hook.").removesuffix(".event")
        if entry.key == f"hook.{name}.event" and entry.value:
            yield name, entry


def _renamed(config: Listing, name: str) -> str:
    """Return the command that gives a hook of the config a name that is no event's."""
    own = f"hook.{name}."
    held = [entry for entry in config.entries if entry.key.startswith(own)]
    if any(entry.scope == "command" for entry in held):
        return "unset GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT"
    section, new = quote(f"hook.{name}"), quote(f"hook.my-{name}")
    return in_order(
        f"git config --file {quote(file)} --rename-section {section} {new}"
        for file in dict.fromkeys(entry.file for entry in held)
    )


def _is_whole(config: Listing, name: str) -> bool:
    enabled = config.last(f"hook.{name}.enabled")
    return bool(command(config, name)) or (enabled is not None and not truth(enabled.value))
