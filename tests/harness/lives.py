"""Workers that live, each in its way and silent for an hour, and those who look at them.

Each is started with no test above it, so that what stands above its commands ends where its way
ends. What a machine has not got (tmux, sshd) is played, and the way's `played` says how.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import tomllib
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.board import MARK, eventually, marked, silence
from harness.users import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.repo import Done, Repo

HOUR = 3600
LIVING = frozenset({"present", "silent", "unknown"})
ELSEWHERE = "unknown"  # recorded where only those can look who are there
ENDS = "left"  # all that stood above the command has ended, as the fact is

CLAIM = "git coord claim $SCOPE && : >ready"
STAY = "sleep 100; :"
READY = "until [ -e ready ]; do sleep 0.05; done"
AGENT = "python3 $BIN/agent.py"  # gives each command in a shell of its own, and lives on
DIES = "python3 $BIN/dies.py"  # claims, and is killed
_SCRIPTS = {
    "agent.py": "import subprocess, sys, time\n"
    "[subprocess.run(one, shell=True) for one in sys.argv[1:]]\ntime.sleep(100)\n",
    "hook.py": "import os, subprocess\n"
    "subprocess.run(['git', 'coord', 'claim', os.environ['SCOPE']], check=True)\n"
    "open('ready', 'w')\n",
    "dies.py": "import hook, os\nos.kill(os.getpid(), 9)\n",
}


class Way(NamedTuple):
    """A way to run.

    Attributes:
        line: the shell line that starts the worker in its worktree, and makes ``ready``.
        here: what is said of it to those who can see it.
        act: what happens to the worktree afterwards, in shell, from the main one.
        played: what stands in for a tool that is not here.
    """

    line: str
    here: str = "silent"
    act: str = ""
    played: str = ""


def _tmux(text: str) -> str:
    if shutil.which("tmux"):
        return f"tmux -S $PWD/s -f /dev/null new-session -d \"sh -c '{text}'\""
    return f'setsid -f "$BIN/tmux: server" -c "sh -c \'{text}\'; :"'


_CLOSED_PANE = f"echo $$ >pane; {CLAIM}; setsid -f sleep 100; {STAY}"
_CLOSE = "tmux -S $PWD/s kill-server" if shutil.which("tmux") else "kill -9 $(cat pane)"
_NO_TMUX = "" if shutil.which("tmux") else "a shell called `tmux: server`"
_SSHD = next(filter(os.path.exists, ("/usr/sbin/sshd", "/usr/local/sbin/sshd")), "")
_JOB = f"{CLAIM}; nohup sh -c '{STAY}' >/dev/null 2>&1 &"
_SERVER = """
    unshare -m sh -c "mount -t tmpfs none /run && mkdir /run/sshd && exec $SSHD -D -f $PWD/sshd"
"""
_SSH = f"""
    ssh-keygen -q -t ed25519 -N '' -f key && export -p >exported
    printf 'Port %s\\nListenAddress 127.0.0.1\\nHostKey %s\\nAuthorizedKeysFile %s\\n' \
        $PORT $PWD/key $PWD/key.pub >sshd
    printf 'PermitRootLogin yes\\nStrictModes no\\nUsePAM no\\nPidFile none\\n' >>sshd
    setsid -f {_SERVER.strip()}
    there() {{
        ssh -F none -q -p $PORT -i key -o BatchMode=yes -o StrictHostKeyChecking=no \
            -o UserKnownHostsFile=/dev/null root@127.0.0.1 "$1"
    }}
    until there true; do sleep 0.1; done
    there ". $PWD/exported; cd $PWD; {_JOB}"
"""
_NO_SSH = f"setsid -f sh -c '{CLAIM}; nohup sleep 100 >/dev/null 2>&1 &'"
_HAS_SSH = bool(_SSHD and shutil.which("ssh") and not os.geteuid())
_OTHERS = """
    for one in $(git rev-parse --git-common-dir)/worktrees/*; do
        [ $one = $(git rev-parse --git-dir) ] || mount -t tmpfs none $one
    done"""
_EXEC = f"""
    unshare -rm --pid --fork --mount-proc --kill-child sleep 100 &
    children=/proc/$!/task/$!/children
    until grep -q sleep /proc/$(cat $children | tr -d " ")/comm; do sleep 0.05; done
    nsenter -t $(cat $children) -U -p -m --preserve-credentials sh -c "cd $PWD; {CLAIM}"
    {STAY}"""
_BOX = "bwrap --dev-bind / / --unshare-pid"  # /dev/shm stays
_KEPT = "kill -9 $PPID"  # of a session's command: the one who would say that it is over
_CHILD = f"{CLAIM}; {STAY}"
_STEPS = f"\"sh -c '{CLAIM}; :'; {STAY}\""
_AHEAD = "find $PRIVATE -type f -exec touch -d '2 hours' {} +"  # the clock was set back since
_UNPLUGGED = "git worktree lock $TREE && mv $TREE $TREE-unplugged && git worktree prune"

WAYS = {
    "child": Way(_CHILD),
    "tty": Way(f"script -qec \"sh -c '{_CHILD}'\" /dev/null"),
    "setsid": Way(f"setsid -f sh -c '{_CHILD}'"),
    "nohup": Way(f"nohup sh -c '{_CHILD}' >/dev/null 2>&1 &"),
    "setsid-step": Way(f"{CLAIM}; setsid -f sh -c '{STAY}'", ENDS),
    "nohup-step": Way(f"sh -c '{CLAIM}'; nohup sh -c '{STAY}' >/dev/null 2>&1 &", ENDS),
    "killed": Way(f"{DIES} & setsid -f sh -c '{STAY}'", ENDS),
    "hook": Way(f"{AGENT} 'python3 $BIN/hook.py'"),
    "loop": Way(f"python3 $BIN/hook.py; {AGENT}; :"),
    "stopped": Way(f"{CLAIM}; kill -STOP $$; {STAY}"),
    "tmux-killed": Way(_tmux(f"{DIES}; {STAY}"), played=_NO_TMUX),
    "tmux-closed": Way(f"{_tmux(_CLOSED_PANE)}; {READY}; {_CLOSE}", ENDS, played=_NO_TMUX),
    "tmux-windows": Way(_tmux(CLAIM) + f"; {READY}; {STAY}", ENDS, played=_NO_TMUX),
    "cron": Way(f"$BIN/cron -c {_STEPS}", ENDS, played="a shell called `cron`"),
    "ssh": Way(_SSH) if _HAS_SSH else Way(_NO_SSH, ENDS, played="setsid without a tty"),
    "systemd-run": Way(f"$BIN/systemd -c {_STEPS}", ENDS, played="a shell called `systemd`"),
    "session": Way(f"git coord session -- sh -c '{_CHILD}'"),
    "session-daemon": Way(f"git coord session -- sh -c '{CLAIM}; setsid -f sleep 100'", ENDS),
    "session-killed": Way(f"git coord session -- sh -c '{CLAIM}; {_KEPT}; {STAY}'"),
    "session-closed": Way(
        "git coord session -- python3 -c 'import os, subprocess; os.closerange(3, 99);"
        f' subprocess.run("{CLAIM}; kill -9 " + str(os.getppid()), shell=True);'
        " __import__(\"time\").sleep(100)'"
    ),
    "pids": Way(f"unshare -rpf --mount-proc --kill-child sh -c '{_CHILD}'", ELSEWHERE),
    "pids-of-host": Way(f"unshare -rpf --kill-child sh -c '{_CHILD}'", ELSEWHERE),
    "pid-1": Way(f"unshare -rpf --mount-proc --kill-child {AGENT} '{CLAIM}'", ELSEWHERE),
    "exec": Way(_EXEC, ELSEWHERE),
    "box": Way(f"{_BOX} sh -c '{CLAIM}; :'; {STAY}", ELSEWHERE),
    "box-proc": Way(f"{_BOX} --proc /proc sh -c '{CLAIM}; :'; {STAY}", ELSEWHERE),
    "mounts": Way(f"unshare -rm sh -c '{_OTHERS}; {_CHILD}'"),
    "host": Way(f"unshare -ru sh -c 'echo box >/proc/sys/kernel/hostname; {_CHILD}'", ELSEWHERE),
    "times": Way(f"unshare -rT --boottime 1000 sh -c '{_CHILD}'", ELSEWHERE),
    "clock-ahead": Way(_CHILD, act=_AHEAD),
    "locked": Way(_CHILD, act=_UNPLUGGED),
    "pruned": Way(_CHILD, "gone", act="rm -r $TREE && git worktree prune"),
    "re-added": Way(
        _CHILD, "gone",
        act="git worktree remove --force $TREE && git worktree add -q $TREE re-added",
    ),
    "moved": Way(_CHILD, act="mv $TREE $TREE-moved"),
    "removed": Way(_CHILD, act="rm -r $TREE"),
    "copied": Way(_CHILD, act="cp -a $TREE $TREE-copy"),
}  # fmt: skip
if not shutil.which("bwrap"):
    del WAYS["box"], WAYS["box-proc"]
AGAIN = "re-added-anew"  # who works in the worktree of that name by now

_COVERED = 'for one in .git/worktrees/*; do mount -t tmpfs none "$one" || exit; done; exec "$@"'
_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
_READER = (*_NOBODY, "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search")
_ENTERED = ("sh", "-c", 'exec "$@"', "-")  # the exec of setpriv itself has the powers of root
_HIDDEN = "mount -t proc -o hidepid=2 none /proc"
_SIBLING = """
    echo sibling >/proc/sys/kernel/hostname
    for one in ../*/.git; do
        [ -d $one ] || mount -t tmpfs none ${one%/.git} || exit
    done; exec "$@"
"""
# The clock of the machine was set by a day, and with it the time at which that was started.
_STEPPED = """
    awk '$1 == "btime" { $2 += 86400 } 1' /proc/stat >../stat && mount --bind ../stat /proc/stat &&
    mkdir -p ../later && echo "import time; real = time.time; time.time = lambda: real() + 86400" \
        >../later/sitecustomize.py && export PYTHONPATH=$PWD/../later && exec "$@"
"""
_CLOSED = """
    chmod 700 .git/worktrees; "$@" && code=0 || code=$?; chmod 755 .git/worktrees; exit $code
"""


def _opening(*lines: str) -> tuple[str, ...]:
    """Return what lets another user reach the interpreter, and does `lines` first."""
    return ("unshare", "-m", "sh", "-ec", "\n".join([*opened(), *lines, 'exec "$@"']), "-")


# Who looks, as what stands before a command; those of other users are root's to play.
LOOKERS = {
    "here": (),
    "pids": ("unshare", "-rpf", "--mount-proc", "--kill-child"),
    "pids-of-host": ("unshare", "-rpf", "--kill-child"),
    "times": ("unshare", "-r", "-T", "--boottime", "1000"),
    "mounts": ("unshare", "-rm", "sh", "-c", _COVERED, "-"),
    "sibling": ("unshare", "-rmpfu", "--mount-proc", "--kill-child", "sh", "-c", _SIBLING, "-"),
    "clock": ("unshare", "-rm", "sh", "-c", _STEPPED, "-"),
    "user": (*_READER, *_ENTERED),
    "hidepid": (*_opening(_HIDDEN), *_NOBODY),
    "closed": (*_opening(_CLOSED), *_NOBODY),
}


READERS = ("user", "hidepid", "closed")  # they may not write


class Table(NamedTuple):
    """The workers of a table, who all live.

    Attributes:
        repo: the main worktree, at a home in which git trusts all.
        names: actor → way.
    """

    repo: Repo
    names: dict[str, str]

    def board(self, looker: str, *program: str) -> dict[str, Any]:
        """Return the board as `looker` sees it, by another `program` where one is given."""
        done = self.repo.run(*LOOKERS[looker], *program, "git", "coord", "board", "--json")
        assert done.code == 0, (looker, done)
        found: dict[str, Any] = json.loads(done.out)
        return found

    def take(self, looker: str, way: str) -> Done:
        """Return what becomes of a take-over of a worker's scope, as of one who is gone."""
        take = ("git", "coord", "take-over", way, "--gone")
        return self.repo.run(*LOOKERS[looker], *take)

    def words(self, board: dict[str, Any]) -> dict[str, str]:
        """Return way → what a board says of its worker."""
        rows = board["actors"]
        return {
            self.names[row["actor"]]: row["liveness"] for row in rows if row["actor"] in self.names
        }


# What others believe, and we do not: a change of the judgement, who looks, and some of those who
# are called dead by it then. Silence is an end to them all.
MUTANTS = {
    "silence": (
        (
            "found = p.Judge.of; p.Judge.of = lambda *args: "
            "now if (now := found(*args)).liveness in {'present', 'gone'} "
            "else now._replace(liveness=p.ENDED)"
        ),
        "here",
        {*WAYS, AGAIN} - {"pruned", "re-added"},
    ),
    "a chain that has ended": (
        "p.LEFT = p.ENDED",
        "here",
        {way for way, one in WAYS.items() if one.here == ENDS},
    ),
    "one link that has ended": (
        (
            "p.Judge._chain = lambda self, sign: "
            "(p.ENDED if any(map(self.has_ended, sign.chain.links)) else p.UNKNOWN, '')"
        ),
        "here",
        {"hook", "loop", "tmux-killed", "killed"},
    ),
    "a number that is not here": (
        (
            "process.Process.is_here = True; p.Judge._chain = lambda self, sign: "
            "(p.ENDED if self.all_ended(sign.chain.links) else 'lives', '')"
        ),
        "sibling",
        {"child", "tty", "hook", "nohup", "pids", "pid-1", "exec", "box", "times", "host"},
    ),
    "a process that is not shown": (
        "process.has_ended = lambda pid, start: process._look()(pid) is None; p.LEFT = p.ENDED",
        "hidepid",
        {"child", "setsid", "loop", "stopped", "mounts", "clock-ahead"},
    ),
    "a process that is stopped": (
        "process._DEAD = frozenset('TZXx'); p.LEFT = p.ENDED",
        "here",
        {"stopped"},
    ),
    "a lock that is free": (
        "sessionfile.has_ended = sessionfile.is_free",
        "here",
        {"session-closed"},
    ),
    "a command that has ended": (
        "sessionfile.has_ended = lambda _, one: one.process.has_ended",
        "here",
        {"session-daemon"},
    ),
    "a folder that is not there": (
        (
            "from os import path; link = lambda home: path.join(home, 'gitdir'); "
            "lost = lambda home: path.exists(link(home)) and "
            "not path.exists(open(link(home)).read().strip()); found = p.Judge._hidden; "
            "p.Judge._hidden = lambda self, home, one: "
            "p.Status(p.GONE) if lost(home.git_dir) else found(self, home, one)"
        ),
        "here",
        {"moved", "removed", "locked"},
    ),
    "a folder that may not be read": (
        (
            "p._is_absent = lambda _: True; p.mounts.may_cover = lambda _: False; "
            "found = p.Judge._hidden; p.Judge._hidden = lambda *args: "
            "now and now._replace(liveness=p.GONE) if (now := found(*args)) else now"
        ),
        "closed",
        {"child", "session", "re-added-anew"},
    ),
    "a sign from before this boot": (
        "p.Judge._rebooted = lambda self, _, sign: sign.at < machine.booted()",
        "clock",
        {"child", "copied", "ssh"},
    ),
}
_MUTANT = """
import sys, types
from coord.liveness import machine, presence as p, process, sessionfile
{}
sys.argv = sys.argv[2:]
from coord.cli.main import run
run()
"""


def mutant(change: str) -> tuple[str, ...]:
    """Return a program that judges otherwise."""
    return (sys.executable, "-c", _MUTANT.format(change))


def lookers() -> list[str]:
    """Return who can look here: root alone plays other users."""
    return [name for name in LOOKERS if not os.geteuid() or name not in READERS]


def allowed(way: str) -> frozenset[str]:
    """Return what may be said of a worker without calling the living dead.

    A sandbox for each command is over with it, and its number is given out again: who looks from
    the next one of that number says so.
    """
    again = frozenset({ENDS}) if way in {"box", "box-proc"} else frozenset()
    return LIVING | {expected(way)} | again


def expected(way: str) -> str:
    """Return what is said of a worker to those who can see it."""
    return WAYS["child" if way == AGAIN else way].here


def shown(cells: dict[tuple[str, str], str]) -> str:
    """Return the table as text, a row a way."""
    columns = list(dict.fromkeys(looker for looker, _ in cells))
    lines = [["", *columns]]
    for way in (*WAYS, AGAIN):
        played = WAYS[way].played if way in WAYS else ""
        named = f"{way} (played: {played})" if played else way
        lines.append([named, *(cells[looker, way] for looker in columns)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)


@contextmanager
def working(repo: Repo) -> Iterator[Table]:
    """Start a worker in each way, let it be silent, and do to its worktree what is to be done."""
    mark, folder = uuid.uuid4().hex, repo.path.parent
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    repo.coord("pin", "--self")
    with tempfile.TemporaryDirectory() as scripts:
        env = _environment(Path(scripts)) | {MARK: mark}
        trees = {way: repo.worktree(folder / way, way) for way in WAYS}
        try:
            for way, tree in trees.items():
                _start(tree, WAYS[way].line, env | {"SCOPE": way})
            names = {_ready(tree, way): way for way, tree in trees.items()}
            for way, tree in trees.items():
                _done_to(repo, tree, WAYS[way].act)
            again = repo.at(folder / "re-added")
            _start(again, WAYS["child"].line, env | {"SCOPE": AGAIN})
            yield Table(repo.with_env(HOME=str(home)), names | {_ready(again, AGAIN): AGAIN})
        finally:
            for pid in marked(mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _environment(scripts: Path) -> dict[str, str]:
    """Return what the lines of the ways name."""
    scripts.chmod(0o755)
    for name, text in _SCRIPTS.items():
        (scripts / name).write_text(text)
    for name in ("cron", "systemd", "tmux: server"):
        (scripts / name).symlink_to("/bin/sh")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    return {"BIN": str(scripts), "PORT": port, "SSHD": _SSHD}


def _start(tree: Repo, line: str, extra: dict[str, str]) -> None:
    subprocess.run(
        ["setsid", "-f", "sh", "-c", line],
        cwd=tree.path,
        env={**tree.env, **extra},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _ready(tree: Repo, way: str) -> str:
    """Wait for a worker, set its signs of life back, and return its name."""
    assert eventually((tree.path / "ready").exists, 30), way
    silence(tree, HOUR)
    return str(tomllib.loads(tree.private("coord-identity.toml").read_text())["actor"])


def _done_to(repo: Repo, tree: Repo, act: str) -> None:
    if act:
        env = {**repo.env, "TREE": str(tree.path), "PRIVATE": str(tree.private())}
        subprocess.run(["sh", "-ec", act], cwd=repo.path, env=env, check=True)
