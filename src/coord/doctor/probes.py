"""Probes: git itself is made to fire our hooks and the alias, which answer into a file and end.

Reading files does not tell what git runs: ``core.hooksPath`` of any scope, a relative one that is
dead in linked worktrees, an unset x bit, a noexec file system, a dangling link, a shebang that is
gone. Only a hook file that knows the probe is fired; a foreign one would really do its work.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.doctor import callers, confighooks
from coord.installer import disk, hookfile
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.doctor.configured import Listing
    from coord.installer.disk import Entry
    from coord.repo.git import Output

VARIABLE = "COORD_PROBE"
_NO_FILES = (("core.hooksPath", os.devnull),)
_ONE = "prepare-commit-msg"  # runs in every way to commit, `--no-verify` too

# What a probe finds of one event; `RUNS` is proved, the others keep our hook from running.
RUNS = "runs"
CHAINED = "runs after another tool's hook"
SILENT = "did not answer"
FOREIGN = "is not ours"
ABSENT = "is not there"
NOT_EXECUTABLE = "is not executable"
OUTDATED = "is of an older version"
IN_FORCE = frozenset({RUNS, CHAINED})


class Hooks(NamedTuple):
    """What git runs in one worktree.

    Attributes:
        folder: where git looks for hooks, absolute.
        states: event → one of the words above.
        fired: how many probes were fired.
        configured: hooks of others in git's own config (2.54 and later) that it runs at our
            events, by name.
    """

    folder: str
    states: Mapping[str, str]
    fired: int = 0
    configured: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether git ran every one of ours."""
        return set(self.states.values()) == {RUNS}


class Prober(NamedTuple):
    """Fires hooks and alias.

    Attributes:
        env: environment in which the user's own git commands run.
        scratch: folder for the files that probes answer into.
        home: ``hooks/coord`` of the common git dir.
    """

    env: Mapping[str, str]
    scratch: str
    home: str

    def hooks(self, cwd: str, folder: str, config: Listing, *, proved: bool) -> Hooks:
        """Fire our events in `cwd` and return what came of it.

        Args:
            cwd: the worktree.
            folder: where git says that hooks are there.
            config: what git reads there.
            proved: every hook in this folder answered from another worktree. Then one tells that
                git finds them from here, and that they find this git dir; no event differs in that.
        """
        states = {event: expected(folder, event, cwd, self.home) for event in hookfile.EVENTS}
        asked = [event for event, state in states.items() if state == RUNS]
        names = confighooks.names(config)
        env = _without(names, self.env)
        fired = [_ONE] if proved and _ONE in asked else asked
        heard = self._fired(cwd, fired, env)
        if heard != [_ONE] or fired != heard:
            if fired != asked:
                fired = asked
                heard = self._fired(cwd, asked, env)
            states |= {event: SILENT for event in asked if event not in heard}
        found = Hooks(folder, states, len(fired))
        return self._through_config(cwd, found, config, names) if names else found

    def _through_config(
        self, cwd: str, found: Hooks, config: Listing, names: Sequence[str]
    ) -> Hooks:
        """Follow what git runs out of its config: a call of ours is fired, in another it is read.

        No hook file is fired beside it: a foreign one would really do its work.
        """
        common = os.path.dirname(os.path.dirname(self.home))
        states, others, shots = dict(found.states), list[str](), 0
        for event in hookfile.EVENTS:
            named = confighooks.names(config, (event,))
            run = confighooks.run(cwd, event, self.env) if named else ()
            for name in filter(named.__contains__, run):
                text = confighooks.command(config, name)
                path = confighooks.called(text, cwd, common)
                if path is not None and confighooks.is_ours(path, event):
                    rest = _without([other for other in names if other != name], self.env)
                    shots += 1
                    if event in self._fired(cwd, [event], _added(rest, _NO_FILES)):
                        states[event] = RUNS
                elif path is None and confighooks.names_ours(text, event, common):
                    states[event] = RUNS if states[event] == RUNS else CHAINED
                else:
                    others.append(name)
        return Hooks(found.folder, states, found.fired + shots, tuple(dict.fromkeys(others)))

    def alias(self, cwd: str, command: str) -> bool:
        """Run the text of ``alias.coord`` as a git alias in `cwd` and tell whether it answers.

        Under a name of our own: a ``git-coord`` on PATH would come before the alias.
        """
        with _File(self.scratch) as answer:
            line = f"alias.coord-probe={command}"
            git.as_user("-c", line, "coord-probe", cwd=cwd, env={**self.env, VARIABLE: answer.path})
            return "alias" in answer.lines()

    def traced(self, *args: str, cwd: str, keys: str) -> tuple[Output, bytes]:
        """Return what git answers in `cwd`, and what it prints of its config meanwhile.

        Args:
            args: of a command that runs no hooks; config of this very environment is left out.
            cwd: the worktree.
            keys: patterns of the keys.
        """
        with _File(self.scratch) as trace:
            env = {"GIT_TRACE2_EVENT": trace.path, "GIT_TRACE2_CONFIG_PARAMS": keys}
            done = git.as_user(*args, cwd=cwd, env={**git.elsewhere(self.env), **env})
            return done, trace.data()

    def _fired(self, cwd: str, events: Sequence[str], env: Mapping[str, str]) -> list[str]:
        """Let git run the hooks of `events` and return those that answered, in order."""
        with _File(self.scratch) as answer:
            for event in events:
                git.as_user("hook", "run", event, cwd=cwd, env={**env, VARIABLE: answer.path})
            return answer.lines()


def expected(folder: str, event: str, top: str, home: str) -> str:
    """Return what is to be expected of a hook from its file; `RUNS` is for the probe to prove."""
    path = os.path.join(folder, event)
    found = disk.look(path)
    if found is None:
        return ABSENT
    if hookfile.is_ours(found):
        return _ours(found)
    return CHAINED if callers.calls(found, path, top, home) else FOREIGN


def _ours(found: Entry) -> str:
    if VARIABLE.encode() not in found.data:
        return OUTDATED
    return RUNS if found.executable else NOT_EXECUTABLE


def _without(names: Sequence[str], env: Mapping[str, str]) -> dict[str, str]:
    """Return `env` in which git skips the hooks of its config: they would really do their work."""
    return _added(env, [(f"hook.{name}.enabled", "false") for name in names])


def _added(env: Mapping[str, str], settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return `env` in which git reads `settings` after all others."""
    given = env.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdigit() else 0
    added = dict(env)
    for number, (key, value) in enumerate(settings, count):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = value
    return added | ({"GIT_CONFIG_COUNT": str(count + len(settings))} if settings else {})


class _File:
    """A file that probes answer into, there only while they are fired."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, os.urandom(8).hex())

    def __enter__(self) -> _File:
        with open(self.path, "xb"):
            return self

    def data(self) -> bytes:
        """Return what stands in it so far."""
        with open(self.path, "rb") as file:
            return file.read()

    def lines(self) -> list[str]:
        """Return the answers so far."""
        return self.data().decode("utf-8", "replace").split("\n")[:-1]

    def __exit__(self, *error: object) -> None:
        os.unlink(self.path)
