"""``check``: the rules of hooks and drivers, judged on the history that is there.

Git calls no driver for a one-sided change, an identical add, an octopus or ``-s resolve``; hosting
servers, libgit2 and jj call neither drivers nor hooks, and ``--no-verify`` skips hooks. So the same
rules are judged once more, on commits:

    revisions · snapshot                       which commits are asked for; the tree as a commit
    door · blobs · commits · changes           what git says
    scratch · attributes · inputs              whose declarations, judged by git's own matching
    history · subject                          one pass, newest first: who changed what is guarded
    records · logs · once · ids · derived · authors · declared      the rules
    faults · losses · carried · textmerge · replays     what a broken rule is not to be blamed for
    people · standing · judge                  all of it, in order
    mend                                       what was lost, put back
"""
