"""``coord-install``: plan, verify, apply, check, undo."""
