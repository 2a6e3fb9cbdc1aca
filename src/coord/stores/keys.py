"""Keys of records: any name as one safe file, ref or object component.

NFC → UTF-8 → ``[a-z0-9_-]`` kept, every other byte ``=xx``, so that no file system folds case,
normalises or reserves it. ``=`` was chosen since ``%`` and ``~`` fail in refs or in NATS. What is
too long is cut at a whole unit and sealed with ``=h`` and a hash; ``h`` is no hex digit, so a cut
key is never a whole one. Nothing relies on decoding: the record holds the name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SCOPE, INSTANCE, SERIES = "s-", "a-", "n-"
_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_UNITS = tuple(chr(byte) if byte in _KEPT else f"={byte:02x}" for byte in range(256))
_WHOLE, _CUT = 100, 58
_LONGEST = 4200  # a scope, with its kind
_SEQUENCE = 8
#: What no scope of ours reaches: an event of a larger number is another program's.
MOST = 10**12
_PART = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-=")
_PARTS = range(2, 4)


def normal(text: str) -> str:
    """Return `text` in NFC, in which equal-looking names are equal.

    Longer than any name it stays as it is: marks without end take their square (30 s for 240 KB).
    """
    if text.isascii() or len(text) > _LONGEST:
        return text
    import unicodedata  # noqa: PLC0415  # every command imports this module for plain names

    return unicodedata.normalize("NFC", text)


def escaped(prefix: str, text: str) -> str:
    """Return the component of `text`: pure ASCII, at most 102 characters, injective up to NFC."""
    if text.isascii() and len(whole := text.translate(_UNITS)) <= _WHOLE:
        return prefix + whole
    raw = normal(text).encode("utf-8", "surrogatepass")
    # Bytes and the first 256 characters have the same numbers.
    whole = raw.decode("latin-1").translate(_UNITS)
    return prefix + (whole if len(whole) <= _WHOLE else _sealed(raw))


def _sealed(raw: bytes) -> str:
    import hashlib  # noqa: PLC0415  # 2 ms that only long names pay

    start = ""
    for unit in (_UNITS[byte] for byte in raw):
        if len(start) + len(unit) > _CUT:
            break
        start += unit
    return f"{start}=h{hashlib.sha256(raw).hexdigest()[:40]}"


def guessed(component: str) -> str:
    """Return what a component most likely names, for showing a scope whose record is torn."""
    text, _, sealed = component[2:].partition("=h")
    raw = bytearray()
    try:
        while text:
            step = 3 if text[0] == "=" else 1
            raw += bytes.fromhex(text[1:3]) if step > 1 else text[0].encode()
            text = text[step:]
    except ValueError:
        return component
    return raw.decode("utf-8", "replace") + ("…" if sealed else "")


def claim(scope: str) -> str:
    """Return the prefix of a scope's events."""
    return f"claims/{escaped(SCOPE, scope)}"


def event(folder: str, seq: int) -> str:
    """Return the key of event `seq` below the prefix of a scope."""
    return f"{folder}/{seq:0{_SEQUENCE}d}"


def seq_of(key: str) -> int:
    """Return the number of an event's key; 0 for a key that is no event's."""
    found = number_of(key) if len(key.rpartition("/")[2]) >= _SEQUENCE else 0
    return found if 0 < found < MOST else 0


def newest(names: Sequence[str]) -> str:
    """Return the last of sorted names: the highest number where some have more digits."""
    is_long = len(max(names, key=len)) > len(names[-1])
    return max(names, key=seq_of) if is_long else names[-1]


def actor(instance: str) -> str:
    """Return the key of an actor's record."""
    return f"actors/{escaped(INSTANCE, instance)}"


def notices(instance: str) -> str:
    """Return the prefix of what an instance has yet to be told."""
    return f"notices/{escaped(INSTANCE, instance)}"


def series(name: str) -> str:
    """Return the prefix of the numbers of a series, whose name some file systems fold."""
    return f"ids/{escaped(SERIES, normal(name).casefold())}"


def number(folder: str, number: int) -> str:
    """Return the key of a number below the prefix of a series."""
    return f"{folder}/{number:0{_SEQUENCE}d}"


def number_of(key: str) -> int:
    """Return the number of a reservation's key; -1 for a key that is none's."""
    name = key.rpartition("/")[2]
    return int(name) if name.isascii() and name.isdigit() else -1


def messages(instance: str) -> str:
    """Return the prefix of the messages to an instance."""
    return f"messages/{escaped(INSTANCE, instance)}"


def read(instance: str) -> str:
    """Return the prefix of what an instance has read."""
    return f"read/{escaped(INSTANCE, instance)}"


def letters(instance: str) -> str:
    """Return the prefix of what an instance has begun to send."""
    return f"letters/{escaped(INSTANCE, instance)}"


def posted(instance: str) -> str:
    """Return the prefix of what an instance has sent and must not send twice."""
    return f"posted/{escaped(INSTANCE, instance)}"


PAIRS = "posted/pairs"


def require(key: str) -> None:
    """Insist that `key` is two or three plain parts.

    Raises:
        ValueError: it is not, and could leave the store's folder.
    """
    if not is_key(key):
        raise ValueError(f"not a key: {key!r}")


def is_key(text: str) -> bool:
    """Tell whether `text` is two or three plain parts."""
    parts = text.split("/")
    return len(parts) in _PARTS and all(is_part(part) for part in parts)


def is_part(name: str) -> bool:
    """Tell whether `name` may be one part of a key; temporary files and litter may not."""
    return bool(name) and _PART.issuperset(name)
