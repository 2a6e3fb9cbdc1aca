"""What verbs answer with ``--json``: a typed document for each, made from its result."""
