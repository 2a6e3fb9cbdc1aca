"""The longest common byte prefix of the inputs, and the last record that begins inside it.

Logs differ at their end. Comparing them in chunks, as bytes, and parsing only what is left makes
the merge of a million records cost what reading them costs, in a few hundred kilobytes of memory.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

    Read = Callable[[int, int], bytes]  # (begin, end) → these bytes

CHUNK = (
    1 << 16
)  # from 1 << 17 on, malloc asks the kernel for each, whose pages cost more than a small log


class Common:
    """What the inputs share: `length` bytes, and whether these hold a CR or a NUL."""

    __slots__ = ("has_cr", "has_nul", "length")

    def __init__(self) -> None:
        self.length = 0
        self.has_cr = False
        self.has_nul = False

    def add(self, chunk: bytes | bytearray) -> None:
        """Count a chunk that all inputs have."""
        self.length += len(chunk)
        self.has_cr = self.has_cr or b"\r" in chunk
        self.has_nul = self.has_nul or b"\0" in chunk


def of_files(files: list[FileIO]) -> Common:
    """Return what unbuffered files, read from their start, have in common."""
    common = Common()
    chunks = [bytearray(CHUNK) for _ in files]
    first = chunks[0]
    while True:
        size = min([file.readinto(chunk) for file, chunk in zip(files, chunks, strict=True)])
        if size < CHUNK or chunks.count(first) < len(chunks):
            common.add(first[: agreement(chunks, size)])
            return common
        common.add(first)


def agreement(texts: list[bytes] | list[bytearray], size: int) -> int:
    """Return how many of the first `size` bytes are the same in all `texts`."""
    low, head = 0, texts[0]
    while size - low > CHUNK:  # larger slices would be copied where no cache holds them
        if any(text[low : low + CHUNK] != head[low : low + CHUNK] for text in texts[1:]):
            size = low + CHUNK
            break
        low += CHUNK
    while low < size:
        middle = (low + size + 1) // 2
        if all(text[low:middle] == head[low:middle] for text in texts):
            low = middle
        else:
            size = middle - 1
    return low


def boundary(read: Read, end: int, start: bytes | None) -> int:
    """Return where a record begins, at or before `end`, so that all before it are whole.

    `read` gives the common bytes, of which there are `end`. A block is only over where the next one
    begins, and the space between blocks is told from two neighbours, so in a log of blocks this is
    the last block but one that begins in the common bytes.
    """
    if start is None:
        return _last(read, b"\n", end) + 1
    return block(read, block(read, end, start), start)


def block(read: Read, end: int, start: bytes) -> int:
    """Return the last beginning of a block before `end`, or 0."""
    if start:
        return _last(read, b"\n" + start, end) + 1
    return _paragraph(read, end)


def _paragraph(read: Read, end: int) -> int:
    """Return the last place before `end` where a line that is not blank follows one, or 0.

    Each chunk is cut once, from the right, so that a run of blank lines is cut at its end: a search
    for each of a million of them took 20 s.
    """
    while end > 2:  # noqa: PLR2004  # a blank line and what follows it
        begin = max(0, end - CHUNK - 2)
        place = end
        for part in reversed(read(begin, end).rsplit(b"\n\n")):
            place -= len(part)
            if place > begin and part[:1] not in b"\r\n":
                return place
            place -= 2
        if begin == 0:
            break
        end = begin + 2
    return 0


def _last(read: Read, needle: bytes, end: int) -> int:
    """Return the last place before `end` where the whole `needle` stands, or -1."""
    while end >= len(needle):
        begin = max(0, end - CHUNK - len(needle))
        found = read(begin, end).rfind(needle)
        if found >= 0:
            return begin + found
        if begin == 0:
            break
        end = begin + len(needle) - 1
    return -1


def first(read: Read, needle: bytes, begin: int, end: int) -> int:
    """Return the first place between two where the whole `needle` stands, or -1."""
    while begin + len(needle) <= end:
        upto = min(begin + CHUNK, end)
        found = read(begin, upto).find(needle)
        if found >= 0:
            return begin + found
        begin = upto - len(needle) + 1
    return -1
