"""``git coord``: verbs that read their arguments, ask the kernel, print and exit."""
