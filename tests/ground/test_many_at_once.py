"""Many at once: installs and new worktrees side by side lose nothing of each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coord.identity import includeif, pin

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

MANY = 20


def test_worktrees_added_while_others_install(installed: Repo, tmp_path: Path) -> None:
    """Twenty `git worktree add` among ten installs: each is pinned, none shares an author."""
    adding = [
        ["git", "worktree", "add", "-q", "-b", f"b{n}", str(tmp_path / f"w{n}")]
        for n in range(MANY)
    ]
    commands = sorted([*adding, *([["coord-install"]] * (MANY // 2))], key=len, reverse=True)
    children = [installed.begun(*command) for command in commands]
    said = [(child.communicate()[1].decode(), child.returncode) for child in children]
    for command, (_, code) in zip(commands, said, strict=True):
        # Git's own races: two make the folder `worktrees`, or one reads another's half-made files.
        if code and command[0] == "git" and not (tmp_path / command[-1] / ".git").exists():
            installed.tried("branch", "-D", command[5])
            installed.git(*command[1:])

    assert [code for _, code in said[MANY:]] == [0] * (MANY // 2), said[MANY:]
    trees = [installed.at(tmp_path / f"w{n}") for n in range(MANY)]
    pins = [pin.read(str(tree.private())) for tree in trees]
    assert len({made.instance for made in pins if made}) == MANY
    assert len(includeif.joined(str(installed.common()))) == MANY
    authors = {tree.git("var", "GIT_AUTHOR_IDENT").partition(" <")[0] for tree in trees}
    assert authors == {made.actor for made in pins if made}
    assert installed.started("coord-install", "--check").code == 0
    actors = {one["actor"] for one in json.loads(installed.coord("board", "--json").out)["actors"]}
    assert authors <= actors
