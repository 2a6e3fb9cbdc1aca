"""``coord-install --check``: asks git, from every worktree, what is in force; changes nothing."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

from coord.base import command
from coord.base.finding import Problem
from coord.base.names import quote, shown
from coord.doctor import attributed, configured, hooks, probes
from coord.doctor.facts import View
from coord.drivers.registered import DRIVERS
from coord.guard import guarded
from coord.identity import copied, pin, whoami
from coord.installer import (
    attributesfile,
    authorship,
    disk,
    hookfile,
    hookspath,
    launcher,
    manifest,
    plan,
    survey,
    worktrees,
)
from coord.repo import git
from coord.settings.sections import editor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.installer.manifest import Manifest
    from coord.repo.worktree import Worktree

_NAMED = 10
_LONGEST = 200  # characters of a line that is shown
_SAID = 3


def check(here: Worktree) -> list[Problem]:
    """Return every problem; none when all is as installed and in force everywhere."""
    installed = survey.read_manifest(here.common_dir)
    if installed is None or not here.installed:
        where = here.common_dir
        message = "coord-install has not finished here"
        return [Problem("not-installed", where, message, command.install())]
    found = [*changed(here, installed), *_launcher(here)]
    keys = copied.read(here.common_dir)
    if keys:
        message = about_copies(here.common_dir, keys)
        found.append(Problem("config-copied", here.common_dir, message, command.install()))
    places = worktrees.present(here)
    found += _hooks(here, places, git.version(git.tell("--version", cwd=here.cwd).text))
    for there in places:
        found += _of_worktree(there)
    # What copies override and whom they make the author ends with them.
    after = {"config-overridden", "author-mismatch"} if keys else set()
    return [problem for problem in found if problem.rule not in after]


def about_copies(common_dir: str, keys: Sequence[str]) -> str:
    """Return what to say of what another library has copied into the shared config."""
    file, more = os.path.join(common_dir, "config"), len(keys) - _SAID
    named = ", ".join(keys[:_SAID]) + (f" and {more} more" if more > 0 else "")
    return f"{named}: copies in {file} of what it includes; everybody commits by them"


def _of_worktree(there: Worktree) -> Iterator[Problem]:
    yield from _config(there)
    yield from _declared(there)
    if there.top is not None:
        yield from _effective(there)
        yield from _author(there)


def changed(here: Worktree, installed: Manifest) -> Iterator[Problem]:
    """Yield the files of ours that are gone or hold something else."""
    for name, digest in installed.files:
        named = manifest.located(name, here.common_dir)
        path = _moved(named) if os.path.dirname(name) in installed.hooks else named
        data = disk.read(path) if path else None
        if path and (data is None or manifest.digest(data) != digest):
            state = "is gone" if data is None else "is not as installed"
            yield Problem("file-changed", here.common_dir, f"{name} {state}", command.install())


def _moved(path: str) -> str | None:
    """Return where a hook file of ours is now; None when other hooks took its place.

    Whether git runs it there is for a probe to tell.
    """
    names = (path, path + hookfile.LEGACY)
    return next((name for name in names if hookfile.is_ours(disk.look(name))), None)


def _launcher(here: Worktree) -> Iterator[Problem]:
    """Yield a problem when the recorded interpreters do not start."""
    launch = os.path.join(here.common_dir, plan.HOME, "launch")
    test = (
        '. "$1"; "$coord_python" -I -S -c "import sys; sys.path.insert(0, sys.argv[1]); '
        'import coord.hooks.entry, coord.drivers.entry" "$coord_lib" && '
        '"$coord_cli" -P -E -c "import coord.cli.main"'
    )
    done = subprocess.run(["sh", "-c", test, "sh", launch], capture_output=True, check=False)
    if done.returncode:
        words = os.fsdecode(done.stderr).strip().rpartition("\n")[2]
        message = f"the recorded interpreter or package does not start: {words}"
        yield Problem("launcher-broken", here.common_dir, message, command.install())


def _hooks(here: Worktree, places: Sequence[Worktree], version: tuple[int, ...]) -> list[Problem]:
    """Return what keeps git from running our hooks in a worktree: proved by firing them."""
    home = os.path.join(here.common_dir, plan.HOME)
    views: list[View] = []
    with tempfile.TemporaryDirectory(prefix="coord-check-") as scratch:
        prober = probes.Prober(hookspath.environment(), scratch, home)
        proved: set[str] = set()
        for there in places:
            found, listing = _fired(there, prober, proved)
            views.append(View(there, None, config=listing, hooks=found))
            proved |= {found.folder} if found.proved else set()
    return hooks.judge(views, version).findings


def _fired(
    there: Worktree, prober: probes.Prober, proved: set[str]
) -> tuple[probes.Hooks, configured.Listing]:
    """Fire our hooks in a worktree: one of them where all in that folder have answered already."""
    prober = prober._replace(env={**prober.env, **there.named})
    listing = configured.ask(there.cwd, prober.env) or configured.Listing()
    folder = hookspath.ask(there).folder
    return prober.hooks(there.cwd, folder, listing, proved=folder in proved), listing


def _config(there: Worktree) -> Iterator[Problem]:
    """Yield the keys of our config that git answers differently for this worktree."""
    written = listed(os.path.join(there.common_dir, plan.HOME, "config"), there)
    for rule, key in differing(written, listed(None, there)):
        if rule == "config-missing":
            message = f"git does not read our {key}"
            yield Problem(rule, there.cwd, message, command.install())
        else:
            shows = f"git -C {quote(there.cwd)} config --show-origin --get-all {quote(key)}"
            yield Problem(rule, there.cwd, f"git has another {key}", shows)


def differing(written: Mapping[str, str], read: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (rule, key) of ours, as `written`, that git has `read` otherwise.

    ``config-overridden``: something else wins; ``config-missing``: it is not there, and one such
    key stands for all.
    """
    for key, value in _wanted().items():
        if read.get(key) == value:
            continue
        if written.get(key) == value and key in read:
            yield "config-overridden", key
        else:
            yield "config-missing", key
            return


def _wanted() -> dict[str, str]:
    """Return the keys that git has to answer, as ``git config --list`` spells them."""
    found = {"alias.coord": launcher.alias()}
    for name, driver in DRIVERS.items():
        found[f"merge.{name}.driver"] = driver.command
        if driver.recursive:
            found[f"merge.{name}.recursive"] = driver.recursive
    return found


def listed(file: str | None, there: Worktree) -> dict[str, str]:
    """Return key → last value, of one config file or of all that git reads in a worktree."""
    source = ("--file", file) if file else ()
    done = git.ask("config", *source, "--null", "--list", cwd=there.cwd, env=there.env)
    pairs = (field.partition("\n") for field in done.fields)
    return {key: value for key, _, value in pairs}


def _declared(there: Worktree) -> Iterator[Problem]:
    """Yield a problem when this worktree declares paths that the clone does not guard yet."""
    block = attributesfile.guarded(disk.read(os.path.join(there.common_dir, attributesfile.INFO)))
    missing = [rule for rule in survey.declared_rules(there) if rule not in block]
    if missing:
        names = b" ".join(rule.pattern for rule in missing[:_NAMED])
        message = f"declared, but not yet guarded in this clone: {os.fsdecode(names)}"
        yield Problem("not-guarded", there.cwd, message, command.install())


def _effective(there: Worktree) -> Iterator[Problem]:
    """Yield the paths that bear our attribute and yet merge in another way: a later line won."""
    for name in DRIVERS:
        found = git.tell("ls-files", "-z", f":(top,attr:{name})", cwd=there.cwd).fields
        merged = guarded.attributes(there, ("merge",), found)
        for path, _, driver in [triple for triple in merged if triple[2] != name][:_NAMED]:
            yield otherwise(there, path, name, driver)


def otherwise(there: Worktree, path: str, name: str, driver: str) -> Problem:
    """Return the problem of a path that bears our attribute `name` and is merged by `driver`."""
    message = f"{path} is {name}, but a later line gives it merge={driver}"
    run = f"git -C {quote(there.cwd)} check-attr -a -- {quote(path)}"
    found = attributed.source(there, path, driver)
    if found is not None:  # it may be meant for other paths too: a person takes it out
        message = f"{message}: {found.file}:{found.line}: {shown(found.text[:_LONGEST])}"
        run = editor(found.file, found.line)
    return Problem("attribute-overridden", there.cwd, message, run)


def _author(there: Worktree) -> Iterator[Problem]:
    """Yield a problem when git would not write the pinned author here."""
    rule = pin.installed_authorship(there.common_dir)
    try:
        pinned = pin.read(there.git_dir)
    except PermissionError:
        yield Problem(
            "not-permitted",
            there.cwd,
            "the pin may not be read: it is another user's",
            "git coord doctor",
        )
        return
    except (pin.Unreadable, OSError):
        yield Problem(
            "pin-unreadable",
            there.cwd,
            "the pin cannot be read",
            f"cd {quote(there.cwd)} && {pin.command(there.git_dir, '--replace')}",
        )
        return
    if pinned is None or rule is None or rule.keep or not pinned.email:
        return
    wanted, found = f"{pinned.name} <{pinned.email}>", authorship.author(there.cwd)
    if found != wanted:
        message = f"git will write {found or 'no author'} here, {wanted} is pinned"
        yield Problem("author-mismatch", there.cwd, message, whoami.way_back(there, "author"))
