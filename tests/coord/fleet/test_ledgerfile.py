"""Ledgers on disk: one whole write a record, whatever stands there, whoever else writes."""

from __future__ import annotations

import errno
import multiprocessing
import os
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment, Refused
from coord.fleet import ledger, ledgerfile
from coord.fleet.ledger import Move, header, line
from coord.fleet.ledgerfile import Ledger
from coord.identity.whoami import Identity
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ME = Identity("hopper-a71f", "0f25582c-0d1d-46bc-bd8d-a4a17ff2ff79", "pinned", 2)
NAME = "coordination/moves.tsv"
HEADER = header(Move)
ENTRY = Move("2026-01-01T00:00:00Z", "ada", "0f25582c", "new", "", "", "x", "0a")


def move(summary: str = "x", kind: str = "improve") -> Move:
    """Return a new move."""
    return Move(kind=kind, lane="", scope="", summary=summary, **ledger.stamped(ME))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the ledger will be."""
    return tmp_path / NAME


def at(tmp_path: Path) -> Ledger[Move]:
    """Return the ledger of a worktree at `tmp_path`."""
    return Ledger(str(tmp_path), NAME, Move)


def test_the_first_record_makes_folder_header_and_line(tmp_path: Path, file: Path) -> None:
    """And says that it did; the second does not."""
    first, second = move("one"), move("two")

    assert at(tmp_path).append(first)
    assert not at(tmp_path).append(second)

    assert file.read_bytes() == HEADER + line(first) + line(second)


@pytest.mark.parametrize(
    ("before", "between"),
    [
        (b"", HEADER),
        (HEADER, b""),
        (HEADER[:-1], b"\n"),
        (HEADER.replace(b"\tnonce\n", b""), b"\n"),
        (HEADER[:-1] + b"\tof a later version\n", b""),
        (HEADER[:-1] + b"\r\n", b""),
        (HEADER + b"old\ttail", b"\n"),
        (HEADER + b"old\ttail\r", b"\n"),
        (HEADER + b"old\ttail\n", b""),
        (HEADER + b"old\ttail\n\n", b""),
        (HEADER + b"caf\xc3", b"\n"),
    ],
)
def test_a_record_is_never_glued_to_what_was_there(
    tmp_path: Path, file: Path, before: bytes, between: bytes
) -> None:
    """Whatever the last byte; what was there stays byte for byte."""
    file.parent.mkdir()
    file.write_bytes(before)
    entry = move()

    at(tmp_path).append(entry)

    assert file.read_bytes() == before + between + line(entry)


def test_a_record_is_one_write(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newline that was missing goes with it: a reader in between sees no torn line."""
    file.parent.mkdir()
    file.write_bytes(HEADER[:-1])
    written: list[bytes] = []

    def write(fd: int, data: bytes, real: Callable[[int, bytes], int] = os.write) -> int:
        written.append(data)
        return real(fd, data)

    monkeypatch.setattr(os, "write", write)
    entry = move()

    at(tmp_path).append(entry)

    assert written == [b"\n" + line(entry)]


def _ship(top: str, count: int) -> None:
    for number in range(count):
        Ledger(top, NAME, Move).append(move(f"{os.getpid()} {number} " + "é" * 300))


def test_records_of_sixteen_processes_are_all_whole(tmp_path: Path, file: Path) -> None:
    """They race for the missing folder, file and header too."""
    context = multiprocessing.get_context("fork")
    racers = [context.Process(target=_ship, args=(str(tmp_path), 25)) for _ in range(16)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()

    lines = file.read_bytes().split(b"\n")

    assert lines.pop(0) + b"\n" == HEADER
    assert lines.pop() == b""
    entries = {ledger.parsed(each, Move) for each in lines}
    assert None not in entries
    assert len(entries) == len(lines) == 16 * 25
    assert [entry.name for entry in file.parent.iterdir()] == ["moves.tsv"]


@pytest.mark.parametrize("part", ["coordination", NAME])
@pytest.mark.parametrize("there", [True, False])
def test_a_committed_link_never_leads_out(
    tmp_path: Path, file: Path, part: str, there: bool
) -> None:
    """Neither of the file nor of its folder; nothing is made where it leads to."""
    outside = tmp_path / "outside"
    if there:
        outside.mkdir() if part == "coordination" else outside.write_bytes(HEADER)
    if part == NAME:
        file.parent.mkdir()
    (tmp_path / part).symlink_to(outside)

    with pytest.raises(Refused) as refused:
        at(tmp_path).append(move())

    assert refused.value.rule == "symlink"
    assert outside.exists() == there
    if there:
        assert part == NAME or not list(outside.iterdir())
        assert part != NAME or outside.read_bytes() == HEADER
        with pytest.raises(Refused):
            list(at(tmp_path).newest())


def test_folders_below_a_link_are_not_made(tmp_path: Path) -> None:
    """`a/b/moves.tsv`, where `a` leads out."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "a").symlink_to(tmp_path / "outside")

    with pytest.raises(Refused):
        Ledger(str(tmp_path), "a/b/moves.tsv", Move).append(move())

    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize(
    "text",
    [
        b"name\tvalue\n",
        b"<<<<<<< ours\n" + HEADER,
        HEADER.replace(b"\tsummary", b""),
        HEADER.replace(b"\tsummary\tnonce", b"\tsummary2"),
        HEADER + b"\0",
        b"version https://git-lfs.github.com/spec/v1\n",
        header(ledger.PutDown),
    ],
)
def test_a_file_that_is_another_is_left_alone(tmp_path: Path, file: Path, text: bytes) -> None:
    """Not a byte is added; reading refuses as well, rather than make sense of it."""
    file.parent.mkdir()
    file.write_bytes(text)

    for act in (lambda: at(tmp_path).append(move()), lambda: list(at(tmp_path).newest())):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.rule == "ledger-foreign"

    assert file.read_bytes() == text


def test_a_folder_or_pipe_in_its_place_is_refused_at_once(tmp_path: Path, file: Path) -> None:
    """Without waiting for a writer at the pipe's other end."""
    file.mkdir(parents=True)
    with pytest.raises(Refused):
        at(tmp_path).append(move())
    with pytest.raises(Refused):
        list(at(tmp_path).newest())
    file.rmdir()
    os.mkfifo(file)

    with pytest.raises(Refused):
        at(tmp_path).append(move())
    with pytest.raises(Refused):
        list(at(tmp_path).newest())


APPEND = """
from coord.fleet import ledger
from coord.fleet.ledger import Move
from coord.fleet.ledgerfile import Ledger
entry = Move("2026-01-01T00:00:00Z", "ada", "0f25582c", "new", "", "", "x", "0a")
"""


@pytest.mark.parametrize("before", [None, b"", HEADER[:-1], HEADER + b"old\ttail"])
def test_a_kill_at_any_call_leaves_a_whole_record_or_none(
    tmp_path: Path, file: Path, env: dict[str, str], before: bytes | None
) -> None:
    """And what was there; the next record lands whatever the last process left behind."""
    kept, deaths = before or b"", 0

    def reset() -> None:
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        if before is not None:
            file.write_bytes(before)

    reset()
    body, argv = "Ledger(sys.argv[1], sys.argv[2], Move).append(entry)", [str(tmp_path), NAME]
    for _ in killed_at_every_call(APPEND, body, argv, tmp_path, env):
        deaths += 1
        found = file.read_bytes() if file.exists() else b""
        assert found.startswith(kept)
        rest = found.removeprefix(kept).removeprefix(b"\n").removeprefix(HEADER).split(b"\n")
        assert {each for each in rest if each} <= {line(ENTRY)[:-1]}
        reset()

    assert deaths > 5
    assert file.read_bytes().endswith(b"\n" + line(ENTRY))


def test_what_a_full_disk_cut_short_is_taken_back(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn record would be glued to the next one's time; exit 3 instead, and the old bytes."""
    at(tmp_path).append(move("one"))
    before = file.read_bytes()
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:10]))

    with pytest.raises(Environment) as refused:
        at(tmp_path).append(move("two"))

    assert refused.value.rule == "disk-full"
    assert file.read_bytes() == before


def test_a_failed_write_changes_nothing(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only mount says so before a byte is written."""
    at(tmp_path).append(move("one"))
    before = file.read_bytes()
    real = os.open

    def read_only(path: str, flags: int, *args: int, **options: int) -> int:
        if flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", read_only)

    with pytest.raises(Environment) as refused:
        at(tmp_path).append(move("two"))

    assert (refused.value.rule, refused.value.exit_code) == ("not-writable", 3)
    assert file.read_bytes() == before


def test_a_record_follows_the_file_that_git_puts_in_place(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout replaces files: what was written into the old one would be lost."""
    at(tmp_path).append(move("one"))
    real = ledgerfile._lock

    def checkout(fd: int, path: str) -> None:
        real(fd, path)
        if not (file.parent / "done").exists():
            (file.parent / "done").touch()
            (file.parent / "new").write_bytes(HEADER)
            os.replace(file.parent / "new", file)

    monkeypatch.setattr(ledgerfile, "_lock", checkout)
    entry = move("two")

    at(tmp_path).append(entry)

    assert file.read_bytes() == HEADER + line(entry)


def test_the_tail_is_read_backwards_across_blocks(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same entries whatever the size of a block, and a cut first line is left out."""
    entries = [move(str(number)) for number in range(30)]
    file.parent.mkdir()
    file.write_bytes(HEADER + b"".join(map(line, entries)) + b"no entry\n")

    for size in (1, 7, 64, 1000, 1 << 16):
        monkeypatch.setattr(ledgerfile, "_BLOCK", size)
        assert list(at(tmp_path).newest()) == entries[::-1]

    short = at(tmp_path).newest(len(line(entries[-1])) + 20)
    assert list(short) == [entries[-1]]
    assert not short.whole


def test_a_line_that_the_tail_cuts_is_not_taken_for_an_entry(tmp_path: Path, file: Path) -> None:
    """Where what is left of it happens to look like one."""
    file.parent.mkdir()
    file.write_bytes(HEADER + b"junk\t" + line(ENTRY))

    assert list(at(tmp_path).newest()) == []
    assert list(at(tmp_path).newest(len(line(ENTRY)))) == []


def test_a_ledger_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """Nothing was shipped yet, and nothing is made by looking."""
    newest = at(tmp_path).newest()

    assert list(newest) == []
    assert newest.whole
    assert not list(tmp_path.iterdir())


def test_a_last_record_without_its_newline_counts(tmp_path: Path, file: Path) -> None:
    """An editor may leave it so."""
    at(tmp_path).append(entry := move())
    file.write_bytes(file.read_bytes()[:-1])

    assert list(at(tmp_path).newest()) == [entry]
