"""The board: claims, actors and presence, kept as create-only records (docs/board.md)."""
