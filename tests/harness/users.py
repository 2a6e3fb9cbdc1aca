"""Several users of one repository, played by root with real uids, groups and umasks.

The interpreter and the checkout may stand below a folder that only root may enter (/root): then
each command runs in a mount namespace of its own in which they can be reached.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from harness.grounds import script
from harness.repo import Done

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
GROUP = "games"
# Of every Debian and Alpine: no user has to be made.
USERS = ("games", "daemon")
_NEEDED = (sys.base_prefix, sys.prefix, str(ROOT))


class Users(NamedTuple):
    """A folder that several users work in."""

    folder: Path

    def run(
        self, user: str, command: str, *, cwd: str = ".", umask: str = "022", group: str = GROUP
    ) -> Done:
        """Run a shell command as `user` in `cwd` below the folder."""
        home = self.folder / "homes" / user
        if not home.exists():
            home.mkdir(parents=True)
            (home / ".gitconfig").write_text(
                f"[user]\n\tname = {user}\n\temail = {user}@example.com\n"
                "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n"
            )
            shutil.chown(home, user)
        inner = f"umask {umask}; cd {self.folder / cwd} && {command}"
        become = f'setpriv --reuid={user} --regid={group} --clear-groups sh -c "$0"'
        env = {
            "HOME": str(home),
            "PATH": f"{Path(script('git-coord')).parent}:/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(
            ["unshare", "-m", "sh", "-ec", "\n".join([*opened(), become]), inner],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def opened() -> Iterator[str]:
    """Yield what lets anybody reach the interpreter and the checkout, in shell."""
    closed = {folder for path in _NEEDED for folder in _closed(Path(path))}
    for folder in sorted(closed):
        inside = [path for path in _NEEDED if Path(path).is_relative_to(folder)]
        for number, path in enumerate(inside):
            yield f"mkdir -p /tmp/coord-open-$$-{number}"
            yield f"mount --rbind {path} /tmp/coord-open-$$-{number}"
        yield f"mount -t tmpfs -o mode=755 none {folder}"
        for number, path in enumerate(inside):
            yield f"mkdir -p {path} && mount --rbind /tmp/coord-open-$$-{number} {path}"
            yield f"umount -l /tmp/coord-open-$$-{number} && rmdir /tmp/coord-open-$$-{number}"


def _closed(path: Path) -> list[Path]:
    """Return the outermost folder above `path` that others may not enter, if there is one."""
    above = [*reversed(path.parents), path]
    return [folder for folder in above if not folder.stat().st_mode & 0o001][:1]


def shared_folder() -> Iterator[Users]:
    """Yield a folder of the group that everybody can reach; pytest's own are closed to others."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("only root can play other users")
    folder = Path(tempfile.mkdtemp(prefix="coord-users-"))
    folder.chmod(0o2775)
    shutil.chown(folder, "games", GROUP)
    users = Users(folder)
    if users.run("daemon", "git-coord --version").code:
        shutil.rmtree(folder)
        pytest.skip("mounting is not allowed here")
    yield users
    shutil.rmtree(folder)
