"""Which unpublished commits a worktree itself made since its pin, but under another identity.

Made here is what its own HEAD reflog says was made (``coord.repo.reflog``), so the human's unpushed
commits, fetched colleagues and merged peers are never blamed. A push waits for this:
no ``dataclasses``, and commits that are in order are never parsed.
"""

from __future__ import annotations

import os

from coord.base.frozen import NamedTuple
from coord.identity import pin
from coord.repo import git
from coord.repo.reflog import Doubt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coord.identity.pin import Pin
    from coord.repo.reflog import Log, Made

_FORMAT = "--format=%H %P%x00%an%x00%ae%x00%cn%x00%ce"
# What git strips from both ends of a name (ident.c), so that a pinned "Ada H." is not blamed.
_CRUD = "".join(chr(code) for code in range(33)) + ".,:;<>\"\\'"
_SKEW = 86400  # seconds that clocks may differ

Who = tuple[str, str]  # name, e-mail
_cleaned: dict[Who, Who] = {}  # a few names in ten thousand commits; `functools` costs 3 ms


class Commit(NamedTuple):
    """What the judgement needs of a commit."""

    id: str
    parents: list[str]
    author: Who
    committer: Who


class Wrong(NamedTuple):
    """A commit made here under another identity, and which of its two signatures is off."""

    commit: Commit
    made: Made
    author: bool
    committer: bool


class _Signed(NamedTuple):
    """A commit's id, its author with the date, its committer, and when it was committed."""

    id: str
    author: str
    committer: str
    time: int


def commits(listing: bytes) -> list[Commit]:
    """Return the commits of a ``rev-list`` in our format, in its order."""
    return [_parsed(line) for line in listing.split(b"\n") if line]


def suspects(listing: bytes, who: Who) -> Iterator[Commit]:
    """Yield those commits that are not wholly signed as `who`."""
    name, email = (text.encode("utf-8", "surrogateescape") for text in cleaned(who))
    right = b"\0" + b"\0".join((name, email, name, email))
    for line in listing.split(b"\n"):
        if line and not line.endswith(right):
            yield _parsed(line)


def _parsed(line: bytes) -> Commit:
    ids, name, email, other, address = line.decode("utf-8", "surrogateescape").split("\0")
    own, *parents = ids.split()
    return Commit(own, parents, (name, email), (other, address))


def wrong(listing: Iterable[Commit], log: Log, who: Who) -> Iterator[Wrong]:
    """Yield the commits of `listing` that were made here, but not as `who`."""
    expected = cleaned(who)
    for commit in listing:
        made = log.made(commit.id)
        if made is None or made.who != commit.committer:
            continue
        author = bool(made.author) and cleaned(commit.author) != expected
        committer = cleaned(commit.committer) != expected
        if author or committer:
            yield Wrong(commit, made, author, committer)


def owned(cwd: str, found: Iterable[Wrong], log: Log, env: Mapping[str, str]) -> Iterator[Wrong]:
    """Yield `found`, less the authors that were taken over from somebody else's commit.

    ``commit -C``, ``-c`` and tools that join or split commits write an author line that was there
    before: name, e-mail and date stand in a commit that this worktree did not make.

    Raises:
        Doubt: git could not list the commits.
    """
    items = list(found)
    taken = borrowed(cwd, [item.commit.id for item in items if item.author], log, env)
    for item in items:
        kept = item._replace(author=item.author and item.commit.id not in taken)
        if kept.author or kept.committer:
            yield kept


def borrowed(cwd: str, ids: Sequence[str], log: Log, env: Mapping[str, str]) -> set[str]:
    """Return those of `ids` whose author line stands in an older commit of somebody else.

    One of the same committer is no evidence: a note that ``commit --amend`` copies is committed
    under the author that git has in its environment then.
    """
    if not ids:
        return set()
    mine = _signed(cwd, ids, env, "--no-walk")
    # Nothing that bears the line was committed before its date, but for a clock that was wrong.
    earliest = min((int(one.author.rpartition("\0")[2]) for one in mine), default=0) - _SKEW
    wanted = {one.author for one in mine}
    # A bare --since goes no further than a commit that a wrong clock has dated before. Git takes a
    # bare number of fewer than nine digits, the years before 1973, for another date.
    options = ("--all", "--reflog", f"--since-as-filter=@{max(earliest, 0)} +0000")
    listing = _signed(cwd, [*ids, "FETCH_HEAD"], env, *options)
    others = [one for one in listing if one.author in wanted and log.made(one.id) is None]
    return {
        one.id
        for one in mine
        for other in others
        if other.author == one.author
        and other.time <= one.time
        and other.committer != one.committer
    }


def _signed(cwd: str, revs: Sequence[str], env: Mapping[str, str], *options: str) -> list[_Signed]:
    """Return the signatures of each commit that rev-list lists."""
    done = git.ask(
        "rev-list", "--ignore-missing", "--no-commit-header", "--encoding=none",
        "--format=%H%x01%an%x00%ae%x00%at%x01%cn%x00%ce%x01%ct", *options, "--stdin",
        cwd=cwd, env={**env, "GIT_FLUSH": "0"}, stdin="".join(f"{rev}\n" for rev in revs).encode(),
    )  # fmt: skip
    if done.code:
        raise Doubt(" ".join(done.err.decode("utf-8", "replace").split()))
    lines = done.out.decode("utf-8", "surrogateescape").split("\n")
    parts = [line.split("\1") for line in lines if line.count("\1") == 3]  # noqa: PLR2004
    return [_Signed(one, author, committer, int(time)) for one, author, committer, time in parts]


def cleaned(who: Who) -> Who:
    """Return name and e-mail as git writes them: stripped of stops and quotes at both ends."""
    if who not in _cleaned:
        _cleaned[who] = who[0].strip(_CRUD), who[1].strip(_CRUD)
    return _cleaned[who]


def reachable(listing: Iterable[Commit], tips: Iterable[str]) -> set[str]:
    """Return the ids in `listing` that can be reached from `tips` within it."""
    parents = {commit.id: commit.parents for commit in listing}
    found: set[str] = set()
    pending = [tip for tip in tips if tip in parents]
    while pending:
        commit = pending.pop()
        if commit not in found:
            found.add(commit)
            pending += [parent for parent in parents[commit] if parent in parents]
    return found


def unpublished(
    cwd: str,
    tips: Iterable[str],
    hidden: Iterable[str],
    env: Mapping[str, str],
    options: Sequence[str] = (),
) -> bytes:
    """List the commits of `tips` that no remote-tracking ref and none of `hidden` reaches.

    Ids that are unknown here, such as a remote's that was never fetched, are passed over.
    `options` of rev-list come first: ``--exclude`` takes back a remote-tracking ref.

    Raises:
        Doubt: git could not list them.
    """
    revs = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{rev}\n" for rev in hidden)
    # Without GIT_FLUSH=0 rev-list writes each commit by itself into a pipe, which takes us longer
    # to read than git to list.
    done = git.ask(
        "rev-list", "--ignore-missing", "--no-commit-header", "--encoding=none", _FORMAT,
        *options, "--not", "--remotes", "--not", "--stdin",
        cwd=cwd, env={**env, "GIT_FLUSH": "0"}, stdin=revs.encode(),
    )  # fmt: skip
    if done.code:
        raise Doubt(" ".join(done.err.decode("utf-8", "replace").split()))
    return done.out


def since_pin(dirs: tuple[str, str], found: Iterable[Wrong]) -> Iterator[Wrong]:
    """Yield those of `found` that are not older than the pin of the worktree with these git dirs.

    A loose object's file says when it was written, to the nanosecond and whatever
    GIT_COMMITTER_DATE said; for a packed one the reflog's whole seconds have to do.
    """
    private, common = dirs
    pinned = os.stat(os.path.join(private, pin.PIN)).st_mtime_ns
    for item in found:
        name = item.commit.id
        try:
            written = os.stat(f"{common}/objects/{name[:2]}/{name[2:]}").st_mtime_ns
        except FileNotFoundError:
            written = item.made.time * 1_000_000_000
        if written > pinned:
            yield item


def follows(common_dir: str, who: Pin) -> bool:
    """Tell whether git's author follows the pin here: not with ``author = "keep"``."""
    rule = pin.installed_authorship(common_dir)
    return bool(who.email) and not (rule is not None and rule.keep)
