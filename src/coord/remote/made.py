"""To make a repository for a board: bare, synced, without hooks and reflogs; whole or not at all.

One script does it on this machine and, by ssh, on another. It is one line without ``!``, for
whatever shell a login has there.
"""

from __future__ import annotations

import os
import time

from coord.base.frozen import NamedTuple
from coord.base.names import quote, shown
from coord.remote import session
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.remote.address import Address

_SECONDS = 30.0
_SAID = 200  # characters of a server's words
# Beside its place and then moved there, into a folder of that name only if there is one meanwhile.
# core.fsync: what is acknowledged survives a power cut, as on etcd (git 2.36).
_SCRIPT = (
    'set -e; p=$1; if [ -e "$p" ]; then echo there; exit 0; fi; t=$p.new-$$; '
    "trap 'rm -rf \"$t\"' EXIT; "
    'GIT_DEFAULT_HASH=sha1 git init -q --bare --template= "$t"; '
    'git --git-dir="$t" config core.fsync all; '
    'git --git-dir="$t" config core.logAllRefUpdates false; '
    'mv "$t" "$p"; rm -rf "$p/${t##*/}"; echo made'
)


class Made(NamedTuple):
    """What has become of it.

    Attributes:
        is_new: there was none before.
        why: in one line why there is none now; empty where there is.
    """

    is_new: bool
    why: str = ""


def can(where: Address) -> bool:
    """Tell whether a repository may be made there at all: in a folder, or by ssh."""
    return where.is_local or (where.protocol == "ssh" and not _path(where).startswith("~"))


def create(where: Address, cwd: str, environ: Mapping[str, str] = os.environ) -> Made:
    """Make a repository, unless something is there already, as git would come there from `cwd`."""
    env = git.elsewhere(environ)
    words = ("sh", "-c", _SCRIPT, "-", _path(where))
    argv = words if where.is_local else _by_ssh(where, " ".join(map(quote, words)), env, cwd)
    done = session.run(argv, env, time.monotonic() + _SECONDS)
    if done.code is None:
        return Made(is_new=False, why=f"no answer within {_SECONDS:.0f} seconds")
    said = done.out.split()[-1:]
    if done.code or said not in ([b"made"], [b"there"]):
        lines = [line for line in os.fsdecode(done.err or done.out).split("\n") if line.strip()]
        why = shown(" ".join(lines[-1].split()))[:_SAID] if lines else f"exit status {done.code}"
        return Made(is_new=False, why=why)
    return Made(is_new=said == [b"made"])


def _by_ssh(where: Address, command: str, env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    """Return the command that runs another one there, by the ssh that git would take."""
    server = where.url.removeprefix("ssh://")
    login = server.partition("/" if server != where.url else ":")[0]
    # A port and an address in brackets need the form of a URL (OpenSSH 7.7).
    login = f"ssh://{login}" if ":" in where.host else login
    configured = git.ask("config", "core.sshCommand", cwd=cwd, env=env).text
    program = env.get("GIT_SSH_COMMAND") or configured or quote(env.get("GIT_SSH") or "ssh")
    return ("sh", "-c", f'{program} -o BatchMode=yes "$@"', "ssh", login, command)


def _path(where: Address) -> str:
    """Return the folder as a shell there takes it, which begins in the user's home."""
    path = where.path.removeprefix("/") if where.path.startswith("/~") else where.path
    return path.removeprefix("~/")
