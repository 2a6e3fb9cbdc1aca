"""What talking costs: ten thousand messages in an inbox, and races of sixteen for one offer.

``python bench/talk.py [ROUNDS]``: rounds of the race, 20 by default.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from coord.board import claims, events, handover, inbox, messages
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.board.offer import Offer
from coord.identity.whoami import Identity
from coord.stores import keys
from coord.stores.directory import Directory
from measure import interleaved, scratch

if TYPE_CHECKING:
    from coord.board.events import Change, State

MESSAGES, UNREAD, BOUND = 10_000, 20, 0.3
ACKERS, ROUNDS = 16, 20


def main() -> None:
    """Print each promise with what was measured."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        _inbox(Path(folder))
        _race(Path(folder), rounds)


def _inbox(folder: Path) -> None:
    """Measure ``inbox`` over the start-up of the command, most read and all unread."""
    path = folder / "repo"
    env = scratch(path)
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=path, env=env, check=True
    )
    subprocess.run(["coord-install"], cwd=path, env=env, check=True, capture_output=True)
    me = _asked(path, env, "whoami")["instance"]
    store = Directory(str(path / ".git" / "coord" / "board"))
    _fill(path / ".git" / "coord" / "board", me)
    for what, unread in ((f"{UNREAD} of {MESSAGES:,} unread", UNREAD), ("all unread", MESSAGES)):
        all_ids = [
            rec.key.rpartition("/")[2] for rec in store.list(keys.messages(me), values=False)
        ]
        read = [_message(me, name)._replace(read=False) for name in all_ids[: MESSAGES - unread]]
        times = interleaved(
            {
                "inbox": lambda read=read: _shown(path, env, store, me, read),
                "whoami": lambda: _run(path, env, "whoami"),
            },
            9,
        )
        over = statistics.median(times["inbox"]) - statistics.median(times["whoami"])
        verdict = "kept" if over <= BOUND else "MISSED"
        sys.stdout.write(
            f"{f'inbox, {what}: over start-up':<58} {over:6.3f} s  ≤ {BOUND} {verdict}\n"
        )


def _shown(path: Path, env: dict[str, str], store: Directory, me: str, read: list[Message]) -> None:
    for rec in list(store.list(keys.read(me))):
        store.delete(rec.key, rec.value)
    inbox.mark_read(store, me, read)
    _run(path, env, "inbox")


def _run(path: Path, env: dict[str, str], *words: str) -> bytes:
    done = subprocess.run(["git-coord", *words], cwd=path, env=env, capture_output=True, check=True)
    return done.stdout


def _asked(path: Path, env: dict[str, str], *words: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(_run(path, env, *words, "--json"))
    return found


def _message(me: str, name: str) -> Message:
    sender, to = Party("hopper-a71f", "i-a", "feat", "pinned"), Party("me", me)
    text = f"message {name}\nwith a second line"
    return Message(name, "help", sender, to, "task:x", 1, text, "2026-01-01T00:00:00.000000Z")


def _fill(board: Path, me: str) -> None:
    folder = board / keys.messages(me)
    folder.mkdir(parents=True)
    for number in range(MESSAGES):
        name = f"{number:014x}-{number:08x}"
        (folder / name).write_bytes(messages.encode(_message(me, name)))


def _race(folder: Path, rounds: int) -> None:
    """Let sixteen processes take up one offer each, at one moment, again and again."""
    root = str(folder / "board")
    holder = Identity("holder", "i-holder", "pinned", 2)
    mine = Place("holder", "i-holder", "main", "now")
    winners, slowest = [], 0.0
    for number in range(rounds):
        store, scope = Directory(root), f"task:{number}"
        claims.change(store, scope, holder, lambda at: events.joined(at, mine, _nobody))
        for acker in range(ACKERS):
            offer = Offer(f"o{acker}", (f"i-{acker}",), "a", "", "now", "pinned")
            claims.change(store, scope, holder, lambda at, offer=offer: handover.offered(at, offer))
        begin = time.perf_counter()
        winners.append(_raced(root, scope))
        slowest = max(slowest, time.perf_counter() - begin)
        state = claims.state(store, scope)
        if state.generation != 2 or state.holder is None or len(winners[-1]) != 1:
            raise AssertionError((scope, winners[-1], state))
        if state.holder.instance != f"i-{winners[-1][0]}":
            raise AssertionError((scope, winners[-1], state))
    what = f"{ACKERS} ackers × {rounds} rounds: one winner each"
    sys.stdout.write(f"{what:<58} {len(winners)} of {rounds}, slowest round {slowest:.2f} s\n")


def _raced(root: str, scope: str) -> list[int]:
    start, queue = multiprocessing.Event(), multiprocessing.SimpleQueue()
    racing = [
        multiprocessing.Process(target=_ack, args=(root, scope, acker, start, queue))
        for acker in range(ACKERS)
    ]
    for process in racing:
        process.start()
    start.set()
    for process in racing:
        process.join()
    found = []
    while not queue.empty():
        found.append(queue.get())
    return found


def _ack(root: str, scope: str, acker: int, start: object, queue: object) -> None:
    me = Identity("a", f"i-{acker}", "pinned", 2)
    mine = Place("a", f"i-{acker}", f"b{acker}", "now")
    start.wait()  # type: ignore[attr-defined]

    def decide(state: State) -> Change | None:
        return handover.accepted(state, f"o{acker}", mine)

    if claims.change(Directory(root), scope, me, decide).event is not None:
        queue.put(acker)  # type: ignore[attr-defined]


def _nobody(_: Place) -> bool:
    return False


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    main()
