"""The objects of a bare cache: what stands in a commit, what changed since one, a commit more.

What was fetched anybody who may push has written: sizes are looked at before contents, and no path
of it is ever a path of the file system.
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
_MOST = 256 << 20  # bytes of an answer
_FILE = b"100644"
_DRAFT = "refs/coord/draft"  # keeps what is made here until it is fetched back, or never
_NEWEST = 1000  # messages
_BATCH = 2000  # contents in one answer


class Broken(Unfit):
    """The cache has not what it should have; it can be made anew at any time."""


class Changes(NamedTuple):
    """What differs between two commits: path → object, of what was written, and paths gone."""

    written: Mapping[str, str]
    gone: Sequence[str]


def _run(cache: str, *args: str, stdin: bytes | None = None) -> tuple[int, bytes, str]:
    # A path is a literal, and an object what its bytes say.
    env = {**git.elsewhere(), "GIT_NO_REPLACE_OBJECTS": "1", "GIT_LITERAL_PATHSPECS": "1"}
    argv = ("git", f"--git-dir={cache}", *git.QUIET, *args)
    try:
        code, out, err = child.run(argv, env, stdin, within=PATIENCE, most=_MOST)
    except OSError as error:
        raise Broken(cache, f"git {args[0]}: {error.strerror}") from error
    except OverflowError as error:
        raise Broken(cache, f"git {args[0]} has no end of what it says") from error
    return code, out, " ".join(os.fsdecode(err).split())


def _told(cache: str, *args: str, stdin: bytes | None = None) -> bytes:
    code, out, words = _run(cache, *args, stdin=stdin)
    if code:
        raise Broken(cache, words or f"git {args[0]} exits with {code}")
    return out


def files(cache: str, commit: str, below: str = "") -> dict[str, str]:
    """Return the files of a commit, path → object; below a folder, where one is named.

    Raises:
        Broken: the cache has not all of it.
    """
    within = [below] if below else []
    out = _told(cache, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *within)
    found = {}
    for row in out.split(b"\0"):
        head, _, path = row.partition(b"\t")
        mode, _, rest = head.partition(b" ")
        if mode == _FILE:
            found[path.decode("latin-1")] = rest.rpartition(b" ")[2].decode()
    return found


def changes(cache: str, old: str, new: str, below: str = "") -> Changes:
    """Return what differs from commit `old` to commit `new`.

    Raises:
        Broken: the cache has not all of both.
    """
    within = [below] if below else []
    asked = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", old, new)
    fields = _told(cache, *asked, "--", *within).split(b"\0")
    written, gone = {}, []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, name, _ = head.split(b" ")
        if mode == _FILE:
            written[path.decode("latin-1")] = name.decode()
        else:
            gone.append(path.decode("latin-1"))
    return Changes(written, gone)


def contents(cache: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of objects by name, without those that are larger than any of ours.

    Raises:
        Broken: the cache has not all of them.
    """
    found: dict[str, bytes] = {}
    for at in range(0, len(names), _BATCH):
        found |= _contents(cache, names[at : at + _BATCH])
    return found


def _contents(cache: str, names: Sequence[str]) -> dict[str, bytes]:
    asked = "".join(f"{name}\n" for name in names).encode()
    out = _told(cache, "cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=asked)
    fit = [name for name, row in zip(names, out.splitlines(), strict=True) if _fits(cache, row)]
    out = _told(cache, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in fit).encode())
    found, at = {}, 0
    for name in fit:
        start = out.index(b"\n", at) + 1
        end = start + int(out[at : start - 1].rpartition(b" ")[2])
        found[name], at = out[start:end], end + 1
    return found


def _fits(cache: str, row: bytes) -> bool:
    kind, _, size = row.partition(b" ")
    if not size.isdigit():
        raise Broken(cache, os.fsdecode(row))
    return kind == b"blob" and int(size) <= MAX_RECORD


def ancestor(cache: str, commit: str, steps: int) -> str | None:
    """Return the commit so many first parents before `commit`; None where it is not here."""
    code, out, _ = _run(cache, "rev-parse", "--verify", "--quiet", f"{commit}~{steps}^{{commit}}")
    return None if code else out.decode().strip()


def distance(cache: str, old: str, new: str) -> int | None:
    """Return how many commits `new` is ahead of its ancestor `old`; None where it is none's."""
    code, _, words = _run(cache, "merge-base", "--is-ancestor", old, new)
    if code > 1:
        raise Broken(cache, words)
    if code:
        return None
    return int(_told(cache, "rev-list", "--count", "--first-parent", f"{old}..{new}"))


def messages(cache: str, old: str, new: str) -> list[list[str]]:
    """Return the lines of the messages of the commits after `old` (empty: of one), newest first.

    Raises:
        Broken: the cache has not all of them, or `new` is no commit.
    """
    which = [f"{old}..{new}"] if old else ["-1", new]
    out = _told(cache, "log", "-z", "--first-parent", "--format=%B", f"-{_NEWEST}", *which, "--")
    return [text.decode("latin-1").split("\n") for text in out.split(b"\0") if text]


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
    """
    text = message.encode()
    rows = [
        b"commit %s\nmark :1\n" % _DRAFT.encode(),
        b"committer git-coord <git-coord@localhost> %d +0000\n" % time.time(),
        b"data %d\n%s\n" % (len(text), text),
        *([b"from %s\n" % parent.encode()] if parent else []),
        *(b"D %s\n" % path.encode() for path in drop),
    ]
    for path, data in put.items():
        rows += [b"M 100644 inline %s\ndata %d\n" % (path.encode(), len(data)), data, b"\n"]
    rows.append(b"\nget-mark :1\ndone\n")
    asked = ("fast-import", "--quiet", "--force", "--done")
    return _told(cache, *asked, stdin=b"".join(rows)).decode().strip()
