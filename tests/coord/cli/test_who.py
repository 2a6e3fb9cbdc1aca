"""``whoami`` and ``pin`` as a person and a script use them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def whoami(repo: Repo, *args: str) -> dict[str, object]:
    """Return the document of ``whoami --json``."""
    done = repo.coord(*args, "whoami", "--json")
    assert done.code == 0, done.err
    answer: dict[str, object] = json.loads(done.out)
    return answer


def test_whoami_has_the_contract_keys_and_the_author_git_will_write(installed: Repo) -> None:
    """Others script against these keys."""
    answer = whoami(installed)

    assert list(answer) == [
        "schema",
        "actor",
        "instance",
        "source",
        "name",
        "email",
        "worktree",
        "branch",
    ]
    assert (answer["name"], answer["email"]) == ("Ada Human", "ada@example.com")
    assert (answer["source"], answer["branch"]) == ("inferred", "main")
    assert answer["worktree"] == str(installed.path)


def test_a_new_worktree_is_pinned_and_commits_as_its_actor(installed: Repo, tmp_path: Path) -> None:
    """The main job: plain ``git worktree add`` is enough."""
    tree = installed.worktree(tmp_path / "w", "feat/cache")

    answer = whoami(tree)
    tree.commit("work")

    assert answer["source"] == "pinned"
    assert str(answer["actor"]).startswith("feat-cache-")
    assert tree.git("log", "-1", "--format=%an <%ae>") == f"{answer['name']} <{answer['email']}>"
    assert answer["email"] == f"ada+{answer['actor']}@example.com"


@pytest.mark.parametrize("option", ["--no-checkout", "--detach"])
def test_a_worktree_without_a_hook_is_pinned_by_the_first_verb(
    installed: Repo, tmp_path: Path, option: str
) -> None:
    """``--no-checkout`` runs no hook; the first verb pins what the hook could not."""
    installed.git("worktree", "add", "-q", option, str(tmp_path / "w"))

    assert whoami(installed.at(tmp_path / "w"))["source"] == "pinned"


def test_the_main_worktree_is_never_pinned_implicitly(installed: Repo, tmp_path: Path) -> None:
    """Its branch may be a peer's."""
    installed.worktree(tmp_path / "w", "side")

    answer = whoami(installed)

    assert (answer["source"], answer["instance"]) == ("inferred", None)


def test_pinning_twice_is_refused_with_the_way_out(installed: Repo) -> None:
    """Whoever pastes what is printed must not become another owner; how to is said beside."""
    installed.coord("pin", "--actor", "one")

    done = installed.coord("pin", "--actor", "two")

    assert done.code == 1
    assert done.refusal.rule == "pin-exists"
    assert installed.paste(done.refusal.run).code == 0
    assert whoami(installed)["actor"] == "one"
    assert "git coord pin --replace --actor two makes another owner" in done.refusal.why


def test_a_person_pins_themselves_and_stays_the_author(installed: Repo, tmp_path: Path) -> None:
    """``pin --self`` changes no name; other worktrees cannot change it later."""
    tree = installed.worktree(tmp_path / "w", "side")

    done = installed.coord("pin", "--self", "--json")
    tree.git("config", "user.email", "peer@example.com")

    assert done.code == 0
    assert json.loads(done.out)["actor"].startswith("ada-human-")
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")


def test_readers_are_warned_of_a_conflict_and_still_answer(installed: Repo) -> None:
    """``whoami`` answers with the pin and says what contradicts it."""
    installed.coord("pin", "--actor", "hopper")

    done = installed.with_env(COORD_ACTOR="lovelace").coord("whoami")

    assert done.code == 0
    assert done.out.startswith("hopper (pinned)")
    assert "lovelace" in done.err


def test_from_a_subfolder_and_under_a_leaked_git_dir_the_folder_answers(
    installed: Repo, tmp_path: Path
) -> None:
    """``git rebase --exec 'cd ../b && git coord whoami'`` in a must answer b."""
    a, b = installed.worktree(tmp_path / "a", "a"), installed.worktree(tmp_path / "b", "b")
    b.write("sub/file", "x")
    a.commit("one")

    a.git(
        "-c",
        "rebase.autoStash=false",
        "rebase",
        "-q",
        "--force-rebase",
        "--exec",
        f"cd {b.path}/sub && git coord whoami --json > {tmp_path}/answer",
        "HEAD~1",
    )

    assert json.loads((tmp_path / "answer").read_text())["branch"] == "b"


def test_pin_refuses_to_choose_between_folder_and_git_dir(installed: Repo, tmp_path: Path) -> None:
    """A leaked GIT_DIR names another worktree: neither is pinned."""
    tree = installed.worktree(tmp_path / "w", "side")

    done = installed.with_env(GIT_DIR=str(tree.private())).run("git-coord", "pin")

    assert done.code == 1
    assert done.refusal.rule == "identity-conflict"
    assert not installed.private("coord-identity.toml").exists()
    assert installed.with_env(GIT_DIR=str(tree.private())).paste(done.refusal.run).code == 0
    assert installed.private("coord-identity.toml").exists()


def test_a_name_git_would_change_is_wrong_usage(installed: Repo) -> None:
    """Exit 2; the printed command pins a name that will do."""
    done = installed.coord("pin", "--actor", "Grace Hopper.")

    assert done.code == 2
    assert done.refusal.rule == "actor-invalid"
    assert installed.paste(done.refusal.run).code == 0
    assert whoami(installed)["actor"] == "grace-hopper"


def test_the_command_with_a_name_that_will_do_keeps_the_options(installed: Repo) -> None:
    """Without --replace the next refusal says that there is a pin."""
    assert installed.coord("pin", "--self").code == 0

    done = installed.coord("pin", "--replace", "--self", "--actor", "Grace Hopper.")

    assert done.refusal.run == "git coord pin --self --replace --actor grace-hopper"
    assert installed.paste(done.refusal.run).code == 0
    assert whoami(installed)["actor"] == "grace-hopper"


def test_a_broken_pin_is_exit_3_and_its_command_mends_it(installed: Repo) -> None:
    """Unreadable is never unpinned."""
    installed.private("coord-identity.toml").write_text("junk")

    done = installed.coord("whoami")

    assert done.code == 3
    assert done.refusal.rule == "pin-unreadable"
    assert installed.paste(done.refusal.run).code == 0
    assert whoami(installed)["source"] == "pinned"


def test_an_orchestrator_that_exports_its_actor_names_every_child_apart(
    installed: Repo, tmp_path: Path
) -> None:
    """COORD_ACTOR exported to 20 ``worktree add``: 20 actors, 20 instances, all said."""
    boss = installed.with_env(COORD_ACTOR="boss")
    trees = [boss.worktree(tmp_path / f"w{n}", f"b{n}") for n in range(20)]

    answers = [whoami(tree) for tree in trees]

    assert len({answer["actor"] for answer in answers}) == 20
    assert len({answer["instance"] for answer in answers}) == 20
    assert all(str(answer["actor"]).startswith("boss") for answer in answers)


def test_a_person_whom_a_bare_pin_made_a_worker_is_told_the_way_back(installed: Repo) -> None:
    """In the main worktree: beside the pin itself, and by whoever asks for ``--self`` then."""
    pinned = installed.coord("pin")
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("main-")
    said = pinned.err.partition("if you are its user: ")[2].splitlines()[0]

    refused = installed.coord("pin", "--self").refusal

    assert refused.rule == "pin-exists"
    assert refused.run == said == "git coord pin --replace --self"
    assert installed.paste(said).code == 0
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")


def test_a_broken_pin_of_a_main_worktree_is_made_its_users_again(installed: Repo) -> None:
    """Whoever works there is no worker with a name that was made up, whatever was torn."""
    assert installed.coord("pin", "--self").code == 0
    installed.private("coord-identity.toml").write_text("junk")

    done = installed.paste(installed.coord("whoami").refusal.run)

    assert done.code == 0, done.err
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")


def test_replacing_a_person_stays_that_person(installed: Repo) -> None:
    """The command that is told repeats what was asked for: ``--self`` is not lost on the way."""
    installed.coord("pin", "--self")

    done = installed.coord("pin", "--self")

    assert done.refusal.rule == "pin-exists"
    command = done.refusal.why.partition("; ")[2].partition(" makes ")[0]
    assert installed.paste(command).code == 0
    assert installed.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")


def test_whoami_says_when_git_would_write_somebody_else(installed: Repo, tmp_path: Path) -> None:
    """``author.*`` set by a peer at the end of the shared config outranks every pin."""
    tree = installed.worktree(tmp_path / "w", "w")
    installed.git("config", "author.email", "peer@example.com")

    done = tree.coord("whoami")
    assert "git will write" in done.err
    mend = done.err.partition("mended by: ")[2].strip()

    assert tree.paste(mend).code == 0
    assert tree.coord("whoami").err == ""


def test_whoami_says_where_git_would_commit_under_a_leaked_git_dir(
    installed: Repo, tmp_path: Path
) -> None:
    """The folder answers, and the contradiction is said."""
    tree = installed.worktree(tmp_path / "w", "w")

    done = tree.with_env(GIT_DIR=str(installed.private())).run("git-coord", "whoami")

    assert done.out.startswith("w-")
    assert str(installed.private()) in done.err


def test_outside_a_repository_nothing_is_made(tmp_path: Path, installed: Repo) -> None:
    """The printed command only asks git again: an agent pasting it must not create one."""
    (tmp_path / "empty").mkdir()
    outside = installed.at(tmp_path / "empty")

    done = outside.run("git-coord", "whoami")
    outside.paste(done.refusal.run)

    assert done.code == 3
    assert list(outside.path.iterdir()) == []


@pytest.mark.parametrize("before", ["claim", "pin --actor ada"])
def test_a_pin_names_earlier_claims_here_and_the_take_over(installed: Repo, before: str) -> None:
    """A pin is another owner, and what its worktree held until then would wait for nobody."""
    if before != "claim":
        installed.git("coord", *before.split())
    installed.coord("claim", "big job")
    done = installed.coord("pin", "--self", "--replace")
    command = done.err.rpartition("; ")[2].strip()

    assert "task:big job was claimed here before this pin" in done.err
    assert command == "git coord take-over 'task:big job' --from-present --reason 'pinned anew'"
    assert installed.paste(command).code == 0
