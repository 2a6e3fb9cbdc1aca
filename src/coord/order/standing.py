"""How the board's branches stand to what they land on: finished, running or landed.

A branch has landed when its commit is in the target; also, once finished, when every file that it
changed stands in the target as it has it, as after a squash or a rebase on a server: to merge it
would change nothing. A branch that was only created is in its target too: it has landed only if it
was finished, or if its own reflog says that its commit was made there; and one whose claims are all
younger than that is at work again. A finished branch is its commits: where there is none of its
name any more, or a later one, it is the branch that has them now (:mod:`coord.order.successors`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from coord.order import branches, candidates, successors
from coord.order.arrange import FINISHED, LANDED, RUNNING
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from coord.board.events import Event
    from coord.board.events import Place as Claim
    from coord.board.renamed import Names
    from coord.order.branches import Onto, Ref
    from coord.order.candidates import Work
    from coord.repo.worktree import Worktree


_SHORT = 12


class Branch(NamedTuple):
    """A branch of the board in the repository.

    Attributes:
        work: what is claimed for it.
        state: ``finished``, ``running`` or ``landed``.
        ref: the branch itself, None where there is none of that name (any more).
        tip: its commit; of a branch that is gone the one it was finished at, if that is there.
        changed: the paths it changed since its merge base; None where they cannot be told.
        own: its commit was made on it, and is in the target.
        under: several branches have its commits, and it is none of them.
        taken: it is gone, and its name is that of other commits now.
        away: its workers are in other clones, so `ref` is what was fetched of it, if anything.
    """

    work: Work
    state: str
    ref: Ref | None
    tip: str | None
    changed: Collection[str] | None
    own: bool = False
    under: tuple[str, ...] = ()
    taken: bool = False
    away: bool = False

    @property
    def typed(self) -> str:
        """What names it in a command: where another branch has its name here, its commit does."""
        if self.away and self.taken and self.tip:
            return self.tip[:_SHORT]
        return self.name if self.ref is None else self.ref.typed

    @property
    def name(self) -> str:
        """Its name, as git spells it."""
        return self.work.name if self.ref is None else self.ref.name

    @property
    def moved(self) -> bool:
        """Whether it has other commits now than when it was finished."""
        at = self.work.finished_tip
        return self.ref is not None and at is not None and at != self.ref.commit


class _Facts(NamedTuple):
    """What git says of the branches' commits.

    Attributes:
        onto: the target.
        new: commits that the target has not; None while it has no commit itself.
        changed: {commit: what it changed since its merge base}, as the commit has it.
        there: what the target has.
    """

    onto: Onto
    new: Collection[str] | None
    changed: Mapping[str, Mapping[str, str]]
    there: Mapping[str, str]

    def has(self, commit: str | None) -> bool:
        """Tell whether the target has a commit."""
        return self.new is not None and commit in self.changed and commit not in self.new

    def holds(self, commit: str | None) -> bool:
        """Tell whether a commit has landed, itself or by what it changed."""
        return commit is not None and (self.has(commit) or self.has_all_of(commit))

    def has_all_of(self, commit: str) -> bool:
        """Tell whether all that a commit changed stands in the target as it stands there."""
        mine = self.changed.get(commit, {})
        return bool(mine) and all(self.there.get(path, "") == blob for path, blob in mine.items())


def looked_up(
    here: Worktree, events: Sequence[Event], onto: Onto, names: Names
) -> dict[str, Branch]:
    """Return how the branches of the board stand to `onto`, by their name of today in NFC.

    `onto` itself is none of them. What is found out of their names is added to `names`.
    """
    refs = branches.branches(here)
    found, facts = _found(here, events, onto, names, refs)
    pairs = {name: (one.work, one.ref) for name, one in found.items() if not one.away}
    if successors.learned(here, onto, pairs, names, facts.holds):
        found, _ = _found(here, events, onto, names, refs)
    return found


def _found(
    here: Worktree, events: Sequence[Event], onto: Onto, names: Names, refs: Mapping[str, Ref]
) -> tuple[dict[str, Branch], _Facts]:
    """Return the branches by what they are called, as far as `names` knows."""
    every, local = candidates.works(events, names), refs
    works = {name: work for name, work in every.items() if not onto.is_copy(name)}
    away = {name: one.finished_tip for name, one in works.items() if names.are_away(one.deciding)}
    if away:
        own = {name: ref for name, ref in refs.items() if name not in away}
        refs = own | branches.afar(here, away, refs)
    tips = {name: refs[name].commit for name in works if name in refs}
    done = {name: work.finished_tip for name, work in works.items() if work.finished_tip}
    there = branches.existing(here, {tip for name, tip in done.items() if tip != tips.get(name)})
    tips = {name: tip for name, tip in done.items() if tip in there} | tips
    finished = {tips[name] for name in done if name in tips} | there
    facts = _facts(here, onto, {*tips.values(), *there}, finished)
    found = {}
    for name, work in works.items():
        one = _branch(here, work, refs.get(name), tips.get(name), facts)
        taken = one.ref is None and normal(work.name) in local
        found[name] = one._replace(taken=taken, away=name in away)
    return found, facts


def _facts(here: Worktree, onto: Onto, tips: Collection[str], finished: Collection[str]) -> _Facts:
    if onto.commit is None:
        return _Facts(onto, None, {}, {})
    new = branches.unmerged(here, onto.commit, tips)
    bases = branches.bases(here, new, tips)
    merged = {tip: tip for tip in tips if tip not in new}
    changed = branches.changed(here, merged | bases)
    compares = any(tip in new for tip in finished)
    return _Facts(onto, new, changed, branches.contents(here, onto.commit) if compares else {})


def _branch(here: Worktree, work: Work, ref: Ref | None, tip: str | None, facts: _Facts) -> Branch:
    changed = None if tip is None else facts.changed.get(tip)
    own = _is_local(ref) and facts.has(tip) and branches.is_own(here, ref)
    at_work = Branch(work, RUNNING, ref, tip, changed, own)
    if work.finished_at is not None:
        landed = _has_landed(here, at_work, facts)
        if landed:
            return at_work._replace(state=LANDED)
        under = branches.having(here, facts.onto, tip) if tip and ref is None else ()
        return at_work._replace(state=FINISHED, under=tuple(under))
    if own and any(is_of_landed(here, facts.onto, at_work, one) for one in work.deciding):
        return at_work._replace(state=LANDED)
    return at_work


def _is_local(ref: Ref | None) -> TypeGuard[Ref]:
    """Tell whether there is a branch whose log is here."""
    return ref is not None and not ref.remote


def is_of_landed(here: Worktree, onto: Onto, branch: Branch, claimed: Claim) -> bool:
    """Tell whether a place was taken for what has landed of a branch, not for new work on it.

    So it was if that was finished later, or got a commit later; or came into the target later and
    was never finished: what is claimed after a finish is for more than what was finished by then.
    """
    at = branch.work.finished_at
    if at is not None and candidates.said_at(claimed) <= candidates.seconds(at):
        return True
    if not branch.own or branch.tip is None:
        return False
    names = {branch.work.name, *branch.work.was}
    if normal(claimed.branch or "") in names and claimed.tip not in {None, branch.tip}:
        return True
    entered = branches.entered(here, onto, branch.tip) if at is None else None
    return entered is not None and candidates.said_at(claimed) < entered


def _has_landed(here: Worktree, branch: Branch, facts: _Facts) -> bool:
    """Tell whether a finished branch has landed.

    What was reset to the target afterwards was given up, not landed. Of another clone's branch no
    log says that it was: there the commit counts that was finished, whatever was pushed since.
    """
    tip = branch.tip
    if tip is None:
        return False
    if not _is_local(branch.ref):
        return facts.holds(branch.work.finished_tip)
    if not facts.has(tip):
        return facts.has_all_of(tip)
    given_up = not facts.holds(branch.work.finished_tip) and branches.was_reset(here, branch.ref)
    return not given_up
