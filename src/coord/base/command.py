"""How ``coord-install`` is called in the commands that are printed.

An install into a virtualenv of its own puts nothing on PATH: there a bare name would be pasted in
vain, so the script is named by its path. Hooks run another interpreter than that virtualenv's; they
ask the launcher, which recorded it.
"""

from __future__ import annotations

import os
import sys

from coord.base import peerfile
from coord.base.names import quote

NAME = "coord-install"
LAUNCHER = "hooks/coord/launch"


def install(*options: str) -> str:
    """Return the command with `options`, pasteable in the shell that called us."""
    from shutil import which  # noqa: PLC0415  # 6 ms that only a printed command pays

    script = os.path.join(os.path.dirname(sys.executable), NAME)
    if which(NAME):
        called = NAME
    elif os.path.exists(script):
        called = quote(script)
    else:
        called = f"{quote(sys.executable)} -P -m coord.installer"
    return " ".join([called, *options])


def recorded(common_dir: str) -> str:
    """Return the command that repeats the install of this clone, for who runs outside of it."""
    try:
        lines = peerfile.read(os.path.join(common_dir, LAUNCHER)).split(b"\n")
    except OSError:
        return NAME
    words = [line[len(b"coord_cli=") :] for line in lines if line.startswith(b"coord_cli=")]
    return f"{os.fsdecode(words[0]).strip()} -P -m coord.installer" if words else NAME
