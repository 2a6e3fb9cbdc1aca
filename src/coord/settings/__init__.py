"""``.coord.toml``: read, checked key by key, each section by its own reader."""
