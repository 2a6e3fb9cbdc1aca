"""``--exec``: a command tried on each step, in one checkout that the repository knows nothing of.

A linked worktree would be registered in the repository, seen by every peer's ``git worktree list``
and pinned by our hooks; a clone would copy refs and objects. So this is a repository of its own
without history or refs: it borrows the rehearsal's objects, and its HEAD is the step's commit.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from coord.base import gitconfig
from coord.rehearse.scratch import lend
from coord.repo import git

if TYPE_CHECKING:
    from coord.rehearse.scratch import Scratch
    from coord.repo.worktree import Worktree

_SIGNALLED = 128
# What of the repository's own config decides how a file is checked out. The rest stays away:
# core.worktree and core.bare would lead the checkout elsewhere, remotes the command.
_CHECKOUT = r"^(filter\..*|core\.(autocrlf|eol|safecrlf|symlinks|filemode|ignorecase))$"


class Trial:
    """The checkout in which one command is tried, step after step."""

    def __init__(self, here: Worktree, scratch: Scratch, command: str) -> None:
        self._command = command
        self._top = os.path.join(scratch.folder, "checkout")
        self._env = {
            key: text for key, text in git.elsewhere().items() if not key.startswith("COORD_")
        }
        self._init(here, scratch)

    def run(self, commit: str) -> int:
        """Check `commit` out, run the command there, and return its status.

        Tracked and untracked files are the commit's alone. What it ignores stays from the step
        before, as in any worktree: that is where builds keep what makes the next one fast.
        """
        git.tell("checkout", "-q", "--force", "--detach", commit, cwd=self._top, env=self._env)
        import subprocess  # noqa: PLC0415  # it and the folder below are for --exec alone

        git.tell("clean", "-q", "-ffd", cwd=self._top, env=self._env)
        child = subprocess.Popen(
            ["sh", "-c", self._command],
            cwd=self._top,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),  # stdout is our answer's
        )
        with child:
            try:
                code = child.wait()
            except BaseException:
                child.kill()
                raise
        return code if code >= 0 else _SIGNALLED - code

    def _init(self, here: Worktree, scratch: Scratch) -> None:
        init = ("init", "-q", "--template=", f"--object-format={_format(here)}")
        git.tell(*init, self._top, cwd=scratch.folder, env=self._env)
        git_dir = os.path.join(self._top, ".git")
        lend(scratch.objects, os.path.join(git_dir, "objects"))
        with open(os.path.join(git_dir, "config"), "a", encoding="utf-8") as file:
            file.write(_config(here))
        shallow = os.path.join(here.common_dir, "shallow")
        if os.path.exists(shallow):
            shutil.copy(shallow, git_dir)


def _format(here: Worktree) -> str:
    return git.tell("rev-parse", "--show-object-format", cwd=here.cwd).text


def _config(here: Worktree) -> str:
    """Return the checkout's config: no hooks, whoever set them, and how files are checked out."""
    lines = [gitconfig.block("core", None, [("hooksPath", "/dev/null")])]
    kept = git.ask("config", "-z", "--local", "--includes", "--get-regexp", _CHECKOUT, cwd=here.cwd)
    for field in kept.fields:
        key, given, text = field.partition("\n")
        section, _, rest = key.partition(".")
        subsection, _, name = rest.rpartition(".")
        try:
            lines.append(
                gitconfig.block(section, subsection or None, [(name, text if given else "true")])
            )
        except gitconfig.Unwritable:
            continue  # a filter of several lines: the files are checked out as git stores them
    return "".join(lines)
