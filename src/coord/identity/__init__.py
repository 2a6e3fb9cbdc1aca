"""Who acts in a worktree: the pin, what follows from it, and what bears another identity."""
