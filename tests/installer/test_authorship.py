"""What changes for whom: each worktree's author before and after."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from harness.repo import author

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

HUMAN = "Ada Human <ada@example.com>"


def lines(out: str) -> list[str]:
    """Return the lines about authors."""
    return [line for line in out.splitlines() if line.startswith("author ")]


def test_a_plain_install_tells_and_pins_nobody(repo: Repo, tmp_path: Path) -> None:
    """The main worktree stays its user's; a linked one is pinned by its next hook."""
    side = repo.worktree(tmp_path / "side", "side")

    done = repo.install()

    main, linked, new = lines(done.out)
    assert main == (
        f"author  {repo.path}: {HUMAN} (not pinned: the main worktree stays its user's own)"
    )
    assert f"{HUMAN} -> side-<4 hex> <ada+side-<4 hex>@example.com>" in linked
    assert new == f"author  new worktrees: {HUMAN} -> {{actor}} <ada+{{actor}}@example.com>"
    assert "coord-install --pin-existing" in done.err
    assert not side.private("coord-identity.toml").exists()
    assert author(repo) == author(side) == HUMAN


def test_pin_existing_pins_them_all_at_once(repo: Repo, tmp_path: Path) -> None:
    """Author before and after for each, as git will write it; the second run has no news."""
    sides = [repo.worktree(tmp_path / name, f"feature/{name}") for name in ("one", "two")]

    done = repo.install("--pin-existing")

    told = [line for line in lines(done.out) if "is pinned now" in line]
    for side, line in zip(sides, told, strict=True):
        after = author(side)
        assert re.fullmatch(r"feature-\w+-[0-9a-f]{4} <ada\+feature-\w+-[0-9a-f]{4}@.*>", after)
        assert f"{side.path}: {HUMAN} -> {after} (" in line
    assert author(repo) == HUMAN
    assert lines(repo.install("--pin-existing").out) == []


@pytest.mark.parametrize("key", ["user", "author"])
def test_an_install_from_a_pinned_worktree_tells_of_the_persons_author(
    repo: Repo, tmp_path: Path, key: str
) -> None:
    """A worker's identity was told as what every new worktree has now; the main one's too."""
    repo.git("config", f"{key}.name", "Grace")
    repo.install()
    side = repo.worktree(tmp_path / "side", "side")
    assert author(side).startswith("side-")
    assert repo.coord("pin", "--actor", "boss").code == 0
    expected = "author  new worktrees: Grace <ada@example.com> -> {actor} <ada+{actor}@example.com>"

    for pinned in (side, repo):
        repo.common("hooks/coord/manifest").unlink()
        told = lines(pinned.install().out)
        assert told[-1] == expected
        assert any(line.startswith(f"author  {side.path}: side-") for line in told)


def test_a_pin_from_before_the_install_comes_into_force(repo: Repo, tmp_path: Path) -> None:
    """`git coord pin` works without an install; git reads its author from then on."""
    side = repo.worktree(tmp_path / "side", "side")
    assert side.run("git-coord", "pin", "--actor", "me").code == 0
    assert author(side) == HUMAN

    repo.install()

    assert author(side) == "me <ada+me@example.com>"
    assert repo.started("coord-install", "--check").code == 0


def test_authors_can_be_kept(repo: Repo, tmp_path: Path) -> None:
    """`[identity] author = "keep"`: pins, and the author of before."""
    repo.write(".coord.toml", '[identity]\nauthor = "keep"\n')
    side = repo.worktree(tmp_path / "side", "side")

    repo.install("--pin-existing")

    assert side.private("coord-identity.toml").exists()
    assert author(side) == HUMAN
    assert repo.started("coord-install", "--check").code == 0


def test_name_and_email_follow_the_declaration(repo: Repo, tmp_path: Path) -> None:
    """As it was when the install ran: no checkout changes it."""
    repo.write(".coord.toml", '[identity]\nname = "Bot {actor}"\nemail = "{actor}@bots"\n')
    repo.install()
    repo.write(".coord.toml", '[identity]\nname = "mallory"\n')

    side = repo.worktree(tmp_path / "side", "side")

    assert re.fullmatch(r"Bot side-[0-9a-f]{4} <side-[0-9a-f]{4}@bots>", author(side))


def test_a_hostile_declaration_never_enters_the_config(repo: Repo) -> None:
    """A newline in a name became a command once."""
    repo.write(".coord.toml", '[identity]\nname = "x\\n[alias]\\n\\tst = !touch pwned"\n')

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (3, "author-invalid")
    assert not repo.common("hooks/coord").exists()
    assert repo.paste(done.refusal.run).code == 0


def test_a_signing_key_is_kept_for_pinned_authors(repo: Repo, tmp_path: Path) -> None:
    """Without user.signingKey git takes the key of the e-mail, which the pin changes."""
    repo.git("config", "commit.gpgsign", "true")
    side = repo.worktree(tmp_path / "side", "side")

    repo.install("--pin-existing")

    assert side.git("config", "user.signingKey") == HUMAN


def test_without_an_email_the_author_stays(repo: Repo, tmp_path: Path) -> None:
    """There is nothing to put a plus tag into; the install says that none is set."""
    side = repo.worktree(tmp_path / "side", "side")
    nobody = repo.with_env(HOME=str(tmp_path), EMAIL="", GIT_CONFIG_COUNT="1")
    nobody = nobody.with_env(GIT_CONFIG_KEY_0="user.useConfigOnly", GIT_CONFIG_VALUE_0="true")
    repo.git("config", "user.useConfigOnly", "true")

    done = nobody.install("--pin-existing", "--json")

    changes = json.loads(done.out)["authors"]
    assert {(one["before"], one["after"]) for one in changes} == {("", "")}
    assert side.private("coord-identity.toml").exists()
