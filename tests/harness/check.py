"""``git coord check`` in tests: declared guards, in-process judging, merges no driver ever saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import judge, snapshot
from coord.history import revisions
from coord.history.door import Door
from coord.repo import worktree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.check.judge import Report
    from coord.history.problem import Problem
    from harness.repo import Repo

DECLARED = (
    "[attr]coord-derived -merge\n[attr]coord-log -merge\n[attr]coord-once -merge\n"
    "*.log coord-log\nschema.json coord-derived\ncoordination/ids/** coord-once\n"
)
CONFIG = """\
[derived."schema.json"]
regenerate = "cat src/*.proto >schema.json"
inputs = ["src/*.proto"]
"""


def declare(repo: Repo) -> str:
    """Commit declarations with a log, a write-once file and an artifact; return the commit."""
    return repo.commit(
        "declare",
        {
            ".gitattributes": DECLARED,
            ".coord.toml": CONFIG,
            "a.log": "one\ntwo\nthree\n",
            "coordination/ids/adr/0001.toml": 'actor = "hopper"\nnonce = "1"\n',
            "src/a.proto": "a\n",
            "src/b.proto": "b\n",
            "schema.json": "a\nb\n",
        },
    )


def report(repo: Repo, words: str | None = None, *, tree: bool = False) -> Report:
    """Judge a range, the default one, or the tree, in this process."""
    place = worktree.discover(str(repo.path), repo.env)
    if tree:
        with snapshot.taken(place) as (door, asked):
            assert asked is not None
            with judge.reading(place, place.cwd, door, asked, _silent) as found:
                return snapshot.uncommitted(judge.judge(found), asked)
    door = Door(place.cwd)
    asked = revisions.default(door) if words is None else revisions.resolve(door, words)
    assert asked is not None
    with judge.reading(place, place.cwd, door, asked, _silent) as found:
        return judge.judge(found)


def problems(repo: Repo, words: str | None = None, *, tree: bool = False) -> list[Problem]:
    """Return the problems of :func:`report`."""
    return list(report(repo, words, tree=tree).problems)


def found(repo: Repo, words: str | None = None, *, tree: bool = False) -> list[tuple[str, str]]:
    """Return (rule, path) of each problem."""
    return [(each.rule, each.path) for each in problems(repo, words, tree=tree)]


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total


def branch(repo: Repo, name: str, message: str, files: Mapping[str, str | bytes]) -> str:
    """Commit `files` on a new branch that leaves from HEAD, come back, return the commit."""
    here = repo.git("symbolic-ref", "--short", "HEAD")
    repo.git("checkout", "-q", "-b", name)
    made = repo.commit(message, files)
    repo.git("checkout", "-q", here)
    return made


def server_merge(repo: Repo, theirs: str, files: Mapping[str, str], message: str = "merge") -> str:
    """Merge as a hosting server does: no driver, no hook, no working tree until it is pulled.

    The result is HEAD's tree, with what only `theirs` changed, and `files` on top.
    """
    base = repo.git("merge-base", "HEAD", theirs)
    index = {"GIT_INDEX_FILE": str(repo.private("server-index"))}
    server = repo.with_env(**index)
    server.git("read-tree", "HEAD")
    for entry in repo.git("diff-tree", "-r", "--no-renames", base, theirs).split("\n"):
        if entry:
            (_, mode, _, blob, _), path = entry[1:].split("\t")[0].split(" "), entry.split("\t")[1]
            change = f"{mode},{blob},{path}"
            gone = mode == "000000"
            server.git(
                "update-index", *(["--remove", path] if gone else ["--add", "--cacheinfo", change])
            )
    for path, text in files.items():
        blob = server.git("hash-object", "-w", "--stdin", stdin=text)
        server.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    tree = server.git("write-tree")
    made = repo.git("commit-tree", tree, "-p", "HEAD", "-p", theirs, "-m", message)
    repo.git("reset", "-q", "--hard", made)
    return made
