"""A repository on a git remote: which it is, how it is reached, and what is kept of it here."""
