"""Never open in silence: what is broken, times what is at stake (docs/recovery.md has it in short).

A guard that cannot judge says so. Where nothing is at stake git goes on; a commit by which
something would be lost is stopped, with the command that settles it; a push is warned of.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harness import Repo, clean_environment
from harness.hooked import add_hooks
from harness.refusal import refusals

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.repo import Done

PATTERNS = "*.json coord-derived\n*.tsv coord-log\n*.once coord-once\n"
FILES = {
    "s.json": "0\n", "l.tsv": "one\ntwo\n", "a.once": "1\n", "f": "f\n",
    ".gitattributes": "f text\n", ".coord.toml": '[derived."*.json"]\nregenerate = "true"\n',
}  # fmt: skip
USER = "[user]\n\tname = Ada\n\temail = ada@example.com\n"


def _staged(name: str, text: str) -> Callable[[Repo], None]:
    def stage(repo: Repo) -> None:
        repo.write(name, text)
        repo.git("add", name)

    return stage


def _forked(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("theirs", {"s.json": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("ours", {"s.json": "ours\n"})


def _refused(repo: Repo) -> None:
    _forked(repo)
    repo.tried("merge", "-q", "--no-edit", "side")
    repo.git("add", "-A")


def _guessed(repo: Repo) -> None:
    repo.worktree(repo.path.parent / "linked", "linked")


def _misauthored(repo: Repo) -> None:
    repo.coord("pin", "--self")
    repo.git("commit", "-q", "--allow-empty", "-m", "x", "--author=Eve <eve@example.com>")
    repo.git("init", "-q", "--bare", str(repo.path.parent / "remote"))


PUSH = "commits of somebody else"
#: What is at stake: what makes it so, and what would lose it.
STAKES: dict[str, tuple[Callable[[Repo], None], tuple[str, ...]]] = {
    "nothing": (_staged("f", "new\n"), ("commit -qm x",)),
    "a pending refusal": (_refused, ("commit -qm x",)),
    "both sides of a derived file": (_forked, ("merge -q --no-edit side", "commit -qam x")),
    "records of a log": (_staged("l.tsv", "two\n"), ("commit -qm x",)),
    "a write-once file": (_staged("a.once", "2\n"), ("commit -qm x",)),
    "a guessed sign-off": (_guessed, ("commit -q --allow-empty -s -m x",)),
    PUSH: (_misauthored, ("push -q ../remote HEAD:refs/heads/x",)),
}


def _launch(repo: Repo, name: str, value: str) -> None:
    launch = repo.common("hooks/coord/launch")
    lines = launch.read_text().split("\n")
    kept = [line for line in lines if not line.startswith(f"coord_{name}=")]
    launch.write_text("\n".join([f"coord_{name}='{value}'", *kept]))


def _python(path: str) -> Callable[[Repo], None]:
    return lambda repo: _launch(repo, "python", path)


def _python_closed(repo: Repo) -> None:
    closed = repo.path.parent / "closed"
    closed.mkdir()
    (closed / "python").touch(0o755)
    closed.chmod(0)
    _launch(repo, "python", f"{closed}/python")


def _runs(text: str) -> Callable[[Repo], None]:
    def broken(repo: Repo) -> None:
        path = repo.path.parent / "interpreter"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        _launch(repo, "python", str(path))

    return broken


def _package(*files: str) -> Callable[[Repo], None]:
    def broken(repo: Repo) -> None:
        for name in files:
            path = repo.path.parent / "lib/coord" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("" if name.endswith("__init__.py") else "x = = 1")
        _launch(repo, "lib", str(repo.path.parent / "lib"))

    return broken


def _odd(path: Path, odd: str) -> None:
    """Put what is odd in the place of a file or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if odd == "a FIFO":
        os.mkfifo(path)
    elif odd == "a loop":
        path.symlink_to(path.name)
    elif odd == "a folder":
        path.mkdir()
    elif odd != "gone":
        path.write_text("x\n" if odd == "nobody's" else odd)
        path.chmod(0 if odd == "nobody's" else 0o644)


def _tree(name: str, odd: str) -> Callable[[Repo], None]:
    return lambda repo: _odd(repo.path / name, odd)


def _private(name: str, odd: str) -> Callable[[Repo], None]:
    return lambda repo: _odd(repo.private(name), odd)


def _each(odd: str) -> Callable[[Repo], None]:
    def broken(repo: Repo) -> None:
        folder = repo.private("coord-refused")
        folder.mkdir(exist_ok=True)
        for record in list(folder.iterdir()) or [folder / "1"]:
            _odd(record, odd)

    return broken


def _folder(mode: int) -> Callable[[Repo], None]:
    def broken(repo: Repo) -> None:
        folder = repo.private("coord-refused")
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)

    return broken


def _git_fails(command: str) -> Callable[[Repo], None]:
    """Let one command of git fail wherever a hook, a driver or a child of theirs calls it."""

    def broken(repo: Repo) -> None:
        real = repo.run("git", "--exec-path").out.strip()
        folder = repo.path.parent / "git"
        folder.mkdir()
        for name in os.listdir(real):
            (folder / name).symlink_to(f"{real}/{name}")
        (folder / "git").unlink()
        words = f'for word; do [ "$word" != {command} ] || exit 128; done'
        (folder / "git").write_text(f'#!/bin/sh\n{words}\nexec {real}/git "$@"\n')
        (folder / "git").chmod(0o755)

    return broken


#: What is broken.
BROKEN: dict[str, Callable[[Repo], None]] = {
    "interpreter gone": _python("/gone/python"),
    "interpreter killed": _runs("kill -KILL $$"),
    "package half there": _package("__init__.py"),
    "launch a FIFO": _private("hooks/coord/launch", "a FIFO"),
    "hook gone": _private("hooks/coord/hook", "gone"),
    "hooks/coord gone": _private("hooks/coord", "gone"),
    "derived gone": _private("hooks/coord/derived", "gone"),
    ".coord.toml over its cap": _tree(".coord.toml", "#" * 70_000),
    ".gitattributes a loop": _tree(".gitattributes", "a loop"),
    "git diff-index fails": _git_fails("diff-index"),
    "git cat-file fails": _git_fails("cat-file"),
    "git rev-parse fails": _git_fails("rev-parse"),
    "git var fails": _git_fails("var"),
    "coord-refused without x": _folder(0o600),
    "coord-refused a loop": _private("coord-refused", "a loop"),
    "a record torn": _each("x"),
    "a record a loop": _each("a loop"),
    "a record nobody's": _each("nobody's"),
    "pin nobody's": _private("coord-identity.toml", "nobody's"),
    "board a FIFO": _private("coord/board", "a FIFO"),
    "identities bad": _private("coord/identities", "[nonsense\n"),
}
#: More members of these kinds, tried where COORD_PLANTED=each asks for it (.ci/full).
MORE: dict[str, Callable[[Repo], None]] = {
    "interpreter not executable": _python("/etc/passwd"),
    "interpreter a folder": _python("/"),
    "interpreter closed": _python_closed,
    "interpreter too old": _runs("echo 'SyntaxError: invalid syntax' >&2; exit 1"),
    "interpreter crashes": _runs("kill -SEGV $$"),
    "package gone": lambda repo: _launch(repo, "lib", "/gone/lib"),
    "package of another version": _package("__init__.py", "hooks/__init__.py", "hooks/entry.py"),
    "launch gone": _private("hooks/coord/launch", "gone"),
    "hook nobody's": _private("hooks/coord/hook", "nobody's"),
    "hook empty": _private("hooks/coord/hook", ""),
    "refuse gone": _private("hooks/coord/refuse", "gone"),
    "derived a FIFO": _private("hooks/coord/derived", "a FIFO"),
    ".coord.toml nobody's": _tree(".coord.toml", "nobody's"),
    ".coord.toml a FIFO": _tree(".coord.toml", "a FIFO"),
    ".coord.toml a folder": _tree(".coord.toml", "a folder"),
    ".coord.toml no TOML": _tree(".coord.toml", "x = = 1"),
    ".coord.toml too deep": _tree(".coord.toml", "x = " + "[" * 60_000),
    ".gitattributes a folder": _tree(".gitattributes", "a folder"),
    ".gitattributes nonsense": _tree(".gitattributes", "\0\xff[attr]\n" * 2000),
    "git ls-files fails": _git_fails("ls-files"),
    "git rev-list fails": _git_fails("rev-list"),
    "git check-attr fails": _git_fails("check-attr"),
    "git for-each-ref fails": _git_fails("for-each-ref"),
    "git merge-base fails": _git_fails("merge-base"),
    "coord-refused nobody's": _folder(0),
    "coord-refused a FIFO": _private("coord-refused", "a FIFO"),
    "coord-refused a file": _private("coord-refused", "x"),
    "a record a FIFO": _each("a FIFO"),
    "a record a folder": _each("a folder"),
    "pin a FIFO": _private("coord-identity.toml", "a FIFO"),
    "pin a folder": _private("coord-identity.toml", "a folder"),
    "pin torn": _private("coord-identity.toml", "version = 1\n"),
    "board nobody's": _private("coord/board", "nobody's"),
    "identities nobody's": _private("coord/identities", "nobody's"),
    "identities gone": _private("coord/identities", "gone"),
    "author gone": _private("coord.config", "gone"),
    "reflog nobody's": _private("logs/HEAD", "nobody's"),
    "reflog a loop": _private("logs/HEAD", "a loop"),
}
ALL = BROKEN | (MORE if os.environ.get("COORD_PLANTED") == "each" else {})
# Git itself does not go on with these.
FATAL = ("identities bad", "identities nobody's")
# Where nothing is at stake, or nobody can tell: what is said all the same.
SAID = {
    "hook gone": "hooks-broken",
    "hook nobody's": "hooks-broken",
    "hook empty": "hooks-broken",
    "hooks/coord gone": "hooks-broken",
    "coord-refused nobody's": "not-permitted",
    "coord-refused without x": "not-permitted",
    "a record nobody's": "not-permitted",
    "git diff-index fails": "git-failed",
}
STOPPED = ("git diff-index fails",)  # it tells what a commit takes away
# Whether authorship is to be refused cannot be read, so it is.
UNREAD = (".coord.toml over its cap", ".coord.toml nobody's", ".coord.toml a FIFO",
          ".coord.toml a folder")  # fmt: skip


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a repository with a stake in it; each is made once and copied."""
    made: dict[str, Path] = {}

    def find(stake: str) -> Path:
        if stake not in made:
            folder = made[stake] = tmp_path_factory.mktemp("stake")
            (folder / "home").mkdir()
            (folder / "home/.gitconfig").write_text(USER)
            repo = Repo.init(folder / "repo", clean_environment(folder / "home"))
            add_hooks(repo, PATTERNS).commit("base", FILES)
            repo.git("branch", "other")
            STAKES[stake][0](repo)
        return made[stake]

    return find


# Root may read everything, unless it gives that up.
BARE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if not os.geteuid() else ()


def _git(repo: Repo, words: str, broken: str) -> Done:
    env = {"GIT_EXEC_PATH": str(repo.path.parent / "git")} if broken.startswith("git ") else {}
    return repo.with_env(**env).run(*BARE, "git", *words.split(), timeout=20)


@pytest.mark.parametrize("broken", ALL)
@pytest.mark.parametrize("stake", STAKES)
def test_a_guard_that_cannot_judge_is_never_open_in_silence(
    ready: Callable[[str], Path], tmp_path: Path, broken: str, stake: str
) -> None:
    """Git goes on in silence where nothing is at stake, and nowhere else."""
    shutil.copytree(ready(stake), tmp_path / "r", symlinks=True)
    repo = Repo(tmp_path / "r/repo", clean_environment(tmp_path / "r/home"))
    for linked in (tmp_path / "r").glob("linked"):  # the copy's own, not the original's
        private = repo.path / ".git/worktrees/linked"
        (linked / ".git").write_text(f"gitdir: {private}\n")
        (private / "gitdir").write_text(f"{linked / '.git'}\n")
    tip = repo.git("rev-parse", "main")
    ALL[broken](repo)

    done = [_git(repo, words, broken) for words in STAKES[stake][1]][-1]

    found = refusals(done.err)
    said = f"exit {done.code}\n{done.out}\n{done.err}"
    assert all(one.why and one.run for one in found), said
    assert "internal-error" not in done.err, said
    if "fatal: " in done.err:  # git's own, with no help of ours
        assert done.code == 128, said
        return
    assert broken not in FATAL, said
    goes_on = repo.git("rev-parse", "main") != tip
    rules = [one.rule for one in found]
    if stake == "nothing":
        assert rules == ([SAID[broken]] if broken in SAID else []), said
        assert goes_on == (done.code == 0) == (broken not in STOPPED), said
    elif stake == PUSH:
        assert rules in [["author-mismatch"], ["author-unchecked"], ["hooks-broken"]], said
        assert done.code == (broken in UNREAD or "remote rejected" in done.err), said
    else:
        assert (done.code, goes_on, len(rules)) == (1, False, 1), said


@pytest.mark.parametrize("stake", ["records of a log", "a pending refusal"])
def test_an_interpreter_that_is_closed_to_us_is_not_called_gone(
    ready: Callable[[str], Path], tmp_path: Path, stake: str
) -> None:
    """Root had installed it; the command that was printed removed its virtualenv for everybody."""
    shutil.copytree(ready(stake), tmp_path / "r", symlinks=True)
    repo = Repo(tmp_path / "r/repo", clean_environment(tmp_path / "r/home"))
    _python_closed(repo)
    _launch(repo, "repair", "rm -rf /somebody/venv")

    done = repo.run(*BARE, "git", "commit", "-qm", "x")

    assert f"may not be read by you: {tmp_path}/r/closed is " in done.refusal.why
    assert "mode d---------" in done.refusal.why
    assert "gone" not in done.refusal.why
    assert done.refusal.run == "coord-install"
    (tmp_path / "r/closed").chmod(0o700)


@pytest.mark.parametrize("odd", ["x", "a FIFO", "a folder", "a loop", "nobody's"])
def test_a_record_that_nobody_can_read_binds_without_python_too(
    ready: Callable[[str], Path], tmp_path: Path, odd: str
) -> None:
    """Both are broken: sh alone finds the record, and reads it without waiting or following."""
    shutil.copytree(ready("a pending refusal"), tmp_path / "r", symlinks=True)
    repo = Repo(tmp_path / "r/repo", clean_environment(tmp_path / "r/home"))
    _python("/gone/python")(repo)
    _each(odd)(repo)

    done = repo.run(*BARE, "git", "commit", "-qm", "x", timeout=20)

    assert (done.code, done.refusal.rule) == (1, "refusal-pending")
    assert "its record is torn" in done.refusal.headline
    repo.git("merge", "--abort")
    assert repo.tried("commit", "-q", "--allow-empty", "-m", "x").code == 0
