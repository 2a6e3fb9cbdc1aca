"""Guarded files: which they are, which refusals are pending, and when one binds."""
