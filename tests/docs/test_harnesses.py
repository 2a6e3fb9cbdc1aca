"""docs/harnesses.md: every command on the page is run, as the harness it is written for would."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.board import answer, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness import Repo

PAGE = (Path(__file__).parent.parent.parent / "docs" / "harnesses.md").read_text()
BLOCKS = re.findall(r"```([a-z]+)\n(.*?)```", PAGE, re.DOTALL)


def blocks(kind: str) -> list[str]:
    """Return the fenced blocks of a kind; the page has no unmarked ones."""
    return [text for found, text in BLOCKS if found == kind]


def hooks(text: str) -> Iterator[tuple[str, str]]:
    """Yield (event, command) of every hook in a settings file."""
    for event, groups in json.loads(text)["hooks"].items():
        for group in groups:
            for hook in group["hooks"]:
                assert hook["type"] == "command"
                yield event, hook["command"]


HOOKS = [found for text in blocks("json") for found in hooks(text)]


@pytest.fixture
def agent(tmp_path: Path, installed: Repo) -> Repo:
    """A worker's worktree, in which nobody waits for long; an agent that only reads its task."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "your-agent").write_text("#!/bin/sh\ncat >read.txt\n")
    (tools / "your-agent").chmod(0o755)
    installed.install("--fleet")
    declared = installed.read(".coord.toml") + '[wake]\nstagger = "0.01s"\n'
    installed.write(".coord.toml", declared)
    installed.git("add", "-A")
    installed.git("commit", "-q", "-m", "declare")
    one = worker(installed, tmp_path / "w 1", "feat-one", "hopper-a71f")
    return one.with_env(PATH=f"{tools}:{one.env['PATH']}")


def test_every_snippet_on_the_page_is_tested() -> None:
    """Each block is of a kind that is run below, and none is left unmarked."""
    assert {kind for kind, _ in BLOCKS} == {"json", "sh", "crontab"}
    assert PAGE.count("```") == 2 * len(BLOCKS)
    assert {event for event, _ in HOOKS} == {"SessionStart", "SessionEnd"}
    assert len(HOOKS) == 3


@pytest.mark.parametrize(("event", "command"), HOOKS)
def test_a_hook_tells_the_session_or_ends_it(agent: Repo, event: str, command: str) -> None:
    """Exit 0. Text that begins like JSON would be taken for a broken answer, so it does not."""
    answer(agent, "claim", "parser")

    done = agent.run("sh", "-c", command, stdin="{}")

    assert done.code == 0, done.err
    if event == "SessionEnd":
        assert "released: task:parser" in done.out
        return
    text = done.out
    if "additionalContext" in command:
        text = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    assert text[0] not in "{["
    assert "hopper-a71f (you)" in text
    assert "task:parser" in text
    assert "suggestion: " in text


@pytest.mark.parametrize("line", [line for text in blocks("sh") for line in text.splitlines()])
def test_a_shell_line_runs(agent: Repo, line: str) -> None:
    """In the agent's worktree, beside the agent."""
    agent.write("task.md", "the task\n")

    done = agent.run("sh", "-c", line)

    assert done.code == 0, done.err
    if "--json" in line:
        assert json.loads(done.out)["actor"] == "hopper-a71f"
    else:
        assert agent.read("read.txt").endswith("the task\n")


@pytest.mark.parametrize("line", [line for text in blocks("crontab") for line in text.splitlines()])
def test_a_cron_line_runs_in_cron_s_own_environment(agent: Repo, line: str) -> None:
    """`sh`, the home folder, and a PATH without a virtual environment."""
    fields = re.fullmatch(r"(?:[\d*/,-]+ ){5} *(.*)", line)
    assert fields is not None
    command = fields[1].replace("/path/to/w1", f"'{agent.path}'")
    assert "%" not in command  # which cron would turn into a newline
    tools = agent.env["PATH"].split(":")[0]
    git = Path(agent.run("sh", "-c", "command -v git").out).parent  # what the repository is read by
    bare = {"HOME": agent.env["HOME"], "PATH": f"{tools}:{git}:/usr/bin:/bin", "SHELL": "/bin/sh"}

    done = at_home(agent, bare).run("sh", "-c", command)

    assert done.code == 0, done.err
    if "your-agent" in command:
        assert agent.read("read.txt").startswith("1 present")


def at_home(repo: Repo, env: dict[str, str]) -> Repo:
    """Return a handle that runs in the home folder, with `env` and nothing else."""
    home = repo.at(Path(repo.env["HOME"]))
    return type(home)(home.path, env)
