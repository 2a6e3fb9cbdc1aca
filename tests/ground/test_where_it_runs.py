"""The same working day on every ground: install, pin, sign, merge, push, examine, uninstall."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from harness.grounds import GROUNDS, Ground, script
from harness.repo import Repo
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

LOG, ARTIFACT = "gen/moves.tsv", "gen/schema.json"
# What git itself writes while one works; everything else has to come back byte for byte.
_GITS = (
    *(
        "objects",
        "refs",
        "logs",
        "worktrees",
        "modules",
        "index",
        "HEAD",
        "ORIG_HEAD",
        "FETCH_HEAD",
    ),
    *("reftable", "packed-refs", "COMMIT_EDITMSG", "AUTO_MERGE", "shallow", "gc."),
)


@pytest.mark.parametrize("name", GROUNDS)
def test_the_main_workflow_passes_in_every_environment(
    name: str, tmp_path: Path, env: dict[str, str]
) -> None:
    """Everything the toolkit promises, from the install to the first bytes."""
    ground = GROUNDS[name](tmp_path, env)
    before = first_bytes(ground)

    a, b = two_workers(ground)
    signed_off(ground, a)
    authors_follow(a, b)
    merged(ground, a, b)
    warned(ground, a)
    examined(ground, a)
    ran(ground.first or ground.main, *_trusted_python(a), script("coord-install"), "--uninstall")

    assert first_bytes(ground) == before


LEAKED = (
    *("whoami", "board", "check", "doctor", "log x", "claim x", "release", "sign-off"),
    *("track log x.tsv", "pin --replace", "regenerate", "reauthor HEAD"),
    "worktree add ../more -b more",
)


@pytest.mark.parametrize("place", ["main", "linked"])
def test_leaked_variables_touch_no_other_repository(
    place: str, tmp_path: Path, env: dict[str, str]
) -> None:
    """As a hook of another repository exports them: the folder decides, or the verb is refused."""
    ground = GROUNDS["plain"](tmp_path, env)
    a, _ = two_workers(ground)
    victim = Repo.init(tmp_path / "victim", env)
    victim.commit("start", {"README": "start\n"})
    ran(victim, script("coord-install"))
    if place == "linked":
        victim = victim.worktree(tmp_path / "of-victim", "of-victim")
    leak = {"GIT_DIR": str(victim.private()), "GIT_WORK_TREE": str(victim.path),
            "GIT_INDEX_FILE": str(victim.private("index"))}  # fmt: skip
    before = snapshot(victim.common()), snapshot(victim.path)

    for verb in LEAKED:
        done = a.with_env(**leak).run(script("git-coord"), *verb.split())
        assert done.code in {0, 1}, done.err
        if done.code == 1 and verb not in {"check", "doctor"}:
            assert str(victim.private()) in done.err or "reauthor" in verb, done.err
    for flag in ("--check", "--dry-run", "--uninstall"):
        assert (
            a.with_env(**leak)
            .run(script("coord-install"), flag, *(["--purge"] * (flag == "--uninstall")))
            .code
            == 0
        )

    assert (snapshot(victim.common()), snapshot(victim.path)) == before
    assert not a.common("hooks/coord").exists()


def ran(repo: Repo, *argv: str, code: int = 0) -> str:
    """Run a command, insist on its exit code, return what it said on stdout."""
    done = repo.run(*argv)
    assert done.code == code, f"{argv}: exit {done.code}\n{done.out}\n{done.err}"
    assert "shadowed" not in done.err
    return done.out


def first_bytes(ground: Ground) -> dict[str, tuple[int, bytes]]:
    """Return what is in the common git dir, but for what git writes at work; and all of ours."""
    found = snapshot((ground.first or ground.main).common())
    ours = {path for path in found if path.startswith("worktrees") and "coord" in path}
    return {
        path: entry for path, entry in found.items() if path in ours or not path.startswith(_GITS)
    }


def two_workers(ground: Ground) -> tuple[Repo, Repo]:
    """Install and add two worktrees, pinned by git's own command; declare both guards."""
    start = ground.first or ground.main
    ran(start, *_trusted_python(start), script("coord-install"), "--pin-existing")
    if start.tried("rev-parse", "-q", "--verify", "HEAD").code:
        assert ran(start, "git", "coord", "sign-off").startswith("main")
        start.commit("start", {"src/a": "a\n"})
    a = ground.first or start.worktree(ground.trees / "tree a", "feat/a")
    declare(ground, a)
    a.git("worktree", "add", "-q", "-b", "feat/b", str(ground.trees / "tree-b"))
    b = a.at(ground.trees / "tree-b")
    for tree, branch in ((a, "feat-a"), (b, "feat-b")):
        who = json.loads(ran(tree, "git", "coord", "whoami", "--json"))
        assert (who["source"], who["actor"][:-5]) == ("pinned", branch)
        assert who["worktree"] == os.path.realpath(tree.path)
    return a, b


def _trusted_python(repo: Repo) -> tuple[str, ...]:
    """The script's own start is Python's, and believes PYTHONPATH: a person unsets it there."""
    return ("env", "-u", "PYTHONPATH") if "PYTHONPATH" in repo.env else ()


def declare(ground: Ground, tree: Repo) -> None:
    """Guard a log and an artifact made of what is in ``fields``, and commit both."""
    tree.write(".gitattributes", ground.attributes)
    producer = (
        f"ls fields{f' | iconv -t {ground.encoding}' * (ground.encoding != 'utf-8')} >{{path}}"
    )
    ran(tree, "git", "coord", "track", "derived", ARTIFACT, "--regenerate", producer)
    ran(tree, "git", "coord", "track", "log", LOG)
    tree.git("add", "--sparse", ".gitattributes", ".coord.toml")
    tree.git("commit", "-q", "-m", "Guard")
    step(ground, tree, "base", "2026-01-01T00:00:00Z base\n")


def step(ground: Ground, tree: Repo, field: str, record: str) -> str:
    """Append a record, add a field, make the artifact anew, and commit."""
    old = (
        (tree.path / LOG).read_bytes().decode(ground.encoding) if (tree.path / LOG).exists() else ""
    )
    tree.write(LOG, (old.replace("\r\n", "\n") + record).encode(ground.encoding))
    tree.write(f"fields/{field}", "")
    made = "".join(f"{name}\n" for name in sorted(os.listdir(tree.path / "fields")))
    tree.write(ARTIFACT, made.encode(ground.encoding))
    tree.git("add", "--sparse", "-A")
    tree.git("commit", "-q", "-m", f"Add {field}")
    return tree.git("rev-parse", "HEAD")


def signed_off(ground: Ground, a: Repo) -> None:
    """Refused where several worktrees leave it open who signs; allowed where there is a pin."""
    if ground.first is None:
        done = ground.main.coord("sign-off")
        assert (done.code, done.refusal.rule) == (1, "identity-inferred"), done.err
    assert "signed off" in ran(a, "git", "coord", "sign-off")


def authors_follow(a: Repo, b: Repo) -> None:
    """Whatever a peer writes into the config that all share."""
    a.git("config", "user.name", "a peer")
    for tree in (a, b):
        actor = json.loads(ran(tree, "git", "coord", "whoami", "--json"))["actor"]
        made = tree.commit("Follow")
        assert tree.git("log", "-1", "--format=%an|%cn", made) == f"{actor}|{actor}"
    a.git("config", "--unset", "user.name")


def merged(ground: Ground, a: Repo, b: Repo) -> None:
    """The derived file is refused and regenerated, the log is joined."""
    step(ground, a, "from-a", "2026-01-02T00:00:00Z a\n")
    step(ground, b, "from-b", "2026-01-03T00:00:00Z b\n")
    ground.narrow(a)

    done = a.tried("merge", "--no-edit", "feat/b")

    assert (done.code, done.refusal.rule) == (1, "derived-two-sided"), done.err
    assert a.git("show", f":{LOG}").split("\n") == [
        "2026-01-01T00:00:00Z base", "2026-01-02T00:00:00Z a", "2026-01-03T00:00:00Z b"
    ]  # fmt: skip
    a.git("add", "--sparse", "-A")
    swallowed = a.tried("commit", "-q", "--no-edit")
    assert (swallowed.code, swallowed.refusal.rule) == (1, "refusal-pending")
    assert a.paste(done.refusal.run).code == 0
    a.git("commit", "-q", "--no-edit")
    assert set(a.git("show", f"HEAD:{ARTIFACT}").split("\n")) >= {"base", "from-a", "from-b"}
    assert a.git("status", "--porcelain") == ""


def warned(ground: Ground, a: Repo) -> None:
    """A push of a wrong author goes on, and its command mends that commit."""
    remote = ground.trees / "remote.git"
    kind = a.git("rev-parse", "--show-object-format")
    a.git("init", "-q", "--bare", f"--object-format={kind}", str(remote))
    a.git(f"--git-dir={remote}", "config", "receive.shallowUpdate", "true")
    wrong = a.with_env(GIT_AUTHOR_NAME="root", GIT_AUTHOR_EMAIL="root@localhost").commit("Wrong")

    done = a.tried("push", "-q", str(remote), "HEAD:refs/heads/a")

    assert (done.code, done.refusal.rule) == (0, "author-mismatch"), done.err
    assert wrong in done.refusal.run
    assert a.paste(done.refusal.run).code == 0
    assert a.git("log", "-1", "--format=%an").startswith("feat-a")


def examined(ground: Ground, a: Repo) -> None:
    """The doctor names what is wrong with the ground, and nothing else."""
    done = a.coord("doctor", "--json")
    found = json.loads(done.out)["findings"]
    assert {one["rule"] for one in found} == ground.findings, found
    assert done.code == bool(ground.findings)


def test_reftable_keeps_its_heads_elsewhere(tmp_path: Path, env: dict[str, str]) -> None:
    """CHERRY_PICK_HEAD is no file there; a pick in progress is known all the same."""
    ground = GROUNDS["reftable"](tmp_path, env)
    a, b = two_workers(ground)
    step(ground, a, "from-a", "2026-01-02T00:00:00Z a\n")
    step(ground, b, "from-b", "2026-01-03T00:00:00Z b\n")

    picked = a.tried("cherry-pick", "feat/b")

    assert picked.refusal.rule == "derived-two-sided"
    assert not a.private("CHERRY_PICK_HEAD").exists()
    assert a.coord("reauthor", "HEAD").refusal.rule == "operation-in-progress"
    a.git("add", "-A")
    assert a.tried("commit", "--no-edit").refusal.rule == "refusal-pending"
    assert a.paste(picked.refusal.run).code == 0
    assert a.tried("commit", "--no-edit").code == 0
