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
_KINDS: tuple[tuple[type[Failure], tuple[str, ...]], ...] = (
    (Absent, ("no space left", "quota exceeded", "returned error: 429", "file too large")),
    (Unfit, ("hook declined", "hidden ref", "non-fast-forward", "funny ref", "; cannot create")),
    (Unfit, ("not appear to be a git repo", "not a git repository", "repository not found")),
    (Unfit, ("returned error: 404", "'' not found", "is this a git repo", "not exported")),
    (Unfit, ("service not enabled", "dubious ownership", "transport ''", "remote helper for")),
    (Unfit, ("ssl certificate", "certificate verif", "ssl_", "gnutls", "ssl connect error")),
    (Unfit, ("protocol error", "invalid server response", "command not found")),
    (Unfit, ("hash algorithm", "mismatched algorithms", "shallow")),
    (Denied, ("authentication failed", "could not read username", "could not read password")),
    (Denied, ("returned error: 401", "returned error: 403", "http 401", "http 403")),
    (Denied, ("permission", "host key verification failed", "read-only file system")),
    (Denied, ("not allowed", "authorized", "forbidden", "prohibited", "access denied")),
)
_RACE = (
    *("failed to update ref", "reference already exists", "cannot lock ref", "failed to lock"),
    *("incorrect old value", "reference conflict", "reference does not exist", "fetch first"),
    *("stale info", "already exists"),
)
_OWN = (
    *("bad object", "is corrupt", "is empty", "unable to read", "missing", "unresolved deltas"),
    *("all necessary objects", "not a git repository: ''", "bad config", "invalid object"),
)
_ALGORITHMS = ("mismatched algorithms", "hash algorithm")
_TRACE = re.compile(r"\d\d:\d\d:\d\d\.\d+ ")
_EMPTY = re.compile(
    r"hint: |Please make sure you have|and the repository exists|"
    r"fatal: Could not read from remote|error: failed to push some refs|"
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
    kind = _kind(" ".join(lines), Absent)
    if kind is Absent:
        return Absent(where, _shown(lines), alive=_is_alive(" ".join(lines)))
    return kind(where, _shown(lines))


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
    if _has(" ".join(lines).lower(), ("http 401", "http 403")):
        return Denied(where, _shown(lines))
    return Lost(where, _shown(lines))


def is_none(done: Done, ref: str) -> bool:
    """Tell whether a fetch failed since the repository has no such ref."""
    return f"fatal: couldn't find remote ref {ref}" in _lines(done)


def fault(done: Done, algorithm: str) -> str:
    """Return by what a new cache should name objects, if the old one is why it failed; or nothing.

    Args:
        done: the child's end.
        algorithm: by what the old one does.
    """
    said = [line for line in _lines(done) if not line.startswith("remote: ")]
    text = _compared(" ".join(said))
    if _has(text, _ALGORITHMS):
        return "sha1" if algorithm == "sha256" else "sha256"
    return algorithm if _has(text, _OWN) else ""


def _of_server(summary: str, lines: list[str], where: str) -> Failure | None:
    """Return what a push means that the other side did not do, by its word for it."""
    told = [line for line in lines if line.startswith(("remote: ", "error: remote unpack"))]
    text, reason = " ".join(told).lower(), summary.lower()
    shown = _shown([summary, *told])
    if "unpack" in reason:
        kind = _kind(text, Absent)
        return kind(where, shown) if kind is Denied else Absent(where, shown, alive=True)
    if _has(reason, _RACE):
        if "file exists" in text + reason:
            return Locked(where, shown, alive=True)
        kind = _kind(text + reason, Lost)
        return None if kind is Lost else kind(where, shown)
    return _kind(reason, Lost)(where, shown)


def _kind(text: str, otherwise: type[Failure]) -> type[Failure]:
    text = _compared(text)
    return next((kind for kind, words in _KINDS if _has(text, words)), otherwise)


def _compared(text: str) -> str:
    """Return words without what they are about: a repository may be called like any of them."""
    return re.sub(r"'[^']*'", "''", text).lower()


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _is_alive(text: str) -> bool:
    """Tell whether something was there that ended the talk, or said that it cannot now."""
    return _has(text, ("hung up", "early EOF", "disconnect", "returned error: ", "HTTP/", "reset"))


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
    telling = [line for line in lines if not _EMPTY.match(line)] or lines
    text = "; ".join(filter(None, (_PREFIX.sub("", line, count=1).strip() for line in telling)))
    return _LOGIN.sub("//…@", text)[:_MOST] or "git ended without a word"
