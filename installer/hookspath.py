"""``core.hooksPath``: where hooks go, or why none can (docs/hook-tools.md). Never changed here.

Asked with the user's own environment and without the ``core.hooksPath=/dev/null`` of other
children: a value from any scope decides what git will run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.base import command, peerfile
from coord.base.errors import Refused
from coord.base.names import quote
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.repo.worktree import Worktree

KEY = "core.hooksPath"
OWN = ("local", "worktree")
BYPASS = "--no-hooks"


@dataclass(frozen=True)
class Setting:
    """What git makes of ``core.hooksPath`` in one worktree.

    Attributes:
        folder: where git looks for hooks, absolute.
        scope: ``local``, ``worktree``, ``global``, ``system`` or ``command``; empty when unset.
        file: the config file that sets it, absolute, or git's words for the command line.
        value: as written there.
        top: where a relative value counts from.
    """

    folder: str
    scope: str = ""
    file: str = ""
    value: str = ""
    top: str = ""

    @property
    def relative(self) -> bool:
        """Whether each worktree has a folder of its own for it."""
        return bool(self.scope) and not self.value.startswith(("/", "~"))

    @property
    def leads_out(self) -> bool:
        """Whether a committed link takes a folder of the checkout out of it."""
        inside = os.path.normpath(self.value).split(os.sep)[0] != ".."
        return self.relative and inside and not self.folder.startswith(self.top + os.sep)


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment in which the user's own git commands find a repository's hooks."""
    config = {key: text for key, text in environ.items() if key.startswith("GIT_CONFIG")}
    return git.elsewhere(environ) | config


def ask(there: Worktree, environ: Mapping[str, str] = os.environ) -> Setting:
    """Return the setting that is in force for commits made in a worktree."""
    cwd, env = there.cwd, environment(environ) | there.named
    answer = git.as_user(
        "rev-parse", "--path-format=absolute", "--git-path", "hooks", cwd=cwd, env=env
    )
    found = git.as_user(
        "config", "--null", "--show-scope", "--show-origin", "--get", KEY, cwd=cwd, env=env
    )
    if found.code:
        return Setting(os.path.realpath(answer.text))
    scope, origin, value = (os.fsdecode(part) for part in found.out.split(b"\0")[:3])
    file = os.path.join(cwd, origin.removeprefix("file:")) if origin.startswith("file:") else origin
    # git dies of a path through a file, such as `.git/hooks` in a linked worktree.
    folder = os.path.join(cwd, value) if answer.code else answer.text
    return Setting(os.path.realpath(folder), scope, file, value, os.path.realpath(cwd))


def require_usable(setting: Setting, *, again: str) -> None:
    """Insist that hooks may be installed where `setting` says.

    Raises:
        Refused: it names no folder, or one that is not this repository's to fill.
    """
    if not setting.scope:
        return
    found = fault(setting)
    if found is None:
        return
    raise Refused(
        "hooks-path",
        f"no hook can be installed, {KEY} {found[0]}",
        where=f"{setting.scope} {setting.file}: {setting.value or '(empty)'}",
        why=found[1],
        run=way_out(setting, again),
    )


def fault(setting: Setting) -> tuple[str, str] | None:
    """Return what is wrong with the setting, and the ways out of it."""
    unset = f"or drop the setting (git config --file {quote(setting.file)} --unset-all {KEY})"
    bypass = f"{command.install(BYPASS)} installs all the rest and prints lines for your own hooks"
    if setting.scope == "command":
        return (
            "comes from the environment",
            f"git runs no other hook under it; unset it, or {bypass}",
        )
    if not setting.value:
        return "is empty", f"git then runs no hook at all; {bypass}, {unset}"
    if setting.scope not in OWN:
        own = "git config core.hooksPath with a folder of its own"
        return f"is {setting.scope}", f"it serves other repositories too; {bypass}; {own} does too"
    if not os.path.isdir(setting.folder):
        missing = "names no folder" + (" of this worktree" if setting.relative else "")
        return missing, f"git then runs no hook and says nothing; {bypass}, {unset}"
    return _fault_of_folder(setting, bypass)


def _fault_of_folder(setting: Setting, bypass: str) -> tuple[str, str] | None:
    if setting.leads_out:
        return "leads out of the worktree", f"a committed link takes it there; {bypass}"
    if is_generated(setting.folder):
        return "is generated", f"the tool that made the folder writes it anew; {bypass}"
    return None


def way_out(setting: Setting, again: str) -> str:
    """Return the one command: what cannot work is unset, what works for others is passed by."""
    # A relative one may be alive in other worktrees: dropping it would silence those.
    dead = not setting.value or not (setting.relative or os.path.isdir(setting.folder))
    if setting.scope in OWN and dead:
        return f"git config --file {quote(setting.file)} --unset-all {KEY} && {again}"
    return f"{again} {BYPASS}"


def is_generated(folder: str) -> bool:
    """Tell whether a tool owns the folder and fills it anew: husky's ``_``, or ignored whole."""
    if os.path.basename(folder) == "_" and os.path.basename(os.path.dirname(folder)) == ".husky":
        return True
    try:
        return b"*" in peerfile.read(os.path.join(folder, ".gitignore")).split()
    except OSError:
        return False
