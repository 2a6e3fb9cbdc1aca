"""What git is asked about refused paths, and how often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coord.guard import evidence
from coord.repo import git, worktree
from harness.scenes import diverged

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from harness import Repo

ODD = (b"a\nb", b"q\"u'o\\te", b" lead", b"caf\xc3\xa9", b"not-utf-8-\xff", b"HEAD:x missing\ny")


def merged(repo: Repo, names: list[bytes]) -> list[evidence.Recorded]:
    """Refuse a merge on `names`; return what the records of it hold."""
    paths = [name.decode("utf-8", "surrogateescape") for name in names]
    diverged(
        repo,
        {
            path: (b"base\n", b"ours %d\n" % at, b"theirs %d\n" % at)
            for at, path in enumerate(paths)
        },
    )
    repo.tried("merge", "side")
    place = worktree.discover(str(repo.path))
    sides = [
        [git.tell("rev-parse", f"{head}:{path}", cwd=place.cwd).text for path in paths]
        for head in ("HEAD", "MERGE_HEAD")
    ]
    return [evidence.Recorded(*one, "") for one in zip(paths, *sides, strict=True)]


def test_hundreds_of_refused_paths_are_asked_about_together(
    installed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A merge refused on 300 files made each commit wait seven seconds, a few children a file."""
    refused = merged(installed, [b"f%d.json" % number for number in range(40)])
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))

    found = evidence.gather(worktree.discover(str(installed.path)), refused, git.elsewhere())

    children = [json.loads(line) for line in trace.read_text().splitlines()]
    assert all(facts.unmerged and facts.brought for facts in found)
    assert sum(child["event"] == "start" for child in children) < 10


def test_no_name_of_a_file_confuses_the_answers(installed: Repo) -> None:
    """Answers about a path with newlines are told from those about the next one."""
    refused = merged(installed, list(ODD))
    place = worktree.discover(str(installed.path))
    one_by_one = [evidence.gather(place, [one], git.elsewhere())[0] for one in refused]

    assert evidence.gather(place, refused, git.elsewhere()) == one_by_one
    assert all(facts.unmerged and facts.brought for facts in one_by_one)
