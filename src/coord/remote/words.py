"""What git says when a fetch or a push fails, and what its caller must believe of it then.

By git's words in the C locale; of a push first by the one line of ``--porcelain`` about the ref.
Nothing is called surely not applied unless git says so that has not begun to send, or the other
side in words that are known:

    no line, nothing sent    not applied; who is there, and whether we are known, by the words
    no line, sent            may be applied
    [rejected]               not applied: another commit stands there
    [remote rejected]        not applied by what the other side says; may be, if nobody knows it
    [remote failure]         may be applied
"""

from __future__ import annotations

import re

from coord.base.failures import Absent, Denied, Failure, Lost, Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.remote.session import Done

_MOST = 300  # characters of all that is shown
_MUCH = 1 << 16  # bytes of words, of which the middle may be missing


class Locked(Absent):
    """The ref is locked at the other side: by another at this moment, or by one that was killed."""


# What git, curl, ssh and the services say, in the order in which it is looked for.
_KINDS: tuple[tuple[type[Failure], str], ...] = (
    (Absent, "no space left|quota exceeded|couldn't write|returned error: 429"),
    (Unfit, "hook declined|hidden ref|non-fast-forward|funny ref|; cannot create"),
    (Unfit, "not appear to be a git repo|not a git repository|git repo version|dubious ownership"),
    (Unfit, "repository not found|returned error: 404|'' not found|is this a git repo"),
    (Unfit, "not (exported|enabled)|transport ''|remote helper for|command not found|shallow"),
    (Unfit, "protocol error|invalid server response|hash algorithm|mismatched algorithms"),
    (Unfit, "ssl certificate|certificate verif|ssl_|ssl connect error|gnutls"),
    (Denied, "authentication failed|could not read (username|password)|host key verification"),
    (Denied, "returned error: 40[13]|permission|read-only file system|unable to create"),
    (Denied, "not allowed|authorized|forbidden|prohibited|access denied"),
)
_NOT_LET_THROUGH = re.compile(r"error: RPC failed; HTTP 40[13]\b")
_RACE = (
    "stale info|fetch first|already exists|does not exist|failed to (update|lock)|cannot lock ref"
    "|incorrect old value|ref(erence|name) conflict|invalid new value|unknown failure"
)
_UNREACHED = "could not resolve|connect to |refused|timed out|no route|unreachable"
_OWN = (
    "bad object|is corrupt|is empty|(unable to|could not) read|missing|unresolved deltas"
    "|all necessary objects|not a git repository: ''|bad config|invalid object"
)
_ALGORITHMS = "mismatched algorithms|hash algorithm"
_NO_REF = "couldn't find remote ref"
_ABSENT = ("not appear to be a git repo", "not a git repo", "not found", " 404", "not exported")
_GITS = re.compile(r"remote: (error|fatal): |error: remote unpack failed")
_TRACE = re.compile(r"\d\d:\d\d:\d\d\.\d+ ")
_EMPTY = re.compile(
    r"hint: |Please make sure you have|and the repository exists|"
    rf"fatal: (Could not read from remote|{_NO_REF})|error: failed to push some refs|"
    r"remote: Another git process|remote: an editor opened|remote: are terminated|"
    r"remote: may have crashed"
)
_PREFIX = re.compile(r"(remote: |fatal: |error: |ERROR: )+")
_LOGIN = re.compile(r"//[^/@\s]*@")


def of_fetch(done: Done, where: str) -> Failure:
    """Return what a fetch that failed means; of a push, one that has sent nothing."""
    lines = _lines(done)
    if done.code is None:
        return Absent(where, "no answer in time")
    text = " ".join(lines)
    if text.startswith(f"fatal: {_NO_REF}"):
        return Absent(where, "what answers is no git server, or was cut short", alive=True)
    kind = _kind(text, Absent)
    if kind is not Absent:
        return kind(where, _shown(lines))
    return Absent(where, _shown(lines), alive=not _has(text, _UNREACHED))


def of_push(summary: str, done: Done, where: str) -> Failure | None:
    """Return what a push means that was not accepted; None where another commit stands there.

    Args:
        summary: of the line that is about the ref; empty if there was none.
        done: the child's end, with its trace among its words.
        where: the repository, as it is shown.
    """
    if summary.startswith("[remote rejected]"):
        return _of_server(summary, _lines(done), where)
    if summary.startswith("[rejected]"):
        return None if _has(summary, _RACE) else Unfit(where, summary)
    if not summary and not _has_sent(done):
        return of_fetch(done, where)
    if done.code is None:
        return Lost(where, "no answer in time")
    lines = [summary, *_lines(done)]
    if any(map(_NOT_LET_THROUGH.match, lines)):
        return Denied(where, _shown(lines))
    return Lost(where, _shown(lines))


def is_absent(why: str) -> bool:
    """Tell whether words of a server say that a repository is not there, or not for us."""
    return any(words in why.lower() for words in _ABSENT)


def is_none(done: Done, ref: str) -> bool:
    """Tell whether a fetch, with its trace of packets, failed since there is no such ref.

    An HTTP answer that ends within its head is for git a server of the dumb kind without any.
    """
    return f"fatal: {_NO_REF} {ref}" in _lines(done) and b" packet: " in done.err


def is_named_otherwise(done: Done) -> bool:
    """Tell whether the other side names objects by another algorithm than the cache."""
    return _has(_compared(" ".join(_lines(done))), _ALGORITHMS)


def is_about_cache(done: Done) -> bool:
    """Tell whether the cache may be why it failed: the other side may have the same fault."""
    said = (line for line in _lines(done) if not line.startswith("remote: "))
    return _has(_compared(" ".join(said)), _OWN)


def _of_server(summary: str, lines: list[str], where: str) -> Failure | None:
    """Return what a push means that the other side did not do, by its word for it."""
    shown = _shown([summary, *lines])
    # Git's own words there, as far as anybody knows; a hook's are not heeded.
    text = " ".join([summary, *filter(_GITS.match, lines)])
    if "unpack" in summary:
        kind = _kind(text, Absent)
        return kind(where, shown) if kind is Denied else Absent(where, shown, alive=True)
    if _has(summary, _RACE):
        if _has(text, "file exists"):
            return Locked(where, shown, alive=True)
        kind = _kind(text, Lost)
        return None if kind is Lost else kind(where, shown)
    return _kind(summary, Lost)(where, shown)


def _kind(text: str, otherwise: type[Failure]) -> type[Failure]:
    text = _compared(text)
    return next((kind for kind, words in _KINDS if _has(text, words)), otherwise)


def _compared(text: str) -> str:
    """Return words without what they are about: a repository may be called like any of them."""
    return re.sub(r"(?<!\w)'[^']*'", "''", text)


def _has(text: str, words: str) -> bool:
    return bool(re.search(words, text.lower()))


def _has_sent(done: Done) -> bool:
    """Tell whether git may have sent a pack, without which nothing is done at the other side.

    By its trace; where there is none, or not all of it, it may have.
    """
    return b"pack-objects" in done.err or b" trace: " not in done.err or len(done.err) > _MUCH


def _lines(done: Done) -> list[str]:
    text = done.err.decode(errors="replace").replace("\r", "\n")
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and not _TRACE.match(line.removeprefix("remote: "))]


def _shown(lines: list[str]) -> str:
    """Return the lines that tell something as one, without a secret that a URL had."""
    telling = (_PREFIX.sub("", line, count=1) for line in lines if not _EMPTY.match(line))
    text = "; ".join(filter(None, telling))
    return _LOGIN.sub("//…@", text)[:_MOST] or "its answer ended before it was whole"
