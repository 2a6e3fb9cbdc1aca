"""What a large log of lines only adds, told without holding it.

The id of a blob is the hash of its bytes: that the staged one begins with its parent's is proved by
the parent's size and id, and only one of the two is read. The parents of a merge are read beside
it, as far as they are the same.
"""

from __future__ import annotations

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.batch import Child

_CHUNK = 1 << 18
_MOST = 1 << 23  # bytes of lines that differ; more are looked at in full
_SHA1 = 40
_MARKER = b"<<<<<<< "  # a conflict may begin in what is old


def is_growth(cwd: str, commit: str, path: str, blob: str) -> bool:
    """Tell whether a blob has the lines of `path` in `commit` first, and no conflict.

    Raises:
        Ended: git cannot read it.
    """
    from coord.repo.batch import Child  # noqa: PLC0415  # only where a log is large

    if "\n" in path:
        return False
    with Child("cat-file", "--batch-command", cwd=cwd, env=git.here()) as child:
        child.send(f"info {commit}:{path}\ninfo {blob}\n".encode("utf-8", "surrogateescape"))
        old, new = child.line().split(b" "), child.line().split(b" ")
        if any(words[-2:-1] != [b"blob"] or not words[-1].isdigit() for words in (old, new)):
            return False
        sizes = int(old[-1]), int(new[-1])
        if not 0 < sizes[0] <= sizes[1]:
            return False
        child.send(f"contents {blob}\n".encode())
        child.line()
        return _begins(child, old[0].decode(), *sizes)


def _begins(child: Child, name: str, size: int, whole: int) -> bool:
    import hashlib  # noqa: PLC0415  # 3 ms, as above

    made = hashlib.sha1 if len(name) == _SHA1 else hashlib.sha256
    digest = made(b"blob %d\0" % size, usedforsecurity=False)
    at, before = 0, b""
    while at < whole:
        # a chunk ends where the old text does
        chunk = child.exactly(min(_CHUNK, (size if at < size else whole) - at))
        at += len(chunk)
        if _MARKER in before + chunk[: len(_MARKER)] or _MARKER in chunk:
            return False
        before = (before + chunk)[-len(_MARKER) :]
        if at <= size:
            digest.update(chunk)
        if at == size and not (chunk.endswith(b"\n") and digest.hexdigest() == name):
            return False
    return True


def behind(cwd: str, names: Sequence[str]) -> list[bytes] | None:
    """Return what each of these blobs has behind the lines that all begin with.

    None where one is none, where a conflict may stand in one, and where they differ in too much.

    Raises:
        Ended: git cannot read one.
    """
    from contextlib import ExitStack  # noqa: PLC0415  # as above

    from coord.repo.batch import Child  # noqa: PLC0415  # as above

    if any("\n" in name for name in names):
        return None
    with ExitStack() as stack:
        children = []
        left = []
        for name in names:
            child = stack.enter_context(Child("cat-file", "--batch", cwd=cwd, env=git.here()))
            child.send(f"{name}\n".encode("utf-8", "surrogateescape"))
            kind, size = child.line().rsplit(b" ", 2)[-2:]
            if kind != b"blob" or not size.isdigit():
                return None
            children.append(child)
            left.append(int(size))
        return _tails(children, left)


def _tails(children: list[Child], left: list[int]) -> list[bytes] | None:
    line, before = b"", b""  # the last one in common, as far as it is read
    chunks = [b"" for _ in children]
    while min(left) and len(line) < _MOST:
        size = min(_CHUNK, *left)
        chunks = [child.exactly(size) for child in children]
        left = [rest - size for rest in left]
        if chunks.count(chunks[0]) < len(chunks):
            break
        if _MARKER in before + chunks[0][: len(_MARKER)] or _MARKER in chunks[0]:
            return None
        before = (before + chunks[0])[-len(_MARKER) :]
        cut = chunks[0].rfind(b"\n") + 1
        line = chunks[0][cut:] if cut else line + chunks[0]
        chunks = [b"" for _ in children]
    if sum(left) > _MOST or len(line) >= _MOST:
        return None
    ends = zip(chunks, children, left, strict=True)
    tails = [line + chunk + child.exactly(rest) for chunk, child, rest in ends]
    return None if any(_MARKER in before + tail for tail in tails) else tails
