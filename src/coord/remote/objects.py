"""The objects of a bare cache: what stands in a commit, what changed since one, a commit more.

What was fetched anybody who may push has written: sizes are looked at before contents, no path of
it is ever a path of the file system, and a chain that none of us can have written is no board. What
reads it has so much memory and time and no more.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Unfit
from coord.repo import child, git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PATIENCE = 30.0  # seconds; a tree may have been made to have no end
MAX_RECORD = (1 << 20) + 100  # bytes of one, with its stamp
MAX_MESSAGE = 4 << 10  # bytes of a commit; ours has some 300
MOST_RECORDS = 100_000
_PARTS = 3  # of a path
_MOST = 256 << 20  # bytes of an answer, and of the records of one board
_LISTED = 64 << 20  # bytes of a list of all records there can be
_LIMITS = child.Limits(data=256 << 20, cpu=10)
_FILE, _NOTHING = b"100644", b"000000"
_DRAFT = "refs/coord/draft"  # keeps what is made here until it is fetched back, or never
_NAME, _EMAIL = "git-coord", "git-coord@localhost"  # who commits
_US = {
    f"GIT_{role}_{part}": text
    for role in ("AUTHOR", "COMMITTER")
    for part, text in (("NAME", _NAME), ("EMAIL", _EMAIL), ("DATE", "@0 +0000"))
}
_NEWEST = 1000  # messages
_BATCH = 2000  # contents in one answer
_PAIR = 2  # a commit and its parent
_NAMED = 60  # characters of a path that is shown
_PATHS = "a path with a line end or a quote"
_ENDLESS = "what stands there has no end, or takes more memory than any board"


class Broken(Unfit):
    """The cache has not what it should have; it can be made anew at any time."""


class Changes(NamedTuple):
    """What differs between two commits: path → object, of what was written, and paths gone."""

    written: Mapping[str, str]
    gone: Sequence[str]


def _run(
    cache: str, *args: str, stdin: bytes | None = None, most: int = _MOST
) -> tuple[int, bytes, str]:
    # A path is a literal, an object what its bytes say, and who commits without a date is us.
    env = {**git.elsewhere(), "GIT_NO_REPLACE_OBJECTS": "1", "GIT_LITERAL_PATHSPECS": "1", **_US}
    argv = ("git", f"--git-dir={cache}", *git.QUIET, *args)
    try:
        code, out, err = child.run(argv, env, stdin, within=PATIENCE, most=most, limits=_LIMITS)
    except (OverflowError, TimeoutError) as error:
        raise Unfit(cache, f"git {args[0]}: {_ENDLESS}") from error
    except OSError as error:
        raise Broken(cache, f"git {args[0]}: {error.strerror}") from error
    words = " ".join(os.fsdecode(err).split())
    # A signal: of a recursion without end, or of a limit.
    if code < 0 or "out of memory" in words.lower():
        raise Unfit(cache, f"git {args[0]}: {_ENDLESS}")
    return code, out, words


def _told(cache: str, *args: str, stdin: bytes | None = None, most: int = _MOST) -> bytes:
    code, out, words = _run(cache, *args, stdin=stdin, most=most)
    if code:
        raise Broken(cache, words or f"git {args[0]} exits with {code}")
    return out


def files(cache: str, commit: str, below: str = "") -> dict[str, str]:
    """Return the files of a commit, path → object; below a folder, where one is named.

    Raises:
        Broken: the cache has not all of it.
        Unfit: there are other things than files, or more of them, or deeper, than in any board.
    """
    asked = ("ls-tree", "-r", "-z", "--full-tree", commit, "--", *([below] if below else []))
    found: dict[str, str] = {}
    for row in _told(cache, *asked, most=_LISTED).split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        mode, _, rest = head.partition(b" ")
        _add(cache, found, path, mode, rest.rpartition(b" ")[2])
    if len(found) > MOST_RECORDS:
        raise Unfit(cache, f"the board has more than {MOST_RECORDS} records")
    return found


def changes(cache: str, old: str, new: str, below: str = "") -> Changes:
    """Return what differs from commit `old` to commit `new`.

    Raises:
        Broken: the cache has not all of both.
        Unfit: as of :func:`files`.
    """
    asked = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", old, new, "--")
    fields = _told(cache, *asked, *([below] if below else []), most=_LISTED).split(b"\0")
    written: dict[str, str] = {}
    gone = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, name, _ = head.split(b" ")
        if mode == _NOTHING:
            gone.append(path.decode("latin-1"))
        else:
            _add(cache, written, path, mode, name)
    return Changes(written, gone)


def _add(cache: str, found: dict[str, str], path: bytes, mode: bytes, name: bytes) -> None:
    """Add a file, path → object.

    Raises:
        Unfit: it is none of ours.
    """
    text = path.decode("latin-1")
    if mode != _FILE or text.count("/") >= _PARTS or text in found:
        raise Unfit(cache, f"what stands there is no board of ours: it has {_shown(text)}")
    found[text] = name.decode()


def _shown(path: str) -> str:
    return "".join(char if " " < char <= "~" else "?" for char in path[:_NAMED])


def contents(cache: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of objects by name, without those that are larger than any of ours.

    Raises:
        Broken: the cache has not all of them.
        Unfit: they are more than any board has.
    """
    return _read(cache, names, b"blob", MAX_RECORD)


def _read(cache: str, names: Sequence[str], kind: bytes, most: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = _MOST
    for at in range(0, len(names), _BATCH):
        found |= _some(cache, names[at : at + _BATCH], kind, most, left)
        left = _MOST - sum(map(len, found.values()))
    return found


def _some(cache: str, names: Sequence[str], kind: bytes, most: int, left: int) -> dict[str, bytes]:
    asked = "".join(f"{name}\n" for name in names).encode()
    out = _told(cache, "cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=asked)
    sizes = dict(zip(names, (_size(cache, row, kind) for row in out.splitlines()), strict=True))
    fit = [name for name, size in sizes.items() if 0 <= size <= most]
    if sum(sizes[name] for name in fit) > left:
        raise Unfit(cache, f"the records of the board are more than {_MOST >> 20} MB")
    out = _told(cache, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in fit).encode())
    found, at = {}, 0
    for name in fit:
        start = out.index(b"\n", at) + 1
        size = out[at : start - 1].rpartition(b" ")[2]
        if not size.isdigit():  # it went since its size was told: the board is moving
            raise Broken(cache, os.fsdecode(out[at : start - 1]))
        end = start + int(size)
        found[name], at = out[start:end], end + 1
    return found


def _size(cache: str, row: bytes, wanted: bytes) -> int:
    """Return the bytes of an object by what is said of it; -1 where it is of another kind."""
    kind, _, size = row.partition(b" ")
    if not size.isdigit():
        raise Broken(cache, os.fsdecode(row))
    return int(size) if kind == wanted else -1


def ancestor(cache: str, commit: str, steps: int) -> str | None:
    """Return the commit so many first parents before `commit`; None where it is not here."""
    code, out, _ = _run(cache, "rev-parse", "--verify", "--quiet", f"{commit}~{steps}^{{commit}}")
    return None if code else out.decode().strip()


def commits(cache: str, old: str, new: str) -> list[str] | None:
    """Return the commits by which `new` is ahead of its ancestor `old`, the newest first.

    None where it is none's. Each of them has one parent: nothing of ours is a merge. Nor does
    anything go on from what is not here, as in a cache that was made anew.

    Raises:
        Broken: the cache has not all of those between.
        Unfit: `new` is no commit.
    """
    try:
        line = _line(cache, old, new)
    except Broken:
        if _has(cache, old) and _has(cache, new):
            raise
        return None
    if not line:
        return [] if old == new else None
    is_one = all(len(row) == _PAIR for row in line)
    return [row[0] for row in line] if is_one and line[-1][1] == old else None


def _line(cache: str, old: str, new: str) -> list[list[str]]:
    """Return the commits after `old`, the newest first, each with its parents."""
    asked = ("rev-list", "--first-parent", "--parents", "--end-of-options", new, f"^{old}", "--")
    code, out, words = _run(cache, *asked)
    rows = [row.split() for row in out.decode().splitlines()]
    if code or (rows and rows[0][0] != new):
        _require_commit(cache, new)
        raise Broken(cache, words)
    return rows


def _has(cache: str, name: str) -> bool:
    return not _run(cache, "cat-file", "-e", name)[0]


def _require_commit(cache: str, name: str) -> None:
    if not _read(cache, [name], b"commit", MAX_MESSAGE):
        raise Unfit(cache, "what stands there is no commit, or larger than any of ours")


def messages(cache: str, names: Sequence[str]) -> list[list[str]]:
    """Return the lines of the messages of the first thousand of some commits.

    Raises:
        Broken: the cache has not all of them.
        Unfit: one of them is no commit, or larger than any of ours.
    """
    names = names[:_NEWEST]
    found = _read(cache, names, b"commit", MAX_MESSAGE)
    if len(found) < len(names):
        raise Unfit(cache, "what stands there is no commit, or larger than any of ours")
    texts = (found[name].partition(b"\n\n")[2] for name in names)
    return [text.decode("latin-1").split("\n") for text in texts]


def commit(
    cache: str,
    parent: str,
    message: str,
    put: Mapping[str, bytes],
    drop: Iterable[str],
) -> str:
    """Return a new commit: as `parent` (empty for none), but with some files written or gone.

    Raises:
        Broken: it cannot be made.
        ValueError: a path would be read as more than a path.
    """
    drop = list(drop)
    if any("\n" in path or path[:1] in {"", '"'} for path in (*put, *drop)):
        raise ValueError(_PATHS)
    text = message.encode()
    rows = [
        b"commit %s\nmark :1\n" % _DRAFT.encode(),
        b"committer %s <%s> %d +0000\n" % (_NAME.encode(), _EMAIL.encode(), time.time()),
        b"data %d\n%s\n" % (len(text), text),
        *([b"from %s\n" % parent.encode()] if parent else []),
        *(b"D %s\n" % path.encode() for path in drop),
    ]
    for path, data in put.items():
        rows += [b"M 100644 inline %s\ndata %d\n" % (path.encode(), len(data)), data, b"\n"]
    rows.append(b"\nget-mark :1\ndone\n")
    asked = ("fast-import", "--quiet", "--force", "--done")
    return _told(cache, *asked, stdin=b"".join(rows)).decode().strip()


def alone(cache: str, commit: str, message: str) -> str:
    """Return a commit of what stands in `commit` that goes on from none; always the same one.

    Raises:
        Broken: it cannot be made.
    """
    return _told(cache, "commit-tree", "-m", message, f"{commit}^{{tree}}").decode().strip()
