"""What ``merge-order`` answers: the order, and the rehearsal that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from coord.order.merging import Entry, Plan
    from coord.rehearse.report import Rehearsal, Step


class EntryDocument(TypedDict):
    """One branch of the order.

    Attributes:
        position: from 1.
        actor: who holds the branch, else who claimed first for it.
        state: ``finished``, ``running`` or ``landed``.
        footprint: the artifacts claimed for it.
        waits_on: branches that come before it.
        undeclared: derived files it changed without a claim.
        unchanged: artifacts it claimed and did not change.
        absent: it is running, but its worker's process or worktree is no more.
        since: the earliest claim.
        tip: its commit.
        exists: there is a branch of that name, or a remote's as it was last fetched.
        ref: what names that in a command here.
        elsewhere: where its worker is, if in another clone.
        changed_since_finish: it has other commits than those it was finished with.
        was: the names that it was claimed or finished under before.
        under: the branches that have its commits, where there is none of its name.
    """

    position: int
    branch: str
    actor: str
    instance: str | None
    state: str
    footprint: list[str]
    waits_on: list[str]
    undeclared: list[str]
    unchanged: list[str]
    absent: bool
    since: str
    tip: str | None
    exists: bool
    ref: str | None
    elsewhere: str | None
    finished_at: str | None
    finished_tip: str | None
    changed_since_finish: bool
    was: list[str]
    under: list[str]


class StaleDocument(TypedDict):
    """A derived file that its inputs no longer make after the merge, and why."""

    path: str
    what: str


class RefusedDocument(TypedDict):
    """A guarded file whose driver refused: its kind, and what the driver said."""

    path: str
    kind: str
    what: str


class StepDocument(TypedDict):
    """One branch, merged on top of what is left of those before it.

    Attributes:
        tip: its commit, null where there is none.
        outcome: ``clean``, ``stale``, ``refused``, ``conflict`` or ``left-out``.
        why: why it was left out.
        conflicts: paths that a person has to merge.
        conflict_kinds: git's words for them, one each.
        joined: logs that both sides appended to.
        exec: exit status of the test, null where it was not run.
        commands: what the integrator runs for it.
    """

    branch: str
    tip: str | None
    outcome: str
    why: str | None
    conflicts: list[str]
    conflict_kinds: list[str]
    refused: list[RefusedDocument]
    stale: list[StaleDocument]
    joined: list[str]
    exec: int | None
    commands: list[str]


class RehearsalDocument(TypedDict):
    """What a rehearsal found.

    Attributes:
        base: the commit it was built on.
        tree: the tree that all the steps that were kept make together.
        ok: every branch merges cleanly, leaves nothing stale and passes its test.
        steps: one a branch.
    """

    onto: str
    base: str
    tree: str
    ok: bool
    steps: list[StepDocument]


class MergeOrderDocument(TypedDict):
    """The order in which branches are to be merged.

    Attributes:
        onto: what they are merged into.
        onto_commit: its commit.
        cycles: branches that wait on each other.
        rehearsal: where one was asked for.
    """

    onto: str
    onto_commit: str | None
    order: list[EntryDocument]
    cycles: list[list[str]]
    rehearsal: NotRequired[RehearsalDocument]


def document(plan: Plan, found: Rehearsal | None = None) -> MergeOrderDocument:
    """Return the order, with the rehearsal where there was one."""
    made: MergeOrderDocument = {
        "onto": plan.onto.name,
        "onto_commit": plan.onto.commit,
        "order": [_entry(entry) for entry in plan.entries],
        "cycles": [list(circle) for circle in plan.cycles],
    }
    if found is not None:
        made["rehearsal"] = rehearsal(found)
    return made


def rehearsal(found: Rehearsal) -> RehearsalDocument:
    """Return what a rehearsal found."""
    return {
        "onto": found.onto,
        "base": found.base,
        "tree": found.tree,
        "ok": found.ok,
        "steps": [_step(step) for step in found.steps],
    }


def _entry(entry: Entry) -> EntryDocument:
    branch, work = entry.branch, entry.branch.work
    return {
        "position": entry.position,
        "branch": branch.name,
        "actor": work.actor,
        "instance": work.instance,
        "state": branch.state,
        "footprint": list(work.footprint),
        "waits_on": list(entry.waits_on),
        "undeclared": list(entry.undeclared),
        "unchanged": list(entry.unchanged),
        "absent": entry.absent,
        "since": work.since,
        "tip": branch.tip,
        "exists": branch.ref is not None,
        "ref": None if branch.ref is None else branch.ref.typed,
        "elsewhere": entry.elsewhere or None,
        "finished_at": work.finished_at,
        "finished_tip": work.finished_tip,
        "changed_since_finish": branch.moved,
        "was": list(work.was),
        "under": list(branch.under),
    }


def _step(step: Step) -> StepDocument:
    return {
        "branch": step.branch,
        "tip": step.tip or None,
        "outcome": step.outcome,
        "why": step.why or None,
        "conflicts": [conflict.path for conflict in step.conflicts],
        "conflict_kinds": [conflict.about for conflict in step.conflicts],
        "refused": [{"path": one.path, "kind": one.kind, "what": one.what} for one in step.refused],
        "stale": [{"path": one.path, "what": one.what} for one in step.stale],
        "joined": list(step.joined),
        "exec": step.status,
        "commands": list(step.commands),
    }
