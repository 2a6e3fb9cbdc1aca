"""``python -m coord.installer``: what the repair command runs, wherever scripts are."""

from coord.installer.cli import run

run()
