"""A large log of which a commit appends lines: proved from one reading, in little memory."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from coord.hooks import appended
from harness.hooked import add_hooks

if TYPE_CHECKING:
    from harness import Repo

ROWS = "".join(f"row {number}\n" for number in range(50_000))  # several chunks
CONFLICT = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
MEGABYTE = 1 << 20


def judged(repo: Repo, old: str, new: str) -> bool:
    """Tell whether `new`, staged over the committed `old`, is told to be a growth of it."""
    repo.commit("base", {"log.tsv": old})
    repo.write("log.tsv", new)
    repo.git("add", "log.tsv")
    blob = repo.git("rev-parse", ":log.tsv")
    return appended.is_growth(str(repo.path), "HEAD", "log.tsv", blob)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ROWS, ROWS + "one more\n", True),
        (ROWS, ROWS + "one more, without its end", True),
        ("a\n", "a\nb\n", True),
        (ROWS, "row O\n" + ROWS[6:] + "one more\n", False),
        (ROWS, ROWS[:-2] + "x\none more\n", False),
        (ROWS, ROWS[:-6], False),
        (ROWS[:-1], ROWS + "one more\n", False),
        (ROWS, ROWS + CONFLICT, False),
        (CONFLICT[:20] + ROWS, CONFLICT[:20] + ROWS + CONFLICT[20:], False),
    ],
    ids=["lines", "no end", "small", "first", "last", "shorter", "glued", "conflict", "spanning"],
)
def test_only_whole_lines_behind_all_old_ones_are_a_growth(
    repo: Repo, old: str, new: str, *, expected: bool
) -> None:
    """Whatever else a commit does, and a conflict wherever it begins, is looked at in full."""
    assert judged(repo, old, new) is expected


def test_a_marker_that_two_chunks_share_is_seen(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the cut falls is chance."""
    for size in range(3, 12):
        monkeypatch.setattr(appended, "_CHUNK", size)
        assert not judged(repo, "a\nb\n", "a\nb\n" + CONFLICT)


@pytest.mark.parametrize("old", [None, "folder"])
def test_what_is_no_file_in_the_parent_is_no_growth(repo: Repo, old: str | None) -> None:
    """Nothing, or a folder, stood there."""
    if old:
        repo.commit("folder", {"log.tsv/x": "x\n"})
        repo.git("rm", "-r", "-q", "--cached", "log.tsv")
    blob = repo.git("hash-object", "-w", "--stdin", stdin="x\n")

    assert not appended.is_growth(str(repo.path), "HEAD", "log.tsv", blob)


@pytest.mark.parametrize("size", [1, 4, 9, 1 << 18])
@pytest.mark.parametrize(
    ("texts", "tails"),
    [
        (("a\nb\nc\n", "a\nb\n", "a\nc\n"), ["b\nc\n", "b\n", "c\n"]),
        (("a\nbc\n", "a\nbd\n", "a\nb"), ["bc\n", "bd\n", "b"]),
        (("a\n", "a\n", "a\n"), ["", "", ""]),
        (("a\n", "", "a\n"), ["a\n", "", "a\n"]),
        (("a\n" + CONFLICT, "a\n", "a\n"), None),
        ((CONFLICT, CONFLICT, CONFLICT), None),
    ],
    ids=["lines", "inside a line", "same", "empty", "conflict", "quoted"],
)
def test_versions_are_told_by_what_stands_behind_their_common_lines(
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    texts: tuple[str, ...],
    tails: list[str] | None,
) -> None:
    """However they are cut into chunks, whole lines stay; of a conflict nothing is told.

    A chunk may end inside the line that differs, which is then all there: a common beginning that
    is shorter is as good, so the texts behind it are compared from their ends.
    """
    monkeypatch.setattr(appended, "_CHUNK", size)
    names = [repo.git("hash-object", "-w", "--stdin", stdin=text) for text in texts]
    found = appended.behind(str(repo.path), names)
    if tails is None or found is None:
        assert found is tails is None
        return
    heads = {
        text.encode()[: len(text) - len(tail)] for text, tail in zip(texts, found, strict=True)
    }

    assert len(heads) == 1
    assert heads.pop()[-1:] in {b"", b"\n"}
    for tail, wanted in zip(found, tails, strict=True):
        assert tail.endswith(wanted.encode())


def test_versions_that_differ_early_are_not_held(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is one that is no file; whoever asks looks at them as they are."""
    monkeypatch.setattr(appended, "_MOST", 100)
    monkeypatch.setattr(appended, "_CHUNK", 10)
    blobs = [repo.git("hash-object", "-w", "--stdin", stdin=text * 60) for text in ("a\n", "b\n")]
    assert appended.behind(str(repo.path), blobs) is None
    assert appended.behind(str(repo.path), [blobs[0], "HEAD:no blob"]) is None
    assert not appended.is_growth(str(repo.path), "HEAD", "no blob", blobs[0])


def test_twenty_megabytes_are_judged_in_one(repo: Repo) -> None:
    """The bound of the page on costs: what is held does not grow with the log."""
    text = "x" * 79 + "\n"
    tracemalloc.start()
    try:
        grown = judged(repo, text * 1_000, text * 250_000)
        _, before = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        blob = repo.git("rev-parse", ":log.tsv")
        start, _ = tracemalloc.get_traced_memory()
        assert appended.is_growth(str(repo.path), "HEAD", "log.tsv", blob)
        assert appended.behind(str(repo.path), [blob, blob, blob]) == [b"", b"", b""]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert grown
    assert before > 20 * MEGABYTE  # the measure sees such a text
    assert peak - start < 2 * MEGABYTE


def test_an_edit_of_a_large_log_is_refused_as_before(repo: Repo) -> None:
    """Two megabytes and more go this way; the refusal names the line."""
    add_hooks(repo, "*.tsv coord-log\n")
    large = ROWS * 5
    assert len(large) > 2_000_000
    repo.commit("base", {"log.tsv": large})
    repo.commit("more", {"log.tsv": large + "one more\n"})
    repo.write("log.tsv", large.replace("row 7\n", "row seven\n"))
    repo.git("add", "log.tsv")
    done = repo.tried("commit", "-q", "-m", "edit")

    assert done.refusal.rule == "log-rewritten"
    assert "log.tsv:8" in done.refusal.headline
