"""What a rehearsal found, in words: pure data, and its lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import operand, quote, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CLEAN, STALE, REFUSED, CONFLICT, LEFT_OUT = "clean", "stale", "refused", "conflict", "left-out"
_BUILT_ON = (CLEAN, STALE, REFUSED)
_NAMED = 3  # of the logs that are joined: nobody has to do anything about them
MARKERS, FILE, SIDES, NOTHING, MERGED = "markers", "file", "sides", "nothing", "merged"


class Conflict(NamedTuple):
    """A path that somebody has to merge by hand.

    Attributes:
        path: as the real merge names it, relative to the top level.
        about: git's word for the conflict.
        left: what git leaves there: ``markers``; ``file``: the version of the one side that has
            it; ``sides``: ours of two that it does not join; ``nothing``; ``merged``: it is not
            unmerged, git only speaks of it.
        commit: of a submodule: the one that is brought in, else ours.
    """

    path: str
    about: str
    left: str = MARKERS
    commit: str = ""


class Artifact(NamedTuple):
    """A guarded file whose driver refused; the rehearsal went on with ours.

    Attributes:
        path: relative to the top level.
        kind: derived, log or once.
        what: what its driver said.
        by_hand: only a person can make one text of both sides.
    """

    path: str
    kind: str
    what: str
    by_hand: bool = False


class Stale(NamedTuple):
    """A derived file that its inputs no longer make, once the merge is done.

    Attributes:
        path: the first file of its rule, relative to the top level.
        what: why, as ``check`` says it.
        run: what makes it anew, and commits it.
    """

    path: str
    what: str
    run: str


class Step(NamedTuple):
    """One branch, merged on top of what is left of those before it.

    Attributes:
        branch: as it was named.
        outcome: ``clean``; ``stale``: it merges, and leaves a derived file older than its inputs;
            ``refused``: nothing but guarded files stood in the way; ``conflict``: a person has to
            merge it; ``left-out``: it cannot be merged, or its test failed.
            The next branch is merged on top of this one after the first three only.
        why: why it was left out.
        conflicts: what a person has to merge.
        refused: guarded files whose driver refused.
        joined: logs that both sides appended to.
        status: exit status of the test, 128 + n after signal n; None where it was not run.
        tip: the branch's commit, empty where there is none.
        tree: the merged tree, with ours of every refused file; empty where there is none.
        commit: the merge that the next branch is merged on top of; empty where there is none.
        stale: derived files that have to be made anew after the merge.
        afterwards: of a branch in conflict, how it merges on top of all that was kept: that is
            where a person will merge it.
        typed: what a command has to call the branch; empty where that is as it was named.
        gone: of a branch that was deleted, the commit that it was finished at.
    """

    branch: str
    outcome: str
    why: str = ""
    conflicts: tuple[Conflict, ...] = ()
    refused: tuple[Artifact, ...] = ()
    joined: tuple[str, ...] = ()
    status: int | None = None
    tip: str = ""
    tree: str = ""
    commit: str = ""
    stale: tuple[Stale, ...] = ()
    afterwards: Step | None = None
    typed: str = ""
    gone: str = ""

    @property
    def kept(self) -> bool:
        """Whether the next branch is merged on top of this one."""
        return self.outcome in _BUILT_ON

    @property
    def commands(self) -> tuple[str, ...]:
        """What the integrator runs for this branch, in order, at the top level.

        Of a branch in conflict: what merges it by hand, after all the others; of one that is gone,
        what brings it back. None where nothing can be merged, or where a failed test has to be
        mended on the branch.
        """
        if self.afterwards is not None:
            return self.afterwards.commands
        if self.outcome == LEFT_OUT:
            return (f"git branch {quote(self.branch)} {self.gone[:12]}",) if self.gone else ()
        begin = f"git merge --no-edit {quote(self.typed or self.branch)}"
        anew = tuple(one.run for one in self.stale)
        if self.outcome in {CLEAN, STALE}:
            return (begin, *anew)
        by_hand, ways_out = _by_hand(self.conflicts), _ways_out(self.refused)
        return (begin, *by_hand, *ways_out, "git commit --no-edit", *anew)


class Rehearsal(NamedTuple):
    """The whole: what it was built on, and every step in the order asked for.

    Attributes:
        onto: as it was named.
        base: its commit.
        tree: the tree that all the steps that were kept make together.
        steps: one a branch.
    """

    onto: str
    base: str
    tree: str
    steps: tuple[Step, ...]

    @property
    def ok(self) -> bool:
        """Whether every branch merges cleanly, leaves nothing stale and passes its test."""
        return all(step.outcome == CLEAN for step in self.steps)

    def knowing(self, deleted: Mapping[str, str]) -> Rehearsal:
        """Return it with what is known of branches that are gone: where they were finished."""
        steps = (
            step._replace(why=f"deleted, finished at {at[:12]}", gone=at)
            if not step.tip and at
            else step
            for step in self.steps
            for at in [deleted.get(step.branch, "")]
        )
        return self._replace(steps=tuple(steps))

    def lines(self) -> list[str]:
        """Return the screen: a line a branch, then the commands; foreign text still unescaped."""
        if not self.steps:
            return [f"nothing is finished: nothing to merge into {self.onto} ({self.base[:12]})"]
        names = [shown(step.branch) for step in self.steps]
        width = max(map(len, names))
        screen = [f"on top of {self.onto} ({self.base[:12]}):"]
        for number, (name, step) in enumerate(zip(names, self.steps, strict=True), 1):
            line = f"{number:>3}  {name:<{width}}  {step.outcome:<8}  {_told(step)}"
            screen.append(line.rstrip())
        screen += _section(f"then, on {self.onto}:", (step for step in self.steps if step.kept))
        gone = (step for step in self.steps if step.gone)
        screen += _section("deleted; to have them back, and rehearsed again:", gone)
        by_hand = (step for step in self.steps if not step.kept and not step.gone)
        return screen + _section("left out, to be merged by hand after that:", by_hand)


def _told(step: Step) -> str:
    parts = [f"{conflict.path} ({conflict.about})" for conflict in step.conflicts]
    parts += [f"{one.path} ({one.kind}: {one.what})" for one in step.refused]
    parts += [f"{one.path} (derived: {one.what})" for one in step.stale]
    parts += [_joins(step.joined)] if step.joined else []
    return "; ".join([*([step.why] if step.why else []), *parts])


def _joins(paths: Sequence[str]) -> str:
    """Name the logs that are joined; of many a few, or a conflict is not seen among them."""
    if len(paths) <= _NAMED + 1:  # one more takes no more room than to say so
        return f"joins {', '.join(paths)}"
    return f"joins {len(paths)} logs: {', '.join(paths[:_NAMED])} and {len(paths) - _NAMED} more"


def _section(title: str, steps: Iterable[Step]) -> list[str]:
    commands = [f"  {command}" for step in steps for command in step.commands]
    return ["", title, *commands] if commands else []


def _by_hand(conflicts: Sequence[Conflict]) -> list[str]:
    """Return how a person goes on, so that nothing is unmerged in the end.

    Where git left markers, what stops until none is left: an editor would wait for ever where there
    is no terminal, and take the lines below it for its own where there is one. Else what stages the
    version that lies there, and how to take another one. A look alone, where git only says that it
    has moved something.
    """
    files = " ".join(operand(one.path) for one in conflicts if one.left == MARKERS)
    edit = [f"! grep -n '^<<<<<<< ' {files} && git add {files}"] if files else []
    rest = [_staged(one) for one in conflicts if one.left not in {MARKERS, MERGED}]
    look = ["git status"] if conflicts and not edit and not rest else []
    return [*edit, *rest, *look]


def _staged(conflict: Conflict) -> str:
    """Return what settles a path without markers."""
    path = operand(conflict.path)
    if conflict.left == NOTHING:
        return f"git rm --cached {path}"
    if conflict.commit:  # `git add` needs a clone of it there
        return f"git update-index --cacheinfo {quote(f'160000,{conflict.commit},{conflict.path}')}"
    if conflict.left == SIDES:
        return f"git add {path}   # or before: git checkout --theirs {path}"
    return f"git add {path}   # or: git rm {path}"


def _ways_out(refused: Sequence[Artifact]) -> list[str]:
    """Return what settles refused files: all derived ones last, and in one go.

    They may be made from the others, and a producer of several runs once.
    """
    from coord.guard import refusal  # noqa: PLC0415  # 4 ms, for those that are refused only

    others = [
        refusal.by_hand(one.path) if one.by_hand else refusal.command(one.kind, one.path)
        for one in refused
        if one.kind != "derived"
    ]
    derived = [operand(one.path) for one in refused if one.kind == "derived"]
    return [*others, *([f"git coord regenerate {' '.join(derived)}"] if derived else [])]
