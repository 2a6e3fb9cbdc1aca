"""Where ``wake``, ``mirror`` and ``lanes`` still find the worktree of the ledgers."""

from coord.work.ledgerentry import worktree_of

__all__ = ["worktree_of"]
