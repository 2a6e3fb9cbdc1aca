"""Whether a staged log is its parent's with whole lines behind it, told in a few hundred kilobytes.

The id of a blob is the hash of its bytes: what the staged one begins with is proved to be the
parent's by the parent's size and id, and only one of the two is read.
"""

from __future__ import annotations

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.repo.batch import Child

_CHUNK = 1 << 18
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
        if [*old[-2:-1], *new[-2:-1]] != [b"blob", b"blob"]:
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
