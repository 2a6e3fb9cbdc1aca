"""What verbs and waits cost on a board on a git remote: pushes, fetches, CPU, and how soon a wake.

A ``git daemon`` of one's own counts who comes. Times are of this machine; a wait hears of a release
on another host when its clone fetches next, within five seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from harness.costs import clone_of, ran, told
from harness.daemon import serving
from harness.remotes import Bare
from harness.repo import Repo, clean_environment

if TYPE_CHECKING:
    from harness.daemon import Daemon

WAITS, SECONDS, ROUNDS, RATE = 20, 60.0, 8, 600
_UP = 25.0  # seconds until all of the waits sleep


def say(what: str, found: str) -> None:
    """Print a line of the report."""
    sys.stdout.write(f"{what:<40} {found}\n")
    sys.stdout.flush()


def verbs(ann: Repo, bob: Repo, daemon: Daemon) -> None:
    """Print the pushes and fetches of each verb."""
    for cost in told(ann, bob, daemon):
        count = Counter(cost.paths)
        say(f"  {cost.verb}", f"{count['receive-pack']} pushes, {count['upload-pack']} fetches")


def waiting(bob: Repo, scope: str) -> subprocess.Popen[bytes]:
    """Begin a wait."""
    argv = ["git", "coord", "wait", scope]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=bob.path, env=bob.env, stdout=quiet, stderr=quiet)


def used(waits: list[subprocess.Popen[bytes]]) -> float:
    """Return the CPU seconds of processes, with what they have started and waited for."""
    below: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        below.setdefault(int(fields[1]), []).append(int(name))
        ticks[int(name)] = sum(map(int, fields[11:15]))
    todo, total = [one.pid for one in waits], 0
    while todo:
        pid = todo.pop()
        total += ticks.get(pid, 0)
        todo += below.get(pid, [])
    return total / os.sysconf("SC_CLK_TCK")


def crowd(ann: Repo, bob: Repo, daemon: Daemon) -> None:
    """Print what waits of one clone cost together, and when a release wakes them."""
    for one in (ann, bob):
        ran(one, "claim", "task:crowd")
    waits = [waiting(bob, "task:crowd") for _ in range(WAITS)]
    time.sleep(_UP)
    before, cpu, begin = len(daemon.asked), used(waits), time.monotonic()
    time.sleep(SECONDS)
    took = time.monotonic() - begin
    count = Counter(daemon.asked[before:])
    fetches = count["upload-pack"] * 60 / took
    say(
        f"  {WAITS} waits",
        f"{fetches:.1f} fetches a minute, {count['receive-pack']} pushes, "
        f"{100 * (used(waits) - cpu) / took:.1f} % of a core, load {os.getloadavg()[0]:.0f}",
    )
    for number in range(ROUNDS):
        woken(ann, bob, f"task:w{number}", 6 + 0.7 * number)
    before, begin = len(daemon.asked), time.monotonic()
    ran(ann, "release", "task:crowd")
    for wait in waits:
        wait.wait()
    count = Counter(daemon.asked[before:])
    say("  all woken by one release", f"{time.monotonic() - begin:.1f} s, {dict(count)}")


def woken(ann: Repo, bob: Repo, scope: str, after: float) -> None:
    """Print when a wait ends that a release on another host wakes."""
    for one in (ann, bob):
        ran(one, "claim", scope)
    wait = waiting(bob, scope)
    time.sleep(after)
    begin = time.monotonic()
    ran(ann, "release", scope)
    released = time.monotonic()
    wait.wait()
    end = time.monotonic()
    say("  woken", f"{end - begin:.1f} s after a release began, {end - released:.1f} after its end")


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        for name in ("home", "server"):
            (top / name).mkdir()
        who = "[user]\n\tname = Ann\n\temail = ann@example.com\n"
        (top / "home" / ".gitconfig").write_text(who)
        env = {**clean_environment(top / "home"), "GIT_ALLOW_PROTOCOL": "file:git"}
        repo = Repo.init(top / "repo", env)
        repo.commit("start", {"README": "start\n"})
        Bare(top / "server" / "board.git")
        for daemon in serving(top / "server"):
            url = f"git+{daemon.url}/board.git"
            ann = clone_of(repo, top / "one", "ann", url, rate=RATE)
            bob = clone_of(repo, top / "two", "bob", url, rate=RATE)
            verbs(ann, bob, daemon)
            crowd(ann, bob, daemon)


if __name__ == "__main__":
    main()
