"""The fleet's habits: ledgers of what was shipped and put down, the mirror, the lanes."""
