"""``python -m coord``: what ``alias.coord`` starts, with the interpreter that was installed."""

from coord.cli.main import run

run()
