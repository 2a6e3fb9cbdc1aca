"""What is judged: a range in a repository, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.check import edges, inputs
from coord.check.attributes import Attributes, state_of
from coord.check.inputs import Inputs
from coord.guard import guarded
from coord.history import commits
from coord.settings import config, sections

if TYPE_CHECKING:
    from coord.check.edges import History, Tick
    from coord.check.inputs import Unit
    from coord.check.layout import Scratch
    from coord.history.blobs import Blobs
    from coord.history.door import Door
    from coord.history.revisions import Range
    from coord.repo.worktree import Worktree
    from coord.settings.config import Config
    from coord.settings.sections import ConfigInvalid


@dataclass(frozen=True)
class Subject:
    """What the rules are applied to.

    Attributes:
        here: the clone.
        cwd: the folder of the user, for the commands that are printed.
        door: how objects are read.
        blobs: their contents.
        asked: the range.
        history: what its commits changed.
        config: ``.coord.toml`` of the tip; the defaults where it is invalid.
        invalid: why it is, else None.
        kinds: path → kind of the guarded files of the tip.
        units: its derived files, by the rule that makes them.
        tick: told of progress.
    """

    here: Worktree
    cwd: str
    door: Door
    blobs: Blobs
    asked: Range
    history: History
    config: Config
    invalid: ConfigInvalid | None
    kinds: dict[bytes, str]
    units: list[Unit]
    tick: Tick

    @property
    def tree(self) -> dict[bytes, str]:
        """Path → blob of the regular files of the tip."""
        return self.history.trees[self.asked.tips[-1]]

    def of_kind(self, kind: str) -> list[bytes]:
        """Return the guarded files of the tip of one kind."""
        return [path for path, found in self.kinds.items() if found == kind]


def read(
    here: Worktree,
    cwd: str,
    door: Door,
    asked: Range,
    *,
    blobs: Blobs,
    scratch: Scratch,
    tick: Tick,
) -> Subject:
    """Read a range.

    Raises:
        GitError: git could not, as where objects are missing.
    """
    trees = {tip: edges.tree_of(door, tip) for tip in asked.tips}
    tree = trees[asked.tips[-1]]
    state = state_of(tree)
    attributes = Attributes(scratch, blobs, here.common_dir, state)
    attributes.learn(state, tree)
    kinds = {path: kind for path in tree if (kind := attributes.kind(state, path))}
    declared, invalid = _config(blobs, tree)
    derived = [os.fsdecode(path) for path, kind in kinds.items() if kind == "derived"]
    rules = guarded.derived_rules(here, declared, derived)
    units = inputs.units({os.fsencode(path): rule for path, rule in rules.items()})
    found = edges.History(commits.read(door, asked.tips, asked.hidden), trees, attributes)
    edges.follow(found, door, Inputs(scratch, units), tick)
    return Subject(here, cwd, door, blobs, asked, found, declared, invalid, kinds, units, tick)


def _config(blobs: Blobs, tree: dict[bytes, str]) -> tuple[Config, ConfigInvalid | None]:
    text = blobs.read(tree.get(os.fsencode(config.FILE)))
    try:
        return config.parse(text, config.FILE), None
    except sections.ConfigInvalid as invalid:
        return config.Config(), invalid
