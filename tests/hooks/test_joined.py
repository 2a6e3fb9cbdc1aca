"""A large journal that a merge joined: told from one reading beside its parents, held by nobody."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from coord.drivers import law, passage
from coord.hooks import joined
from harness.hooked import add_hooks

if TYPE_CHECKING:
    from harness import Repo

START = "## "
MEGABYTE = 1 << 20


def block(number: int, who: str = "ada", text: str = "did") -> str:
    """Return one entry of a journal."""
    second, minute, hour = number % 60, number // 60 % 60, number // 3600
    return f"## 2026-01-01T{hour:02}:{minute:02}:{second:02}Z {who}\n\n- {text} {number}\n\n"


BASE = "# Log\n\n" + "".join(map(block, range(400)))
OURS = BASE + block(500) + block(503)
THEIRS = BASE + block(501, "bob") + block(3, "bob", "late")
WHOLE = law.joined(
    "log", START.encode(), *(text.encode() for text in (BASE, OURS, THEIRS))
).decode()


def told(repo: Repo, new: str, *versions: str) -> bool:
    """Tell whether `new` is told to be the join of some versions."""
    names = [repo.git("hash-object", "-w", "--stdin", stdin=text) for text in (new, *versions)]
    return joined.is_join(str(repo.path), "log", START.encode(), names[0], names[1:])


@pytest.mark.parametrize("size", [50, 1 << 10, 1 << 17])
@pytest.mark.parametrize(
    ("new", "versions", "expected"),
    [
        (WHOLE, (BASE, OURS, THEIRS), True),
        (WHOLE, (BASE, THEIRS, OURS), True),
        (WHOLE[:-6] + "x\n\n", (BASE, OURS, THEIRS), False),
        (OURS, (BASE, OURS, THEIRS), False),
        (WHOLE.replace(" 7\n", " 8\n"), (BASE, OURS, THEIRS), False),
        (OURS, (BASE,), True),
        (BASE, (OURS,), False),
        (OURS, ("",), False),
        (OURS + "<<<<<<< a\n", (BASE,), False),
    ],
    ids=[
        "join",
        "turned",
        "edited",
        "ours",
        "early",
        "growth",
        "shorter",
        "new",
        "marker",
    ],
)
def test_the_join_of_its_parents_is_told(
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    new: str,
    versions: tuple[str, ...],
    *,
    expected: bool,
) -> None:
    """However the texts are cut; whatever else was staged is looked at in full."""
    monkeypatch.setattr(passage, "LEAST", 1)
    monkeypatch.setattr(passage, "CHUNK", size)
    monkeypatch.setattr(joined, "_CHUNK", size)
    monkeypatch.setattr(joined, "_KEPT", 2 * size)

    assert told(repo, new, *versions) is expected


@pytest.mark.parametrize("other", [None, "folder"])
def test_what_is_no_file_somewhere_is_not_told(repo: Repo, other: str | None) -> None:
    """Both sides added it, or one has a folder there."""
    repo.commit("base", {"log.tsv": BASE, "folder/x": "x\n"})
    names = ["HEAD:log.tsv", f"HEAD:{other}", "HEAD:log.tsv", "HEAD:log.tsv"]

    assert not joined.is_join(str(repo.path), "log", b"## ", names[0], names[1:])


def test_a_large_journal_is_not_held(repo: Repo) -> None:
    """Four versions of it are compared in what a few chunks take."""
    base = "".join(map(block, range(80_000)))
    assert len(base) > 3 * MEGABYTE
    texts = base + block(85_000) + block(86_000), base, base + block(85_000), base + block(86_000)
    names = [repo.git("hash-object", "-w", "--stdin", stdin=text) for text in texts]
    tracemalloc.start()
    assert joined.is_join(str(repo.path), "log", b"## ", names[0], names[1:])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 3 * MEGABYTE


def test_a_large_journal_may_be_merged_and_not_be_cut(repo: Repo) -> None:
    """The commit of its join passes, and one that takes out what both had does not."""
    add_hooks(repo, "*.blocks coord-log\n")
    base = "".join(map(block, range(30_000)))
    assert len(base) > MEGABYTE
    repo.commit("start", {".coord.toml": '[log."*.blocks"]\nstart = "## "\n', "a.blocks": base})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {"a.blocks": base + block(40_001)})
    repo.git("switch", "-q", "main")
    repo.commit("main", {"a.blocks": base + block(40_000)})
    repo.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    whole = base + block(40_000) + block(40_001)
    repo.write("a.blocks", whole.replace(block(7), ""))
    repo.git("add", "-A")
    done = repo.tried("commit", "-q", "-m", "cut")
    assert (done.code, done.refusal.rule) == (1, "log-rewritten")
    repo.write("a.blocks", whole)
    repo.git("add", "-A")

    assert repo.tried("commit", "-q", "-m", "merge").code == 0
