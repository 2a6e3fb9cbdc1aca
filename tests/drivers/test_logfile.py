"""The merge of a log in files: the pure join, at the cost of what the sides do not share."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers import logfile, prefix
from coord.drivers.join import Refused, merge
from coord.drivers.logfile import Logs, NotText
from harness.drivers import library
from harness.logs import MODES, Mode, logs

if TYPE_CHECKING:
    from pathlib import Path

MEBIBYTE = 1 << 20


def written(folder: Path, *texts: bytes) -> tuple[str, str, str]:
    """Write %O, %A and %B; return their names."""
    for name, text in zip("OAB", texts, strict=True):
        (folder / name).write_bytes(text)
    return str(folder / "O"), str(folder / "A"), str(folder / "B")


def joined(folder: Path, *texts: bytes, start: bytes | None = None, virtual: bool = False) -> bytes:
    """Merge three files as the driver does; return what is in %A then."""
    base, ours, theirs = written(folder, *texts)
    merged = Logs(base, ours, theirs, start)
    try:
        merged.write(merged.joined(virtual=virtual))
    finally:
        for file in merged.files:
            file.close()
    return (folder / "A").read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples."""
    return tmp_path_factory.mktemp("logs")


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in chunks of a few bytes, so that small files span several."""
    monkeypatch.setattr(prefix, "CHUNK", 8)
    monkeypatch.setattr(logfile, "CHUNK", 8)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("kind", ["appended", "rewritten"])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_files_are_joined_as_bytes_are(mode: Mode, kind: str, folder: Path) -> None:
    """Reading in chunks, and writing the tail alone, changes no byte of the result."""

    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        base, (ours, theirs) = data.draw(logs(mode, kind))
        try:
            expected = merge(base, ours, theirs, mode.start)
        except Refused as refusal:
            with pytest.raises(type(refusal)):
                joined(folder, base, ours, theirs, start=mode.start)
            assert (folder / "A").read_bytes() == ours
        else:
            assert joined(folder, base, ours, theirs, start=mode.start) == expected

    check()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("split_at", range(8))
def test_a_line_end_across_two_chunks_is_counted(tmp_path: Path, split_at: int) -> None:
    """The base's line ends decide, and its first lines are long gone when they are counted."""
    base = b"x" * split_at + b"aaaaaa\r\n" * 4

    assert joined(tmp_path, base, base + b"m\n", base + b"s\n") == base + b"m\r\ns\r\n"


@pytest.mark.parametrize("where", [0, 1, 2], ids=["base", "ours", "theirs"])
@pytest.mark.parametrize("common", [b"", b"\0\n"], ids=["in one", "in all"])
def test_a_nul_anywhere_is_refused(tmp_path: Path, where: int, common: bytes) -> None:
    """Such a file has no lines; git's own merge conflicts too."""
    texts = [common + b"a\n", common + b"a\nm\n", common + b"a\ns\n"]
    texts[where] += b"\0\n"

    with pytest.raises(NotText):
        joined(tmp_path, *texts)
    assert (tmp_path / "A").read_bytes() == texts[1]


@pytest.mark.parametrize("where", [0, 1, 2], ids=["base", "ours", "theirs"])
def test_a_pointer_of_git_lfs_is_refused(tmp_path: Path, where: int) -> None:
    """Joining pointers would join nothing of what they point to."""
    texts = [b"a\n", b"a\nm\n", b"a\ns\n"]
    texts[where] = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"

    with pytest.raises(NotText):
        joined(tmp_path, *texts)


def test_a_virtual_merge_takes_anything(tmp_path: Path) -> None:
    """It only makes a base, and one that equals a side would be dangerous."""
    result = joined(tmp_path, b"a\nb\n", b"a\n\0\n", b"c\n", virtual=True)

    assert result == b"a\n\0\nc\n"


def test_ours_is_replaced_and_never_written_into(tmp_path: Path) -> None:
    """Whoever has it open reads this side, and who opens it anew the join."""
    texts = (b"a\n", b"a\nm\n", b"a\ns\n")
    (tmp_path / "A").write_bytes(texts[1])
    with open(tmp_path / "A", "rb") as ours:
        joined(tmp_path, *texts)

        assert ours.read() == texts[1]
    assert (tmp_path / "A").read_bytes() == b"a\nm\ns\n"


def test_a_failed_write_leaves_ours_and_nothing_else(tmp_path: Path) -> None:
    """As on a full disk: no file may grow beyond a block here."""
    written(tmp_path, b"", b"m\n" * 4000, b"s\n" * 4000)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from coord.drivers.logfile import Logs\n"
        "merged = Logs('O', 'A', 'B', None); merged.write(merged.joined(virtual=False))"
    )
    script = 'ulimit -f 1; exec "$@"'
    argv = ["sh", "-c", script, "sh", sys.executable, "-c", program, library()]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "File too large" in done.stderr
    assert (tmp_path / "A").read_bytes() == b"m\n" * 4000
    assert sorted(os.listdir(tmp_path)) == ["A", "B", "O"]


# Linux counts to a child what its parent held when it started it, so a small one has to start it.
MEASURE = """
import os, sys
child = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], {})
_, status, usage = os.wait4(child, 0)
print(status, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
PROGRAM = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from coord.drivers.entry import main
main()
"""


def test_a_million_records_are_joined_in_sixteen_mebibytes(tmp_path: Path) -> None:
    """Only what differs is parsed; the rest is compared, a chunk at a time."""
    base = b"".join(b"2026-01-01T00:00:00Z record %07d, of some length\n" % n for n in range(10**6))
    tails = [
        b"".join(b"2026-01-02T00:00Z %s %d\n" % (s, n) for n in range(1000)) for s in (b"m", b"s")
    ]
    names = written(tmp_path, base, base + tails[0], base + tails[1])
    argv = ["-I", "-S", "-c", PROGRAM, library(), "drivers", "log", "real", *names, "path"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURE, *argv], capture_output=True, check=True
    )
    status, size = map(int, done.stdout.split())

    assert status == 0
    with open(names[1], "rb") as file:
        assert sum(1 for _ in file) == 1_002_000
    assert size <= 16 * MEBIBYTE
