"""Declarations that do not guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import CONFIG, DECLARED, declare, found, problems

if TYPE_CHECKING:
    from harness import Repo

ARTIFACT = [("attribute-unregistered", "schema.json")]


def test_a_clone_without_the_toolkit_may_fall_back(repo: Repo) -> None:
    """The macros stand for ``-merge``: a loud conflict, which is safe."""
    declare(repo)

    assert not problems(repo)


def test_an_installed_clone_selects_its_drivers(repo: Repo) -> None:
    """The macros of ``info/attributes`` come later and win."""
    declare(repo)
    repo.install()

    assert not problems(repo)


def test_a_later_line_that_takes_the_driver_away_is_named(repo: Repo) -> None:
    """The attribute is still set, and guards nothing."""
    declare(repo)
    repo.commit("npm", {".gitattributes": DECLARED + "*.json merge=npm\n"})

    [problem] = problems(repo)

    assert (problem.rule, problem.path) == ARTIFACT[0]
    assert problem.message == "another line gives it merge=npm"
    assert problem.commit is None


@pytest.mark.parametrize("merge", ["union", "text", "binary", "ours"])
def test_no_other_driver_guards(repo: Repo, merge: str) -> None:
    """Built-in ones neither, and ``ours`` is not built in."""
    declare(repo)
    repo.commit("other", {".gitattributes": DECLARED + f"*.json merge={merge}\n"})

    assert found(repo) == ARTIFACT


def test_a_path_line_without_its_macro_is_named(repo: Repo) -> None:
    """Git knows no such attribute and merges as text."""
    declare(repo)
    repo.commit("no macros", {".gitattributes": "schema.json coord-derived\n"})

    [problem] = problems(repo)

    assert (problem.rule, problem.path) == ARTIFACT[0]
    assert "merged as text" in problem.message


def test_a_driver_of_others_that_nobody_registered_is_a_remark(repo: Repo) -> None:
    """Files of no concern to us break no rule of ours, though git merges them as text."""
    repo.commit("ours", {".gitattributes": "*.lock merge=ours\n", "a.lock": "a", "b.lock": "b"})

    done = repo.coord("check", "HEAD")

    said = "a.lock: no driver ours is registered: merged as text, and 1 other path"
    assert (done.code, said in done.err) == (0, True)
    repo.git("config", "merge.ours.driver", "true")
    assert said not in repo.coord("check", "HEAD").err


def test_what_git_lfs_writes_is_right(repo: Repo) -> None:
    """``git lfs track`` names a merge driver that git-lfs never registers."""
    lfs = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
    repo.commit("lfs", {".gitattributes": lfs})
    repo.commit("big", {"a.txt": "pointer\n"})
    (repo.path / "a.bin").write_text("pointer\n")
    repo.git("-c", "filter.lfs.clean=cat", "add", "a.bin")
    repo.git("-c", "filter.lfs.clean=cat", "commit", "-q", "-m", "pointer")

    done = repo.coord("check", "HEAD")

    assert (done.code, "lfs" in done.out + done.err) == (0, False)


def test_a_driver_that_is_named_but_gone_from_the_config_is_named(repo: Repo) -> None:
    """``info/attributes`` selects it, and git finds no command; installing again mends it."""
    declare(repo)
    repo.install()
    (repo.common("hooks/coord/config")).unlink()

    named = problems(repo)

    assert {each.path for each in named} >= {"a.log", "schema.json"}
    assert {each.rule for each in named} == {"attribute-unregistered"}
    assert repo.paste(named[0].run).code == 0
    assert not problems(repo)


def test_a_driver_that_is_there_and_not_selected_is_named(repo: Repo) -> None:
    """The fallback is safe, but this clone was promised better."""
    repo.commit("elsewhere", {".gitattributes": DECLARED, "a.log": "one\n"})
    repo.install()
    repo.common("info/attributes").write_text("")

    [problem] = problems(repo)

    assert (problem.path, problem.run) == ("a.log", "coord-install")
    assert repo.paste(problem.run).code == 0
    assert not problems(repo)


def test_an_artifact_without_a_producer_is_named(repo: Repo) -> None:
    """A refused merge of it could not name the command that makes it right."""
    declare(repo)
    repo.commit("no producer", {".coord.toml": ""})
    [problem] = problems(repo)
    assert (problem.rule, problem.path) == ("producer-missing", "schema.json")
    repo.install()

    done = repo.with_env(PRODUCER="cat src/*.proto >schema.json").paste(problem.run)

    assert done.code == 0
    repo.commit("declared", {".coord.toml": repo.read(".coord.toml")})
    assert not problems(repo)


@pytest.mark.parametrize(
    "section", ['[derived."free.txt"]\nregenerate = "true"\n', '[log."free.txt"]\nstart = "## "\n']
)
def test_a_declared_file_without_its_attribute_is_named(repo: Repo, section: str) -> None:
    """Somebody wrote ``.coord.toml`` by hand; the printed command writes the rest.

    A command that this clone has not accepted is not printed: `track` would accept it.
    """
    declare(repo)
    repo.commit("half", {".coord.toml": CONFIG + section, "free.txt": "x"})
    [problem] = problems(repo)
    assert (problem.rule, problem.path) == ("attribute-unregistered", "free.txt")
    assert ("derived" in section) is ('--regenerate "${PRODUCER:?' in problem.run)
    repo.install()

    assert repo.with_env(PRODUCER="true").paste(problem.run).code == 0

    repo.commit("declared", {".gitattributes": repo.read(".gitattributes")})
    assert not problems(repo)


def test_an_invalid_configuration_is_a_problem_among_others(repo: Repo) -> None:
    """Logs are judged all the same, line by line."""
    declare(repo)
    bad = repo.commit("typo", {".coord.toml": "derived = 1\n", "a.log": "one\n"})

    first, second = problems(repo)

    assert (first.rule, first.commit) == ("log-rewritten", bad)
    assert (second.rule, second.path) == ("config-invalid", ".coord.toml")
    assert second.run == "${EDITOR:-vi} +1 .coord.toml"


def test_the_tip_of_the_range_declares_not_the_checkout(repo: Repo) -> None:
    """What is checked out, or edited in it, says nothing of another branch."""
    declare(repo)
    repo.git("branch", "other")
    repo.write(".gitattributes", "*.json merge=npm\n")

    assert not problems(repo, "other")
    repo.git("checkout", "-q", "-f", "main")
    repo.commit("npm", {".gitattributes": DECLARED + "*.json merge=npm\n"})
    assert not problems(repo, "other")
    assert found(repo, "main") == ARTIFACT
