"""The whole examination: look at every worktree, side by side, then judge each subject."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coord.doctor import (
    boards,
    clones,
    configuration,
    configured,
    guards,
    hooks,
    installation,
    likeness,
    moved,
    paths,
    pending,
    permitted,
    pinned,
    runtime,
)
from coord.doctor.facts import Means, View, look
from coord.doctor.findings import Finding, Verdict, verdict
from coord.doctor.probes import Prober
from coord.identity import copied, pin
from coord.installer import attributesfile, branches, disk, hookspath, hooktools, survey
from coord.installer.plan import HOME
from coord.repo import git, underneath, worktree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.doctor.pending import Waiting
    from coord.doctor.runtime import Runtime
    from coord.installer.attributesfile import Line
    from coord.installer.manifest import Manifest
    from coord.repo.worktree import Sibling, Worktree

# git's children are short and mostly wait for the disk: a few more than there are processors.
_AT_ONCE = (os.cpu_count() or 1) + 2
_OURS = "git coord doctor"
_IN_FULL = 8  # worktrees in which each hook is fired: 40 would take a second more


@dataclass(frozen=True)
class Diagnosis:
    """What was found.

    Attributes:
        here: where the command was run.
        views: every worktree, the main one first.
        verdicts: one a subject.
        git: git's version.
    """

    here: Worktree
    views: tuple[View, ...]
    verdicts: tuple[Verdict, ...]
    git: tuple[int, ...]

    @property
    def findings(self) -> list[Finding]:
        """Everything that is wrong, the cause of others first."""
        return [finding for verdict in self.verdicts for finding in verdict.findings]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return not self.findings


def examine(here: Worktree, cwd: str, environ: Mapping[str, str]) -> Diagnosis:
    """Examine the repository of `here`; nothing is changed.

    Args:
        here: where the command was run.
        cwd: the user's folder.
        environ: the user's environment: a GIT_DIR or author in it is a finding.

    Raises:
        Environment: git cannot list the worktrees.
    """
    installed = survey.read_manifest(here.common_dir) if here.installed else None
    version = git.version(git.tell("--version", cwd=here.cwd).text)
    block = tuple(attributesfile.guarded(_info(here)))
    env = hookspath.environment(environ)
    listed = worktree.siblings(here)
    copies = copied.read(here.common_dir) if installed else ()
    closed = permitted.judge(here.common_dir)
    views, waiting, ran = _looked(here, listed, installed, env, block, version=version)
    verdicts = (
        _installation(here, installed),
        configuration.judge(views, _shared(here, env, installed, copies)),
        runtime.judge(ran, views),
        hooks.judge(views, version),
        pinned.judge(views, _surroundings(here, cwd, environ, copies)),
        _guarded(here, views, block, installed),
        moved.judge(list(underneath.moved(listed, here.common_dir)), views),
        pending.judge(waiting, here.git_dir),
        boards.judge(here, installed=installed is not None),
        closed,
        clones.judge(here),
    )
    runs = [*(one.run for one in closed.findings), boards.again(here.common_dir)]
    return Diagnosis(here, views, tuple(_led_on(one, runs[0]) for one in verdicts), version)


def _led_on(found: Verdict, run: str) -> Verdict:
    """Return a verdict whose findings name `run` where they would send its reader here again.

    What others raise does: it is closed to us, as a rule, and another verdict says how that ends.
    """
    ours = [replace(one, run=run) if one.run == _OURS else one for one in found.findings]
    return replace(found, findings=ours)


def basics(here: Worktree, environ: Mapping[str, str]) -> list[Finding]:
    """Return what keeps git itself from working in a worktree, or from writing there.

    Without it all of ours may be as installed, and in force nowhere.
    """
    env = hookspath.environment(environ)
    siblings = [sibling for sibling in worktree.siblings(here) if sibling.git_dir]
    version = git.version(git.tell("--version", cwd=here.cwd).text)
    means = Means(here.common_dir, Prober(env, "", ""), installed=False, block=(), git=version)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        views = list(pool.map(lambda sibling: look(sibling, means), siblings))
    shared = _shared(here, env, None, ())
    unwritable = pending.unwritable(((view.folder, view.here) for view in views), here.git_dir)
    return [*configuration.judge(views, shared).findings, *unwritable]


def _looked(
    here: Worktree,
    listed: Sequence[Sibling],
    installed: Manifest | None,
    env: Mapping[str, str],
    block: tuple[Line, ...],
    *,
    version: tuple[int, ...],
) -> tuple[tuple[View, ...], list[Waiting], Runtime]:
    """Look at everything that takes a process, several at once."""
    siblings = [sibling for sibling in listed if sibling.git_dir]
    with (
        tempfile.TemporaryDirectory(prefix="coord-doctor-") as scratch,
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):
        started = pool.submit(runtime.ask, here, installed, version)
        prober = Prober(env, scratch, os.path.join(here.common_dir, HOME))
        is_installed = installed is not None
        known = guards.Known({}, {}, git.elsewhere())
        means = Means(here.common_dir, prober, is_installed, block, version, known=known, files={})
        moved = _moved(siblings, here)
        there = [one._replace(path=here.cwd) if one.git_dir in moved else one for one in siblings]
        views = tuple(_named(view, moved) for view in _looks(there, means, pool))
        plain = git.elsewhere()
        waiting = list(pool.map(lambda view: pending.ask(view, plain), views))
        return views, waiting, started.result()


def _moved(siblings: Sequence[Sibling], here: Worktree) -> dict[str, str]:
    """Return git dir → where git lists it, of the current worktree, if nothing is there.

    Moved by hand, it works; but others look for it in vain, and a prune forgets it.
    """
    own = [one for one in siblings if here.linked and one.git_dir == here.git_dir]
    return {one.git_dir: one.path for one in own if not os.path.lexists(one.path)}


def _named(view: View, moved: Mapping[str, str]) -> View:
    listed = moved.get(view.here.git_dir)
    if listed is None or view.fault:
        return view
    return replace(view, words=f"git lists it at {listed}, where nothing is: it was moved by hand")


def _looks(siblings: Sequence[Sibling], means: Means, pool: Executor) -> list[View]:
    """Look at every worktree; at first a few in full, then at the others as far as they differ."""
    first = list(pool.map(lambda sibling: look(sibling, means), siblings[:_IN_FULL]))
    folders = {view.hooks.folder for view in first if view.hooks and view.hooks.proved}
    aliases = [view.config.last("alias.coord") for view in first if view.alias]
    texts = {alias.value for alias in aliases if alias is not None}
    alike = (likeness.model(one.here, one.config, one.hooks, alias=one.alias) for one in first)
    model = next(filter(None, alike), None)
    lighter = means._replace(proved=frozenset(folders | texts), model=model)
    return first + list(pool.map(lambda sibling: look(sibling, lighter), siblings[_IN_FULL:]))


def _installation(here: Worktree, installed: Manifest | None) -> Verdict:
    missing = [] if installed else installation.check(here)
    return verdict("installed", "", missing, hooktools.notes(here.top) if installed else ())


def _info(here: Worktree) -> bytes | None:
    return disk.read(os.path.join(here.common_dir, attributesfile.INFO))


def _shared(
    here: Worktree, env: Mapping[str, str], installed: Manifest | None, copies: Sequence[str]
) -> configuration.Shared:
    common = here.common_dir
    config = configured.ask_file(os.path.join(common, "config"), common, env)
    own = configured.Listing()
    if configuration.is_extended(config):
        own = configured.ask_file(os.path.join(common, "config.worktree"), common, env)
    written = installation.listed(os.path.join(common, HOME, "config"), here) if installed else {}
    return configuration.Shared(
        common,
        config,
        own,
        written,
        os.path.exists(os.path.join(common, "index")),
        copies,
    )


def _surroundings(
    here: Worktree, cwd: str, environ: Mapping[str, str], copies: Sequence[str]
) -> pinned.Surroundings:
    leaked = environ.get("GIT_DIR", "")
    target = os.path.realpath(os.path.join(cwd, leaked)) if leaked else here.git_dir
    return pinned.Surroundings(
        environ,
        here.git_dir,
        target if target != here.git_dir else "",
        pin.installed_authorship(here.common_dir),
        copies,
    )


def _producers(here: Worktree, views: Sequence[View]) -> dict[str, str]:
    """Return pattern → who declares what makes it, asked for only where a worktree does not."""
    if not any(view.guards.without for view in views):
        return {}
    known = {
        rule.pattern: view.branch or view.folder for view in views for rule in view.guards.producers
    }
    return known | branches.producers(here, "refs/heads", "refs/remotes")


def _guarded(
    here: Worktree, views: Sequence[View], block: tuple[Line, ...], installed: Manifest | None
) -> Verdict:
    if installed is None:
        return verdict("guarded", "", ())
    local = branches.declared(here, "refs/heads")
    remote = branches.declared(here, "refs/remotes")
    declared = paths.Declared(
        here.common_dir,
        block,
        tuple(guards.drivers(_info(here) or b"")),
        {ref.removeprefix("refs/heads/"): rules for ref, rules in local.items()},
        frozenset(rule for rules in remote.values() for rule in rules),
        _producers(here, views),
    )
    return paths.judge(views, declared)
