"""Other tools that put hooks into a repository, run for real, each with a trace of its hooks."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.repo import Repo

#: What a commit, a switch and a push fire, one event each.
EVENTS = ("prepare-commit-msg", "post-checkout", "pre-push")
TRACE = 'echo theirs >>"$SPIED"'
_YAML = f"""repos:
- repo: local
  hooks:
  - id: trace
    name: trace
    language: system
    entry: sh -c '{TRACE}'
    stages: [{", ".join(EVENTS)}]
    always_run: true
    pass_filenames: false
"""
STAGES = [word for event in EVENTS for word in ("-t", event)]
# As `coord-install --no-hooks` prints them; they do nothing in a clone without an install.
_LINES = """\
hook=$(git rev-parse --git-common-dir)/hooks/coord/${0##*/}
[ ! -x "$hook" ] || "$hook" "$@" || exit
"""
_LINES_PRE_PUSH = """\
hook=$(git rev-parse --git-common-dir)/hooks/coord/${0##*/} refs=$(cat)
[ ! -x "$hook" ] || printf '%s\\n' "$refs" | "$hook" "$@" || exit
"""


@dataclass(frozen=True)
class Tool:
    """A tool that puts its hooks into a repository and takes them out again.

    Attributes:
        name: the program.
        files: what a repository commits to configure it.
        enter: argv that installs, or installs again.
        leave: argv that takes it out.
        asides: whether it puts our hooks aside when it comes after us; then we have to come again.
        stays: whether it does not find its hooks, to take them out, once ours are above them.
    """

    name: str
    files: Mapping[str, str]
    enter: tuple[str, ...]
    leave: tuple[str, ...]
    asides: bool = False
    stays: bool = False


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "pre-commit",
            {".pre-commit-config.yaml": _YAML},
            ("pre-commit", "install", *STAGES),
            ("pre-commit", "uninstall", *STAGES),
        ),
        Tool(
            "prek",
            {".pre-commit-config.yaml": _YAML},
            ("prek", "install", *STAGES),
            ("prek", "uninstall", *STAGES),
        ),
        Tool(
            "lefthook",
            {
                "lefthook.yml": "".join(
                    f"{event}:\n  commands:\n    trace:\n      run: {TRACE}\n" for event in EVENTS
                )
            },
            ("lefthook", "install"),
            ("lefthook", "uninstall"),
            asides=True,
        ),
        Tool(
            "git-lfs",
            {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"},
            ("git", "lfs", "install", "--local", "--force"),
            ("git", "lfs", "uninstall", "--local"),
            asides=True,
            stays=True,
        ),
        Tool(
            "husky",
            {
                f".husky/{event}": (_LINES_PRE_PUSH if event == "pre-push" else _LINES)
                + f"{TRACE}\n"
                for event in (*EVENTS, "commit-msg", "applypatch-msg", "pre-applypatch")
            }
            | {".husky/post-rewrite": _LINES},
            ("husky",),
            # husky has no command for it: its guide says to unset what it has set.
            ("sh", "-c", "rm -rf .husky/_ && git config --unset core.hooksPath"),
            asides=True,
        ),
    )
}


def fired(repo: Repo, remote: Path) -> dict[str, Counter[str]]:
    """Commit, switch and push for real; return who ran at each: ``theirs``, ``ours``, ``human``."""
    name = f"fired-{os.urandom(8).hex()}"
    return {
        "prepare-commit-msg": _who(repo, "commit", "-q", "--allow-empty", "--no-verify", "-m", "x"),
        "post-checkout": _who(repo, "switch", "-q", "-c", name),
        "pre-push": _who(repo, "push", "-q", str(remote), name),
    }


def _who(repo: Repo, *args: str) -> Counter[str]:
    spied, traced = Path(repo.env["SPIED"]), Path(repo.env["TRACED"])
    seen = repo.path / ".git" / "coord-seen"
    for file in (spied, traced, seen):
        file.unlink(missing_ok=True)
    # git-lfs leaves no trace but git's own; lefthook runs it, too.
    traces = {} if "lefthook.yml" in os.listdir(repo.path) else {"GIT_TRACE": str(traced)}
    done = repo.with_env(**traces).tried(*args)
    assert done.code == 0, done.out + done.err
    found = Counter(spied.read_text().split() if spied.exists() else [])
    found["ours"] += seen.exists()
    found["theirs"] += traced.read_text().count("exec: git-lfs p") if traced.exists() else 0
    return +found


class Bench:
    """A repository whose states are kept, told apart and gone back to."""

    def __init__(self, repo: Repo, store: Path) -> None:
        """Keep the states of `repo` in the folder `store`, which is made."""
        self.repo = repo
        self._store = store
        store.mkdir()

    def state(self) -> str:
        """Keep the present state and return its name: equal for equal hooks, config, attributes."""
        found = snapshot(self.repo.path)
        watched = (".git/hooks", ".git/info", ".git/coord", ".husky")
        kept = sorted(item for item in found.items() if item[0].startswith(watched))
        config = self.repo.git("config", "--local", "--no-includes", "--list").split("\n")
        # git-lfs notes its own version whatever it is told, and takes no note back.
        config = sorted(line for line in config if not line.startswith("lfs."))
        name = hashlib.sha256(repr((kept, config)).encode()).hexdigest()
        if not (self._store / name).exists():
            shutil.copytree(self.repo.path, self._store / name, symlinks=True)
        return name

    def back(self, name: str) -> None:
        """Go back to a kept state."""
        shutil.rmtree(self.repo.path)
        shutil.copytree(self._store / name, self.repo.path, symlinks=True)
