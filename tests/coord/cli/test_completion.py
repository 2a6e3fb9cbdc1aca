"""``completion``: what real shells offer after ``git coord``, each by the one line of its help."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness import Repo

# Debian's git brings it; .ci/run installs the other two shells.
GIT_COMPLETION = "/usr/share/bash-completion/completions/git"
# What readline and bash do before they call git's function, which then calls ours.
BASH = r"""
. "$GIT_COMPLETION"
eval "$(git coord completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
__git_wrap__git_main
printf '%s\n' "${COMPREPLY[@]}"
"""
# A terminal of its own: zsh completes only where somebody types.
ZSH = r"""
zmodload zsh/zpty
zpty z 'zsh -f -i'
zpty -w z "autoload -U compinit; compinit -u -D; bindkey '^I' complete-word; PS1=; LISTMAX=0"
zpty -w z "eval \"\$(git coord completion zsh)\"; print re''ady"
zpty -r -m z seen '*ready*'
zpty -w -n z "$1"$'\t'
zpty -r -m z seen "*$2*" && print -r -- "$seen"
"""

in_bash = pytest.mark.skipif(not os.path.exists(GIT_COMPLETION), reason="no completion of git here")


def offered(repo: Repo, *words: str) -> list[str]:
    """Return what bash would offer for the last of `words`; it ends a word at each colon."""
    shell = repo.with_env(GIT_COMPLETION=GIT_COMPLETION)
    return [line.strip() for line in shell.run("bash", "-c", BASH, "bash", *words).out.splitlines()]


@in_bash
def test_bash_offers_verbs_and_their_options(one: Repo) -> None:
    """As git's own completion does for its commands."""
    assert offered(one, "git", "coord", "rel") == ["release"]
    assert "--intent" in offered(one, "git", "coord", "claim", "--")


@in_bash
def test_bash_offers_scopes_branches_and_workers_of_the_board(one: Repo, two: Repo) -> None:
    """Each where it is asked for; a name behind a colon as readline wants it."""
    one.coord("claim", "pay/stripe", "branch:feat-one")

    assert offered(two, "git", "coord", "wait", "") == ["branch:feat-one", "task:pay/stripe"]
    assert offered(two, "git", "coord", "wait", "task", ":", "p") == ["pay/stripe"]
    assert "one-0001" in offered(two, "git", "coord", "send", "question", "o")
    assert offered(two, "git", "coord", "claim", "x", "--branch", "feat-o") == ["feat-one"]


@in_bash
def test_a_folder_of_git_is_honoured_and_no_repository_offers_nothing(one: Repo) -> None:
    """`git -C DIR coord` asks the board of DIR; a shell elsewhere sees no message."""
    one.coord("claim", "y")
    outside = one.at(one.path.parent)

    assert offered(outside, "git", "-C", str(one.path), "coord", "wait", "t") == ["task:y"]
    assert offered(outside, "git", "coord", "wait", "t") == [""]


@in_bash
def test_a_branch_named_like_a_command_is_not_offered(one: Repo, two: Repo) -> None:
    """Readline puts a word on the line as it is, and the next key is Enter."""
    one.git("branch", "-m", "x$(touch${IFS}pwned)")
    one.coord("claim", "branch:")
    one.coord("claim", "a", "--branch", "x-word")

    assert offered(two, "git", "coord", "show", "x") == ["x-word"]


@in_bash
def test_completion_leaves_no_trace(one: Repo, two: Repo) -> None:
    """A keystroke is no sign of life, and pins nobody."""
    one.coord("claim", "y")
    before = sorted(str(path) for path in two.private().rglob("*"))

    assert offered(two, "git", "coord", "wait", "") == ["task:y"]

    assert sorted(str(path) for path in two.private().rglob("*")) == before


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish_offers_the_same(one: Repo) -> None:
    """With what each verb does beside its name."""
    one.coord("claim", "y")
    code = "git coord completion fish | source; complete -C $argv"

    verbs = one.run("fish", "-c", code, "git coord rel").out
    scopes = one.run("fish", "-c", code, "git coord wait ").out

    assert re.search(r"^release\t\w", verbs, re.MULTILINE)
    assert scopes.split() == ["task:y"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_zsh_offers_the_same(one: Repo) -> None:
    """In a terminal, by its own completion of git."""
    one.coord("claim", "y")

    assert "release" in one.run("zsh", "-f", "-c", ZSH, "zsh", "git coord rel", "release").out
    assert "task:y" in one.run("zsh", "-f", "-c", ZSH, "zsh", "git coord wait t", "task:y").out


def test_the_help_shows_a_line_for_each_shell(one: Repo) -> None:
    """To be copied as it stands."""
    lines = one.coord("completion", "-h").out.splitlines()

    assert [line.partition("   ")[2].strip() for line in lines if "git coord completion " in line][
        -3:
    ] == [
        'eval "$(git coord completion bash)"',
        'eval "$(git coord completion zsh)"',
        "git coord completion fish | source",
    ]
