"""What keeps the board: a folder, a server, a git remote, each with its copy (docs/store.md)."""
