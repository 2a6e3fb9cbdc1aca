"""The one door to git: argument lists in, bytes out, git's own words kept in the error.

Every child runs without hooks (a hook of ours must never fire another) and takes no optional
locks. ``here`` keeps the caller's git variables: dropping GIT_INDEX_FILE under ``commit -a`` gives
"index.lock: File exists". ``elsewhere`` drops them all: GIT_DIR beats both cwd and ``-C``.
"""

from __future__ import annotations

import os
import sys
import time

from coord.base.errors import Environment
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.repo import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# `git rev-parse --local-env-vars` of git 2.39 and 2.55, pinned by a test; asking costs a process.
LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REFERENCE_BACKEND",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
)
# What of them receive-pack gives pre-receive: the objects that it is to judge are nowhere else yet.
_QUARANTINE = (
    "GIT_QUARANTINE_PATH",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)
# Not local by git's list, but they change what our pathspecs mean.
_PATHSPEC_VARIABLES = (
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)
# Besides hooks: user settings that change what we read. A shown signature is printed among a log's
# own lines; with other separators a trailer of ours would be none.
QUIET = (
    *("-c", "core.hooksPath=/dev/null"),
    # Hooks that stand in the config (git 2.54) run whatever that path is; 2.55 can switch an event
    # off. These are what plumbing fires.
    *("-c", "hook.reference-transaction.enabled=false"),
    *("-c", "hook.post-index-change.enabled=false"),
    *("-c", "hook.post-checkout.enabled=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "trailer.separators=:"),
    "--no-optional-locks",
)
OLDEST = (2, 39)
_FATAL = 128
_WRITING = frozenset({"add", "commit", "commit-tree", "hash-object", "update-index", "write-tree"})


class Output(NamedTuple):
    """What a git child gave back."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Standard output decoded as git's paths are, without its final newline."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def fields(self) -> list[str]:
        """Standard output of a ``-z`` command as its NUL-separated fields."""
        return [os.fsdecode(field) for field in self.out.split(b"\0") if field]


class GitError(Environment):
    """A git child failed where it should not have; git's own words are the reason.

    Attributes:
        argv: the arguments after ``git``.
        code: git's exit status.
        stderr: git's own words.
    """

    def __init__(self, argv: tuple[str, ...], code: int, stderr: str, cwd: str) -> None:
        words = " ".join(stderr.split()) or f"exit status {code} and no words"
        super().__init__(
            "git-failed",
            f"git {argv[0]} failed",
            where=cwd,
            why=f"git said: {words}",
            run="git status",
        )
        self.argv = argv
        self.code = code
        self.stderr = stderr


def here(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for a child in the repository git called us for."""
    drop = ("GIT_PREFIX", *_PATHSPEC_VARIABLES)
    return {key: text for key, text in environ.items() if key not in drop}


def elsewhere(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for a child in whatever repository its cwd belongs to.

    ``git --attr-source=HEAD coord …`` is meant for the git that was typed: a scratch repository has
    no such tree.
    """
    drop = (*LOCAL_VARIABLES, *_PATHSPEC_VARIABLES, "GIT_ATTR_SOURCE", "GIT_QUARANTINE_PATH")
    return {
        key: text
        for key, text in environ.items()
        if key not in drop and not key.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }


def found(
    cwd: str, env: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> Mapping[str, str]:
    """Return `env` with what git needs to find the bare repository `cwd`, if GIT_DIR names it.

    With ``safe.bareRepository=explicit``, the default of git 3.0, it finds one by no folder; and in
    pre-receive the new objects are where the variables of the quarantine say.
    """
    named = environ.get("GIT_DIR")
    if not named or "GIT_DIR" in env or not _is_same_folder(named, cwd):
        return env
    given = {}
    if environ.get("GIT_QUARANTINE_PATH"):
        given = {key: environ[key] for key in _QUARANTINE if key in environ}
    # A git dir with files beside it would take itself for their top.
    if os.path.basename(os.path.realpath(cwd)) != ".git":
        given["GIT_DIR"] = os.path.abspath(cwd)
    return {**given, **env}


def _is_same_folder(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def ask(
    *args: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> Output:
    """Run git and return its output, whatever its exit status (default env: elsewhere).

    Raises:
        Environment: there is no git to run, or `cwd` is gone.
    """
    return _run((*QUIET, *args), cwd, elsewhere() if env is None else env, stdin)


def tell(
    *args: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> Output:
    """Run git as :func:`ask` does, and insist on success.

    Raises:
        GitError: git's exit status was not 0.
        Environment: a lock file is why, or a git dir that may not be written.
    """
    done = ask(*args, cwd=cwd, env=env, stdin=stdin)
    if done.code:
        raise _failed(args, done, cwd)
    return done


def look(*args: str, cwd: str, env: Mapping[str, str] | None = None) -> Output:
    """Run git as :func:`tell` does, where an exit status of 1 says that there is no such thing.

    For guards: a git that cannot say what there is has not said that there is nothing.

    Raises:
        Environment: as :func:`tell`.
    """
    done = ask(*args, cwd=cwd, env=env)
    if done.code not in {0, 1}:
        raise _failed(args, done, cwd)
    return done


def _failed(args: tuple[str, ...], done: Output, cwd: str) -> Environment:
    stderr = os.fsdecode(done.err)
    known = _locked(stderr, cwd) or _full(stderr, cwd) or _denied(args, stderr, cwd)
    return known or GitError(args, done.code, stderr, cwd)


def _locked(stderr: str, cwd: str) -> Environment | None:
    """Return the refusal for a lock file that git names in its words, in any language.

    That of a reftable it does not name.
    """
    named = (word for word in stderr.split("'") if word.endswith(".lock"))
    locks = list(filter(os.path.exists, named)) or list(filter(os.path.exists, _tables(cwd)))
    if not locks:
        return None
    age = time.time() - os.lstat(locks[0]).st_mtime
    return Environment(
        "locked",
        "a lock of git's stands in the way",
        where=locks[0],
        why=f"it is {age:.0f} s old: another git is at work, or one was killed and left it",
        run=f"rm {quote(locks[0])}",
    )


def _tables(cwd: str) -> list[str]:
    """Return the locks that the reftables of a worktree may have."""
    dirs = ask("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", cwd=cwd)
    return [f"{folder}/reftable/tables.list.lock" for folder in dirs.text.split("\n")]


def _full(stderr: str, cwd: str) -> Environment | None:
    """Return the refusal for a disk or quota without room, in git's words or the system's."""
    import errno  # noqa: PLC0415  # only after a failure

    if not any(os.strerror(code) in stderr for code in (errno.ENOSPC, errno.EDQUOT)):
        return None
    return Environment(
        "disk-full",
        "there is no room to write",
        where=cwd,
        why=f"git said: {' '.join(stderr.split())}",
        run=f"df -h {quote(cwd)}",
    )


def _denied(args: tuple[str, ...], stderr: str, cwd: str) -> Environment | None:
    """Return the refusal for a lock file, or objects, that a sandbox did not let git write.

    In any language; of a lock git names the file.
    """
    folders = [os.path.dirname(word) for word in stderr.split("'") if word.endswith(".lock")]
    if args[0] in _WRITING:
        question = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
        folders.append(ask(*question, cwd=cwd).text)
    denied = [path for path in folders if os.path.isdir(path) and not os.access(path, os.W_OK)]
    if not denied:
        return None
    return Environment(
        "not-writable",
        "the git dir cannot be written here",
        where=denied[0],
        why=f"git said: {' '.join(stderr.split())}; in a sandbox, add the common git dir to its "
        "writable roots",
        run="git rev-parse --path-format=absolute --git-common-dir",
    )


def as_user(*args: str, cwd: str, env: Mapping[str, str]) -> Output:
    """Look with the user's own config, ``core.hooksPath`` too, which all other children hide."""
    return _run(("--no-optional-locks", *args), cwd, env, None)


def with_hooks(*args: str, cwd: str, env: Mapping[str, str]) -> int:
    """Run git as the user would have, its hooks too, all its words on stderr; return its status.

    Where a pipe may lose its reader (``2>&1 | head -1``) they are handed on at the end: git and
    hooks would die of it half way.
    """
    import subprocess  # noqa: PLC0415  # 10 ms that only verbs pay which commit
    import tempfile  # noqa: PLC0415  # likewise

    argv = ["git", *args]
    if sys.stderr.isatty():
        words = sys.stderr.fileno()
        return subprocess.run(argv, cwd=cwd, env=env, stdout=words, check=False).returncode
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(argv, cwd=cwd, env=env, stdout=said, stderr=said, check=False)
        said.seek(0)
        subprocess.run(["cat"], stdin=said, stdout=sys.stderr.fileno(), check=False)
    return done.returncode


def _run(args: tuple[str, ...], cwd: str, env: Mapping[str, str], stdin: bytes | None) -> Output:
    try:
        done = Output(*child.run(("git", "-C", cwd, *args), found(cwd, env), stdin))
        if done.code == _FATAL:
            os.stat(cwd)  # a folder that is gone is no answer of git's
    except OSError as error:
        if not os.path.lexists(cwd):
            from coord.repo.cwd import removed  # noqa: PLC0415  # of no use to a hook that works

            raise removed(cwd) from error
        raise Environment(
            "git-missing",
            "git cannot be run",
            where=cwd,
            why=f"{error.strerror}: {error.filename}",
            run="cd / && git --version",
        ) from error
    return done


def version(text: str) -> tuple[int, ...]:
    """Return the numbers of ``git --version``: ``git version 2.39.5 (Apple …)`` → (2, 39, 5)."""
    word = [*text.split(), "", "", ""][2]
    numbers = []
    for part in word.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def require_version(cwd: str) -> tuple[int, ...]:
    """Return git's version.

    Raises:
        Environment: it is older than the oldest git this is tested on.
    """
    text = tell("--version", cwd=cwd).text
    found = version(text)
    if found < OLDEST:
        raise Environment(
            "git-too-old",
            f"{text} is too old",
            where=cwd,
            why=f"merge drivers and hooks are tested on git {OLDEST[0]}.{OLDEST[1]} and later",
            run="git --version",
        )
    return found
