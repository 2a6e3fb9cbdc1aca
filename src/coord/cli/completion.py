"""``completion``: verbs, options and the board's words, where a shell asks for them."""

from __future__ import annotations

from importlib import resources

import click
from click.shell_completion import ShellComplete

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
@click.option("--of", "words", multiple=True, hidden=True)
@click.pass_context
def completion(ctx: click.Context, *, shell: str, words: tuple[str, ...]) -> None:
    """Print what makes your shell complete `git coord`: verbs, options, words of the board.

    \b
    ~/.bashrc                  eval "$(git coord completion bash)"
    ~/.zshrc, below compinit   eval "$(git coord completion zsh)"
    config.fish                git coord completion fish | source

    Where no git-coord is on PATH, `git coord` is known in its repositories only, and a shell begins
    elsewhere: name the program there, as ~/.local/share/git-coord/bin/git-coord.
    """  # noqa: D301  # click's mark of lines that stay as they are
    if not words:
        click.echo(resources.files("coord.cli").joinpath(f"completion.{shell}").read_text("utf-8"))
        return
    *before, last = words
    asked = ShellComplete(ctx.find_root().command, {}, "git coord", "")
    for item in asked.get_completions(before, last):
        click.echo(f"{item.value}\t{item.help or ''}".rstrip() if shell == "fish" else item.value)
