"""Histories that merges meet: two branches that changed the same files, merged crosswise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.repo import Repo

#: Bytes of a file in the base, on main and on side; None where it is not there.
Sides = tuple[bytes | None, bytes | None, bytes | None]


def diverged(repo: Repo, files: Mapping[str, Sides]) -> None:
    """Commit `files` as the base, on ``side`` and on ``main``; end on ``main``."""
    _commit(repo, "base", {name: sides[0] for name, sides in files.items()})
    repo.git("switch", "-q", "-c", "side")
    _commit(repo, "side", {name: sides[2] for name, sides in files.items()})
    repo.git("switch", "-q", "main")
    _commit(repo, "main", {name: sides[1] for name, sides in files.items()})


def _commit(repo: Repo, message: str, files: Mapping[str, bytes | None]) -> None:
    for name, content in files.items():
        if content is not None:
            repo.write(name, content)
        elif (repo.path / name).exists():
            (repo.path / name).unlink()
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", message)


def crossed(repo: Repo, name: str, depth: int = 1) -> None:
    """Let ``main`` and ``side`` append to a log and merge each other's past, `depth` times.

    Each merge takes the other branch as it was before that one merged too, so the next merge of the
    two has two bases, and with a depth of 2 these have two bases in turn.
    """
    concatenate = "cat %B >>%A"  # for a test that has put a driver of its own in the place of ours
    repo.commit("base", {name: b"base\n"})
    repo.git("branch", "side")
    for level in range(depth + 1):
        for branch in ("main", "side"):
            repo.git("switch", "-q", branch)
            record = f"{branch} {level}\n".encode()
            repo.commit(f"{branch} {level}", {name: (repo.path / name).read_bytes() + record})
        if level < depth:
            main, side = repo.git("rev-parse", "main"), repo.git("rev-parse", "side")
            for branch, other in (("side", main), ("main", side)):
                repo.git("switch", "-q", branch)
                repo.git("-c", f"merge.spy.driver={concatenate}", "merge", "-q", "--no-edit", other)
    repo.git("switch", "-q", "main")
