"""A private git dir is read once a command, however many workers have left signs in it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.identity import pin
from coord.liveness import beats
from coord.liveness.presence import Judge
from coord.repo import worktree

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def mint(git_dir: str, number: int) -> str:
    """Let a session without a pin have acted there, the later the higher its number."""
    instance = pin.uuid()
    for folder in (beats.MINTED, beats.BEATS):
        os.makedirs(os.path.join(git_dir, folder), exist_ok=True)
    with open(os.path.join(git_dir, beats.MINTED, f"s{number}"), "w", encoding="ascii") as file:
        file.write(f"{instance}\n")
    beat = os.path.join(git_dir, beats.BEATS, instance)
    with open(beat, "w", encoding="ascii") as file:
        file.write("coord-beat 1\n")
    os.utime(beat, (1_700_000_000 + number,) * 2)
    return instance


def test_each_file_is_read_once_for_all_workers(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the last to give a command owns the worktree's own sign, as when each is asked alone."""
    here = worktree.discover(str(repo.path))
    instances = [mint(here.git_dir, number) for number in range(12)]
    beats.touch(here.git_dir)
    read: Counter[str] = Counter()
    real = peerfile.read
    monkeypatch.setattr(peerfile, "read", lambda path, *a: read.update([path]) or real(path, *a))
    judge = Judge(here.common_dir, None, 1800.0)
    found = [judge.of(".", instance) for instance in instances]

    minted = {path: times for path, times in read.items() if beats.MINTED in path}
    assert len(minted) == len(instances)
    assert set(minted.values()) == {1}
    alone = [Judge(here.common_dir, None, 1800.0).of(".", instance) for instance in instances]
    assert found == alone
    assert [one.seen for one in found[:-1]] == [1_700_000_000 + number for number in range(11)]
    assert found[-1].seen != 1_700_000_011
