"""A scratch repository driven by the real git, in an environment that holds nothing of ours."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import forked, schemas
from harness.refusal import Refusal, refusals

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Options of `Repo.begun` where nobody listens.
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
NAME, EMAIL = "Ada Human", "ada@example.com"


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def refusal(self) -> Refusal:
        """The one refusal on stderr; none or several fail the test."""
        found = refusals(self.err)
        assert len(found) == 1, f"exit {self.code}\n{self.out}\n{self.err}"
        return found[0]


def system_path() -> str:
    """Return the PATH of a shell that knows no virtualenv: the system's tools.

    COORD_TEST_GIT names a folder with another git to run the whole suite with.
    """
    folders = [os.environ.get("COORD_TEST_GIT", ""), "/usr/local/bin", "/usr/bin", "/bin"]
    return os.pathsep.join(folder for folder in folders if folder)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def clean_environment(home: Path, **extra: str) -> dict[str, str]:
    """Return the environment of a fresh login: our scripts and the system's tools on PATH."""
    return {
        "PATH": os.pathsep.join((sysconfig.get_path("scripts"), system_path())),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_ALLOW_PROTOCOL": "file",
        **extra,
    }


@dataclass(frozen=True)
class Repo:
    """A worktree at `path`; commands run there with `env`."""

    path: Path
    env: Mapping[str, str]

    @classmethod
    def init(cls, path: Path, env: Mapping[str, str], *options: str) -> Repo:
        """Create a repository whose branch is ``main``."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path, env)
        repo.git("init", "-q", "-b", "main", *options)
        return repo

    def at(self, path: Path) -> Repo:
        """Return a handle on another worktree, with the same environment."""
        return replace(self, path=path)

    def bare(self, path: Path) -> Repo:
        """Return a handle on a bare repository, named by GIT_DIR where git wants it so (3.0)."""
        made = self.at(path)
        strict = made.run("git", "rev-parse", "--git-dir").code
        return made.with_env(GIT_DIR=str(path)) if strict else made

    def with_env(self, **extra: str) -> Repo:
        """Return a handle whose commands see `extra` in their environment."""
        return replace(self, env={**self.env, **extra})

    def run(self, *argv: str, stdin: str | None = None, timeout: float = 60) -> Done:
        """Run a command in the worktree and return how it ended."""
        feed: dict[str, object] = {"stdin": subprocess.DEVNULL}
        if stdin is not None:
            feed = {"input": _encoded(stdin)}
        done = subprocess.run(  # type: ignore[call-overload]
            argv,
            cwd=self.path,
            env=self.env,
            capture_output=True,
            check=False,
            timeout=timeout,
            **feed,
        )
        return self._ended(argv, done)

    def begun(self, *argv: str, **options: object) -> subprocess.Popen[Any]:
        """Start a command in the worktree, and wait for nothing; what it prints has to be read."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(argv, cwd=self.path, env=self.env, **options)  # type: ignore[call-overload]

    def unread(self, *argv: str, both: bool = True) -> int:
        """Run a command whose stdout, and maybe stderr, is a pipe that nobody reads any more."""
        into, out = os.pipe()
        os.close(into)
        err = out if both else subprocess.DEVNULL
        try:
            return self.begun(*argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err).wait(60)
        finally:
            os.close(out)

    def started(self, *argv: str, stdin: str | None = None, timeout: float = 60) -> Done:
        """Run a command of ours, forked where only its start is left out by that."""
        made = forked.command(argv, self.env)
        done = made and forked.forker().run(
            made, self.path, self.env, _encoded(stdin or ""), timeout
        )
        return self._ended(argv, done) if done else self.run(*argv, stdin=stdin, timeout=timeout)

    def _ended(self, argv: tuple[str, ...], done: subprocess.CompletedProcess[bytes]) -> Done:
        out = os.fsdecode(done.stdout)
        if "COORD_TEST_EARLIER" in self.env:  # which answers as it was documented then
            pass
        elif argv[:2] == ("git", "coord"):
            schemas.hold(argv[2:], out)
        elif argv[0] == "coord-install":
            schemas.hold(argv, out)
        return Done(done.returncode, out, os.fsdecode(done.stderr))

    def tried(self, *args: str, stdin: str | None = None) -> Done:
        """Run git, whatever its exit status; a bare repository is named, as git 3.0 wants it."""
        bare = ["--git-dir=."] if (self.path / "objects").is_dir() else []
        return self.run("git", *bare, *args, stdin=stdin)

    def git(self, *args: str, stdin: str | None = None) -> str:
        """Run git, insist on success, return its stdout without the final newline."""
        done = self.tried(*args, stdin=stdin)
        assert done.code == 0, f"git {' '.join(args)}: exit {done.code}\n{done.out}{done.err}"
        return done.out.removesuffix("\n")

    def coord(self, *args: str, stdin: str | None = None) -> Done:
        """Run ``git coord``."""
        return self.started("git", "coord", *args, stdin=stdin)

    def install(self, *args: str) -> Done:
        """Run ``coord-install``, which accepts what is declared, and insist on success."""
        alone = {"--check", "--uninstall"}.intersection(args)
        done = self.started("coord-install", *args, *([] if alone else ["--trust"]))
        assert done.code == 0, f"exit {done.code}\n{done.out}{done.err}"
        return done

    def paste(self, command: str) -> Done:
        """Run a printed ``run:`` line as a person would: pasted into a shell, right here."""
        return self.run("sh", "-c", command)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the worktree, with its folders."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
        return path

    def read(self, name: str) -> str:
        """Return a file of the worktree as text."""
        return (self.path / name).read_text(encoding="utf-8", errors="surrogateescape")

    def commit(self, message: str, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write and stage `files`, commit, return the commit's id (empty commits allowed)."""
        for name, text in (files or {}).items():
            self.write(name, text)
            self.git("add", "--", name)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def worktree(self, path: Path, branch: str, *options: str) -> Repo:
        """Add a linked worktree on a new branch with plain git, and return its handle."""
        self.git("worktree", "add", "-q", "-b", branch, *options, str(path))
        return self.at(path)

    def private(self, name: str = "") -> Path:
        """Return a path in the private git dir."""
        return (self._seen() or self._said("--git-dir")) / name

    def common(self, name: str = "") -> Path:
        """Return a path in the common git dir."""
        private = self._seen()
        if private is None:
            return self._said("--git-common-dir") / name
        leads = private / "commondir"
        home = private / leads.read_text().rstrip("\n") if leads.exists() else private
        return Path(os.path.realpath(home)) / name

    def _said(self, which: str) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", which))

    def _seen(self) -> Path | None:
        """Return the private git dir where it is plain to see: each test asks for it often."""
        if "GIT_DIR" in self.env:
            return None
        top = self.path / ".git"
        if top.is_file():
            top = self.path / top.read_text().removeprefix("gitdir: ").rstrip("\n")
        return Path(os.path.realpath(top)) if (top / "HEAD").is_file() else None


def author(repo: Repo) -> str:
    """Return ``name <e-mail>`` as git would write it now."""
    return repo.git("var", "GIT_AUTHOR_IDENT").rpartition(" ")[0].rpartition(" ")[0]
