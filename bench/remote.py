"""What a board on a git remote costs, by transport, and that of racing pushes one a tip wins.

    python bench/remote.py [race-by-file [race-by-http]]    numbers of pushes that race

Servers of one's own are started and ended: ``git daemon``, ``git http-backend``, ``sshd``. Times
are of this machine; a fetch or a push is one child, with all that it starts.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from coord.base.failures import Failure
from harness import gitservers
from harness.remotes import Bare, Cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RACERS, TIMES, WARM = 8, 30, 3
_WITHIN = 60.0


def say(what: str, found: str) -> None:
    """Print one figure."""
    print(f"{what:<44}{found}", flush=True)


@contextlib.contextmanager
def served(bare: Bare, folder: Path) -> Iterator[dict[str, str]]:
    """Give a repository by each transport; yield the URLs."""
    bare.set("http.receivepack", "true")
    with contextlib.ExitStack() as all_of_them:
        port = all_of_them.enter_context(gitservers.daemon(bare.path.parent))
        web = all_of_them.enter_context(gitservers.smart(bare.path.parent))
        ssh, config = all_of_them.enter_context(gitservers.sshd(folder / "sshd"))
        os.environ["GIT_SSH_COMMAND"] = f"ssh -F {config}"
        yield {
            "file": str(bare.path),
            "git": f"git://{gitservers.HOST}:{port}/{bare.path.name}",
            "http": f"http://{gitservers.HOST}:{web.server_port}/{bare.path.name}",
            "ssh": f"ssh://{gitservers.HOST}:{ssh}{bare.path}",
        }


def measured(ask: Callable[[int], object]) -> str:
    """Return what a question takes: median and most ms, and ms of the processor in children."""
    times, spent = [], []
    for number in range(WARM + TIMES):
        used, begun = _used(), time.perf_counter()
        ask(number)
        times.append((time.perf_counter() - begun) * 1000)
        spent.append((_used() - used) * 1000)
    times, spent = times[WARM:], spent[WARM:]
    return (
        f"p50 {statistics.median(times):6.1f} ms, most {max(times):6.1f}; "
        f"processor {statistics.median(spent):5.1f} ms"
    )


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    ours = resource.getrusage(resource.RUSAGE_SELF)
    return children.ru_utime + children.ru_stime + ours.ru_utime + ours.ru_stime


def costs(folder: Path) -> None:
    """Say what a fetch without news and a push of one commit cost, by transport."""
    bare = Bare(folder / "served" / "board")
    with served(bare, folder) as urls:
        for name, url in urls.items():
            cache = Cache(folder / name, url)
            cache.fetch()
            tips = [bare.tip]
            for number in range(WARM + TIMES):
                parent = tips[-1:] if tips[-1] else []
                tips.append(cache.commit(f"{name} {number}", *parent, data=os.urandom(200)))

            def push(number: int, cache: Cache = cache, tips: list[str] = tips) -> None:
                if not cache.push(tips[number], tips[number + 1]):
                    raise SystemExit("nobody else is there, and another was faster")

            say(f"{name}: push of one commit", measured(push))
            cache.fetch()
            say(f"{name}: fetch with nothing new", measured(lambda _, cache=cache: cache.fetch()))


def _racer(folder: Path, url: str, number: int, most: int, told: multiprocessing.Queue) -> None:
    """Push on each tip that there is, until so many pushes were made; tell what became of each."""
    cache = Cache(folder / f"racer-{number}", url)
    for turn in range(most):
        old = cache.fetch(_WITHIN)
        new = cache.commit(f"{number} {turn}", *filter(None, [old]))
        try:
            answer = str(cache.push(old, new, _WITHIN))
        except Failure as failure:
            answer = type(failure).__name__
        told.put((old, new, answer))


def race(folder: Path, name: str, pushes: int) -> None:
    """Let several push at once; insist that one a tip won, and that all that did are there."""
    bare = Bare(folder / f"{name}-served" / "board")
    with served(bare, folder / f"{name}-servers") as urls:
        told: multiprocessing.Queue[tuple[str, str, str]] = multiprocessing.Queue()
        begun = time.monotonic()
        racers = [
            multiprocessing.Process(
                target=_racer, args=(folder / name, urls[name], number, pushes // RACERS, told)
            )
            for number in range(RACERS)
        ]
        for racer in racers:
            racer.start()
        found = [told.get() for _ in range(pushes // RACERS * RACERS)]
        for racer in racers:
            racer.join()
        took = time.monotonic() - begun
    argv = ["git", f"--git-dir={bare.path}", "rev-list", "refs/coord/board"]
    chain = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    won = [(old, new) for old, new, answer in found if answer == "True"]
    stands = {new for _, new, answer in found if answer != "True"} & set(chain)
    double = [old for old, count in Counter(old for old, _ in won).items() if count > 1]
    missing = {new for _, new in won} - set(chain)
    say(f"{name}: {len(found)} pushes of {RACERS} racers", f"{len(found) / took:.1f} a second")
    say("  answers", str(dict(Counter(answer for *_, answer in found))))
    say("  tips that two have won", str(len(double)))
    say("  accepted, not in the chain", str(len(missing)))
    say("  not accepted, in the chain", str(len(stands)))


def main(argv: list[str]) -> None:
    """Measure, and race."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in ("served", "file", "git", "http", "ssh"):
            (folder / name).mkdir()
        if not argv:
            costs(folder)
        for name, pushes in zip(("file", "http"), argv, strict=False):
            for part in (f"{name}-served", f"{name}-servers"):
                (folder / part).mkdir()
            race(folder, name, int(pushes))


if __name__ == "__main__":
    main(sys.argv[1:])
