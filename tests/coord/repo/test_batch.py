"""A git child that answers question after question, and one that does not."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest

from coord.repo import git
from coord.repo.batch import Child, Ended

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_answers_come_as_lines_bytes_and_fields(repo: Repo) -> None:
    """Each question is answered before the next one is asked."""
    with Child("cat-file", "--batch", cwd=str(repo.path), env=git.elsewhere()) as child:
        for _ in range(3):
            child.send(b"HEAD:README\n")
            assert child.line().endswith(b" blob 6")
            assert child.exactly(7) == b"start\n\n"
    with Child(
        "check-attr", "--stdin", "-z", "merge", cwd=str(repo.path), env=git.elsewhere()
    ) as child:
        for path in (b"a\nb", b"\xff"):
            child.send(path + b"\0")
            assert [child.field() for _ in range(3)] == [path, b"merge", b"unspecified"]


@pytest.mark.parametrize("ask", [Child.line, Child.field, lambda child: child.exactly(1)])
def test_a_child_that_ends_is_no_fault_of_ours(tmp_path: Path, ask: object) -> None:
    """But of the surroundings, which exit 3 stands for."""
    assert callable(ask)
    with (
        tempfile.TemporaryFile() as words,
        Child("cat-file", "--batch", cwd=str(tmp_path), env=git.elsewhere(), words=words) as child,
        pytest.raises(Ended) as caught,
    ):
        ask(child)

    assert caught.value.exit_code == 3
    assert "cat-file" in caught.value.what
