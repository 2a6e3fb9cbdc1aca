"""The board: claims, actors, presence and messages, kept as create-only records (docs/board.md)."""
