"""The console script that an install before the rooms still names: a door, and it never moves."""

from coord.cli.install import run

__all__ = ["run"]
