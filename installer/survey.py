"""Read what an install needs to know: worktrees, declarations, hooks folder, package."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coord.base import command
from coord.base.errors import Environment, Refused
from coord.base.names import quote
from coord.drivers.registered import DRIVERS, SCRIPTS
from coord.identity import copied, includeif, pin, whoami
from coord.installer import (
    attributesfile,
    branches,
    disk,
    fleet,
    hookfile,
    hookspath,
    launcher,
    manifest,
    plan,
    settings,
    worktrees,
)
from coord.installer.apply import leftovers
from coord.repo import git
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.identity.pin import Authorship
    from coord.installer.steps import Step
    from coord.repo.worktree import Worktree
    from coord.settings.config import Config


@dataclass(frozen=True)
class Survey:
    """What was found and what is wanted of it.

    Attributes:
        here: where the command was run.
        declared: this worktree's ``.coord.toml``.
        rule: how authors follow pins.
        wanted: what an install has to leave.
        setting: where git looks for hooks.
        home: the installed product.
        laid: what ``--fleet`` lays down in the worktree.
    """

    here: Worktree
    declared: Config
    rule: Authorship
    wanted: plan.Wanted
    setting: hookspath.Setting
    home: launcher.Home
    laid: fleet.Laid = field(default_factory=fleet.Laid)

    def warnings(self) -> Iterator[str]:
        """Yield what works today and may not tomorrow."""
        for there in worktrees.present(self.here):
            inside = os.path.realpath(there.cwd) + os.sep
            if there.linked and any(
                os.path.realpath(path).startswith(inside) for path in self.home.folders()
            ):
                yield (
                    f"git-coord itself is installed inside {there.cwd}: when that worktree is "
                    "removed, no hook works until the printed repair; install it elsewhere"
                )
        if self.setting.relative and self.wanted.hook_folder:
            yield (
                f"{hookspath.KEY} is relative ({self.setting.value}): each worktree runs the hooks "
                "of its own checkout, so commit what was written there"
            )

    def steps(self, *, again: str) -> list[Step]:
        """Return the plan, from what is on the disk right now.

        Raises:
            Refused: a link stands where we write.
        """
        require_no_links(self.here.common_dir, again=again)
        _require_folders(self.here.common_dir, again=again)
        seen = disk.look_all(plan.paths(self.wanted))
        common = self.here.common_dir
        folders = {common, *map(self.wanted.path, plan.FOLDERS)}
        folders |= {self.wanted.hook_folder} if self.wanted.hook_folder else set()
        before = read_manifest(common)
        steps = plan.install(self.wanted, seen, before)
        return [*leftovers(sorted(folders)), *steps, *self.laid.steps]


def survey(here: Worktree, *, hooks: bool, again: str, with_fleet: bool = False) -> Survey:
    """Look at everything and insist that an install can work.

    Raises:
        Refused: hooks have no place to go, or a link stands where the fleet's files do.
        Environment: git is too old, a declaration is broken, the package cannot be started.
    """
    git.require_version(here.cwd)
    declared = config.load(here.top)
    rule = authorship(here, declared)
    setting = hookspath.ask(here)
    if hooks:
        hookspath.require_usable(setting, again=again)
    home = started(again)
    laid = fleet.lay(here, declared.fleet) if with_fleet else fleet.Laid()
    known = rules(here)
    wanted = plan.Wanted(
        common_dir=here.common_dir,
        home=_home(home, rule),
        hooks=hook_files(),
        hook_folder=setting.folder if hooks else None,
        rules=(*known, *(rule for rule in laid.rules if rule not in known)),
        drivers=tuple(DRIVERS),
        declared=laid.files,
        copies=copied.of(here.common_dir),
        identities=tuple(includeif.files(here.common_dir)),
    )
    return Survey(here, declared, rule, wanted, setting, home, laid)


def started(again: str) -> launcher.Home:
    """Return where this very process runs from, once hooks can start from there.

    Raises:
        Environment: they cannot; the options of `again` stand in the command, too.
    """
    try:
        home = launcher.find()
        launcher.verify(home)
    except Environment as error:
        error.run += again.removeprefix(command.install())
        raise
    return home


def read_manifest(common_dir: str) -> manifest.Manifest | None:
    """Return the manifest of an earlier install."""
    return manifest.parse(disk.read(os.path.join(common_dir, manifest.FILE)))


def hook_files() -> dict[str, bytes]:
    """Return event → content of our hook files."""
    template = launcher.script("hookfile")
    return {event: hookfile.text(template, event) for event in hookfile.EVENTS}


def authorship(here: Worktree, declared: Config) -> Authorship:
    """Return how authors follow pins, as ``[identity]`` and the user's own config say now."""
    wanted = declared.identity
    rule = whoami.default_authorship(here, wanted.name, wanted.email)
    return pin.Authorship(rule.name, rule.email, key=rule.key, keep=wanted.author == "keep")


def rules(here: Worktree) -> list[attributesfile.Line]:
    """Return the guarded paths that any branch or worktree declares, this one's last: it wins."""
    found = [rule for lines in branches.declared(here, "refs/heads").values() for rule in lines]
    for there in sorted(worktrees.present(here), key=lambda one: one.git_dir == here.git_dir):
        found += declared_rules(there)
    return list(dict.fromkeys(reversed(found)))[::-1]


def declared_rules(there: Worktree) -> list[attributesfile.Line]:
    """Return the guarded paths in one worktree's root ``.gitattributes``."""
    return attributesfile.rules(_committed(there) or b"")


def require_no_links(common_dir: str, *, again: str) -> None:
    """Insist that what we write stays inside the git dir.

    Raises:
        Refused: one of our folders, or a file we edit, is a symbolic link.
    """
    for name in (*plan.FOLDERS, plan.CONFIG, attributesfile.INFO):
        path = os.path.join(common_dir, name)
        if not os.path.islink(path):
            continue
        raise Refused(
            "symlink",
            "a symbolic link stands in the way",
            where=path,
            why=f"it leads to {os.path.realpath(path)}; a link can lead "
            "anywhere, so none is followed",
            run=_unlinked(name, path, again),
        )


def _require_folders(common_dir: str, *, again: str) -> None:
    """Insist that no file stands where a folder of ours goes.

    Raises:
        Refused: one does.
    """
    for path in (os.path.join(common_dir, name) for name in plan.FOLDERS):
        if os.path.lexists(path) and not os.path.isdir(path):
            raise Refused(
                "not-a-folder",
                "a file stands where a folder of the git dir goes",
                where=path,
                why="git looks into it, and so do we: nothing could be installed there",
                run=f"mv {quote(path)} {quote(path)}.aside && {again}",
            )


def _home(home: launcher.Home, rule: Authorship) -> dict[str, bytes]:
    """Return the files of ``hooks/coord``."""
    scripts = {name: launcher.script(name, "coord.drivers").encode() for name in SCRIPTS}
    return {
        "launch": launcher.text(home),
        "alias": launcher.script("alias").encode(),
        "hook": launcher.script("hook").encode(),
        **scripts,
        "config": settings.text(launcher.alias(), rule),
    }


def _committed(there: Worktree) -> bytes | None:
    """Return the root ``.gitattributes`` of a worktree, or of a bare repository's HEAD."""
    if there.top is not None:
        return disk.read(os.path.join(there.top, attributesfile.COMMITTED))
    blob = git.ask(
        "cat-file", "blob", f"HEAD:{attributesfile.COMMITTED}", cwd=there.cwd, env=there.env
    )
    return None if blob.code else blob.out


def _unlinked(name: str, path: str, again: str) -> str:
    """Return the command that puts a real file or folder there; what the link led to stays."""
    word, target = quote(path), os.path.realpath(path)
    if name == "hooks" and os.path.isdir(target):
        return f"rm {word} && mkdir {word} && {_linked(path, target)}{again}"
    if os.path.isfile(target):
        return f"cp -p {word} {word}.real && mv {word}.real {word} && {again}"
    return f"rm {word} && {again}"


def _linked(path: str, target: str) -> str:
    """Return the command that links each entry of a hooks folder into the new one at `path`.

    What is there may be committed: an install must not change it, nor a setting name it by a path
    that a move leaves behind. A relative link stays relative.
    """
    relative = not os.path.isabs(os.readlink(path))
    start = os.path.realpath(os.path.dirname(path)) + "/hooks"
    folder = os.path.relpath(target, start) if relative else target
    names = [os.path.join(folder, name) for name in sorted(os.listdir(target))]
    return f"ln -s {' '.join(map(quote, names))} {quote(path)} && " if names else ""
