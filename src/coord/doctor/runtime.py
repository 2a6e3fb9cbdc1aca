"""Launcher, interpreter and package; git itself, and the file system under it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import coord
from coord.base import command, peerfile, sharing
from coord.base.errors import CoordError
from coord.base.names import quote
from coord.doctor import installation
from coord.doctor.findings import Finding, Verdict, verdict
from coord.installer import launcher, plan
from coord.installer.launcher import Home
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.doctor.facts import View
    from coord.installer.manifest import Manifest
    from coord.repo.worktree import Worktree

# What git has only since some version.
_SINCE = (
    ((2, 41), "--attr-source"),
    ((2, 42), "an error where a driver is killed"),
    ((2, 44), "branch names for drivers"),
)
_ALWAYS = "octopus merges and -s resolve call no merge driver: git coord check sees what they did"


class Runtime(NamedTuple):
    """What runs hooks, drivers and verbs.

    Attributes:
        common_dir: the common git dir.
        changed: files of ours that are not as installed (findings of ``coord-install --check``).
        recorded: version that wrote them, "" where nothing is installed.
        home: the interpreters and the package that the launcher names, None when it cannot be read.
        version: of the package that it names, "" when it is gone.
        words: why the recorded interpreters do not start, "" when they do.
        git: git's version.
        folds: the file system takes two names that differ in case only for one.
    """

    common_dir: str
    changed: tuple[Finding, ...] = ()
    recorded: str = ""
    home: Home | None = None
    version: str = ""
    words: str = ""
    git: tuple[int, ...] = ()
    folds: bool = False


def ask(here: Worktree, installed: Manifest | None, version: tuple[int, ...]) -> Runtime:
    """Look at what runs us in this repository, and start it once; `version` is git's."""
    found = Runtime(here.common_dir, git=version, folds=folds_case(here.common_dir))
    if installed is None:
        return found
    changed = tuple(installation.changed(here, installed))
    found = found._replace(changed=changed, recorded=installed.version)
    home = recorded(os.path.join(here.common_dir, plan.HOME, "launch"))
    if home is None:
        return found
    words = "" if _gone(home) else _start(home)
    return found._replace(home=home, version=packaged(home.lib), words=words)


def recorded(launch: str) -> Home | None:
    """Return what a launcher records; None when sh cannot read it."""
    names = ("coord_python", "coord_lib", "coord_cli", "coord_repair")
    script = '. "$1" && printf "%s\\0" ' + " ".join(f'"${name}"' for name in names)
    done = subprocess.run(["sh", "-c", script, "sh", launch], capture_output=True, check=False)
    values = [os.fsdecode(part) for part in done.stdout.split(b"\0")[:-1]]
    return Home(*values) if len(values) == len(names) and all(values) else None


def packaged(lib: str) -> str:
    """Return the version of the package in a folder, "" when there is none."""
    try:
        text = peerfile.read(os.path.realpath(os.path.join(lib, "coord", "_version.py")))
    except OSError:
        return ""
    lines = text.decode("utf-8", "replace").split("\n")
    return next((line.split('"')[1] for line in lines if line.startswith('VERSION = "')), "")


def folds_case(common_dir: str) -> bool:
    """Tell whether the file system has HEAD under another case too."""
    head, other = os.path.join(common_dir, "HEAD"), os.path.join(common_dir, "hEAD")
    try:
        return os.path.samefile(head, other)
    except OSError:
        return False


def judge(runtime: Runtime, views: Sequence[View]) -> Verdict:
    """Judge what runs us."""
    findings = [
        *_git(runtime),
        *runtime.changed,
        *_package(runtime),
        *_alias(runtime, views),
        *_inside(runtime, views),
    ]
    return verdict("runtime", _right(runtime, views), findings, _notes(runtime))


def _git(runtime: Runtime) -> Iterator[Finding]:
    if runtime.git < git.OLDEST:
        oldest = ".".join(map(str, git.OLDEST))
        message = f"git {_dotted(runtime.git)} is older than {oldest}, the oldest that is tested"
        yield Finding("git-too-old", runtime.common_dir, message, "git --version")


def _package(runtime: Runtime) -> Iterator[Finding]:
    """Yield what keeps hooks, drivers or verbs from starting."""
    where = runtime.common_dir
    if not runtime.recorded:
        return
    if runtime.home is None:
        if not runtime.changed:
            yield Finding(
                "launcher-broken", where, "the launcher cannot be read", command.install()
            )
        return
    home = runtime.home
    gone = _gone(home)
    closed = next(filter(None, map(sharing.closed, gone)), None)
    if closed:
        message = f"{closed}: what runs hooks and drivers may not be read by you"
        yield Finding("not-permitted", where, message, command.install())
    elif gone:
        message = f"gone: {' and '.join(gone)}; hooks and drivers let git go on without them"
        yield Finding("launcher-broken", where, message, home.repair or command.install())
    elif runtime.words:
        message = f"the recorded interpreter or package does not start: {runtime.words}"
        yield Finding("launcher-broken", where, message, home.repair or command.install())
    elif len({coord.VERSION, runtime.version, runtime.recorded}) > 1:
        message = (
            f"hooks were written by {runtime.recorded} and run {runtime.version} in {home.lib}; "
            f"this is {coord.VERSION}"
        )
        yield Finding("other-version", where, message, command.install())


def _alias(runtime: Runtime, views: Sequence[View]) -> Iterator[Finding]:
    """Yield the worktrees where the alias does not answer, if that is not said already."""
    whole = runtime.home is not None and not _gone(runtime.home)
    for view in views:
        if whole and view.hooks is not None and not view.alias and view.config.last("alias.coord"):
            message = "git coord does not answer here, by the alias that git reads"
            yield Finding("alias-dead", view.folder, message, command.install())


def _inside(runtime: Runtime, views: Sequence[View]) -> Iterator[Finding]:
    """Yield a package that goes when a worktree is removed: then no hook works in any of them."""
    if runtime.home is None:
        return
    folders = [os.path.realpath(folder) + os.sep for folder in runtime.home.folders()]
    for view in views:
        top = os.path.realpath(view.folder) + os.sep
        if view.here.linked and any(folder.startswith(top) for folder in folders):
            message = (
                "git-coord itself is installed inside of this worktree: when it is removed, no "
                "hook works in any other"
            )
            yield Finding("package-in-worktree", view.folder, message, _moved())


def _moved() -> str:
    """Return the command that installs the package where no worktree is."""
    home = '"$HOME"/.local/share/git-coord'
    pip = f"{home}/bin/pip install {launcher.source()}"
    return f"python3 -m venv {home} && {pip} && {home}/bin/coord-install"


def _gone(home: Home) -> list[str]:
    """Return the recorded paths that are not there any more."""
    package = os.path.join(home.lib, "coord", "__init__.py")
    gone = [path for path in (home.python, home.cli) if not os.access(path, os.X_OK)]
    return [*gone, *([] if os.access(package, os.R_OK) else [package])]


def _start(home: Home) -> str:
    """Start both interpreters and return why they cannot, "" when they can."""
    try:
        launcher.verify(home)
    except CoordError as error:
        return error.why
    return ""


def _right(runtime: Runtime, views: Sequence[View]) -> str:
    if runtime.home is None:
        return ""
    heard, asked = sum(view.alias for view in views), sum(view.hooks is not None for view in views)
    return f"{runtime.home.python} runs {runtime.home.lib}; the alias answers from {heard}/{asked}"


def _notes(runtime: Runtime) -> Iterator[str]:
    """Yield what this git lacks, and what no git does."""
    lacks = [f"{text} ({_dotted(since)})" for since, text in _SINCE if runtime.git < since]
    if lacks:
        yield f"git {_dotted(runtime.git)} lacks {', '.join(lacks)}"
    yield _ALWAYS
    if runtime.folds:
        yield (
            "the file system folds case: two paths that differ in case only are one file "
            f"in {quote(runtime.common_dir)}"
        )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
