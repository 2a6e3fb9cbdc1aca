"""Merges tried one on top of the other, with nobody noticing."""
