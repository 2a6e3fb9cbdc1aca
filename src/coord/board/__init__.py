"""The board: claims, workers, waits and messages, each a rule over create-only records."""
