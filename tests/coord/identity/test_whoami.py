"""Who acts: the table in coord.identity.whoami, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment, Refused, Usage
from coord.identity import pin, whoami
from coord.repo import worktree

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

RULE = pin.Authorship("{actor}", "me+{actor}@example.com")


def who(repo: Repo, asked: str | None = None, **environ: str) -> whoami.Identity:
    """Resolve the identity at `repo`."""
    return whoami.resolve(worktree.discover(str(repo.path)), asked, environ)


def certain(repo: Repo, asked: str | None = None, **environ: str) -> None:
    """Require a certain identity for a sign-off."""
    place = worktree.discover(str(repo.path))
    whoami.require_certain(whoami.resolve(place, asked, environ), place, "sign-off")


def pinned(repo: Repo, actor: str) -> pin.Pin:
    """Pin `repo` as `actor`."""
    return pin.ensure(str(repo.private()), str(repo.common()), actor, RULE)[0]


def test_a_pin_alone_is_pinned(repo: Repo) -> None:
    """Row 1: the pin's actor and instance."""
    made = pinned(repo, "hopper-a71f")

    assert who(repo) == whoami.Identity("hopper-a71f", made.instance, "pinned", None)
    certain(repo)


@pytest.mark.parametrize("asked", ["hopper-a71f", "hopper"])
def test_the_same_explicit_actor_agrees_with_the_pin(repo: Repo, asked: str) -> None:
    """Row 1: ``h`` names the pin ``h-xxxx``."""
    pinned(repo, "hopper-a71f")

    assert who(repo, asked).conflict is None
    assert who(repo, COORD_ACTOR=asked).source == "pinned"


def test_another_explicit_actor_conflicts_with_the_pin(repo: Repo) -> None:
    """Row 2: refused, naming both and both fixes."""
    pinned(repo, "hopper")

    with pytest.raises(Refused) as caught:
        certain(repo, COORD_ACTOR="lovelace")

    assert caught.value.rule == "identity-conflict"
    assert "hopper" in caught.value.what
    assert "lovelace" in caught.value.what
    assert "COORD_ACTOR" in caught.value.run
    assert "--replace" in caught.value.why


def test_an_explicit_actor_without_a_pin_keeps_one_instance(repo: Repo, tmp_path: Path) -> None:
    """Row 3: minted once per worktree and actor."""
    linked = repo.worktree(tmp_path / "w", "side")

    first, again = who(repo, "ada"), who(repo, COORD_ACTOR="ada")

    assert first.source == "explicit"
    assert first.instance == again.instance
    assert len({first.instance, who(repo, "bob").instance, who(linked, "ada").instance}) == 3
    certain(repo, "ada")


def test_as_outranks_the_environment(repo: Repo) -> None:
    """``--as`` is nearer to the hand than COORD_ACTOR."""
    assert who(repo, "ada", COORD_ACTOR="bob").actor == "ada"


def test_in_a_single_worktree_the_branch_names_the_actor(repo: Repo) -> None:
    """Row 4: one worktree, nobody to be confused with."""
    alone = who(repo)

    assert (alone.actor, alone.source) == ("main", "inferred")
    assert alone.instance == who(repo).instance
    certain(repo)


def test_among_several_worktrees_the_branch_proves_nothing(repo: Repo, tmp_path: Path) -> None:
    """Row 5: no instance, and work that could end a peer's is refused."""
    linked = repo.worktree(tmp_path / "w", "side")

    for tree, fix in ((repo, "git coord pin --self"), (linked, "git coord pin")):
        assert who(tree).instance is None
        with pytest.raises(Refused) as caught:
            certain(tree)
        assert caught.value.rule == "identity-inferred"
        assert caught.value.run == fix


def test_a_detached_head_is_named_after_its_folder(repo: Repo) -> None:
    """No branch to infer from."""
    repo.git("checkout", "-q", "--detach")

    assert who(repo).actor == "repo"


def test_an_explicit_name_that_is_no_actor_is_wrong_usage(repo: Repo) -> None:
    """Exit 2 with a name that would do, in the place where the bad one was given."""
    with pytest.raises(Usage) as caught:
        who(repo, "Bad Name!")
    assert caught.value.run == "git coord --as bad-name whoami"

    with pytest.raises(Usage) as caught:
        who(repo, COORD_ACTOR="Bad Name!")
    assert caught.value.run == "export COORD_ACTOR=bad-name"


def test_an_unreadable_pin_is_not_an_absent_one(repo: Repo) -> None:
    """Exit 3: never fall back to a guess."""
    repo.private(pin.PIN).write_text("not ours\n")

    with pytest.raises(Environment) as caught:
        who(repo)

    assert caught.value.rule == "pin-unreadable"


def test_where_nothing_can_be_minted_nothing_is_owned(repo: Repo) -> None:
    """A read-only git dir leaves the instance unknown instead of crashing."""
    repo.private("coord-instances").write_text("in the way")

    assert who(repo).instance is None


def test_the_users_own_email_is_found_behind_a_pin(repo: Repo) -> None:
    """A second pin must tag the human's address, not the first actor's."""
    repo.git("config", "include.path", "coord/identities")
    pinned(repo, "boss")
    place = worktree.discover(str(repo.path))

    assert repo.git("config", "user.email") == "me+boss@example.com"
    assert whoami.own(place, "user.email") == "ada@example.com"
    assert whoami.default_authorship(place).email == "ada+{actor}@example.com"


@pytest.mark.parametrize(
    ("email", "tag"),
    [
        ("me@x.org", "me+{actor}@x.org"),
        ("me+home@x.org", "me+home+{actor}@x.org"),
        ("", ""),
        ("no-at", ""),
    ],
)
def test_the_plus_tag_goes_before_the_last_at(email: str, tag: str) -> None:
    """Mail still reaches the human."""
    assert whoami.tagged(email) == tag


def test_signing_by_name_keeps_the_key_of_the_human(repo: Repo) -> None:
    """With gpgsign and no key, git takes the committer as the key, which a pin changes."""
    repo.git("config", "commit.gpgsign", "true")
    place = worktree.discover(str(repo.path))

    assert whoami.default_authorship(place).key == "Ada Human <ada@example.com>"

    repo.git("config", "user.signingKey", "ABCD")
    assert whoami.default_authorship(place).key == ""
