"""Broken rules as hosting services take them, to show each at its line of a change.

Both want what stands in the tree; a problem without a line, or without a path, is shown at the
beginning of what it is about.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from coord.base.cquote import c_unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.history.problem import Problem

# What ends a field of a workflow command: a peer's file name must not begin another command.
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_FIELD = {**_DATA, ":": "%3A", ",": "%2C"}


def github(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield the workflow command of GitHub Actions for each problem."""
    for one in problems:
        fields = {"title": one.rule}
        if one.path:
            fields |= {"file": c_unquoted(one.path), "line": str(one.line or 1)}
        said = ",".join(f"{key}={_escaped(text, _FIELD)}" for key, text in fields.items())
        text = f"{one.message}\nrun: {one.run}"
        yield f"::error {said}::{_escaped(text, _DATA)}"


def gitlab(problems: Iterable[Problem]) -> str:
    """Return the code quality report of GitLab, which is a JSON list."""
    return json.dumps([_issue(one) for one in problems], indent=1) + "\n"


def _issue(one: Problem) -> dict[str, object]:
    known = "\0".join((one.rule, one.path, one.commit or "", one.message))
    return {
        "check_name": one.rule,
        "description": f"{one.message}; run: {one.run}",
        "severity": "major",
        "fingerprint": hashlib.sha256(known.encode()).hexdigest(),
        "location": {"path": c_unquoted(one.path) or ".", "lines": {"begin": one.line or 1}},
    }


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
