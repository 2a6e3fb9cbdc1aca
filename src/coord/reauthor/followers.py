"""What follows a commit that is rewritten, as after git's own: its notes, and the user's hook.

``notes.rewriteRef`` and its like say which notes are copied. The hook ``post-rewrite`` is told as
after a rebase, and as there it changes nothing more: its status is ignored.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.repo.worktree import Worktree

_USAGE = 129  # of git: an option that it does not know
_HOOK = "post-rewrite"


def follow(here: Worktree, new: Mapping[str, str]) -> str:
    """Let notes and the hook follow each commit of `new`, old id to new one.

    Returns:
        git's words where notes could not be copied, empty where all went well.
    """
    pairs = "".join(f"{old} {rebuilt}\n" for old, rebuilt in new.items()).encode()
    copied = git.ask("notes", "copy", "--for-rewrite=rebase", cwd=here.cwd, stdin=pairs)
    _tell_hook(here, pairs)
    return "" if copied.code == 0 else " ".join(os.fsdecode(copied.err).split())


def _tell_hook(here: Worktree, pairs: bytes) -> None:
    """Run the hook through git, which knows those of its config too; before 2.43 by its path."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(pairs)
        file.flush()
        words = ("hook", "run", "--ignore-missing", f"--to-stdin={file.name}", _HOOK, "--")
        done = git.as_user(*words, "rebase", cwd=here.cwd, env=git.elsewhere())
    if done.code != _USAGE:
        os.write(2, done.out + done.err)
    else:
        _run(here, pairs)


def _run(here: Worktree, pairs: bytes) -> None:
    named = ("rev-parse", "--git-path", f"hooks/{_HOOK}")
    path = os.path.join(here.cwd, git.as_user(*named, cwd=here.cwd, env=git.elsewhere()).text)
    if os.access(path, os.X_OK):
        words, env = [path, "rebase"], git.elsewhere()
        subprocess.run(words, cwd=here.cwd, env=env, input=pairs, stdout=2, check=False)
