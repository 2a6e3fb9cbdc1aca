"""docs/library.md: its code runs as it stands, one block after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema

from harness.board import answer, worker

if TYPE_CHECKING:
    from harness import Repo

PAGE = Path(__file__).parent.parent.parent / "docs" / "library.md"


def test_the_code_of_the_page_does_what_it_says(repo: Repo, tmp_path: Path) -> None:
    """A claim is answered as its schema says, kept from a peer, and handed on to it."""
    mine = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    theirs = worker(repo, tmp_path / "two", "feat-two", "two-0002")
    names: dict[str, Any] = {
        "mine": str(mine.path),
        "theirs": str(theirs.path),
        "peer": "two-0002",
    }

    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102  # a page of ours

    jsonschema.Draft202012Validator(names["schema"]).validate(names["answer"])
    assert names["answer"]["claims"][0]["state"] == "held"
    assert names["refused"] == ("not-holder", "git coord log task:run")
    assert names["taken"].made[0].place.actor == "two-0002"
    assert answer(theirs, "board")["claims"][0]["holder"]["actor"] == "two-0002"
