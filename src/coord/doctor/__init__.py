"""``git coord doctor``: what is in force in each worktree, proved through git, and what is not.

Three layers, a module a subject: *looking* (``configured``, ``probes``, ``view`` and the ``ask`` of
each subject: facts, no verdict), *judging* (the ``judge`` of each subject: facts in, findings out,
pure) and *saying* (``text``). ``examine`` joins them. Nothing here changes anything.
"""
