"""A rehearsal says which merges leave a derived file older than its inputs, as ``check`` would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

MADE = "schema.json"
RULE = f'[derived."{MADE}"]\nregenerate = "tr a-z A-Z <fields.txt >{MADE}"\n'
INPUTS = 'inputs = ["fields.txt"]\n'
FIELDS = "".join(f"{letter}\n" for letter in "bcdefghijk")


def grown(repo: Repo, tmp_path: Path, branches: dict[str, dict[str, str]], rule: str) -> Repo:
    """Declare a derived file, and finish a branch for each of `branches`; the first is widest."""
    ground = {".gitattributes": f"{MADE} coord-derived\n", ".coord.toml": rule}
    repo.commit("ground", {**ground, "fields.txt": FIELDS, MADE: FIELDS.upper()})
    for name, files in branches.items():
        worker = repo.worktree(tmp_path / name, name)
        worker.commit(name, files)
        claimed = [f"artifact:{name}-{number}" for number in range(4 - list(branches).index(name))]
        assert worker.coord("claim", *claimed).code == 0
        assert worker.coord("finish").code == 0
    return repo


def rehearsed(repo: Repo) -> tuple[int, list[dict[str, object]]]:
    """Return the exit code and the steps."""
    done = repo.coord("merge-order", "--rehearse", "--json")
    return done.code, json.loads(done.out)["rehearsal"]["steps"]


def merged(repo: Repo, steps: list[dict[str, object]]) -> None:
    """Paste the commands of every step, as they come; nothing is left to do, and check agrees."""
    repo.coord("regenerate", "--trust", MADE)
    repo.git("reset", "-q", "--hard")
    for step in steps:
        commands = step["commands"]
        assert isinstance(commands, list)
        for command in commands:
            done = repo.paste(command)
            assert done.code == 0 or command.startswith("git merge"), (command, done)
        assert repo.git("status", "--porcelain") == ""
    checked = repo.coord("check", f"{repo.git('rev-list', '--max-parents=0', 'HEAD')}..HEAD")
    assert checked.code == 0, checked.out


def with_field(letter: str, *, made: bool) -> dict[str, str]:
    """Return what a branch writes that changes one field, and regenerates or does not."""
    fields = FIELDS.replace(letter, letter * 3)
    return {"fields.txt": fields} | ({MADE: fields.upper()} if made else {})


def test_an_input_that_changed_alone_leaves_the_file_stale(installed: Repo, tmp_path: Path) -> None:
    """Beside a branch that regenerated; the printed commands mend it, and all that come after."""
    branches = {
        "one": with_field("b", made=True),
        "two": with_field("f", made=False),
        "three": {"other": "3\n"},
    }
    grown(installed, tmp_path, branches, RULE + INPUTS)

    code, steps = rehearsed(installed)

    assert code == 1
    assert [step["outcome"] for step in steps] == ["clean", "stale", "clean"]
    text = "older than its input fields.txt"
    assert steps[1]["stale"] == [{"path": MADE, "what": text}]
    screen = installed.coord("merge-order", "--rehearse").out
    assert f"two    stale     {MADE} (derived: {text})" in screen
    merged(installed, steps)
    assert installed.read(MADE) == installed.read("fields.txt").upper()


def test_a_branch_that_is_stale_by_itself_is_told(installed: Repo, tmp_path: Path) -> None:
    """It is fast-forwarded, and the file is as old."""
    grown(installed, tmp_path, {"one": with_field("b", made=False)}, RULE + INPUTS)

    _, steps = rehearsed(installed)

    assert [step["outcome"] for step in steps] == ["stale"]
    merged(installed, steps)


def test_a_version_that_meets_the_one_made_anew_is_refused(installed: Repo, tmp_path: Path) -> None:
    """Though git merges it as things stand: after the commands of the step before it will not."""
    branches = {"one": with_field("b", made=False), "two": with_field("f", made=True)}
    grown(installed, tmp_path, branches, RULE + INPUTS)

    _, steps = rehearsed(installed)

    assert [step["outcome"] for step in steps] == ["stale", "refused"]
    merged(installed, steps)
    assert installed.read(MADE) == installed.read("fields.txt").upper()


def test_a_refused_file_is_stale_no_more(installed: Repo, tmp_path: Path) -> None:
    """Its regeneration takes in the inputs of both sides."""
    branches = {
        "one": with_field("b", made=True),
        "two": with_field("f", made=True),
        "three": with_field("j", made=False),
    }
    grown(installed, tmp_path, branches, RULE + INPUTS)

    _, steps = rehearsed(installed)

    assert [step["outcome"] for step in steps] == ["clean", "refused", "stale"]
    assert steps[1]["stale"] == []
    merged(installed, steps)


@pytest.mark.parametrize("rule", [RULE, 'nonsense = "', ""])
def test_nobody_knows_without_declared_inputs(installed: Repo, tmp_path: Path, rule: str) -> None:
    """As ``check``: what a file is made from is not guessed."""
    branches = {"one": with_field("b", made=True), "two": with_field("f", made=False)}
    if rule.startswith("nonsense"):
        grown(installed, tmp_path, branches, RULE)
        installed.commit("broken", {".coord.toml": rule})
    else:
        grown(installed, tmp_path, branches, rule)
    found = rehearse_quietly(installed)

    assert found == ["clean", "clean"]


def rehearse_quietly(repo: Repo) -> list[str]:
    """Rehearse where the verb would stop at a broken declaration; return the outcomes."""
    from coord.rehearse.run import rehearse  # noqa: PLC0415
    from coord.repo import worktree  # noqa: PLC0415

    found = rehearse(worktree.discover(str(repo.path)), "main", ["one", "two"])
    return [step.outcome for step in found.steps]
