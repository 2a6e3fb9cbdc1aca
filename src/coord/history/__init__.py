"""History as git tells it in bulk: commits, changes and blobs of a range."""
