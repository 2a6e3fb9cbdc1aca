"""What git calls at merge: the pure join of logs, one entry, and the sh that refuses.

Standard library only, and nothing of the kernel: a driver has to work when all else is broken.
"""
