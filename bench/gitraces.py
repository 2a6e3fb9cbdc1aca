"""Real races on a board on a git remote: who wins, what stands, how often it was tried, how long.

``python bench/gitraces.py [PART]``: some 5,000 transactions, or a part of them. Hosts are folders
of their own, without a limit of pushes; the repository is one on this machine, by ``file://`` and
by a ``git daemon``.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from coord.remote import address, transport
from coord.stores.chain import Chain
from coord.stores.store import StoreError
from harness.load import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Hosts, processes of each, claims of each process: of one scope and of one's own.
RACES = ((2, 1, 100), (8, 1, 40), (20, 1, 12), (40, 1, 6), (1, 20, 80))
KILLED = (4, 5, 40.0)  # hosts, processes of each, seconds
PATIENCE = 120.0


class Try(NamedTuple):
    """A create: its key, what was to stand there, what does, and what it took."""

    key: str
    mine: bytes
    got: bytes
    seconds: float
    pushes: int


def kind(url: str) -> str:
    """Return how a repository is reached."""
    return url.removeprefix("git+").partition(":")[0]


def opened(url: str, home: str) -> Chain:
    """Return a board as a host has it."""
    return Chain(address.parsed(url), home, patience=PATIENCE)


def counted() -> list[float]:
    """Have pushes of this process be counted; return where."""
    found: list[float] = []
    push = transport.push

    def pushed(*args: object) -> bool:
        found.append(time.monotonic())
        return push(*args)  # type: ignore[arg-type]

    transport.push = pushed
    return found


def raced(url: str, folder: str, race: tuple[int, int, int], *, one: bool) -> list[Try]:
    """Have processes create records that begin together: in one scope, or each in its own."""
    hosts, each, keys = race
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(hosts * each), context.SimpleQueue()

    def body(number: int) -> None:
        store, found, pushes = opened(url, f"{folder}/{number // each}"), [], counted()
        start.wait()
        for key in range(1, keys + 1):
            path = f"claims/s-{'all' if one else number}/{key:08d}"
            mine, begin, before = value(number), time.perf_counter(), len(pushes)
            try:
                got = store.create(path, mine).value
            except StoreError as error:
                got = str(error).encode()
            found.append(Try(path, mine, got, time.perf_counter() - begin, len(pushes) - before))
        results.put(found)

    racers = [context.Process(target=body, args=(number,)) for number in range(hosts * each)]
    for racer in racers:
        racer.start()
    rows = [row for _ in racers for row in results.get()]
    for racer in racers:
        racer.join()
    return rows


def commits(store: Chain) -> int:
    """Return how many commits there are, but the first that an empty repository has not."""
    return max(store.revisions().values(), default=1) - 1


def judged(store: Chain, rows: list[Try]) -> str:
    """Return how many keys have one winner that all were told of, and what does not stand."""
    there = {rec.key: rec.value for rec in store.list("claims")}
    winners = Counter(row.key for row in rows if row.mine == row.got)
    twice = sum(count > 1 for count in winners.values())
    lost = sum(there.get(row.key) != row.mine for row in rows if row.mine == row.got)
    told = sum(row.got != there.get(row.key) for row in rows)
    return f"{len(winners)} won, {twice} twice, {lost} lost, {told} told otherwise"


def race(url: str, folder: str, what: tuple[int, int, int], *, one: bool) -> int:
    """Run a race and print what came of it; return how many transactions it had."""
    begin = time.perf_counter()
    rows = raced(url, folder, what, one=one)
    took = time.perf_counter() - begin
    store = opened(url, f"{folder}/judge")
    verdict = judged(store, rows)
    seconds = sorted(row.seconds for row in rows)
    high = seconds[len(seconds) * 99 // 100]
    pushes, load = sum(row.pushes for row in rows), os.getloadavg()[0]
    hosts, each, _ = what
    scopes = "one scope" if one else "a scope each"
    sys.stdout.write(
        f"| {kind(url)} | {hosts} × {each} | {scopes} | {len(rows)} | {verdict} | "
        f"{seconds[len(seconds) // 2]:.2f} / {high:.2f} / {seconds[-1]:.2f} | {pushes} | "
        f"{commits(store)} | {len(rows) / took:.0f} | {load:.0f} |\n"
    )
    sys.stdout.flush()
    return len(rows)


def _write(url: str, home: str, number: str, acks: str) -> None:
    """Create records for ever; note each that is acknowledged."""
    store, count = opened(url, home), 0
    with open(acks, "ab", buffering=0) as file:
        while True:
            count += 1
            key, mine = f"claims/s-{number}/{count:08d}", value(number)
            try:
                if store.create(key, mine).value == mine:
                    file.write(b"%s %s\n" % (key.encode(), mine))
            except StoreError as error:
                file.write(b"! %s\n" % str(error).encode())


def killed(url: str, folder: str) -> None:
    """Kill processes at random while they write; print what was acknowledged and does not stand."""
    hosts, each, seconds = KILLED
    context = multiprocessing.get_context("fork")
    names = iter(range(10**6))

    def begun(host: int) -> multiprocessing.process.BaseProcess:
        name = f"{host}-{next(names)}"
        args = (url, f"{folder}/{host}", name, f"{folder}/acks-{name}")
        made = context.Process(target=_write, args=args)
        made.start()
        return made

    running = [(host, begun(host)) for host in range(hosts) for _ in range(each)]
    end, kills = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(random.uniform(0.1, 0.6))
        at = random.randrange(len(running))
        host, victim = running[at]
        os.kill(victim.pid or 0, signal.SIGKILL)
        victim.join()
        running[at], kills = (host, begun(host)), kills + 1
    for _, one in running:
        one.kill()
        one.join()
    time.sleep(2)  # a push that goes on without whoever began it
    files = [Path(folder, name) for name in os.listdir(folder) if name.startswith("acks-")]
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    acked = dict(line.split(b" ", 1) for line in lines if not line.startswith(b"!"))
    store = opened(url, f"{folder}/judge")
    there = {rec.key.encode(): rec.value for rec in store.list("claims")}
    lost = sum(there.get(key) != mine for key, mine in acked.items())
    twice = len(there) - len(set(there.values()))
    failed = sum(line.startswith(b"!") for line in lines)
    sys.stdout.write(
        f"{kills} killed of {hosts} × {each}, {kind(url)}: {len(acked)} acknowledged, "
        f"{lost} lost, {twice} twice, {failed} failed, {len(there)} stand\n"
    )


@contextmanager
def served(folder: str) -> Iterator[int]:
    """Have a git daemon give what is in a folder; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    argv = ["git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack"]
    argv += [f"--base-path={folder}", "--listen=127.0.0.1", f"--port={port}", "--max-connections=0"]
    daemon = subprocess.Popen([*argv, folder], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        yield port
    finally:
        daemon.terminate()
        daemon.wait()


def fresh(top: str, prefix: str, run: Callable[[str, str], object]) -> object:
    """Run something on a new board, `prefix` and its path being the URL, with a new folder."""
    folder = tempfile.mkdtemp(dir=top)
    name = f"{os.path.basename(folder)}.git"
    subprocess.run(["git", "init", "-q", "--bare", os.path.join(top, name)], check=True)
    return run(f"{prefix}/{name}", folder)


def main() -> None:
    """Print the figures."""
    part = float(sys.argv[1]) if sys.argv[1:] else 1.0
    heads = (
        "by", "hosts × processes", "claims of", "transactions", "keys", "s p50 / p99 / max",
        "pushes", "commits", "a second", "load",
    )  # fmt: skip
    sys.stdout.write(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n")
    with tempfile.TemporaryDirectory() as top, served(top) as port:
        total = 0
        for prefix in (f"git+file://{top}", f"git+git://127.0.0.1:{port}"):
            for hosts, each, keys in RACES:
                for one in (True, False):
                    what = (hosts, each, max(1, round(keys * part)))
                    total += int(str(fresh(top, prefix, partial(race, what=what, one=one))))
            fresh(top, prefix, killed)
        sys.stdout.write(f"{total} transactions\n")


if __name__ == "__main__":
    main()
