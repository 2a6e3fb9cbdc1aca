"""In which order branches are merged, from what the board says and git knows of them."""
