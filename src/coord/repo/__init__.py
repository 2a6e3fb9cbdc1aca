"""The one door to git: children, git dirs, worktrees, and who typed the command."""
