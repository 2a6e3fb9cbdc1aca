"""TOML that a peer wrote, within bounds that are looked at before any parser sees it.

tomllib recurses on nesting, copies the whole key for each of its parts (60 KB of one key took 5 GB
and a minute), and raises ValueError for a number of 4,301 digits.
"""

from __future__ import annotations

MOST = 64 * 1024  # bytes
PARTS = 16  # of one key
DEPTH = 16  # of arrays and tables in each other
THINGS = 8 * 1024  # keys, tables and values of arrays
# Unclosed ones run to the end, so that each byte is looked at once.
TEXTS = (
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|' + r"'''.*?(?:'''|\Z)|"
    r'"(?:[^"\\\n]|\\.)*"?|' + r"'[^'\n]*'?|#[^\n]*"
)


def tables(data: bytes) -> dict[str, object]:
    """Return what `data` says.

    Raises:
        ValueError: it is no UTF-8, no TOML, or beyond the bounds; tomllib's own and
            UnicodeDecodeError are such.
    """
    if not data:
        return {}
    import tomllib  # noqa: PLC0415  # 15 ms, only where something is declared

    if len(data) > MOST:
        raise ValueError(f"it is larger than {MOST} bytes")
    text = data.decode("utf-8-sig")  # git skips a mark of UTF-8 in files of its own
    _bound(text)
    return tomllib.loads(text)


def _bound(text: str) -> None:
    import re  # noqa: PLC0415  # tomllib has it loaded

    bare = re.sub(TEXTS, lambda found: "" if found[0][0] == "#" else "s", text, flags=re.DOTALL)
    if "." * PARTS in re.sub(r"[\w\s+-]+", "", bare):
        raise ValueError(f"a key has more than {PARTS} parts")
    if sum(map(bare.count, ",=[{")) > THINGS:
        raise ValueError(f"it says more than {THINGS} things")
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        depth += 1 if bracket in "[{" else -1
        if depth > DEPTH:
            raise ValueError(f"it nests deeper than {DEPTH}")
