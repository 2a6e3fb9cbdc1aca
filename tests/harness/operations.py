"""What git has that merges: each brings the branch ``side`` and ``main`` together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.repo import Done, Repo


def merge(repo: Repo) -> Done:
    """Merge side into main."""
    return repo.tried("merge", "side")


def squash(repo: Repo) -> Done:
    """The same without a second parent."""
    return repo.tried("merge", "--squash", "side")


def rebase(repo: Repo) -> Done:
    """Put main's commit on side: ours is side, which is called HEAD."""
    return repo.tried("rebase", "side")


def rebase_by_patches(repo: Repo) -> Done:
    """The other backend."""
    return repo.tried("rebase", "--apply", "side")


def cherry_pick(repo: Repo) -> Done:
    """Pick side's commit."""
    return repo.tried("cherry-pick", "side")


def stash_pop(repo: Repo) -> Done:
    """Side's state as a stash made on the base."""
    repo.git("switch", "-q", "--detach", "main~1")
    repo.git("checkout", "-q", "side", "--", ".")
    repo.git("stash", "push", "-q")
    repo.git("switch", "-q", "main")
    return repo.tried("stash", "pop")


def mailed_patch(repo: Repo) -> Done:
    """Side's commit by mail."""
    patch = repo.git("format-patch", "-1", "--stdout", "side") + "\n"
    return repo.tried("am", "-3", stdin=patch)


ALL = (merge, squash, rebase, rebase_by_patches, cherry_pick, stash_pop, mailed_patch)
