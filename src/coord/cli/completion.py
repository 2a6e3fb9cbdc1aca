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
    bash   eval "$(git coord completion bash)"   in ~/.bashrc
    zsh    eval "$(git coord completion zsh)"    in ~/.zshrc, below compinit
    fish   git coord completion fish | source    in ~/.config/fish/config.fish

    Where no git-coord is on PATH, say ~/.local/share/git-coord/bin/git-coord, or where it is.
    """  # noqa: D301  # click wants the character itself
    if not words:
        click.echo(resources.files("coord.cli").joinpath(f"completion.{shell}").read_text("utf-8"))
        return
    *before, last = words
    asked = ShellComplete(ctx.find_root().command, {}, "git coord", "")
    for item in asked.get_completions(before, last):
        click.echo(f"{item.value}\t{item.help or ''}".rstrip() if shell == "fish" else item.value)
