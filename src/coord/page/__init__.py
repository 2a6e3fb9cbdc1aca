"""The board as one HTML page: no script, nothing loaded, every text of a worker inert."""
