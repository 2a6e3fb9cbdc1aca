"""Repositories that have n of one thing: a worker `me`, its peer, and whatever was made to grow."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from counted import Ended, Server

TRACKED = {
    "derived": ("--regenerate", "cp source {path}"),
    "log": ("--lines",),
    "changelog": (),
    "once": (),
}
# gc would run by chance; a file whose time is its index's is read again.
CONFIG = ("user.name Ada", "user.email a@example.com", "gc.auto 0", "core.checkStat minimal")


class World:
    """Below `place` the worktrees ``repo`` (main), ``me`` and ``peer``, and ``hub``, a remote.

    What is called a `dimension` stands there `size` times.
    """

    def __init__(self, server: Server, place: Path, dimension: str, size: int) -> None:
        self.place = place
        self.size = size
        self._server = server
        seed = place.parent / "seed"
        if not seed.exists():
            self.place = seed
            self._seed()
            self.place = place
        shutil.copytree(seed, place, symlinks=True)
        for name in ("me", "peer"):
            self.worker(name)
        for grow in WORLDS[dimension]:
            grow(self)

    def run(self, *argv: str, at: str = "repo", codes: Sequence[int] = (0,)) -> Ended:
        """Run a command in one of the worktrees, and insist on how it ends."""
        return ran(self._server, self.place / at, argv, codes)

    def _seed(self) -> None:
        """Make what all worlds have, before there is anything that a copy of it would not be."""
        (self.place / "repo").mkdir(parents=True)
        self.run("git", "init", "-q", "-b", "main", "--template=")
        for words in CONFIG:
            self.run("git", "config", *words.split())
        self.commit("repo", {"source": "1\n", "file": "1\n"})
        for kind, options in TRACKED.items():
            self.run("coord", "track", kind, f"{kind}/*", *options)
        self.run("coord-install", "--trust")
        self.commit("repo", {})
        self.run("git", "clone", "-q", "--bare", ".", "../hub")
        self.run("git", "remote", "add", "origin", "../hub")
        self.run("git", "fetch", "-q", "origin")

    def worker(self, name: str) -> None:
        """Add a worktree with its worker."""
        self.run("coord", "worktree", "add", f"../{name}", "-b", name, "--actor", name)

    def commit(self, at: str, files: dict[str, str]) -> None:
        """Commit what is there, and `files`."""
        for name, text in files.items():
            path = self.place / at / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.run("git", "add", "-A", at=at)
        self.run("git", "commit", "-q", "-m", "change", at=at)

    def branch(self, name: str, files: dict[str, str]) -> None:
        """Commit `files` on a new branch that begins where `me` is."""
        self.run("git", "switch", "-q", "-c", name, at="me")
        self.commit("me", files)
        self.run("git", "switch", "-q", "me", at="me")

    def names(self, word: str) -> list[str]:
        """Return as many names as the world is large."""
        return [f"{word}{number}" for number in range(self.size)]


def workers(world: World) -> None:
    """Worktrees, each with a branch, a worker, a commit and a claim."""
    for name in world.names("w"):
        world.worker(name)
        world.commit(name, {f"{name}.txt": f"{name}\n"})
        world.run("coord", "claim", f"task:{name}", at=name)


def branches(world: World) -> None:
    """Branches of one commit each that nobody has checked out."""
    for name in world.names("b"):
        world.run("git", "switch", "-q", "-c", name)
        world.commit("repo", {f"{name}.txt": f"{name}\n"})
        world.run("git", "switch", "-q", "main")


def held(world: World) -> None:
    """Scopes that `me` holds."""
    world.run("coord", "claim", *world.names("task:h"), at="me")


def freed(world: World) -> None:
    """Scopes that were claimed and released."""
    world.run("coord", "claim", *world.names("task:g"), at="me")
    world.run("coord", "release", *world.names("task:g"), at="me")


def events(world: World) -> None:
    """Claims and releases of one scope."""
    for _ in range(world.size):
        for verb in ("claim", "release"):
            world.run("coord", verb, "task:busy", at="peer")


def waiters(world: World) -> None:
    """Workers in line behind `me`."""
    world.run("coord", "claim", "task:queue", at="me")
    for name in world.names("q"):
        world.run("coord", "--as", name, "claim", "task:queue")


def line(world: World) -> None:
    """Twenty times as many in line behind `me`, whose places fill a page and more."""
    from coord.board import claims, events  # noqa: PLC0415  # for this world alone
    from coord.identity.whoami import Identity  # noqa: PLC0415
    from coord.stores.directory import Directory  # noqa: PLC0415

    world.run("coord", "claim", "task:long", at="me")
    store = Directory(str(world.place / "repo/.git/coord/board"))
    for name in (f"{one}-{number}" for one in world.names("l") for number in range(20)):
        place = events.Place(name, f"instance-of-{name}", "main", "2026-01-01T00:00:00Z")
        claims.change(
            store,
            "task:long",
            Identity(name, place.instance, "pinned", 2),
            lambda state, place=place: events.joined(state, place, lambda _: False),
        )


def refs(world: World) -> None:
    """Twenty times as many loose branches, and a line of a log that `me` alone has."""
    world.commit("me", {"log/cut": "one\n", "shorter": "one\n"})
    world.commit("me", {"log/cut": "one\ntwo\n"})
    heads = world.place / "repo/.git/refs/heads"
    for name in (f"{one}-{number}" for one in world.names("r") for number in range(20)):
        (heads / name).write_text((heads / "main").read_text())


def messages(world: World) -> None:
    """Messages to `me` that were not read."""
    for name in world.names("m"):
        world.run("coord", "send", "help", "me", name, at="peer")


def ids(world: World) -> None:
    """Numbers that `me` took, and committed."""
    for _ in range(world.size):
        world.run("coord", "id", "next", "adr", at="me")
    world.commit("me", {})


def commits(world: World) -> None:
    """Commits of `me` that were not pushed, each a line of a log."""
    lines = [f"{name}\n" for name in world.names("line ")]
    for number in range(world.size):
        world.commit("me", {"log/journal": "".join(lines[: number + 1])})


def records(world: World) -> None:
    """Thousands of records in a log, to which ``side-long`` appends as well; moves."""
    text = "".join(f"{number} {name}\n" for name in world.names("x") for number in range(1000))
    world.commit("me", {"log/long": text})
    world.branch("side-long", {"log/long": f"{text}of side\n"})
    world.commit("me", {"log/long": f"{text}of me\n"})
    for name in world.names("s"):
        world.run("coord", "ship", "fix", name, at="me")
    world.commit("me", {})


def files(world: World) -> None:
    """Files of each kind that `me` and a branch for each, ``side-KIND``, changed; and ``more``."""
    seeds = dict.fromkeys(TRACKED, "one\n") | {"changelog": "## Unreleased\n\n- one\n"}
    paths = {kind: [f"{kind}/{name}" for name in world.names("f")] for kind in seeds}
    old = {path: seeds[kind] for kind in seeds if kind != "once" for path in paths[kind]}
    world.commit("me", old)
    for kind, text in seeds.items():
        world.branch(f"side-{kind}", dict.fromkeys(paths[kind], f"{text}- of side\n"))
    new = {path: f"{seeds[kind]}- of me\n" for kind in seeds for path in paths[kind]}
    world.commit("me", new)
    world.branch("more", {path: f"{new[path]}- more\n" for path in old})


#: What may grow, in worlds of their own.
WORLDS: dict[str, tuple[Callable[[World], None], ...]] = {
    "workers": (workers,),
    "board": (held, freed, events, waiters, messages),
    "history": (branches, commits, records, ids),
    "files": (files,),
    "line": (line,),
    "loose": (refs,),
}


def ran(server: Server, place: Path, argv: Sequence[str], codes: Sequence[int]) -> Ended:
    """Run a command, and insist on how it ends."""
    done = server.run(argv, place)
    if done.code not in codes:
        raise RuntimeError(f"{' '.join(argv)}: exit {done.code}\n{done.output}")
    return done
