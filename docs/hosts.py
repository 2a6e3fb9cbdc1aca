"""Play the pages of several hosts on three machines of one bridge: ``python docs/hosts.py`` (root).

Each has a network and a host name of its own: the server of the board, and two with a clone each.
"""

from __future__ import annotations

import contextlib
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGES = tuple(Path(__file__).with_name(name) for name in ("hosts.md", "git-board.md"))
REPLAY = runpy.run_path(str(Path(__file__).with_name("replay.py")))
_SERVER, *_CLONES = ("server", "one", "two")


class Machine(NamedTuple):
    """A machine, and how a command comes to it."""

    name: str
    holder: subprocess.Popen[bytes]

    @property
    def enter(self) -> list[str]:
        """The command before the command; what the server starts ends with it."""
        more = ["-p"] if self.name == _SERVER else []
        return ["nsenter", "-t", str(self.pid), "-n", "-u", *more, "--"]

    @property
    def pid(self) -> int:
        """The process that keeps the machine; the server's is a child of ours, its first."""
        own = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children")
        return int(own.read_text().split()[0]) if self.name == _SERVER else self.holder.pid

    def run(self, *argv: str) -> None:
        """Run a command there."""
        subprocess.run([*self.enter, *argv], check=True)


@contextlib.contextmanager
def machines() -> Iterator[dict[str, Machine]]:
    """Have the three, joined by a bridge at the server.

    Raises:
        OSError: a namespace, or a link between two, cannot be made here.
    """
    with contextlib.ExitStack() as stack:
        made = {name: stack.enter_context(_machine(name)) for name in (_SERVER, *_CLONES)}
        try:
            _join(made)
        except subprocess.CalledProcessError as error:
            raise OSError(str(error)) from error
        yield made


@contextlib.contextmanager
def _machine(name: str) -> Iterator[Machine]:
    """Have a machine: a process that sleeps in namespaces of its own."""
    argv = ["unshare", "-n", "-u", *(["-p", "--fork", "--kill-child"] * (name == _SERVER))]
    script = f"hostname {name} && echo && exec sleep 600"
    holder = subprocess.Popen([*argv, "sh", "-c", script], stdout=subprocess.PIPE)
    try:
        if holder.stdout is None or not holder.stdout.readline():
            raise OSError("no namespace can be made")
        yield Machine(name, holder)
    finally:
        holder.kill()
        holder.communicate()


def _join(made: Mapping[str, Machine]) -> None:
    server = made[_SERVER]
    server.run("ip", "link", "add", "br0", "type", "bridge")
    for number, name in enumerate(_CLONES, 2):
        ends = ("netns", str(server.pid), "type", "veth", "peer", "eth0", "netns")
        link = ["ip", "link", "add", name, *ends, str(made[name].pid)]
        subprocess.run(link, check=True)
        server.run("ip", "link", "set", name, "master", "br0", "up")
        made[name].run("ip", "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            made[name].run("ip", "link", "set", device, "up")
    server.run("ip", "addr", "add", "10.77.0.1/24", "dev", "br0")
    for device in ("lo", "br0"):
        server.run("ip", "link", "set", device, "up")


def clones(scratch: Path, env: Mapping[str, str]) -> None:
    """Make what the page begins with: a clone on each of two machines, installed."""
    script = (
        "mkdir server && git init -q seed && cd seed && echo project >README.md && git add . && "
        "git commit -q -m 'A project' && git clone -q --bare . ../hub.git && cd .. && "
        "for name in one two; do git clone -q hub.git $name && "
        "(cd $name && coord-install >/dev/null 2>&1); done"
    )
    subprocess.run(["sh", "-c", script], cwd=scratch, env=env, check=True)


def played(page: str, scratch: Path, env: Mapping[str, str]) -> str:
    """Return the page as it goes just now.

    Raises:
        OSError: as :func:`machines`.
    """
    clones(scratch, env)
    with machines() as made:
        enter = {name: machine.enter for name, machine in made.items()}
        found: str = REPLAY["replayed"](page, scratch, env, enter)
    return found


if __name__ == "__main__":
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder).resolve()
            text = played(path.read_text(encoding="utf-8"), home, REPLAY["environment"](home))
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path}\n")
