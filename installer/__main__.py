"""``python -m coord.installer``: what the repair command runs, wherever scripts are."""

from coord.cli.install import run

run()
