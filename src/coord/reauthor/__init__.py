"""Unpublished commits get the identity that their worktree is pinned to."""
