"""How ``coord-install`` is called in the commands that are printed.

An install into a virtualenv of its own puts nothing on PATH: there a bare name would be pasted in
vain, so the script is named by its path.
"""

from __future__ import annotations

import os
import shutil
import sys

from coord.names import quote

NAME = "coord-install"


def install(*options: str) -> str:
    """Return the command with `options`, pasteable in the shell that called us."""
    script = os.path.join(os.path.dirname(sys.executable), NAME)
    if shutil.which(NAME):
        called = NAME
    elif os.path.exists(script):
        called = quote(script)
    else:
        called = f"{quote(sys.executable)} -P -m coord.installer"
    return " ".join([called, *options])
