"""Play the sessions of pages for real, and put in what was said: ``python docs/replay.py``.

A page's session is a block of ``WORKTREE$ COMMAND`` lines, each followed by what it printed. Ids
differ from run to run: those in a command are the ones that the run before it has printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PAGES = tuple(Path(__file__).with_name(name) for name in ("tutorial.md", "talk.md"))
_BLOCK = re.compile(r"^```\n((?:[\w-]+)\$ .*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^([\w-]+)\$ (.*)$")
_ID = re.compile(
    r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{14}-[0-9a-f]{8}|[0-9a-f]{16}"
    r"|[0-9a-f]{12}|(?<=instance )[0-9a-f]{8})\b"
)
_SUFFIX = re.compile(r"(?<=[a-z])-[0-9a-f]{4}\b")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z|\b\d+ seconds?(?= ago| old)"
)


class Step(NamedTuple):
    """One command of a page, the worktree it runs in, and what stands below it."""

    worktree: str
    command: str
    output: str


def steps(block: str) -> Iterator[Step]:
    """Yield the commands of a session."""
    found: list[list[str]] = []
    for line in block.splitlines(keepends=True):
        if _PROMPT.match(line):
            found.append([line])
        else:
            found[-1].append(line)
    for prompt, *output in found:
        match = _PROMPT.match(prompt)
        if match is not None:
            yield Step(match[1], match[2], "".join(output))


def replayed(
    page: str,
    scratch: Path,
    env: Mapping[str, str],
    enter: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Return `page` with its sessions as they went just now, in worktrees below `scratch`.

    `enter` says for a worktree which command leads to the machine that it is on, if not to this.
    """
    known: dict[str, str] = {}

    def session(match: re.Match[str]) -> str:
        text = ""
        for step in steps(match[1]):
            command = _ID.sub(lambda found: known.get(found[0], found[0]), step.command)
            argv = [*enter.get(step.worktree.split("-")[0], ()), "sh", "-c", command]
            output = _said(argv, scratch / step.worktree, scratch, env)
            known.update(zip(_ID.findall(step.output), _ID.findall(output), strict=False))
            text += f"{step.worktree}$ {command}\n{output}"
        return f"```\n{text}```"

    return _BLOCK.sub(session, page)


def normalised(page: str) -> str:
    """Return a page without what differs from run to run."""
    page = re.sub(r"(?<=git-coord )\d[\w.]*", "VERSION", page)
    return _TIME.sub("TIME", _SUFFIX.sub("-XXXX", _ID.sub("ID", page)))


def _said(argv: Sequence[str], folder: Path, scratch: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        argv,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.replace(str(scratch), "~")


def environment(scratch: Path, name: str = "Ada Human") -> dict[str, str]:
    """Return an environment of nobody's, with the commands that this interpreter has beside it."""
    (scratch / ".gitconfig").write_text(
        f"[user]\n\tname = {name}\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(scratch), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}


if __name__ == "__main__":
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder).resolve()
            (home / "main").mkdir()
            page = path.read_text(encoding="utf-8")
            path.write_text(replayed(page, home, environment(home)), encoding="utf-8")
        sys.stdout.write(f"{path}\n")
