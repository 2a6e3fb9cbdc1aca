"""The most memory that an interpreter of ours holds: a large log through append, merge and commit.

``python bench/memory.py [MEGABYTES]``, 64 by default. The launcher's interpreter is replaced by one
that notes what each of its processes held; what git holds, which reads whole files to merge them,
is not ours and not counted.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from cliffs import Repo, inline, stamp

BOUND = 64  # mebibytes
# What wait4 tells counts the git children in, which map whole objects.
_NOTING = """\
#!{python} -IS
import os, sys, time
child = os.posix_spawn({python!r}, [{python!r}, *sys.argv[1:]], os.environ)
held, ended = 0, 0
while not ended:
    with open(f"/proc/{{child}}/status") as file:
        lines = [line for line in file if line.startswith("VmHWM")]
    held = max([held, *(int(line.split()[1]) for line in lines)])
    time.sleep(0.002)
    ended, status = os.waitpid(child, os.WNOHANG)
with open({notes!r}, "a") as file:
    print(held // 1024, file=file)
os._exit(os.waitstatus_to_exitcode(status))
"""


class Noted(Repo):
    """A repository of which the interpreters of ours are watched."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        super().__init__(folder / "repo", inline("log.tsv", "first\n"))
        for key, setting in (("core.compression", "0"), ("core.bigFileThreshold", "8m")):
            self.git("config", key, setting)
        self.notes = folder / "notes"
        python = os.path.realpath(sys.executable)
        watch = folder / "python"
        watch.write_text(_NOTING.format(python=python, notes=str(self.notes)))
        watch.chmod(0o755)
        launch = self.path / ".git/hooks/coord/launch"
        lines = [
            f"coord_python={watch}" if line.startswith("coord_python=") else line
            for line in launch.read_text().splitlines()
        ]
        launch.write_text("\n".join([*lines, ""]))
        self._fill(megabytes)

    def _fill(self, megabytes: int) -> None:
        rows = "".join(f"{stamp(number)}\tbase\tmove {number}\n" for number in range(25_000))
        with (self.path / "log.tsv").open("a") as file:
            for _ in range(megabytes * 1_000_000 // len(rows)):
                file.write(rows)
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "large")

    def append(self, who: str) -> None:
        """Append a line."""
        with (self.path / "log.tsv").open("a") as file:
            file.write(f"{stamp(10**9 if who == 'ours' else 10**8)}\t{who}\n")
        self.git("add", "log.tsv")

    def held(self, *args: str) -> str:
        """Run git, and return the mebibytes that an interpreter held at most."""
        self.notes.write_text("")
        self.git(*args)
        noted = [int(word) for word in self.notes.read_text().split()]
        return f"{max(noted)} MiB, {len(noted)} started" if noted else "none started"


def main() -> None:
    """Print what each step held."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
        repo = Noted(Path(folder), megabytes)
        repo.git("switch", "-q", "-c", "side")
        repo.append("theirs")
        steps = {"append": repo.held("commit", "-qm", "theirs")}
        repo.git("switch", "-q", "main")
        repo.append("ours")
        repo.git("commit", "-qm", "ours")
        steps["merge"] = repo.held("merge", "-q", "--no-commit", "side")
        steps["commit of the merge"] = repo.held("commit", "-qm", "merge")
    for step, held in steps.items():
        sys.stdout.write(f"{megabytes} MB, {step:<22} {held}, ≤ {BOUND} MiB\n")


if __name__ == "__main__":
    main()
