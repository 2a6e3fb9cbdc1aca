"""Fetch and push of the one ref that a board is, as children with a deadline.

Who asks is the user: their ssh, their credential helpers and ``url.*.insteadOf`` do as in any push,
those of their repository's own config too, which the cache is no part of. Nobody is asked for
anything, and no hook runs, ours or theirs; nor does one of a repository on this machine, whose
receiving side is a child of ours.
"""

from __future__ import annotations

import os
import time

from coord.base.failures import Absent, Lost
from coord.base.names import quote
from coord.remote import cache as caches
from coord.remote import session
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.remote.address import Address
    from coord.remote.session import Done

REF = "refs/coord/board"
_DONE = frozenset(" *+=")  # flags of --porcelain: forwarded, created, forced, it stands there
_QUIET = (
    *git.QUIET,
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "credential.interactive=false"),
    *("-c", "protocol.version=2"),  # with an older one a fetch is told all refs that there are
    # What is not ended by us, since we were killed, ends by itself.
    *("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"),
)
_FETCH = (
    *("-c", "fetch.unpackLimit=100", "-c", "fetch.writeCommitGraph=false"),
    *("-c", "core.bigFileThreshold=1m", "-c", "pack.threads=1"),  # what is larger is none of ours
    *("fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head"),
    *("--no-recurse-submodules", "--no-auto-maintenance", "--no-show-forced-updates"),
)
_PUSH = (
    *("-c", "push.followTags=false", "-c", "push.pushOption=", "-c", "push.negotiate=false"),
    *("push", "--porcelain", "--no-verify", "--no-signed", "--no-recurse-submodules"),
)
_EVENTS = ("pre-receive", "update", "proc-receive", "reference-transaction", "post-receive")
# What a power cut may take is not there yet when we say that it is: git syncs no ref by default.
_RECEIVE = " ".join(
    (
        "git -c core.hooksPath=/dev/null -c core.fsync=all",
        *(f"-c hook.{event}.enabled=false" for event in (*_EVENTS, "post-update")),
        "receive-pack",
    )
)
_TRACES = ("GIT_TRACE", "GIT_CURL_VERBOSE")  # they would be read as git's words
_CONFIGS = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_PARAMETERS")
_KEYS = r"^(core\.(sshcommand|gitproxy)|ssh\.variant|credential\..*|http\..*|url\..*)$"
_THEIRS = frozenset({"local", "worktree", "command"})
_PATIENT = (0.25, 0.5, 1.0)  # seconds between tries where the ref is locked at the other side
# What a fetch says that another has overtaken, which outlived its killed parent.
_TAKEN = b"cannot lock ref '%s'" % caches.TIP.encode()
_SSH = "ssh -oBatchMode=yes -oConnectTimeout={} -oServerAliveInterval=5 -oServerAliveCountMax=3"


def fetch(cache: str, where: Address, end: float) -> str:
    """Return the tip of the board, whose objects are in `cache` then; empty where there is none.

    Into an empty cache they are those of the tip alone. The cache is made where it is missing, and
    anew where it is torn. One process at a time, of all that have it, fetches or pushes.

    Args:
        cache: the private bare repository of :mod:`coord.remote.cache`.
        where: the repository.
        end: a moment by the monotonic clock, at which to give up.

    Raises:
        Absent, Denied, Unfit: as :mod:`coord.base.failures` says.
        OSError: the cache cannot be written.
        Environment: there is no git to run.
    """
    caches.ensure(cache)
    # Not where something is: git would cut off what led to the new tip, and that it did.
    depth = ("--depth=1",) if caches.is_empty(cache) else ()
    argv = (*_FETCH, *depth, "--", where.url, f"+{REF}:{caches.TIP}")
    caches.unlock(cache)
    done = _run(cache, where, argv, end, GIT_TRACE_PACKET="2")
    if done.code != 0:
        from coord.remote import words  # noqa: PLC0415  # for a fetch that failed

        if _is_renewed(cache, done) or _TAKEN in done.err:
            done = _run(cache, where, argv, end, GIT_TRACE_PACKET="2")
        if words.is_none(done, REF):
            return ""
        if done.code != 0:
            raise words.of_fetch(done, where.text)
    caches.tidy(cache)
    return caches.tip(cache)


def push(cache: str, where: Address, old: str, new: str, end: float) -> bool:
    """Move the board from commit `old` to `new`; tell whether it stands there.

    False says that nothing was done, since another was, or is, at it. True says that the tip was
    `new` when the repository was asked: whoever moved it there, in an earlier try too, whose answer
    was lost. So no two writers may make the same commit.

    Args:
        cache: the private bare repository with `new` in it.
        where: the repository.
        old: the commit that must be the tip; empty where there must be none.
        new: the commit that is to be the tip, a child of `old`.
        end: a moment by the monotonic clock, at which to give up.

    Raises:
        Absent, Lost, Denied, Unfit: as :mod:`coord.base.failures` says.
        Environment: there is no git to run.
    """
    receive = (f"--receive-pack={_RECEIVE}",) if where.is_local else ()
    lease = f"--force-with-lease={REF}:{old}"
    argv = (*_PUSH, *receive, lease, "--", where.url, f"{new}:{REF}")
    for pause in (*_PATIENT, None):
        # The trace tells how far a push came that ended without an answer.
        done = _run(cache, where, argv, end, GIT_TRACE="2")
        flag, said = _status(done)
        if flag in _DONE:
            return True
        from coord.remote import words  # noqa: PLC0415  # for a push that failed

        failure = words.of_push(said, done, where.text)
        if not flag and _is_renewed(cache, done) and not isinstance(failure, Lost):
            failure = Absent(where.text, "what was kept of it here is made anew", alive=True)
        if failure is None and f"is at {new}".encode() in done.err:
            return True  # a POST that curl has sent twice, since the first one's answer was lost
        if failure is None:
            return False
        if pause is None or not isinstance(failure, words.Locked):
            raise failure
        time.sleep(max(0.0, min(pause, end - time.monotonic())))
    raise AssertionError


def refs(cache: str, where: Address, end: float) -> int:
    """Return how many refs a repository has, of which each push is told; of very many not all.

    Args:
        cache: the private bare repository.
        where: the repository.
        end: a moment by the monotonic clock, at which to give up.

    Raises:
        Absent, Denied, Unfit: as :mod:`coord.base.failures` says.
    """
    done = _run(cache, where, ("ls-remote", "--quiet", "--refs", "--", where.url), end)
    if done.code != 0:
        from coord.remote import words  # noqa: PLC0415  # for one that failed

        raise words.of_fetch(done, where.text)
    return done.out.count(b"\n")


def typed(cache: str, *words: str) -> str:
    """Return what a person types to run git on the cache, by the config that we lend it, too.

    Args:
        cache: the private bare repository.
        words: of the command, quoted where they have to be.
    """
    around = os.path.dirname(os.path.dirname(cache))
    asked = ("config", "--local", "--get-regexp", _KEYS)
    is_clone = os.path.isfile(os.path.join(around, "HEAD"))
    is_lent = is_clone and not git.ask(f"--git-dir={around}", *asked, cwd="/").code
    lent = ("-c", quote(f"include.path={around}/config")) if is_lent else ()
    return " ".join(("git", f"--git-dir={quote(cache)}", *lent, *words))


def _is_renewed(cache: str, done: Done) -> bool:
    """Make the cache anew if it is why a child failed; tell whether it was."""
    from coord.remote import words  # noqa: PLC0415  # after a failure

    algorithm = caches.algorithm(cache)
    if words.is_named_otherwise(done):
        algorithm = "sha1" if algorithm == "sha256" else "sha256"
    elif not words.is_about_cache(done) or caches.is_sound(cache):
        return False
    caches.renew(cache, algorithm)
    return True


def _run(cache: str, where: Address, args: tuple[str, ...], end: float, **more: str) -> Done:
    """Run git on the cache as who calls, but for all that asks somebody or runs hooks."""
    env = {key: text for key, text in git.elsewhere().items() if not key.startswith(_TRACES)}
    env |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",  # empty, so that neither core.askPass nor ssh's is asked
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_ALLOW_PROTOCOL": "file" if where.is_local else f"{where.protocol}:https:ssh",
        **_lent(cache, env, end),
        **more,
    }
    return session.run(("git", "-C", "/", f"--git-dir={cache}", *_QUIET, *args), env, end)


def _lent(
    cache: str, env: Mapping[str, str], end: float, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return what says how the user reaches servers, and is not said in their own config.

    That of the repository whose cache it is; what the command was called with; and how ssh asks
    nobody and hangs for no longer than this may take, where they have no command of their own.
    """
    given = {key: text for key, text in environ.items() if key.startswith(_CONFIGS)}
    around = os.path.dirname(os.path.dirname(cache))
    here = (f"--git-dir={around}",) if os.path.isfile(os.path.join(around, "HEAD")) else ()
    asked = (*here, "config", "-z", "--show-scope", "--get-regexp", _KEYS)
    fields = iter(git.ask(*asked, cwd="/", env={**env, **given}).fields)
    found = [(scope, *pair.split("\n", 1)) for scope, pair in zip(fields, fields, strict=False)]
    lent: dict[str, str] = {}
    count = 0
    for scope, key, *value in found:
        if scope in _THEIRS:
            lent |= {f"GIT_CONFIG_KEY_{count}": key, f"GIT_CONFIG_VALUE_{count}": "".join(value)}
            count += 1
    lent["GIT_CONFIG_COUNT"] = str(count)
    own = {"GIT_SSH_COMMAND", "GIT_SSH"} & env.keys()
    if not own and not any(key == "core.sshcommand" for _, key, *_ in found):
        lent["GIT_SSH_COMMAND"] = _SSH.format(max(1, round(end - time.monotonic())))
    return lent


def _status(done: Done) -> tuple[str, str]:
    """Return the flag and the summary of the ref, as a push printed them; a flag of none is empty.

    What it printed stands, even if it was ended then.
    """
    for line in done.out.decode(errors="replace").split("\n"):
        flag, _, rest = line.partition("\t")
        pair, _, summary = rest.partition("\t")
        if len(flag) == 1 and pair.endswith(f":{REF}"):
            return flag, summary
    return "", ""
