"""Who called us from where, as the processes above tell: git's command line, the user's folder.

After ``git -C ../x commit`` a command for ``../x`` is pasted where that was typed, and would do its
work on another worktree. Asked only when there is something to print.
"""

from __future__ import annotations

import os

from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.repo import child, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ANCESTORS = 8  # git, sh, and what a hook manager puts between
_ELSEWHERE = ("-C", "--git-dir", "--work-tree")
_VALUED = (*_ELSEWHERE, "-c", "--namespace", "--config-env", "--attr-source")
_OF_THE_SHELL = ("cd ", "unset ", "export ", "git -C ")


class Process(NamedTuple):
    """An ancestor: its id, its parent's, and its arguments."""

    pid: int
    parent: int
    words: list[str]


def placed(run: str) -> str:
    """Return the command `run`, meant for the current folder, as it works where git was typed."""
    try:
        cwd = os.getcwd()
    except OSError:  # it is gone
        return run
    if run.startswith(_OF_THE_SHELL) or not _is_typed_elsewhere(cwd):
        return run
    words = f" {run} "
    if run.startswith("git ") and not any(sign in words for sign in (" && ", " || ", " | ", "; ")):
        return f"git -C {quote(cwd)} {run.removeprefix('git ')}"
    return f"(cd {quote(cwd)} && {run})"


def _is_typed_elsewhere(cwd: str) -> bool:
    """Tell whether git was sent to `cwd` from a folder where commands for it would go wrong."""
    typed = _typed()
    if typed is None or not _is_sent(typed.words):
        return False
    try:
        folder = os.readlink(f"/proc/{typed.parent}/cwd")
    except OSError:
        return True  # it cannot be told
    here = os.path.realpath(cwd)
    return folder != here and _top(folder) != here


def _typed() -> Process | None:
    """Return the git that somebody typed: of the nearest ones, the one that ran the others."""
    typed = None
    for process in processes(os.getppid()):
        if os.path.basename(process.words[0]) == "git":
            typed = process
        elif typed is not None:
            break
    return typed


def _is_sent(words: list[str]) -> bool:
    """Tell whether git's own options name another folder."""
    rest = iter(words[1:])
    for word in rest:
        if not word.startswith("-"):
            return False
        if word.partition("=")[0] in _ELSEWHERE:
            return True
        if word in _VALUED:
            next(rest, None)
    return False


def _top(folder: str) -> str:
    """Return the top level of the worktree that a folder is in, empty outside of any."""
    try:
        done = git.ask("rev-parse", "--show-toplevel", cwd=folder)
    except OSError:
        return ""
    return os.path.realpath(done.text) if done.code == 0 else ""


def processes(pid: int) -> Iterator[Process]:
    """Yield a process and its ancestors, nearest first, as far as they can be seen."""
    look = _from_proc if os.path.isdir("/proc/self") else _from_ps
    for _ in range(_ANCESTORS):
        try:
            process = look(pid)
        except (OSError, ValueError):
            return
        yield process
        pid = process.parent


def _from_proc(pid: int) -> Process:
    """Return a process, as Linux tells it."""
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        words = os.fsdecode(file.read()).split("\0")
    with open(f"/proc/{pid}/stat", "rb") as file:
        return Process(pid, int(file.read().rpartition(b")")[2].split()[1]), words)


def _from_ps(pid: int) -> Process:
    """Return the same from ``ps``, where arguments are told from each other by blanks only."""
    ask = ["ps", "-o", "ppid=", "-o", "args=", "-p", str(pid)]
    parent, *words = os.fsdecode(child.run(ask, os.environ)[1]).split() or [""]
    return Process(pid, int(parent), words or [""])
