"""Blobs by one child, and beginnings proved by hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.history import blobs
from coord.history.blobs import Blobs
from coord.history.door import Door
from harness import Repo

if TYPE_CHECKING:
    from pathlib import Path


def stored(repo: Repo, text: bytes) -> str:
    """Store bytes and return their blob."""
    return repo.git("hash-object", "-w", str(repo.write("scratch", text)))


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_beginning_is_proved_without_reading_it(
    tmp_path: Path, env: dict[str, str], algorithm: str
) -> None:
    """The older version may even be missing but for its size: only the newer one is read."""
    repo = Repo.init(tmp_path / "r", env, f"--object-format={algorithm}")
    old, new, other = (stored(repo, text) for text in (b"one\n", b"one\ntwo\n", b"One\n"))
    with Blobs(Door(str(repo.path))) as found:
        assert found.begins(old, new)
        assert not found.begins(new, old)
        assert not found.begins(other, new)
        assert found.around(new, found.size(old)) == (b"\n", b"two\n")
        assert found.read(old) == b"one\n"
        assert found.read(None) == b""


def test_a_missing_blob_is_noted(repo: Repo) -> None:
    """As in a partial clone without its server."""
    with Blobs(Door(str(repo.path))) as found:
        assert found.read("1" * 40) == b""
        assert not found.begins("2" * 40, stored(repo, b"x"))
        assert found.missing == {"1" * 40, "2" * 40}


def test_many_blobs_are_asked_for_together(repo: Repo) -> None:
    """Small ones in batches, larger ones one by one; neither fills a pipe."""
    texts = [b"%d\n" % number * (1 + number % 7 * 300) for number in range(500)]
    ids = [stored(repo, text) for text in texts[:40]]
    with Blobs(Door(str(repo.path))) as found:
        assert found.read_small([*ids, "1" * 40, *ids]) == {
            **dict(zip(ids, texts, strict=False)),
            "1" * 40: b"",
        }
        found.measure(ids * 30)
        assert [found.size(each) for each in ids] == [len(text) for text in texts[:40]]


@pytest.mark.parametrize("portion", [4, 1000])
def test_very_many_blobs_have_a_child_of_their_own(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    """Whatever is among them: what is missing, too large to be read together, empty, no blob."""
    monkeypatch.setattr(blobs, "_MANY", 8)
    monkeypatch.setattr(blobs, "_PORTION", portion)
    texts = [b"", *(b"%d blob 3\n" % number * number for number in range(20)), b"x" * 9000]
    ids = [stored(repo, text) for text in texts]
    known = dict(zip(ids, texts, strict=True)) | {"1" * 40: b""}

    with Blobs(Door(str(repo.path))) as found:
        assert found.read_small([*ids, "1" * 40]) == known
        assert found.missing == {"1" * 40}
        tree = repo.git("rev-parse", "HEAD^{tree}")
        assert found.read_small([*ids, tree])[ids[3]] == texts[3]


def test_what_is_kept_is_bounded(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the budget the oldest go, and are read again when they are needed."""
    monkeypatch.setattr(blobs, "_BUDGET", 10)
    ids = [stored(repo, b"%d" % number * 8) for number in range(5)]
    with Blobs(Door(str(repo.path))) as found:
        for each in ids:
            found.read(each)
        assert len(found._kept) == 2
        assert found.read(ids[0]) == b"0" * 8
