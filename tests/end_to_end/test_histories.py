"""Random histories on real git: three branches append to one log, and take from each other.

Whatever the history, every branch holds each record it should, once. COORD_HISTORIES sets how many
histories are played in each way; a failing one is named by its seed.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from harness import Repo
from harness.drivers import add_drivers

if TYPE_CHECKING:
    from pathlib import Path

LOG = "events.log"
BRANCHES = ("one", "two", "three")
STEPS = 12
HISTORIES = int(os.environ.get("COORD_HISTORIES", "3"))


class History:
    """One random history; `held` says which records each branch must hold."""

    def __init__(self, repo: Repo, seed: int, *, stamped: bool) -> None:
        self.repo = repo
        self.random = random.Random(seed)  # noqa: S311 - a seed, to play it again
        self.stamped = stamped
        self.count = 0
        self.refused = 0
        first = self._record()
        repo.commit("base", {LOG: first + "\n"})
        self.held = {branch: {first} for branch in BRANCHES}
        for branch in BRANCHES:
            repo.git("branch", branch)

    def play(self) -> None:
        """Take the steps, and look at the branch after each."""
        for branch in BRANCHES:
            self.repo.git("switch", "-q", branch)
            self.append(branch)
        for _ in range(STEPS):
            branch, other = self.random.sample(BRANCHES, 2)
            self.repo.git("switch", "-q", branch)
            self.append(branch)
            step = self.random.choice([self.merge, self.squash, self.rebase, self.pick])
            step(branch, other)
            assert self.lines() == Counter(self.held[branch]), step.__name__

    def lines(self) -> Counter[str]:
        """Return how often each record is in the log that is checked out."""
        return Counter(self.repo.read(LOG).splitlines())

    def append(self, branch: str) -> None:
        """Add one to three records in one commit."""
        records = [self._record() for _ in range(self.random.randint(1, 3))]
        text = self.repo.read(LOG) + "".join(record + "\n" for record in records)
        self.repo.commit(f"append to {branch}", {LOG: text})
        self.held[branch] |= set(records)

    def _record(self) -> str:
        """Return a new record: stamped by one clock, in many spellings, or beginning at random."""
        self.count += 1
        if not self.stamped:
            return f"{self.random.getrandbits(32):08x} {self.count}"
        zone = self.random.choice(["Z", "+00:00", "+01:00", "-05:30"])
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.count * 7 // 2)
        minutes = {"+01:00": 60, "-05:30": -330}.get(zone, 0)
        local = (at + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{local}{self.random.choice(['', '.0', '.25'])}{zone} {self.count}"

    def merge(self, branch: str, other: str) -> None:
        """Merge another branch."""
        self._must(branch, other, "merge", "--no-edit", other)

    def squash(self, branch: str, other: str) -> None:
        """Take another branch's records without its history."""
        self._must(branch, other, "merge", "--squash", other)
        self.repo.commit(f"squash {other} into {branch}")

    def rebase(self, branch: str, other: str) -> None:
        """Put this branch on top of another one."""
        self._must(branch, other, "rebase", other)

    def _must(self, branch: str, other: str, *command: str) -> None:
        """Run a command that no history may make the driver refuse."""
        done = self.repo.tried(*command)
        assert done.code == 0, f"{command}: {done.out}{done.err}"
        self.held[branch] |= self.held[other]

    def pick(self, branch: str, other: str) -> None:
        """Take one commit: refused exactly where records it stands on are not here."""
        commits = self.repo.git("rev-list", "--no-merges", "-n", "6", other, "^main").split()
        commit = self.random.choice(commits)
        before, after = (self._log_at(rev) for rev in (f"{commit}~", commit))
        done = self.repo.tried("cherry-pick", commit)
        if self.repo.git("ls-files", "-u"):
            self.refused += 1
            assert not before <= self.held[branch], done.err
            assert done.refusal.rule == "log-rewritten"
            self.repo.git("cherry-pick", "--abort")
            return
        if done.code:
            self.repo.git("cherry-pick", "--skip")  # all of it is here already
        assert before <= self.held[branch] or before == after  # an empty commit asks nobody
        self.held[branch] |= after - before

    def _log_at(self, rev: str) -> set[str]:
        return set(self.repo.git("show", f"{rev}:{LOG}").splitlines())

    def merged_in_every_order(self) -> list[bytes]:
        """Merge the three branches in each order; return the bytes of each result."""
        results = []
        for first, *others in permutations(BRANCHES):
            self.repo.git("switch", "-q", "--detach", first)
            for other in others:
                self.repo.git("merge", "-q", "--no-edit", other)
            results.append((self.repo.path / LOG).read_bytes())
        return results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(HISTORIES))
@pytest.mark.parametrize("stamped", [True, False], ids=["stamped", "unstamped"])
def test_a_history_loses_doubles_and_invents_nothing(
    tmp_path: Path, env: dict[str, str], seed: int, stamped: bool
) -> None:
    """Merge, squash and rebase are never refused; stamped logs have one result in every order."""
    repo = Repo.init(tmp_path / "repo", env)
    add_drivers(repo)
    history = History(repo, seed, stamped=stamped)
    history.play()
    results = history.merged_in_every_order()

    expected = Counter(set.union(*history.held.values()))
    assert [Counter(result.decode().splitlines()) for result in results] == [expected] * 6
    if stamped:
        assert len(set(results)) == 1
