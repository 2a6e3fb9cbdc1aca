"""One door for what a peer wrote: no file is opened but by it, in Python and in sh.

Whoever can write the repository or its common dir may put a symlink, a FIFO or a gigabyte where a
file of ours, or of git's, is looked for. ``coord.base.peerfile`` is the door of Python; in sh a
file is tested before it is opened.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

import pytest

import floors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCES = floors.modules()
_OPENING = {
    "open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "copy", "copyfile",
    "copytree", "copy2", "load", "mmap", "truncate", "getline", "TextIOWrapper", "FileIO",
}  # fmt: skip
_OPENERS = {"os", "posix", "io", "Path", "tomllib", "json", "shutil", "linecache", "mmap"}
# Flags by which an open neither follows nor waits, or makes what is not there, or takes a folder.
_SAFE = ({"O_NOFOLLOW", "O_NONBLOCK"}, {"O_CREAT", "O_EXCL"}, {"O_DIRECTORY"})

# What is no file of the repository or its common dir that a peer has, and why.
OUTSIDE = {
    "coord.liveness.machine": "/proc",
    "coord.liveness.mounts._mounts": "/proc",
    "coord.liveness.process": "/proc",
    "coord.cli.idler._has_ended": "/proc",
    "coord.cli.agents": "the text of the package itself",
    "coord.cli.closed.outlive_readers": "/dev/null",
    "coord.cli.completion": "the sh of the package itself",
    "coord.cli.woken._print": "/dev/null",
    "coord.installer.onefile": "this package and its file, which who calls it names",
    "coord.installer.unpack.unpack": "the user's data folder, which is no repository",
    "coord.cli.outfile._into": "named by who calls the verb, who may name a device or a pipe",
    "coord.page.page.page": "the style sheet of the package",
    "coord.repo.caller._from_proc": "/proc",
    "coord.repo.batch.Child.__init__": "/dev/null, and the end of a pipe",
    "coord.cli.main": "/dev/null",
    "coord.cli.logmerge._read": "named by who calls the verb, who may name a pipe",
    "coord.cli.logmerge._write": "named by who calls the verb",
    "coord.doctor.probes._File.__enter__": "made here, under a random name, exclusively",
    "coord.doctor.probes._File.data": "the same",
    "coord.stores.fileprobe._rounds": "made here, in a folder made here, exclusively",
    "coord.check.layout.Scratch": "a scratch repository in the system's folder for such",
    "coord.check.snapshot._beside": "copies the index to a scratch folder; no special file",
    "coord.check.textmerge": "a scratch folder",
    "coord.remote.cache": "a bare repository of mode 700, which is looked at before",
    "coord.remote.queue.asked": "a descriptor that was made exclusively",
    "coord.rehearse.scratch": "a scratch repository",
    "coord.rehearse.loose": "the objects of a scratch repository",
    "coord.rehearse.trial.Trial._init": "a scratch repository",
    "coord.drivers.joiner._fork": "what this process calls itself",
    "coord.drivers.joiner._let_go": "the null device",
    "coord.drivers.joiner._name": "what a process calls itself, as the kernel has it",
    "coord.drivers.logfile.Files.write": "a descriptor that was made exclusively",
    "coord.drivers.logfile.Files.__init__": "the sides of a merge, which git has just written",
    "coord.drivers.start._declarations": "a descriptor that was opened by such flags",
    "coord.drivers.start.ask_git": "the ends of pipes",
    "coord.installer.apply._staged_file": "a descriptor that was made exclusively",
    "coord.installer.configlock.staged": "the lock, which was made exclusively",
    "coord.installer.launcher": "the sh of the package itself, and its metadata",
}


def _named(node: ast.expr, constants: dict[str, ast.expr]) -> set[str]:
    """Return the O_ names in an expression of flags, those of the module's constants with them."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.Name) and part.id in constants:
            found |= _named(constants[part.id], {})
    return found


def _opens(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call that opens a file, with the dotted name of what it stands in."""

    def walk(node: ast.AST, within: str) -> Iterator[tuple[str, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            name = within
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{within}.{child.name}"
            if isinstance(child, ast.Call) and _is_opening(child.func):
                yield name, child
            yield from walk(child, name)

    yield from walk(tree, "")


def _is_opening(func: ast.expr) -> bool:
    if isinstance(func, ast.Name):
        return func.id == "open"
    if not isinstance(func, ast.Attribute) or func.attr not in _OPENING:
        return False
    owner = func.value
    known = isinstance(owner, ast.Name) and owner.id in _OPENERS
    return known or func.attr.startswith(("read_", "write_"))


def _found(name: str, path: Path) -> Iterator[str]:
    """Yield what opens a file in a module in a way that a peer could turn."""
    tree = ast.parse(path.read_text())
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for within, call in _opens(tree):
        local = dict(constants)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                local.setdefault(node.targets[0].id, node.value)
        flags = set().union(*(_named(one, local) for one in call.args[1:2]))
        if not any(safe <= flags for safe in _SAFE):
            yield f"{name}{within}"


@cache
def _all_found() -> list[str]:
    """Return every such place of the product."""
    return sorted({one for name, path in SOURCES.items() for one in _found(name, path)})


def _excused(place: str) -> list[str]:
    return [key for key in OUTSIDE if place == key or place.startswith(f"{key}.")]


def test_no_file_that_a_peer_can_write_is_opened_but_by_the_door() -> None:
    """A symlink would be followed, a FIFO waited for, a gigabyte read."""
    assert [place for place in _all_found() if not _excused(place)] == []


def test_each_exception_is_still_needed() -> None:
    """A reason without an opening hides the next one."""
    used = {key for place in _all_found() for key in _excused(place)}
    assert sorted(set(OUTSIDE) - used) == []


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "import os\nos.open('x', os.O_RDONLY)",
        "import os\n_HOW = os.O_RDONLY | os.O_NOFOLLOW\nos.open('x', _HOW)",
        "def f(path):\n return path.read_text()",
        "import shutil\nshutil.copyfile('x', 'y')",
        "import io\nio.open('x')",
    ],
)
def test_each_way_to_open_a_file_is_found(tmp_path: Path, text: str) -> None:
    """The walk would otherwise hold nothing."""
    path = tmp_path / "x.py"
    path.write_text(text)
    assert list(_found("x", path))


def test_an_open_by_safe_flags_is_none(tmp_path: Path) -> None:
    """Several doors write, or look at a file they keep open."""
    path = tmp_path / "x.py"
    path.write_text("import os\n_HOW = os.O_NOFOLLOW | os.O_NONBLOCK\nos.open('x', _HOW | 1)")
    assert list(_found("x", path)) == []


BOARD = "coord.stores.chosen"
# Where a store is named, or the folder of one, though not to open it.
AT_THE_BOARD = {
    "coord.doctor.boards": "how deep a store may keep records, not where",
    "coord.stores.directory": "the embedded store itself",
    "coord.work.migrate": "the board that is left and the one that is made, both at once",
    "coord.repo.worktree": "whether there is a board at all, which a lower floor asks",
}


def _opens_board(path: Path) -> bool:
    """Tell whether a module names a store, or puts the folder of the board together."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{one.name}" for one in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            names = {one.name for one in node.names}
        elif isinstance(node, ast.Call):
            words = [one.value for one in node.args if isinstance(one, ast.Constant)]
            names = {"coord.stores.directory"} if words[-2:] == ["coord", "board"] else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = {"coord.stores.directory"} if node.value == "coord/board" else set()
        else:
            continue
        if "coord.stores.directory" in names:
            return True
    return False


def test_the_board_is_opened_in_one_place() -> None:
    """Which store it is, is chosen there: whoever opens one itself would be on another board."""
    opening = {name for name, path in SOURCES.items() if _opens_board(path)}
    assert opening - set(AT_THE_BOARD) == {BOARD}


@pytest.mark.parametrize(
    "text",
    [
        "from coord.stores.directory import Directory",
        "from coord.stores import directory, keys",
        "def f():\n import coord.stores.directory",
        "import os\nos.path.join(common, 'coord', 'board')",
        "NAME = 'coord/board'",
    ],
)
def test_each_way_to_open_a_board_is_found(tmp_path: Path, text: str) -> None:
    """The walk would otherwise hold nothing."""
    path = tmp_path / "x.py"
    path.write_text(text)
    assert _opens_board(path)
