"""The grounds a repository may stand on: each is built by real git, and worked on alike."""

from __future__ import annotations

import os
import sysconfig
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from coord.repo import git
from harness.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

#: name of a ground → what builds it in a folder.
GROUNDS: dict[str, Callable[[Path, Mapping[str, str]], Ground]] = {}
SHADOWED = ("json", "os", "re", "click", "subprocess", "sitecustomize", "coord", "pygit2", "typing")


@dataclass(frozen=True)
class Ground:
    """One place to work.

    Attributes:
        main: where ``coord-install`` is run: the main worktree, or a bare repository.
        trees: folder for linked worktrees.
        findings: rules that the doctor is right to name here.
        attributes: lines of ``.gitattributes`` above our own.
        encoding: of the guarded files in a working tree.
        first: a worktree that is there before the install, where git does not work in `main`.
        narrow: run in the worktree that is going to merge, before it does.
    """

    main: Repo
    trees: Path
    findings: frozenset[str] = frozenset()
    attributes: str = ""
    encoding: str = "utf-8"
    first: Repo | None = None
    narrow: Callable[[Repo], object] = field(default=lambda _: None)


def script(name: str) -> str:
    """Return one of our scripts by its path: some grounds have not got it on PATH."""
    return os.path.join(sysconfig.get_path("scripts"), name)


def git_version(repo: Repo) -> tuple[int, ...]:
    """Return the version of the git under test."""
    return git.version(repo.run("git", "--version").out)


def _ground(build: Callable[[Path, Mapping[str, str]], Ground]) -> object:
    GROUNDS[build.__name__.strip("_").replace("_", " ")] = build
    return build


def _started(path: Path, env: Mapping[str, str], *options: str) -> Repo:
    repo = Repo.init(path, env, *options)
    repo.commit("start", {"README": "start\n", "src/a": "a\n"})
    return repo


@_ground
def _plain(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return Ground(_started(tmp_path / "repo", env), tmp_path)


@_ground
def _bare_with_linked_worktrees(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    source = _started(tmp_path / "source", env)
    source.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = source.at(tmp_path / "bare.git")
    bare.git("remote", "remove", "origin")
    if not bare.run("git", "rev-parse", "--git-dir").code:
        return Ground(bare, tmp_path)
    # Git 3.0 finds a bare repository by no folder: there one works from a worktree of it.
    return Ground(bare, tmp_path, first=bare.worktree(tmp_path / "tree a", "feat/a"))


@_ground
def _bare_by_config_worktree(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """As git's manual advises where the extension is on: ``core.bare`` for the bare one alone."""
    made: Ground = _bare_with_linked_worktrees(tmp_path, env)  # type: ignore[operator]
    made.main.git("config", "extensions.worktreeConfig", "true")
    made.main.git("config", "--unset", "core.bare")
    made.main.git("config", "--file", str(made.main.path / "config.worktree"), "core.bare", "true")
    return made


@_ground
def _bare_and_safe_only_if_named(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """``safe.bareRepository = explicit``: git finds a bare repository by no folder any more."""
    ground: Ground = _bare_with_linked_worktrees(tmp_path, env)  # type: ignore[operator]
    first = ground.first or ground.main.worktree(tmp_path / "tree a", "feat/a")
    first.git("config", "--global", "safe.bareRepository", "explicit")
    return replace(ground, first=first)


@_ground
def _submodule(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    above = _with_submodule(tmp_path, env)
    return Ground(above.at(above.path / "parts" / "module"), tmp_path)


@_ground
def _superproject(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return Ground(_with_submodule(tmp_path, env), tmp_path)


def _with_submodule(tmp_path: Path, env: Mapping[str, str]) -> Repo:
    _started(tmp_path / "module", env)
    above = _started(tmp_path / "above", env)
    above.git("submodule", "--quiet", "add", str(tmp_path / "module"), "parts/module")
    above.commit("Add a submodule")
    above.at(above.path / "parts" / "module").git("remote", "remove", "origin")
    return above


@_ground
def _sparse_by_cone(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _sparse(tmp_path, env, "--cone", "src", "fields")


@_ground
def _sparse_by_pattern(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _sparse(tmp_path, env, "--no-cone", "/*", "!/gen/")


def _sparse(tmp_path: Path, env: Mapping[str, str], *patterns: str) -> Ground:
    repo = _started(tmp_path / "repo", env)
    repo.git("config", "extensions.worktreeConfig", "true")  # git does, at the first such worktree
    return Ground(repo, tmp_path, narrow=lambda tree: tree.git("sparse-checkout", "set", *patterns))


@_ground
def _unborn_branch(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return Ground(Repo.init(tmp_path / "repo", env), tmp_path)


@_ground
def _detached_head(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = _started(tmp_path / "repo", env)
    repo.git("checkout", "-q", "--detach")
    return Ground(repo, tmp_path)


@_ground
def _sha256(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return Ground(_started(tmp_path / "repo", env, "--object-format=sha256"), tmp_path)


@_ground
def _reftable(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = Repo(tmp_path, env)
    if git_version(repo) < (2, 45):
        pytest.skip("git has reftable since 2.45")
    return Ground(_started(tmp_path / "repo", env, "--ref-format=reftable"), tmp_path)


@_ground
def _relative_worktree_links(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = Repo(tmp_path, env)
    if git_version(repo) < (2, 48):
        pytest.skip("git has worktree.useRelativePaths since 2.48")
    made = _started(tmp_path / "repo", env)
    made.git("config", "core.repositoryFormatVersion", "1")
    made.git("config", "extensions.relativeWorktrees", "true")
    made.git("config", "worktree.useRelativePaths", "true")
    return Ground(made, tmp_path)


@_ground
def _shallow_clone(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _cloned(tmp_path, env, "--depth=1")


@_ground
def _partial_clone(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _cloned(tmp_path, env, "--filter=blob:none")


def _cloned(tmp_path: Path, env: Mapping[str, str], *options: str) -> Ground:
    source = _started(tmp_path / "source", env)
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        source.git("config", name, "true")
    source.commit("more", {"README": "more\n"})
    source.git("clone", "-q", *options, f"file://{source.path}", str(tmp_path / "clone"))
    clone = source.at(tmp_path / "clone")
    clone.git("remote", "rename", "origin", "upstream")
    return Ground(clone, tmp_path)


@_ground
def _worktree_config(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """The extension is on, and an identity in config.worktree is copied by ``worktree add``."""
    repo = _started(tmp_path / "repo", env)
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "user.name", "Whoever Was Here")
    return Ground(repo, tmp_path)


@_ground
def _separate_git_dir(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """``core.worktree`` is in the shared config, and rightly so."""
    repo = _started(tmp_path / "repo", env, f"--separate-git-dir={tmp_path / 'kept'}")
    repo.git("config", "core.worktree", str(repo.path))
    return Ground(repo, tmp_path)


@_ground
def _core_bare_in_the_shared_config(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """A hook's ``git init`` under GIT_DIR wrote it: the main worktree is dead, the others live."""
    repo = _started(tmp_path / "repo", env)
    first = repo.worktree(tmp_path / "tree a", "feat/a")
    repo.git("config", "core.bare", "true")
    return Ground(repo, tmp_path, frozenset({"core-bare"}), first=first)


@_ground
def _core_worktree_that_leads_away(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """``git init`` under GIT_WORK_TREE wrote it; linked worktrees do not read it."""
    repo = _started(tmp_path / "repo", env)
    (tmp_path / "away").mkdir()
    first = repo.worktree(tmp_path / "tree a", "feat/a")
    repo.git("config", "core.worktree", str(tmp_path / "away"))
    return Ground(repo, tmp_path, frozenset({"core-worktree"}), first=first)


@_ground
def _the_bare_path_of_a_gui(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    """HOME and the system's PATH, and not one variable more."""
    return Ground(_started(tmp_path / "repo", gui(env)), tmp_path)


def gui(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that a desktop gives to its programs."""
    folders = [os.environ.get("COORD_TEST_GIT", ""), "/usr/bin", "/bin"]
    return {"HOME": env["HOME"], "PATH": os.pathsep.join(filter(None, folders))}


@_ground
def _a_root_that_shadows_the_standard_library(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = _started(tmp_path / "repo", {**gui(env), "PYTHONPATH": "."})
    shadow = "import sys\nsys.stderr.write('shadowed\\n')\nraise SystemExit(99)\n"
    repo.commit("Shadow all", {f"{name}.py": shadow for name in SHADOWED})
    return Ground(repo, tmp_path)


@_ground
def _a_path_with_blanks_and_quotes(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _at(tmp_path / 'it\'s "a" $(place) `x` é', env)


@_ground
def _a_path_with_a_newline(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _at(tmp_path / "two\nlines", env)


@_ground
def _a_path_of_no_encoding(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    return _at(tmp_path / os.fsdecode(b"\xff\xfe caf\xe9"), env)


def _at(path: Path, env: Mapping[str, str]) -> Ground:
    try:
        return Ground(_started(path / "repo", env), path)
    except OSError as error:
        pytest.skip(f"this file system has no such names: {error}")


@_ground
def _crlf(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = _started(tmp_path / "repo", env)
    repo.git("config", "core.autocrlf", "true")
    return Ground(repo, tmp_path, attributes="* text=auto\ngen/moves.tsv text eol=crlf\n")


@_ground
def _utf_16_in_the_working_tree(tmp_path: Path, env: Mapping[str, str]) -> Ground:
    repo = _started(tmp_path / "repo", env)
    lines = "gen/* text working-tree-encoding=UTF-16LE-BOM\n"
    return Ground(repo, tmp_path, attributes=lines, encoding="utf-16")
