"""Broken rules in the forms of hosting services; what a peer wrote stays within its field."""

from __future__ import annotations

import json

from coord.cli.annotated import github, gitlab
from coord.history.problem import Problem

ODD = Problem("log-rewritten", '"a,b:\\n::warning::x%\\303\\244.log"', "c" * 40, "lost 5%", "r", 7)
WHOLE = Problem("author-mismatch", "", "c" * 40, "made as B", "git coord reauthor")


def test_a_file_name_begins_no_command_of_its_own() -> None:
    """A line that begins with two colons is a command of GitHub's runner."""
    (line,) = github([ODD])

    assert "\n" not in line
    assert line == (
        "::error title=log-rewritten,file=a%2Cb%3A%0A%3A%3Awarning%3A%3Ax%25ä.log,line=7"
        "::lost 5%25%0Arun: r"
    )


def test_a_problem_of_a_whole_commit_names_no_file() -> None:
    """GitHub shows it beside the run; GitLab wants a path in any case."""
    assert list(github([WHOLE])) == [
        "::error title=author-mismatch::made as B%0Arun: git coord reauthor"
    ]
    (issue,) = json.loads(gitlab([WHOLE]))
    assert issue["location"] == {"path": ".", "lines": {"begin": 1}}


def test_a_report_without_problems_is_an_empty_list() -> None:
    """GitLab compares it with that of the target, and says what is gone."""
    assert json.loads(gitlab([])) == []


def test_each_problem_has_a_mark_of_its_own() -> None:
    """GitLab tells by it what is new in a merge request."""
    marks = {each["fingerprint"] for each in json.loads(gitlab([ODD, WHOLE]))}

    assert len(marks) == 2
