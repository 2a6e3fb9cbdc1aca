"""Something odd stands at every path of ours: no hook, driver or verb hangs, follows or truncates.

What git itself opens without a look is left out: a FIFO as ``config`` or as a file that it includes
stops git before anything of ours runs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.scenes import diverged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Repo

PATIENCE = 10  # seconds, of any one command
GIGABYTE = 1 << 30
PRECIOUS = "precious\n"


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, GIGABYTE)


def _shut(path: Path) -> None:
    path.write_text("version = 1\n")
    path.chmod(0)


ODD: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a symlink to itself": lambda path: path.symlink_to(path.name),
    "a symlink to a foreign file": lambda path: path.symlink_to(_precious(path)),
    "a symlink to nothing": lambda path: path.symlink_to(_precious(path).with_name("made")),
    "a folder": lambda path: path.mkdir(),
    "a gigabyte": _sparse,
    "nobody's": _shut,
}
PRIVATE = (
    "coord-identity.toml",
    "coord-seen",
    "coord-signed",
    "coord-rebuilt",
    "coord-refused/1",
    "coord-instances/ada",
    "coord-beats/ada-1",
)
COMMON = (
    "coord/pin.lock",
    "coord/board/clock",
    "coord/board/claims/s-task=3ax/00000001",
    "coord/board/actors/ada-1",
    "coord/board/notices/x",
    "hooks/coord/trusted",
)
TREE = (".coord.toml", "coordination/moves.tsv", "coordination/put-down.tsv")
IDS = ("coordination/ids/adr/1.toml",)
PLACES = {
    "the private git dir": PRIVATE,
    "the common git dir": COMMON,
    "the working tree": (*TREE, *IDS),
    "the records of refusals": ("coord-refused",),
}
VERBS = (
    ("board",),
    ("whoami",),
    ("wake",),
    ("inbox",),
    ("list",),
    ("claim", "x"),
    ("id", "next", "adr"),
    ("put-down", "x", "--reason", "why"),
    ("regenerate", "s.json"),
    ("sign-off",),
    ("doctor",),
)


def _precious(path: Path) -> Path:
    """Return the file that nobody may touch: it lies above every repository of a test."""
    return next(one for one in path.parents if (one / "precious").exists()) / "precious"


def _at(repo: Repo, where: str, name: str) -> Path:
    if where == "the common git dir":
        return repo.common(name)
    return repo.path / name if where == "the working tree" else repo.private(name)


def _plant(path: Path, odd: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    odd(path)


@pytest.fixture
def scene(installed: Repo, tmp_path: Path) -> Repo:
    """A pinned worktree with a derived file that a merge will refuse, and a bare remote."""
    (tmp_path / "precious").write_text(PRECIOUS)
    installed.commit(
        "declare", {".gitattributes": "[attr]coord-derived -merge\ns.json coord-derived\n"}
    )
    installed.install()
    linked = installed.worktree(tmp_path / "linked", "linked")
    linked.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    linked.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    installed.git("switch", "-q", "--detach")
    linked.git("switch", "-q", "main")
    diverged(linked, {"s.json": (b"", b"main\n", b"side\n")})
    return linked


def _commands(repo: Repo) -> list[tuple[str, ...]]:
    return [
        *(("git", "coord", *verb) for verb in VERBS),
        ("git", "commit", "-q", "--allow-empty", "-s", "-m", "signed"),
        ("git", "merge", "-q", "--no-edit", "side"),
        ("git", "commit", "-qam", "swallowed"),
        ("git", "merge", "--abort"),
        ("git", "push", "-q", "origin", "HEAD:refs/heads/pushed"),
        ("git", "worktree", "add", "-q", str(repo.path.with_name("third"))),
    ]


#: COORD_PLANTED=each plants at the paths of one place at a time, too: four times as many rows.
EVERYWHERE = [("the private git dir", "the common git dir", "the working tree")]
ONE = [(one,) for one in PLACES] if os.environ.get("COORD_PLANTED") == "each" else []


@pytest.mark.parametrize("places", [*EVERYWHERE, *ONE], ids=" and ".join)
@pytest.mark.parametrize("odd", ODD)
def test_what_a_peer_has_planted_holds_nobody(
    scene: Repo, places: tuple[str, ...], odd: str
) -> None:
    """Each command ends in time, without a trace of a fault, and touches nothing foreign."""
    for where in places:
        for name in PLACES[where]:
            _plant(_at(scene, where, name), ODD[odd])

    for argv in _commands(scene):
        done = scene.started(*argv, timeout=PATIENCE)
        said = f"{argv}: {done.code}\n{done.out}\n{done.err}"
        assert done.code >= 0, said
        assert "internal-error" not in done.err, said
        assert "Traceback" not in done.err, said
        assert "a fault in the" not in done.err, said
        if argv[:2] == ("git", "commit") and "-qam" in argv:
            assert done.code or not scene.git("ls-files", "-u"), said
        precious = _precious(scene.path)
        assert precious.read_text() == PRECIOUS, said
        assert not precious.with_name("made").exists(), said
