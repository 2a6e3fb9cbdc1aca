"""Kill a process for real at its N-th system call, for every N (crash tests of publishing)."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_LIMIT = 300
# The child counts the calls that change a disk, and sends itself SIGKILL before number N.
_CHILD = """
import os, signal, sys
remaining = int(sys.argv.pop(1))
def counted(call):
    def wrapper(*args, **kwargs):
        global remaining
        remaining -= 1
        if remaining < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return wrapper
{imports}
for name in ("open", "write", "fsync", "link", "unlink", "close", "replace", "rename", "mkdir"):
    setattr(os, name, counted(getattr(os, name)))
{body}
"""


def killed_at_every_call(  # noqa: PLR0917  # read in this order at every call
    imports: str,
    body: str,
    argv: list[str],
    cwd: Path,
    env: Mapping[str, str],
    start: int = 0,
) -> Iterator[int]:
    """Run `body` again and again, killed one call later each time; yield after every death.

    `imports` runs before the counting begins, with call number `start`. The last run, which is not
    killed, yields nothing.
    """
    program = _CHILD.format(imports=imports, body=body)
    for number in range(start, _LIMIT):
        done = subprocess.run(
            [sys.executable, "-c", program, str(number), *argv],
            cwd=cwd,
            env=env,
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            return
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        yield number
    raise AssertionError(f"not done after {_LIMIT} calls")
