"""The common beginning of files, and where the last record begins in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers import prefix

if TYPE_CHECKING:
    from pathlib import Path

SMALL = 8  # a chunk so small that generated texts span several


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in chunks of a few bytes."""
    monkeypatch.setattr(prefix, "CHUNK", SMALL)


def common(folder: Path, *contents: bytes) -> prefix.Common:
    """Write files and return what they have in common."""
    files = []
    for number, content in enumerate(contents):
        (folder / str(number)).write_bytes(content)
        files.append((folder / str(number)).open("rb", buffering=0))
    try:
        return prefix.of_files(files)
    finally:
        for file in files:
            file.close()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, 17, 24])
@pytest.mark.parametrize("tails", [(b"", b"m", b"s"), (b"x", b"xy", b"x"), (b"", b"", b"")])
def test_the_length_is_exact_around_every_chunk(
    tmp_path: Path, length: int, tails: tuple[bytes, bytes, bytes]
) -> None:
    """Whether files differ in, before or at the edge of a chunk, or end there."""
    shared = b"abcdefgh" * 4
    texts = [shared[:length] + tail for tail in tails]
    same = 0
    while all(same < len(text) for text in texts) and len({text[same] for text in texts}) == 1:
        same += 1

    assert common(tmp_path, *texts).length == same


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("place", [0, 7, 8, 20])
def test_a_cr_or_nul_is_seen_wherever_it_is(tmp_path: Path, place: int) -> None:
    """The join asks for line ends, and refuses what is no text."""
    text = b"a" * place + b"@" + b"b" * 20
    found = [
        common(tmp_path, text.replace(b"@", odd) + b"m", text.replace(b"@", odd) + b"s")
        for odd in (b"\r", b"\0", b"c")
    ]

    assert [(one.has_cr, one.has_nul) for one in found] == [
        (True, False),
        (False, True),
        (False, False),
    ]


@given(st.text("ab", max_size=20), st.text("ab", max_size=20), st.text("ab", max_size=20))
def test_the_agreement_is_the_longest_common_beginning(one: str, two: str, three: str) -> None:
    """Found by halving, as long as found by walking."""
    texts = [one.encode(), two.encode(), three.encode()]
    size = min(map(len, texts))
    same = prefix.agreement(texts, size)

    assert len({text[:same] for text in texts}) == 1
    assert same == size or len({text[: same + 1] for text in texts}) > 1


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("needle", [b"\n", b"\n## ", b"\n\n", b"\nlonger than a chunk"])
@pytest.mark.parametrize("place", range(24))
def test_the_last_beginning_is_found_across_chunks(needle: bytes, place: int) -> None:
    """Also where two windows meet inside of it; never one that ends too late."""
    text = b"a" * place + needle + b"b" * 24

    for end in range(len(text) + 1):
        found = prefix._last(lambda begin, stop: text[begin:stop], needle, end)
        assert found == text.rfind(needle, 0, end)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("text", "start", "head"),
    [
        (b"", None, 0),
        (b"abc", None, 0),
        (b"one\ntw", None, 4),
        (b"one\ntwo\n", None, 8),
        (b"a long line over chunks\nrest of it", None, 24),
        (b"## one\n## two\n## thr", b"## ", 7),
        (b"## one\n## two", b"## ", 0),
        (b"## one and longer than a chunk\n## two\n\n#", b"## ", 0),
        (b"## a\n## b\n## c\n##", b"## ", 5),
        (b"a\n\nb\n\nc\n\nd", b"", 6),
        (b"a\n\nb\n\nc\n\n", b"", 3),
        (b"a\n\nb\n\nc\n\n\n", b"", 3),
        (b"a\n\nb", b"", 0),
    ],
)
def test_the_head_ends_where_a_record_begins(text: bytes, start: bytes | None, head: int) -> None:
    """A line is whole at its end; a block where the next but one begins."""

    def read(begin: int, end: int) -> bytes:
        assert 0 <= begin <= end <= len(text)
        return text[begin:end]

    assert prefix.boundary(read, len(text), start) == head


@pytest.mark.usefixtures("small_chunks")
@given(st.lists(st.sampled_from([b"\n", b"\n\n", b"\r", b"a", b"b"]), max_size=40))
def test_a_paragraph_begins_where_a_line_follows_a_blank_one(parts: list[bytes]) -> None:
    """In whatever chunk it stands, behind however many blank lines."""
    text = b"".join(parts)
    begins = [
        at
        for at in range(2, len(text))
        if text[at - 2 : at] == b"\n\n" and text[at : at + 1] not in b"\r\n"
    ]
    wanted = begins[-2] if begins[1:] else 0
    assert prefix.boundary(lambda begin, end: text[begin:end], len(text), b"") == wanted


@pytest.mark.parametrize("size", [1 << 17, 1 << 18, 1 << 19])
@pytest.mark.parametrize("blank", [b"\n", b"\n\n\ra"])
def test_a_run_of_blank_lines_is_read_once(size: int, blank: bytes) -> None:
    """What is read grows with the run, and not with its square."""
    text = b"first\n\nsecond" + blank * (size // len(blank)) + b"third"
    read = 0

    def counted(begin: int, end: int) -> bytes:
        nonlocal read
        read += end - begin
        return text[begin:end]

    assert prefix.boundary(counted, len(text), b"") in {0, 7}
    assert read < 3 * len(text) + prefix.CHUNK
