"""What a board on several hosts costs: etcd on loopback, one member and three, beside the files.

A server of one's own is started and ended (Debian's ``etcd-server``). Times are of this machine,
its disk among them: every create waits until a majority has it there.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import harness.etcd
import measure
from coord.stores.cluster import Cluster
from coord.stores.directory import Directory
from coord.stores.replica import Replica
from harness.costs import clone_of, ran, told
from harness.counted import counted
from harness.load import gap, lost, under_load, value
from harness.repo import Repo, clean_environment
from measure import interleaved

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.etcd.address import Address
    from coord.stores.store import Store

RACERS, KEYS, ALONE, LISTED, ROUNDS, FRESH = 50, 200, 300, 10_000, 7, 15
NOTE = b"x" * 200
_MOST, _SOON = 1.5, 0.1
_FRESH = """
import sys
if sys.argv[1] == "etcd":
    from coord.stores.cluster import Cluster
    from coord.etcd.address import Address, Endpoint
    store = Cluster(Address((Endpoint("127.0.0.1", int(sys.argv[2])),), "fresh"))
else:
    from coord.stores.directory import Directory
    store = Directory(sys.argv[2])
if len(sys.argv) > 3:
    store.create("actors/" + sys.argv[3], b"x" * 200)
"""


def say(what: str, found: str) -> None:
    """Print a line of the report."""
    sys.stdout.write(f"{what:<58} {found}\n")
    sys.stdout.flush()


def spread(seconds: list[float]) -> str:
    """Return the least, p50, p99 and the longest of some times; the least is of a quiet moment."""
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return " ".join(
        f"{name} {1000 * each:.2f} ms"
        for name, each in (
            ("min", ordered[0]),
            ("p50", statistics.median(seconds)),
            ("p99", high),
            ("max", ordered[-1]),
        )
    )


def alone(stores: dict[str, Store]) -> None:
    """Print what one create and one read cost over a kept connection."""
    number = iter(range(10**9))

    def create(store: Store) -> object:
        return store.create(f"actors/a-{next(number)}", NOTE)

    def read(store: Store) -> object:
        return store.read("actors/a-1")

    for act in (create, read):
        sides = {name: partial(act, store) for name, store in stores.items()}
        for name, seconds in interleaved(sides, ALONE).items():
            say(f"  {act.__name__}, {name}", spread(seconds))


def fresh(port: int, folder: str) -> None:
    """Print what a create by a process of its own costs, in all and in CPU."""
    number = iter(range(10**9))
    sides = {"etcd": str(port), "directory": folder}
    took: dict[tuple[str, str], list[float]] = {}
    for _ in range(FRESH):
        for name, where in sides.items():
            for key in ((), (f"a-{next(number)}",)):
                argv = [sys.executable, "-c", _FRESH, name, where, *key]
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(argv, check=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                took.setdefault((name, "create" if key else "import alone"), []).append(cpu)
    for (name, what), seconds in sorted(took.items()):
        say(f"  CPU of a fresh process, {name}, {what}", spread(seconds))


def race(address: Address) -> None:
    """Print who won: one a key, and all saw its bytes."""
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(RACERS + 1), context.SimpleQueue()

    def body(number: int) -> None:
        store, found = Cluster(address, patience=60), []
        start.wait()
        for key in range(1, KEYS + 1):
            mine = value(number)
            begin = time.perf_counter()
            got = store.create(f"claims/s-race/{key:08d}", mine).value
            found.append((key, mine, got, time.perf_counter() - begin))
        results.put(found)

    racers = [context.Process(target=body, args=(number,)) for number in range(RACERS)]
    for racer in racers:
        racer.start()
    start.wait()
    begin = time.perf_counter()
    rows = [row for _ in racers for row in results.get()]
    took = time.perf_counter() - begin
    winners = {(key, got) for key, mine, got, _ in rows if mine == got}
    seen = {(key, got) for key, _, got, _ in rows}
    right = winners == seen and len(winners) == KEYS
    verdict = "one winner a key, seen by all" if right else "MISSED: more or fewer than one winner"
    times = spread([seconds for *_, seconds in rows])
    say(f"  {RACERS} processes × {KEYS} keys", f"{times} {len(rows) / took:.0f}/s: {verdict}")


def listed(store: Store) -> None:
    """Print what a list of ten thousand records costs."""
    for number in range(LISTED):
        store.create(f"claims/s-{number % 500}/{number:08d}", NOTE)
    times = interleaved(
        {
            "whole": lambda: list(store.list("claims")),
            "keys": lambda: list(store.list("claims", values=False)),
            "the last of 500 folders": lambda: list(store.last("claims")),
        },
        ROUNDS,
    )
    for name, seconds in times.items():
        say(f"  list of {LISTED}, {name}", spread(seconds))


def copied(address: Address, folder: str) -> None:
    """Print what a copy of ten thousand records costs: made, opened, refreshed, and woken by."""
    path = os.path.join(folder, "copy")
    begin = time.perf_counter()
    store = Replica(Cluster(address), path)
    store.refresh()
    say(f"  copy of {LISTED}, made", f"{1000 * (time.perf_counter() - begin):.0f} ms")
    store.close()
    other, number = Cluster(address), iter(range(10**9))

    def opened() -> None:
        one = Replica(Cluster(address), path)
        list(one.last("claims"))
        one.close()

    sides = {
        "opened and refreshed, the last of 500 folders": opened,
        "refreshed, nothing new": store.refresh,
        "create with the news": lambda: store.create(f"actors/c-{next(number)}", NOTE),
        "create without": lambda: other.create(f"actors/c-{next(number)}", NOTE),
    }
    for name, seconds in interleaved(sides, ALONE // 10).items():
        say(f"  copy of {LISTED}, {name}", spread(seconds))
    took = []
    for turn in range(ALONE // 10):
        store.refresh()
        moments: list[float] = []

        def write(turn: int = turn, moments: list[float] = moments) -> None:
            other.create(f"notices/a-w/{turn:08d}", NOTE)
            moments.append(time.perf_counter())

        timer = threading.Timer(0.05, write)
        timer.start()
        store.watch("notices/a-w", store.place(), 10)
        heard = time.perf_counter()
        timer.join()
        took.append(max(0.0, heard - moments[0]))
    say("  heard by a watch after the create was acknowledged", spread(took))
    store.close()
    other.close()


def verbs(address: Address, scratch: Path) -> None:
    """Print the requests of each verb, and what a claim and a release cost two clones.

    The claim beside the same of a board of files; where it was free, by each clone in turn.
    """
    home = scratch / "home"
    home.mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.com\n")
    repo = Repo.init(scratch / "repo", clean_environment(home))
    repo.commit("start", {"README": "start\n"})
    for proxy in counted(address.endpoints[0]):
        url = f"etcd://{proxy.endpoint}/verbs"
        ann = clone_of(repo, scratch / "one", "ann", url)
        bob = clone_of(repo, scratch / "two", "bob", url)
        for cost in told(ann, bob, proxy):
            say(f"  {cost.verb}", f"{cost.requests} requests")
    for clone in (ann, bob):
        url = f"etcd://{address.endpoints[0]}/verbs"
        ran(clone, "store", "use", url, "--force")
    alone = clone_of(repo, scratch / "three", "eve", "local")
    claimed({"etcd": ann, "directory": alone})
    woken(ann, bob)


def claimed(sides: dict[str, Repo]) -> None:
    """Print the CPU of a claim of what is free, as a process of its own."""
    took: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(FRESH):
        for name, clone in sides.items():
            argv = [os.path.join(sysconfig.get_path("scripts"), "git-coord"), "claim", f"n{number}"]
            took[name].append(measure.cost(argv, clone.path, clone.env)[0])
    for name, seconds in took.items():
        say(f"  CPU of a claim, {name}", spread(seconds))
    least = min(took["etcd"]) / min(took["directory"])
    say("  of the least", f"{least:.2f}×  ≤ 1.5 {'kept' if least <= _MOST else 'MISSED'}")


def woken(ann: Repo, bob: Repo) -> None:
    """Print how long after a release has ended a wait says so, both as processes."""
    took, used = [], []
    for number in range(ROUNDS):
        scope = f"task:w{number}"
        ran(ann, "claim", scope)
        ran(bob, "claim", scope)
        argv = [os.path.join(sysconfig.get_path("scripts"), "git-coord"), "wait", scope]
        waiter = subprocess.Popen(
            argv, cwd=bob.path, env=bob.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        time.sleep(2)
        before = sum(map(int, Path(f"/proc/{waiter.pid}/stat").read_text().split()[13:17]))
        ran(ann, "release", scope)
        released = time.perf_counter()
        with waiter.stdout or sys.stdin.buffer as answer:
            answer.readline()
            took.append(max(0.0, time.perf_counter() - released))
        usage = os.wait4(waiter.pid, 0)[2]
        used.append(usage.ru_utime + usage.ru_stime - before / os.sysconf("SC_CLK_TCK"))
    verdict = "kept" if min(took) <= _SOON else "MISSED"
    say(
        "  a wait says so after the release has ended",
        f"{spread(took)}  ≤ 100 ms {verdict}",
    )
    say("  CPU of that wait from the release on", spread(used))


def failing(what: str, cluster: harness.etcd.Cluster, happen: Callable[[], None]) -> None:
    """Print what is lost, and for how long nobody's create is acknowledged."""

    def later() -> None:
        time.sleep(2)
        happen()

    address = cluster.address("load")
    tallies = under_load(address, 4, 12, later)
    cluster.ready()
    store = Cluster(address)
    gone = len(lost(store, tallies))
    done = sum(tally.stands for tally in tallies)
    store.close()
    say(
        f"  {what}",
        f"{done} acknowledged, {gone} lost, {len(tallies) - done} not known, "
        f"longest gap {gap(tallies):.1f} s",
    )


def stop_leader(cluster: harness.etcd.Cluster, how: signal.Signals) -> None:
    """Send the member that leads a signal."""
    cluster.leader().signal(how)


def restart(cluster: harness.etcd.Cluster) -> None:
    """Kill the one member and start it again at once."""
    cluster.members[0].kill()
    cluster.members[0].start()


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        for one in harness.etcd.served(Path(scratch, "one")):
            folder = os.path.join(scratch, "coord", "board")
            store = Cluster(one.address("bench"), patience=60)
            say("one member", "")
            verbs(one.address("x"), Path(scratch, "verbs"))
            alone({"etcd": store, "directory": Directory(folder)})
            fresh(one.members[0].endpoint.port, folder)
            race(one.address("race"))
            listed(store)
            store.close()
            copied(one.address("bench"), scratch)
            failing("kill -9 and start", one, partial(restart, one))
        for number, how in ((1, signal.SIGKILL), (2, signal.SIGSTOP)):
            for three in harness.etcd.served(Path(scratch, f"three-{number}"), 3):
                say("three members", "")
                failing(f"the leader gets {how.name}", three, partial(stop_leader, three, how))


if __name__ == "__main__":
    main()
