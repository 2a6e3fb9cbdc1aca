"""The gate on growth: what each verb, hook and driver costs where there is more of something.

``python bench/growth.py [-n SIZE] [--all] [WORLD…]`` runs each row of the table where there are n
of it and where there are 2n, and counts processes, fsyncs and opened files. A further one may cost
what its row declares, and no more: nothing, so it is flat, or so many of each, so it is linear.
What grows faster costs more for each of them, and fails; so does a verb, hook or driver without a
row. CPU seconds are printed, and judged by nobody.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from counted import Cost, Counter, Server
from grown import WORLDS, World, ran

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

SIZE = 3
_AGAIN = 2
FLAT = Cost(0, 0, 0)
_ID = re.compile(r'"id": "([^"]+)"')


class Row(NamedTuple):
    """What `subject` costs in a world: `each` further one, at most, when `commands` are run.

    The last of the `commands` counts, the others prepare; each runs in the worktree `at`, and ends
    with one of `codes`. What is `later` is not for every change: ``--all``.
    """

    subject: str
    world: str
    commands: str
    each: Cost = FLAT
    at: str = "me"
    codes: tuple[int, ...] = (0,)
    later: bool = False


_ADD = "git add -A && git commit -q --allow-empty -m x"
_MAIL = "git format-patch -q --output=../mail main..me && git switch -q -C mailed main"


def _verb(
    name: str,
    world: str,
    each: Cost = FLAT,
    *,
    after: str = "",
    words: str = "",
    at: str = "me",
    codes: tuple[int, ...] = (0,),
    later: bool = False,
) -> Row:
    last = f"coord {name} {words}"
    return Row(name, world, f"{after} && {last}" if after else last, each, at, codes, later)


# The objects that git opens are left out, for their folders are chance. Files that are read again
# where a time is the same as another leave a little room in the numbers of files.
TABLE = (
    _verb("wake", "workers", Cost(0, 0, 50), words="--no-stagger"),
    _verb("wake", "board", Cost(0, 0, 50), words="--no-stagger", later=True),
    _verb("whoami", "workers"),
    _verb("session", "workers", words="-- true"),
    _verb("sign-off", "board", Cost(0, 0, 24), at="peer"),
    _verb("claim", "workers", words="task:new"),
    _verb("claim", "board", words="task:busy", later=True),
    _verb("wait", "board", words="task:busy"),
    _verb("run", "board", words="task:busy -- true"),
    _verb("finish", "workers", Cost(0, 0, 8)),
    _verb(
        "release",
        "workers",
        after="coord claim task:gone",
        words="task:gone",
        later=True,
    ),
    _verb("release", "board", words="task:busy", later=True),
    _verb("release", "board", Cost(1, 0, 40), words="--landed"),
    _verb(
        "handoff",
        "board",
        Cost(0, 0, 3),
        after="coord claim task:given",
        words="peer --scope task:given",
    ),
    _verb("ack", "board", Cost(0, 0, 6), after="coord inbox --json", words="{id}", at="peer"),
    _verb("take-over", "board", words="task:given --from-present --reason=x"),
    _verb("board", "workers", Cost(0, 0, 40)),
    _verb("board", "board", Cost(0, 0, 40), later=True),
    _verb("show", "board", Cost(0, 0, 11), words="task:queue"),
    _verb("show", "line", Cost(0, 0, 44), words="task:long"),
    _verb("claim", "line", Cost(0, 0, 66), words="task:long", at="peer"),
    _verb("log", "board", Cost(0, 0, 4), words="task:busy"),
    _verb("list", "workers", Cost(0, 0, 12)),
    _verb("overlap", "history", Cost(0, 0, 3)),
    _verb("overlap", "workers", Cost(0, 0, 22)),
    _verb("announce", "workers", Cost(0, 0, 4), words="--path=x"),
    _verb("send", "workers", Cost(0, 0, 5), words="help peer hello", later=True),
    _verb("send", "board", Cost(0, 0, 3), words="help peer hello"),
    _verb("inbox", "board", Cost(0, 0, 7)),
    _verb("pause", "board", Cost(0, 5, 60)),
    _verb("resume", "board", Cost(0, 2, 32)),
    _verb("merge-order", "workers", Cost(0, 0, 14)),
    _verb("merge-order", "history", Cost(0, 0, 3), later=True),
    _verb("check", "history"),
    _verb("doctor", "workers", Cost(15, 0, 196)),
    _verb("doctor", "history", Cost(0, 0, 4), later=True),
    _verb("doctor", "files", Cost(0, 0, 9), later=True),
    _verb("worktree add", "workers", Cost(0, 0, 12), words="../new -b new"),
    _verb("pin", "workers", Cost(0, 0, 6), words="--replace", at="peer"),
    _verb("reauthor", "history", words="--outgoing --dry-run"),
    _verb("clone-id", "workers"),
    _verb("store", "board", Cost(0, 0, 6)),
    _verb("store probe", "board", Cost(0, 0, 2)),  # it races for a time, not a number of rounds
    # Nobody answers there; a move itself costs what is moved.
    _verb("store migrate", "board", Cost(0, 0, 6), words="etcd://127.0.0.1:1/x", codes=(3,)),
    _verb("store use", "workers", Cost(0, 0, 2), words="local"),
    _verb("agents", "workers"),
    _verb("completion", "workers", words="bash"),
    _verb("track changelog", "files", words="new-changelog"),
    _verb("track derived", "files", words="new-derived --regenerate=true"),
    _verb("track log", "files", words="new-log --lines"),
    _verb("track once", "files", words="new-once"),
    _verb("untrack", "files", words="new-once"),
    _verb("id next", "history", Cost(0, 0, 4), words="adr"),
    _verb("id list", "history", Cost(0, 0, 5)),
    _verb("id renumber", "history", Cost(0, 0, 12), words="coordination/ids/adr/adr-0001.toml"),
    _verb("id check", "history", Cost(0, 0, 4)),
    _verb("log-merge", "history", words="log/long log/long log/long"),
    _verb("ship", "history", words="fix it"),
    _verb("put-down", "history", words="task:x --reason=stale"),
    _verb("mirror", "history"),
    _verb("lanes", "history"),
    Row("coord-install", "workers", "coord-install --trust", Cost(1, 0, 60)),
    # The hooks, by what of git calls them; git's own part is in it.
    Row("post-checkout", "workers", "git switch -q -c other && git switch -q me", Cost(0, 0, 8)),
    Row(
        "post-checkout",
        "workers",
        "git worktree add -q ../added -b added",
        Cost(0, 0, 12),
        later=True,
    ),
    Row("prepare-commit-msg", "workers", "git commit -q --allow-empty -m x"),
    Row("commit-msg", "workers", "git commit -q --allow-empty -s -m x"),
    Row("prepare-commit-msg", "loose", "cp shorter log/cut && git commit -qam x", Cost(0, 0, 21)),
    Row("pre-push", "workers", "git push -q origin me", Cost(0, 0, 3), later=True),
    Row(
        "prepare-commit-msg",
        "files",
        "git read-tree -m -u more && git commit -q -m x",
        Cost(0, 0, 11),
    ),
    Row(
        "coord-log",
        "history",
        f"{_ADD} && git merge -q side-long",
        Cost(0, 0, 3),
        later=True,
    ),
    Row("post-rewrite", "history", "git commit -q --amend --no-edit", Cost(0, 0, 3), later=True),
    Row("pre-push", "history", f"{_ADD} && {_ADD} && git push -q origin me", Cost(0, 0, 4)),
    Row("post-rewrite", "history", "git rebase -q --force-rebase origin/main", Cost(13, 0, 330)),
    Row("applypatch-msg", "history", f"{_MAIL} && git am -q ../mail", Cost(2, 0, 60)),
    Row(
        "pre-applypatch",
        "history",
        "git switch -q me && git rebase -q --apply -f origin/main",
        Cost(2, 0, 60),
    ),
    # The drivers, by a merge of as many conflicted files.
    Row("coord-log", "files", "git merge -q side-log", Cost(1, 0, 30)),
    Row("coord-changelog", "files", "git merge -q side-changelog", Cost(1, 0, 30)),
    Row("coord-derived", "files", "git merge -q side-derived", Cost(13, 0, 60), codes=(1,)),
    _verb("regenerate", "files", Cost(2, 2, 19), words="--trust"),
    Row(
        "coord-once",
        "files",
        "git commit -qm x && git merge -q side-once",
        Cost(20, 0, 60),
        codes=(1,),
    ),
    # git reads again what it has written in the same tick.
    _verb("resolve", "files", Cost(0, 0, 16), words="once/f0 --take=ours --reason=x"),
)


class Found(NamedTuple):
    """What a row came to: at n, at 2n, and for each further one."""

    row: Row
    small: Cost
    large: Cost
    each: Cost
    cpu: tuple[float, float]

    def is_kept(self) -> bool:
        """Tell whether it is within what its row declares."""
        return all(now <= most for now, most in zip(self.each, self.row.each, strict=True))

    def line(self) -> str:
        """Return a line of the report."""
        small, large = (" ".join(f"{part:4}" for part in cost) for cost in (self.small, self.large))
        said = "" if self.is_kept() else f"  MORE than {tuple(self.row.each)}"
        cpu = "–".join(f"{1000 * part:.0f}" for part in self.cpu)
        what = f"{self.row.subject} × {self.row.world}"
        return f"{what:<28} {small} → {large}  each {tuple(self.each)}  {cpu} ms{said}"


def subjects() -> set[str]:
    """Return whatever has to have a row: each verb, each hook, each driver."""
    from coord.cli.main import main as git_coord  # noqa: PLC0415  # for whoever asks
    from coord.drivers.registered import DRIVERS  # noqa: PLC0415
    from coord.installer.hookfile import EVENTS  # noqa: PLC0415

    return {*_verbs(git_coord), "coord-install", *EVENTS, *DRIVERS}


def _verbs(group: click.Group, above: str = "") -> Iterator[str]:
    """Yield the names of a group's verbs, each behind those of the groups it stands in."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _verbs(command, f"{above}{name} ")
        else:
            yield f"{above}{name}"


def measured(
    rows: Collection[Row], size: int, change: Callable[[Path], object] = bool
) -> Iterator[Found]:
    """Yield what each row costs, world by world; each world is handed to `change` before."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        folder = Path(os.path.realpath(name))
        env = {
            "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        builder, counter = Server(folder, env), Counter(folder, env)
        ended = {}
        for world in [name for name in WORLDS if any(row.world == name for row in rows)]:
            for count in (size, 2 * size):
                place = folder / f"{world}-{count}"
                World(builder, place, world, count)
                change(place)
                for row in rows:
                    if row.world == world:
                        ended[row, count] = _run(row, place, builder, counter)
        builder.end()
        costs = counter.costs()
        for row in rows:
            before, after = ended[row, size], ended[row, 2 * size]
            small, large = costs[before[0]], costs[after[0]]
            yield Found(row, small, large, large.per(size, small), (before[1], after[1]))


def judged(rows: Collection[Row], size: int) -> list[Found]:
    """Return what each row costs; of one that costs more than it declares the least of three.

    One file more is opened where a time is the same as another, and now and then git starts one
    process more: growth is there each time.
    """
    found = list(measured(rows, size))
    for _ in range(_AGAIN):
        worlds = {one.row.world for one in found if not one.is_kept()}
        if worlds:
            there = [row for row in rows if row.world in worlds]
            again = {one.row: one for one in measured(there, size)}
            found = [one if one.is_kept() else again[one.row] for one in found]
    return found


def _run(row: Row, place: Path, builder: Server, counter: Counter) -> tuple[int, float]:
    *before, last = row.commands.split(" && ")
    said = ""
    for command in before:
        said = ran(builder, place / row.at, command.split(), (0,)).output
    if "{id}" in last:
        last = last.replace("{id}", _ID.findall(said)[-1])
    done = ran(counter, place / row.at, last.split(), row.codes)
    return done.number, done.cpu


def main(argv: Sequence[str] | None = None) -> int:
    """Print each row; return 1 where one grows more than it declares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=SIZE, help="how many there are at first")
    parser.add_argument("--all", action="store_true", help="also the rows for later")
    parser.add_argument("worlds", nargs="*", default=list(WORLDS))
    asked = parser.parse_args(argv)
    rows = [row for row in TABLE if row.world in asked.worlds and (asked.all or not row.later)]
    missing = subjects() - {row.subject for row in TABLE if not row.later}
    if missing:
        sys.stdout.write(f"no row says how these may grow: {', '.join(sorted(missing))}\n")
    kept = not missing
    for found in judged(rows, asked.n):
        kept = kept and found.is_kept()
        sys.stdout.write(found.line() + "\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
