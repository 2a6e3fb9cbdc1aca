"""Where the interpreter and the package are: what ``hooks/coord/launch`` records, and the alias.

These are the only absolute paths an install writes down. When they are gone, hooks, drivers and
the alias print ``coord_repair``: one command that brings both back and installs again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata, resources
from importlib.util import find_spec
from typing import TYPE_CHECKING

import coord
from coord.base.errors import Environment
from coord.base.names import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "git-coord"
_PARTS = ("drivers", "hooks", "installer")
_BARE_IMPORT = "import coord.hooks.entry, coord.drivers.entry"
_CLI_IMPORT = "import coord.cli.main, pygit2, tomli_w"


@dataclass(frozen=True)
class Home:
    """The installed product.

    Attributes:
        python: base interpreter, real path: no shim, no virtualenv; for hooks and drivers.
        lib: folder that holds the package ``coord``.
        cli: interpreter that also has click and pygit2; for ``git coord``.
        repair: one pasteable command that brings interpreter and package back.
        source: the folder that it installs from; empty when it needs none.
    """

    python: str
    lib: str
    cli: str
    repair: str
    source: str = ""

    def folders(self) -> tuple[str, str]:
        """Return the folders it lives in, links not followed."""
        return self.lib, os.path.dirname(self.cli)


def find() -> Home:
    """Return where this very process runs from.

    Raises:
        Environment: the package lies in pieces that one folder on the path does not join.
    """
    lib = os.path.dirname(os.path.dirname(os.path.abspath(coord.__file__)))
    missing = [part for part in _PARTS if not os.path.isfile(_init(lib, part))]
    if missing:
        raise Environment(
            "package-scattered",
            "hooks could not import the package",
            where=os.path.join(lib, "coord"),
            why=f"only an import hook finds {', '.join(missing)}: it costs each git command 10 ms, "
            "and hooks start without it; an editable install needs its strict mode",
            run=f"{_reinstall(_pip(sys.executable), source())} && {_again()}",
        )
    # sys._base_executable is the only name Python has for it; realpath leaves pyenv's shims behind.
    base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    return Home(base, lib, sys.executable, _repair(base), _folder(_origin()))


def verify(home: Home) -> None:
    """Start the interpreters the way hooks, drivers and the alias will.

    What runs now is what the alias starts, unless a variable or the current folder helped it.

    Raises:
        Environment: one of them does not find what it needs.
    """
    bare = "import sys; sys.path.insert(0, sys.argv[1]); " + _BARE_IMPORT
    _start((home.python, "-I", "-S", "-c", bare, home.lib))
    helped = any(name.startswith("PYTHON") for name in os.environ)
    helped = helped or sys.path[0] in {"", os.getcwd()}
    if helped or home.cli != sys.executable or find_spec("pygit2") is None:
        _start((home.cli, "-P", "-E", "-c", _CLI_IMPORT))


def text(home: Home) -> bytes:
    """Return ``hooks/coord/launch``."""
    launch = script("launch")
    words = {"PYTHON": home.python, "LIB": home.lib, "CLI": home.cli, "REPAIR": home.repair}
    words |= {"SOURCE": home.source, "LOOK": f"ls -d {quote(home.source)}"}
    for name, word in words.items():
        launch = launch.replace(f"@{name}@", _word(word))
    return os.fsencode(launch)


def script(name: str, package: str = "coord.hooks") -> str:
    """Return a shell script of the package."""
    return resources.files(package).joinpath("sh", name).read_text(encoding="utf-8")


def alias() -> str:
    """Return ``alias.coord``: ``git coord`` from any shell, in every worktree and subdirectory.

    ``git coord --help`` and ``git help coord`` print this text and nothing else, whatever it is,
    and ``git help -a`` puts it in one line: so it begins with what a person may do next, and what
    it does stands in ``hooks/coord/alias``.
    """
    return (
        "!: git coord -h lists the verbs, git coord VERB --help explains one; "
        "coord_home=$(git rev-parse --path-format=absolute --git-common-dir)/hooks/coord; "
        "coord() { printf 'coord: launcher-broken: git coord cannot start: %s/alias\\n"
        "  why: a file of the install is gone\\n  run: coord-install\\n' "
        '"$coord_home" >&2; exit 3; }; '
        '[ ! -r "$coord_home/alias" ] || . "$coord_home/alias"; coord'
    )


def _init(lib: str, part: str) -> str:
    return os.path.join(lib, "coord", part, "__init__.py")


def _start(argv: tuple[str, ...]) -> None:
    try:
        done = subprocess.run(
            argv, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise _unusable(argv, str(error)) from error
    if done.returncode:
        raise _unusable(argv, os.fsdecode(done.stderr).strip().rpartition("\n")[2])


def _unusable(argv: tuple[str, ...], words: str) -> Environment:
    return Environment(
        "launcher-broken",
        "the installed package cannot be started",
        where=argv[0],
        why=words or "it ended without a word",
        run=f"{_reinstall(_pip(sys.executable), source())} && {_again()}",
    )


def _word(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _repair(base: str) -> str:
    """Return the command: a virtualenv is made anew in its place, by any python3 left."""
    install = f"{_reinstall(_pip(sys.executable), source())} && {_again()}"
    if sys.prefix == sys.base_prefix:
        return install
    home = quote(sys.prefix)
    # `venv` leaves a dangling link to the old interpreter as it is.
    python = f'"$(command -v {quote(base)} || command -v python3)"'
    renew = f"rm -f {home}/bin/python* && {python} -m venv {home}"
    return f"{renew} && {install}"


def _again() -> str:
    return f"{quote(sys.executable)} -P -m coord.installer"


def _pip(python: str) -> str:
    user = sys.prefix == sys.base_prefix and _is_user_site()
    return f"{quote(python)} -m pip install{' --user' if user else ''}"


def _is_user_site() -> bool:
    import site  # noqa: PLC0415  # not there under -S

    return coord.__file__.startswith(site.getusersitepackages() + os.sep)


def _reinstall(pip: str, source: str) -> str:
    return f"{pip} --force-reinstall {source}"


def source() -> str:
    """Return what pip installs again: where this came from (PEP 610), else this version."""
    return _requirement(_origin())


def _origin() -> Mapping[str, object]:
    """Return what pip noted down of where the package came from; empty for an index."""
    try:
        found = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return {}
    return found if isinstance(found, dict) else {}


def _folder(origin: Mapping[str, object]) -> str:
    """Return the checkout in a ``direct_url.json``; empty when it names something else."""
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415  # 3 ms, at install only

    is_folder = isinstance(origin.get("dir_info"), dict)
    return unquote(urlsplit(str(origin.get("url", ""))).path) if is_folder else ""


def _requirement(origin: Mapping[str, object]) -> str:
    """Return the pip arguments for a ``direct_url.json``; an empty one names the version."""
    url = str(origin.get("url", ""))
    if not url:
        return quote(f"{_NAME}=={coord.VERSION}")
    folder = origin.get("dir_info")
    vcs = origin.get("vcs_info")
    if isinstance(vcs, dict):
        return quote(f"{_NAME} @ {vcs['vcs']}+{url}@{vcs['commit_id']}")
    if not isinstance(folder, dict):
        return quote(f"{_NAME} @ {url}")
    path = quote(_folder(origin))
    return f"-C editable_mode=strict -e {path}" if folder.get("editable") else path
