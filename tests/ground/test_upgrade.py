"""A package that is upgraded under a repository at work, and workers of two versions in one."""

from __future__ import annotations

import json
import os
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from coord import VERSION
from coord.installer import attributesfile, launcher
from harness import QUIET
from harness.earlier import Earlier, without_ours
from harness.scenes import diverged
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from harness import Repo
    from harness.repo import Done

MAKE = "cat in-*.txt >schema.json"


@pytest.fixture
def earlier(tmp_path: Path) -> Earlier:
    """The earlier package in an environment of its own."""
    return Earlier.install(tmp_path / "earlier")


@pytest.fixture
def bare(repo: Repo) -> Repo:
    """A repository whose PATH has no script of ours: `git coord` is the alias."""
    return repo.with_env(PATH=without_ours(repo.env["PATH"]), COORD_TEST_EARLIER="1")


@dataclass(frozen=True)
class Day:
    """A repository in the middle of a day.

    Attributes:
        repo: the main worktree.
        one: a worker that holds ``task:run``.
        two: one that waits for it, with a message unread and a merge that is refused.
        before: the git dir before the install.
    """

    repo: Repo
    one: Repo
    two: Repo
    before: dict[str, tuple[int, bytes]]


def told(done: Done) -> str:
    """Insist on exit 0; return stdout."""
    assert done.code == 0, f"{done.out}{done.err}"
    return done.out


def answer(done: Done) -> dict[str, Any]:
    """Insist on exit 0; return the document on stdout."""
    found = json.loads(told(done))
    assert isinstance(found, dict)
    return found


def append(repo: Repo, record: str) -> None:
    """Commit one record more in the log."""
    repo.commit(record, {"moves.tsv": f"{repo.read('moves.tsv')}{record}\n"})


@pytest.fixture
def day(bare: Repo, earlier: Earlier, tmp_path: Path) -> Day:
    """Installed, pinned, claimed, said and refused by the earlier code."""
    before = snapshot(bare.common())
    told(bare.run(earlier.script("coord-install")))
    told(bare.coord("track", "derived", "schema.json", "--regenerate", MAKE, "--input", "in-*.txt"))
    told(bare.coord("track", "log", "moves.tsv"))
    files = {"in-0.txt": "0\n", "schema.json": "0\n", "moves.tsv": "start\n"}
    for name in (".gitattributes", ".coord.toml"):
        files[name] = bare.read(name)
    bare.commit("declare", files)
    one, two = (bare.worktree(tmp_path / name, f"feat/{name}") for name in ("one", "two"))
    for worker in (one, two):
        name = worker.path.name
        made = {f"in-{name}.txt": f"{name}\n", "schema.json": f"0\n{name}\n"}
        worker.commit(name, made)
        append(worker, name)
    told(one.coord("claim", "run", "--intent", "hold"))
    told(two.coord("claim", "run"))
    told(one.coord("send", "help", answer(two.coord("whoami", "--json"))["actor"], "look"))
    assert two.tried("merge", "-q", "--no-edit", "feat/one").refusal.rule == "derived-two-sided"
    return Day(bare, one, two, before)


def rows(done: Done) -> list[tuple[object, ...]]:
    """Return what a board says of its claims, and of nothing that ages."""
    return [
        (row["scope"], row["state"], row["generation"], one["instance"], one["place"], one["state"])
        for row in answer(done)["claims"]
        for one in row["claimants"]
    ]


def pins(day: Day) -> list[bytes]:
    """Return the pins of both workers, as they lie on the disk."""
    return [worker.private("coord-identity.toml").read_bytes() for worker in (day.one, day.two)]


def settle(day: Day) -> None:
    """Bring the refused merge to its end, as its refusals say."""
    two = day.two
    two.git("add", "schema.json")
    swallowed = two.tried("commit", "-q", "--no-edit")
    assert (swallowed.code, swallowed.refusal.rule) == (1, "refusal-pending")
    told(two.paste(swallowed.refusal.run))
    two.git("commit", "-q", "--no-edit")
    assert two.read("schema.json") == "0\none\ntwo\n"
    assert two.read("moves.tsv") == "start\none\ntwo\n"


def test_board_pins_refusals_and_hooks_go_on_after_an_upgrade_in_place(
    day: Day, earlier: Earlier, tmp_path: Path
) -> None:
    """Nobody has installed again yet: old hook files and driver lines start the new package."""
    held, pinned = rows(day.one.coord("board", "--json")), pins(day)
    assert [row[0] for row in held] == ["task:run", "task:run"]

    earlier.upgrade()

    assert rows(day.one.coord("board", "--json")) == held
    assert [
        message["text"] for message in answer(day.two.coord("inbox", "--json"))["messages"]
    ] == ["look"]
    settle(day)
    for worker in (day.one, day.two):
        append(worker, f"more {worker.path.name}")
    day.one.git("merge", "-q", "--no-edit", "feat/two")
    assert day.one.read("moves.tsv") == "start\none\nmore one\ntwo\nmore two\n"
    three = day.repo.worktree(tmp_path / "three", "feat/three")
    assert answer(three.coord("whoami", "--json"))["source"] == "pinned"
    assert pins(day) == pinned
    assert answer(day.one.coord("log", "run", "--json"))["events"][0]["kind"] == "claim"
    told(day.one.coord("release", "run"))
    assert rows(day.two.coord("board", "--json"))[0][3] == held[1][3]


def test_a_second_install_by_the_present_code_keeps_all_and_takes_it_out(
    day: Day, earlier: Earlier
) -> None:
    """Its hooks, launcher and driver scripts are in force; claims, pins and refusals stay."""
    held, pinned = rows(day.one.coord("board", "--json")), pins(day)
    earlier.upgrade()

    told(day.repo.run(earlier.script("coord-install")))

    told(day.repo.run(earlier.script("coord-install"), "--check"))
    installed = day.repo.common("hooks/coord")
    assert (installed / "hook").read_text() == launcher.script("hook")
    assert (installed / "log").read_text() == launcher.script("log", "coord.drivers")
    assert rows(day.two.coord("board", "--json")) == held
    assert pins(day) == pinned
    assert {one["rule"] for one in findings(day.two)} == {"refusal-pending"}
    settle(day)
    assert not findings(day.two)
    taken_out(day, earlier)


def taken_out(day: Day, earlier: Earlier) -> None:
    """Uninstall, and insist that nothing of ours is left and nothing else is touched."""
    for worker in (day.one, day.two):
        told(worker.coord("release", "run"))
    told(day.repo.run(earlier.script("coord-install"), "--uninstall"))
    after = snapshot(day.repo.common())
    assert [name for name in after if "coord" in name] == []
    for name in ("config", *(name for name in day.before if name.startswith(("hooks", "info")))):
        assert after[name] == day.before[name]


def findings(repo: Repo) -> list[dict[str, str]]:
    """Return what the doctor finds."""
    found = json.loads(repo.coord("doctor", "--json").out)["findings"]
    assert isinstance(found, list)
    return found


def test_an_earlier_install_conflicts_at_a_changelog(bare: Repo, earlier: Earlier) -> None:
    """It knows no such kind: both sides stand between markers, and its verbs go on working."""
    declared = attributesfile.declared(None, "C.md", "changelog")
    toml = b'[log."C.md"]\nstart = "## "\n'  # a start adds no key either
    bare.commit("declare", {".gitattributes": declared, ".coord.toml": toml})
    diverged(bare, {"C.md": (b"## 1\n- a\n", b"## 1\n- a\n- main\n", b"## 1\n- side\n- a\n")})
    told(bare.run(earlier.script("coord-install")))
    done = bare.tried("merge", "-q", "side")

    assert done.code == 1
    assert [bare.git("show", f":{stage}:C.md")[-6:] for stage in (2, 3)] == ["- main", "de\n- a"]
    assert bare.git("ls-files", "-u", "--", "C.md")
    for verb in (("check",), ("check", "--tree"), ("doctor",), ("board",), ("track", "log", "x")):
        assert bare.coord(*verb).code in {0, 1}, verb
    earlier.upgrade()
    told(bare.run(earlier.script("coord-install")))
    bare.git("checkout", "-q", "-m", "--", "C.md")
    assert bare.read("C.md") == "## 1\n- side\n- a\n- main\n"


def test_the_present_code_takes_an_earlier_install_out(day: Day, earlier: Earlier) -> None:
    """Straight after the upgrade, with nothing installed in between."""
    earlier.upgrade()
    settle(day)

    taken_out(day, earlier)


def test_what_an_earlier_install_recorded_starts_the_present_code(
    bare: Repo, earlier: Earlier
) -> None:
    """The names of modules in git dirs and console scripts are forever."""
    told(bare.run(earlier.script("coord-install")))
    launch = bare.common("hooks/coord/launch").read_text()
    alias = bare.git("config", "alias.coord")
    assert "from coord.$1.entry import main" in launch
    assert "-m coord.installer" in launch
    assert "-P -E -m coord " in alias
    assert earlier.scripts == {
        "git-coord": "coord.cli.main:run",
        "coord-install": "coord.installer.cli:run",
    }
    earlier.upgrade()

    for words in (
        (earlier.python, "-P", "-E", "-m", "coord", "--version"),
        (earlier.python, "-P", "-m", "coord.installer", "--version"),
        *((earlier.script(name), "--version") for name in earlier.scripts),
    ):
        assert told(bare.run(*words)).split()[1:] == [VERSION]
    for room in ("hooks", "drivers"):
        path = f"import sys; sys.path.insert(0, {str(earlier.package.parent)!r})"
        code = f"{path}; from coord.{room}.entry import main; assert callable(main)"
        told(bare.run(earlier.python, "-I", "-S", "-c", code))


@dataclass(frozen=True)
class Worker:
    """Somebody in a worktree who calls one version of the verbs."""

    repo: Repo
    script: str

    def coord(self, *words: str) -> Done:
        """Run a verb of that version."""
        return self.repo.run(self.script, *words)

    @property
    def actor(self) -> str:
        """As whom others know it."""
        return str(answer(self.coord("whoami", "--json"))["actor"])


def past(done: Done) -> list[dict[str, Any]]:
    """Return the events of a log, of each place what both versions know."""
    events: list[dict[str, Any]] = answer(done)["events"]
    for place in (place for event in events for place in event["line"]):
        place.pop("clone", None)
    return events


PRESENT = str(Path(sysconfig.get_path("scripts")) / "git-coord")


@pytest.mark.parametrize("installs", ["earlier", "present"])
def test_workers_of_two_versions_share_one_board(
    bare: Repo, earlier: Earlier, tmp_path: Path, installs: str
) -> None:
    """Claims, waits, releases, offers and messages go both ways, whoever's hooks are installed."""
    script = str(Path(PRESENT).with_name("coord-install"))
    told(bare.run(earlier.script("coord-install") if installs == "earlier" else script))
    old = Worker(bare.worktree(tmp_path / "old", "feat/old"), earlier.script("git-coord"))
    new = Worker(bare.worktree(tmp_path / "new", "feat/new"), PRESENT)

    for first, second in ((old, new), (new, old)):
        assert answer(first.coord("claim", "run", "--json"))["claims"][0]["state"] == "held"
        assert answer(second.coord("claim", "run", "--json"))["claims"][0]["place"] == 2
        assert rows(first.coord("board", "--json")) == rows(second.coord("board", "--json"))
        waiting = second.repo.begun(second.script, "wait", "run", "--timeout", "20s", **QUIET)
        told(first.coord("release", "run"))
        assert waiting.wait(30) == 0
        told(second.coord("handoff", first.actor, "--scope", "run"))
        told(first.coord("send", "help", second.actor, "look"))
        heard = answer(first.coord("inbox", "--json"))["messages"]
        (offer,) = (message["id"] for message in heard if message["kind"] == "handoff")
        told(first.coord("ack", offer))
        heard = [m["text"] for m in answer(second.coord("inbox", "--json"))["messages"]]
        assert "look" in heard
        told(first.coord("pause", "--reason", "lunch"))
        assert answer(second.coord("board", "--json"))["claims"][0]["paused"] is True
        told(first.coord("resume"))
        told(first.coord("release", "run"))
    history = [past(worker.coord("log", "run", "--json")) for worker in (old, new)]
    assert history[0] == history[1]
    told(bare.run(script))  # the fleet moves on, one after the other
    assert rows(old.coord("board", "--json")) == rows(new.coord("board", "--json")) == []


def test_a_version_that_knows_no_sweep_is_told_nothing_wrong_by_a_swept_board(
    bare: Repo, earlier: Earlier, tmp_path: Path
) -> None:
    """It reads free scopes as free; what it begins anew is held for all, and doctor names it."""
    told(bare.run(str(Path(PRESENT).with_name("coord-install"))))
    old = Worker(bare.worktree(tmp_path / "old", "feat/old"), earlier.script("git-coord"))
    new = Worker(bare.worktree(tmp_path / "new", "feat/new"), PRESENT)
    for worker, scope in ((old, "one"), (new, "two"), (new, "two")):
        told(worker.coord("claim", scope))
        told(worker.coord("release", scope))
    told(new.coord("claim", "held"))
    for path in (bare.common() / "coord" / "board" / "claims").rglob("0*"):
        os.utime(path, (1_700_000_000,) * 2)

    bare.run(PRESENT, "doctor", "--sweep")

    assert [row[0] for row in rows(old.coord("board", "--json"))] == ["task:held"]
    assert rows(old.coord("board", "--json")) == rows(new.coord("board", "--json"))
    assert answer(new.coord("claim", "one", "--json"))["claims"][0]["generation"] > 2
    assert answer(old.coord("claim", "one", "--json"))["claims"][0]["place"] == 2
    told(new.coord("release", "one"))
    told(old.coord("claim", "two"))
    assert answer(new.coord("claim", "two", "--json"))["claims"][0]["place"] == 2
    found = json.loads(new.coord("doctor", "--json").out)["findings"]
    assert [one["run"] for one in found if one["rule"] == "generation-reused"] == [
        "git coord log task:two"
    ]
