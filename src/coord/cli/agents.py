"""``agents``: the paragraph for the file that agents read, which is a file of this package."""

from __future__ import annotations

from importlib import resources

import click


@click.command()
def agents() -> None:
    """Print a paragraph for AGENTS.md: what an agent has to know to work among others here.

    git coord agents >>AGENTS.md
    """
    text = resources.files("coord.cli").joinpath("agents.md").read_text("utf-8")
    click.echo(text, nl=False)
