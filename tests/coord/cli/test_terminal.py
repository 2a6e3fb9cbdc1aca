"""Lines on a real terminal, and the same lines in a pipe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from coord.base.columns import width
from coord.cli import terminal
from harness.terminal import on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

SGR = re.compile("\x1b\\[[0-9;]*m")
NAME = "long-name-" * 9  # one word, wider than any terminal here


@pytest.fixture
def busy(installed: Repo, tmp_path: Path) -> Repo:
    """A board with a long branch, a long intent and wide characters."""
    installed.coord("worktree", "add", str(tmp_path / "w"), "-b", f"feat/{NAME}")
    side = installed.at(tmp_path / "w")
    assert side.coord("claim", "x", "--intent", "split 色彩 from " + "the grammar " * 9).code == 0
    return side


def test_a_terminal_gets_colour_and_a_pipe_the_same_text_without(busy: Repo) -> None:
    """What is not folded differs in nothing else."""
    wide = on_terminal(busy, "git", "coord", "board", columns=400)
    plain = busy.coord("board")

    assert "\x1b[32mpresent\x1b[0m" in wide.out
    assert SGR.sub("", wide.out) == plain.out
    assert "\x1b" not in plain.out


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["git", "coord", "board"], {"NO_COLOR": "1"}),
        (["git", "coord", "board"], {"TERM": "dumb"}),
        (["git", "-c", "color.ui=false", "coord", "board"], {}),
        (["git", "-c", "color.coord=never", "coord", "board"], {}),
        (["git", "--no-pager", "coord", "board"], {}),
        (["sh", "-c", "git -c color.ui=always coord board | cat"], {}),
    ],
    ids=["NO_COLOR", "dumb", "color.ui", "color.coord", "no-pager", "pipe"],
)
def test_who_wants_no_colour_gets_none(busy: Repo, words: list[str], extra: dict[str, str]) -> None:
    """Each way that people have of saying so."""
    done = on_terminal(busy.with_env(**extra), *words)

    assert "present" in done.out
    assert "\x1b" not in done.out + done.err


def test_colour_of_one_stream_says_nothing_of_the_other(installed: Repo) -> None:
    """A refusal is red where a person reads it, while the answer goes into a pipe."""
    done = on_terminal(installed, "git", "coord", "claim", "nokind:x", "--json", streams={"err"})

    assert done.err.startswith("\x1b[31mcoord: scope-invalid: \x1b[0m")
    assert "\n  run: \x1b[1mgit coord claim task:nokind:x --json" in done.err
    assert done.out.startswith('{"schema": 1, "error"')
    assert "\x1b" not in done.out


@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_lost(busy: Repo, columns: int) -> None:
    """But for one word that is wider itself, which the terminal breaks; another's words stay so."""
    done = on_terminal(busy, "git", "coord", "board", columns=columns)
    rows = SGR.sub("", done.out).splitlines()

    assert [row for row in rows if width(row) > columns and NAME not in row] == []
    plain = busy.coord("board").out.replace("| ", "")
    assert "\n".join(rows).replace("| ", "").split() == plain.split()
    assert sum(row.lstrip().startswith("| ") for row in rows) >= 2


def test_columns_say_more_than_the_terminal(busy: Repo) -> None:
    """As for every program."""
    done = on_terminal(busy.with_env(COLUMNS="30"), "git", "coord", "board", columns=400)

    assert max(width(row) for row in SGR.sub("", done.out).splitlines() if NAME not in row) <= 30


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("short", ["short"]),
        ("  a b  cc dd", ["  a b  cc", "      dd"]),
        ("ok  b cc ddd", ["ok  b cc", "    ddd"]),
        ("one 色彩色彩 two", ["one", "    色彩色彩", "    two"]),
        ("  | words of others", ["  | words", "  | of", "  | others"]),
        ("  run: git coord claim x --intent y", ["  run: git coord claim x --intent y"]),
        ("it: git push origin x", ["it:", "    git push origin x"]),
        ("awordthatiswiderthanallofit and", ["awordthatiswiderthanallofit", "    and"]),
    ],
)
def test_a_line_is_broken_at_blanks_and_a_command_never(line: str, parts: list[str]) -> None:
    """A terminal of ten cells."""
    assert [part.rstrip() for part in terminal.folded(line, 10)] == parts


def test_others_words_are_in_one_colour_whatever_they_say() -> None:
    """None of it looks like ours."""
    assert terminal.painted("| coord: derived-two-sided: x") == (
        "\x1b[36m| coord: derived-two-sided: x\x1b[0m"
    )
