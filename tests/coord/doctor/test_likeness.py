"""One more of many worktrees: what is told of it is what git reads there, or git is asked."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from coord.doctor import configured, likeness
from coord.doctor.probes import Prober
from coord.installer import hookspath
from coord.repo import git
from coord.repo.worktree import Worktree
from harness.clinic import diagnosis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def other(installed: Repo, side: Repo, tmp_path: Path) -> Repo:
    """One more linked worktree beside `side`."""
    del side
    return installed.worktree(tmp_path / "other", "other")


def model(repo: Repo) -> likeness.Model | None:
    """Return what others may be like: `side`."""
    [view] = [view for view in diagnosis(repo).views if view.folder.endswith("/side")]
    return likeness.model(view.here, view.config, view.hooks, alias=view.alias)


def asked(repo: Repo, folder: Path) -> tuple[Worktree, Prober]:
    """Return a worktree and what fires its probe."""
    place = Worktree(str(repo.private()), str(repo.common()), str(repo.path))
    prober = Prober(hookspath.environment(repo.env), str(folder), str(repo.common("hooks/coord")))
    return place, prober


def copied(repo: Repo) -> str:
    """Copy the common git dir beside it, and return the place."""
    return shutil.copytree(repo.common(), f"{repo.common()}-copy", symlinks=True)


def add(path: Path, text: str) -> None:
    """Add to a file."""
    path.write_text(path.read_text() + text)


def test_a_worktree_like_another_is_told_of_as_git_tells(
    installed: Repo, other: Repo, tmp_path: Path
) -> None:
    """All but the lines that join the authors, and the file of each entry."""
    installed.git("config", "alias.two", "!echo 'a b'\nand \"c\" é")
    like = model(installed)
    assert like is not None

    told = likeness.found(like, *asked(other, tmp_path))

    read = configured.ask(str(other.path), hookspath.environment(other.env))
    assert told is not None
    assert read is not None
    assert told.config.entries == tuple(
        entry for entry in read.entries if not entry.key.startswith("includeif.")
    )
    assert told.hooks.proved
    assert told.hooks.fired == 0


def test_where_the_launcher_is_broken_worktrees_are_alike_too(
    installed: Repo, other: Repo, tmp_path: Path
) -> None:
    """No alias answers from any, and that is when somebody asks."""
    installed.common("hooks/coord/alias").unlink()
    like = model(installed)
    assert like is not None
    told = likeness.found(like, *asked(other, tmp_path))

    assert told is not None
    assert not told.alias


def test_a_worktree_like_another_lists_what_it_has_itself(
    installed: Repo, other: Repo, tmp_path: Path
) -> None:
    """Its index and its attributes are its own, and one git tells of all."""
    like = model(installed)
    assert like is not None
    (other.path / ".gitattributes").write_text("*.tsv coord-log\n")
    (other.path / "é.tsv").write_text("one\n")
    other.git("add", "-A")

    told = likeness.found(like, *asked(other, tmp_path))

    assert told is not None
    assert told.listed == {".gitattributes": "H", "é.tsv": "H"}


def test_what_is_set_for_one_command_makes_no_worktree_differ(
    installed: Repo, other: Repo, tmp_path: Path
) -> None:
    """It is set for all of them."""
    for repo in (installed, other):
        repo.env.update(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="user.name", GIT_CONFIG_VALUE_0="x")
    like = model(installed)
    assert like is not None

    told = likeness.found(like, *asked(other, tmp_path))

    assert told is not None
    assert told.config.entries[-1].scope == "command"


def test_past_eight_worktrees_each_costs_one_git(
    installed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 400 of them a second one costs a second."""
    trees = [installed.worktree(tmp_path / f"w{number}", f"w{number}") for number in range(9)]
    asked, run = [], git._run

    def counted(
        args: tuple[str, ...], cwd: str, *rest: Mapping[str, str] | bytes | None
    ) -> git.Output:
        asked.append(cwd)
        return run(args, cwd, *rest)

    monkeypatch.setattr(git, "_run", counted)

    views = diagnosis(installed).views

    assert [asked.count(str(tree.path)) for tree in trees[-2:]] == [1, 1]
    assert all(view.hooks is not None and view.hooks.proved for view in views)
    assert sum(view.hooks.fired for view in views if view.hooks) == 8 * 7


@pytest.mark.parametrize(
    "differ",
    [
        lambda repo: repo.git("config", "extensions.worktreeConfig", "true"),
        lambda repo: repo.git("config", "core.hooksPath", str(repo.common("hooks"))),
        lambda repo: repo.git("config", "includeIf.gitdir:x/.path", "elsewhere"),
        lambda repo: repo.git("config", "hook.mine.command", "true"),
        lambda repo: add(repo.common("coord/identities"), "[alias]\n\tx = y\n"),
        lambda repo: repo.common("hooks/pre-push").unlink(),
    ],
    ids=["own files", "hooks", "joined", "configured hook", "foreign", "not proved"],
)
def test_where_worktrees_may_differ_none_is_like_another(
    installed: Repo, other: Repo, differ: Callable[[Repo], object]
) -> None:
    """Then a probe could fire what is not ours, or prove too little."""
    del other
    assert model(installed) is not None

    differ(installed)

    assert model(installed) is None


@pytest.mark.parametrize(
    "differ",
    [
        lambda other: add(other.private("coord.config"), "[core]\n\thooksPath = evil\n"),
        lambda other: other.private("coord.config").unlink(),
        lambda other: (other.path / ".git").rename(other.path / "git"),
        lambda other: other.common("coord/identities").write_text(""),
        lambda other: other.git("config", "user.name", "Somebody"),
        lambda other: other.private("commondir").write_text(f"{copied(other)}\n"),
        lambda other: other.private("index").write_text("none"),
    ],
    ids=[
        *("more than an author", "no author", "no link", "not joined", "changed since"),
        *("of a copy", "no index"),
    ],
)
def test_a_worktree_that_differs_is_asked_in_full(
    installed: Repo, other: Repo, tmp_path: Path, differ: Callable[[Repo], object]
) -> None:
    """No foreign hook is fired before."""
    like = model(installed)
    assert like is not None
    (other.path / "evil").mkdir()
    evil = other.path / "evil/prepare-commit-msg"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    evil.chmod(0o755)
    here, prober = asked(other, tmp_path)

    differ(other)

    assert likeness.found(like, here, prober) is None
    assert not (tmp_path / "fired").exists()
