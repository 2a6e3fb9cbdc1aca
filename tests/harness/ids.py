"""Identifiers in tests: claims as files, and clones that share no board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.board import answer

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Repo

FOLDER = "coordination/ids"
GUARDED = "[attr]coord-once -merge\ncoordination/ids/** coord-once\n"


def claim(
    number: int, actor: str, created: str = "", nonce: str | None = "", ns: str = "HW"
) -> str:
    """Return the file of an identifier; its nonce is made of both, None: it has none."""
    text = f'id = "{ns}-{number:04}"\nactor = "{actor}"\n'
    text += f'created = "{created}"\n' if created else ""
    return text if nonce is None else f'{text}nonce = "{nonce or f"{actor}{number}"}"\n'


def path(number: int, ns: str = "HW") -> str:
    """Return where it is."""
    return f"{FOLDER}/{ns}/{ns}-{number:04}.toml"


def guard(repo: Repo) -> Repo:
    """Declare the folder of identifiers write-once, in a commit; return `repo`."""
    assert repo.coord("track", "once", f"{FOLDER}/**").code == 0
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "guard")
    return repo


def taken(repo: Repo, namespace: str = "HW") -> str:
    """Take the next identifier, insist on success, return it."""
    done = repo.coord("id", "next", namespace)
    assert done.code == 0, done.err
    return done.out.removesuffix("\n")


def clone_of(repo: Repo, folder: Path) -> Repo:
    """Return an installed clone, which knows nothing of the other's board."""
    repo.git("clone", "-q", str(repo.path), str(folder))
    made = repo.at(folder)
    made.install()
    return made


def contested(repo: Repo) -> list[tuple[str, str]]:
    """Return (path, message) of each problem of ``id check``; its exit code says the same."""
    done = repo.coord("id", "check")
    problems = answer(repo, "id", "check", code=done.code)["problems"]
    assert bool(problems) == bool(done.code), done.out
    assert {problem["rule"] for problem in problems} <= {"id-taken"}
    return [(problem["path"], problem["message"]) for problem in problems]


def mended(repo: Repo) -> Repo:
    """Paste the command of the one problem, and insist that none is left; return `repo`."""
    [problem] = answer(repo, "id", "check", code=1)["problems"]
    done = repo.paste(problem["run"])
    assert done.code == 0, done.err
    assert contested(repo) == []
    return repo
