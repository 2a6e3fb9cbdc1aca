"""What git says of a refused path: ``coord.guard.refusal`` tells from it whether it still binds."""

from __future__ import annotations

import os

from coord.base.frozen import NamedTuple
from coord.guard import guarded
from coord.guard.normal import Forms
from coord.repo import git, underway

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.repo.worktree import Worktree

_AT_ONCE = 500  # pathspecs of one command, whose length systems bound


class Recorded(NamedTuple):
    """What a driver was given, and what a person settled it with, as a record has it."""

    path: str
    ours: str
    theirs: str
    resolved: str


class Facts(NamedTuple):
    """What git says now about one refused path.

    Attributes:
        sides: blobs of the two sides as git itself holds them: a driver may have been given
            others, which are the same but for what git converts.
        head: HEAD's commit, ``unborn`` before the first.
        unmerged: the path has conflict stages, or had them until the ``commit -a`` under way.
        brought: the operation in progress brings *theirs* in.
        undone: blobs of stages 2 and 3 in the index's resolve-undo list, for this path.
        unfinished: SQUASH_MSG, MERGE_MSG or rebase-apply/ says that something awaits its commit.
        stashed: *theirs* is staged, and the stash holds it.
        staged: blob to be committed; empty when the path is not there, or when a partial commit
            (``git commit PATH``) leaves it as HEAD has it and so swallows nothing. Where it is a
            side, or what settled them, but for what git converts: that one.
        busy: any operation is in progress in this worktree.
    """

    sides: tuple[str, str]
    head: str
    unmerged: bool
    brought: bool
    undone: tuple[str, str] | None
    unfinished: bool
    stashed: bool
    staged: str
    busy: bool


def gather(here: Worktree, refused: Sequence[Recorded], environ: Mapping[str, str]) -> list[Facts]:
    """Ask git what the rule needs to know of each path that was refused.

    A merge may be refused on hundreds of paths: each question is put to git once for all of them.
    In a hook `environ` is ``git.here()``: the index git is about to commit counts.
    """
    if not refused:
        return []
    ask = _Questions(here, [one.path for one in refused], environ)
    head = ask.rev("HEAD") or "unborn"
    unfinished = any(map(ask.has, ("SQUASH_MSG", "MERGE_MSG", "rebase-apply")))
    busy = underway.is_busy(here)
    found = []
    for record in refused:
        path, (ours, theirs) = record.path, ask.sides(record)
        undo = ask.undone(path)
        staged = ask.alike(path, ask.staged(path), (record.resolved, ours, theirs))
        facts = Facts(
            sides=(ours, theirs),
            head=head,
            unmerged=any(stage in ask.stages(path) | ask.replaced(path) for stage in "123"),
            brought=ask.is_brought(path, theirs),
            undone=(undo["2"], undo["3"]) if {"2", "3"} <= undo.keys() else None,
            unfinished=unfinished,
            stashed=staged == theirs and any(ask.holds(one, path, theirs) for one in ask.stashes()),
            staged=staged,
            busy=busy,
        )
        found.append(facts)
    return found


class Conflict(NamedTuple):
    """A guarded path of which git itself remembers two sides, in the index."""

    path: str
    kind: str
    ours: str
    theirs: str


def conflicts(here: Worktree, environ: Mapping[str, str]) -> list[Conflict]:
    """Return the guarded paths that the operation in progress met a conflict of, settled or not.

    An octopus and ``-s resolve`` call no driver, and a driver may be unable to leave its record.
    """
    if not any(map(here.has, underway.OF_ONE_COMMIT)):
        return []
    specs = [f":(top,attr:{guarded.attribute(kind)})" for kind in guarded.KINDS]
    ask = ("ls-files", "-z", "--full-name", "--unmerged", "--resolve-undo", "--", *specs)
    stages = _by_path(git.tell(*ask, cwd=here.cwd, env=environ).fields)
    both = {path: blobs for path, blobs in stages.items() if {"2", "3"} <= blobs.keys()}
    kinds = guarded.kinds(here, both) if both else {}
    return [Conflict(path, kind, both[path]["2"], both[path]["3"]) for path, kind in kinds.items()]


def is_unfinished(here: Worktree, environ: Mapping[str, str]) -> bool:
    """Tell whether anything awaits its commit, or a conflict its resolution."""
    if underway.is_busy(here) or any(map(here.has, ("MERGE_MSG", "SQUASH_MSG"))):
        return True
    env = _replaced_index(environ) or environ
    return bool(git.ask("ls-files", "--unmerged", cwd=here.cwd, env=env).out)


def _whole_index(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return `environ` without the scratch index of a partial commit, which has no conflicts."""
    if not os.path.basename(environ.get("GIT_INDEX_FILE", "")).startswith("next-index-"):
        return environ
    return {key: text for key, text in environ.items() if key != "GIT_INDEX_FILE"}


def _replaced_index(environ: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return `environ` for the index that ``git commit -a`` is about to replace, None elsewhere.

    It writes the new one into the lock, and until its hooks have passed the old one stands.
    """
    name = environ.get("GIT_INDEX_FILE", "")
    old = name.removesuffix(".lock")
    if old == name or os.path.basename(name).startswith("next-index-") or not os.path.exists(old):
        return None
    return {**environ, "GIT_INDEX_FILE": old}


class _Questions:
    """Questions to git about refused paths of one worktree, each put once."""

    def __init__(self, here: Worktree, paths: Sequence[str], environ: Mapping[str, str]) -> None:
        self._here = here
        self._paths = list(dict.fromkeys(filter(None, paths)))  # a torn record has none
        self._environ = environ
        self._forms = Forms(here.cwd, environ, self._paths)
        self._whole = _whole_index(environ)
        self._stages = self._listed("--stage", self._whole)
        self._undone = self._listed("--resolve-undo", self._whole)
        old = _replaced_index(environ)
        self._replaced = self._listed("--stage", old) if old else {}
        self._partly = {} if self._whole is environ else self._listed("--stage", environ)
        self._held: dict[str, dict[str, str]] = {}
        self._trees: dict[str, bytes] = {}
        self._parents: dict[str, list[str]] = {}
        self._stash: list[str] | None = None

    def has(self, name: str) -> bool:
        """See :meth:`coord.repo.worktree.Place.has`."""
        return self._here.has(name)

    def rev(self, name: str) -> str:
        """Return the object `name` stands for, empty when there is none."""
        ask = ("rev-parse", "--verify", "--quiet", name)
        return git.look(*ask, cwd=self._here.cwd, env=self._environ).text

    def stages(self, path: str) -> dict[str, str]:
        """Return {stage: blob} of a path in the index."""
        return self._stages.get(path, {})

    def replaced(self, path: str) -> dict[str, str]:
        """Return {stage: blob} of a path in the index that this commit replaces."""
        return self._replaced.get(path, {})

    def undone(self, path: str) -> dict[str, str]:
        """Return {stage: blob} of a path in the resolve-undo list."""
        return self._undone.get(path, {})

    def staged(self, path: str) -> str:
        """Return the blob to be committed, empty when a partial commit leaves the path alone."""
        if self._whole is self._environ:
            return self.stages(path).get("0", "")
        staged = self._partly.get(path, {}).get("0", "")
        return "" if staged == self._at("HEAD", path) else staged

    def sides(self, refused: Recorded) -> tuple[str, str]:
        """Return the two blobs that were refused as git holds them, else as the driver saw them."""
        path, ours, theirs, _ = refused
        held = [where.get(path, {}) for where in (self._stages, self._replaced, self._undone)]
        built_on, brought = ([stages.get(side, "") for stages in held] for side in "23")
        is_merge = ours != theirs  # else `resolve` noted an edit of history
        if not is_merge or (ours in built_on and theirs in brought):
            return ours, theirs
        if self._forms.converts(path):
            before = [*built_on, self._at("HEAD", path)]
            after = [*brought, *(self._at(rev, path) for rev in underway.brought(self._here))]
            ours, theirs = self.alike(path, ours, before), self.alike(path, theirs, after)
        return self._of_conflict(ours, built_on), self._of_conflict(theirs, brought)

    def _of_conflict(self, blob: str, stages: Sequence[str]) -> str:
        """Return `blob`, or that of the conflict where the repository has none such.

        Git had normalised it, and the merge itself has taken away the attributes by which.
        """
        known = next(filter(None, stages), "")
        if not known or blob in stages or self._ask("cat-file", "-e", blob).code == 0:
            return blob
        return known

    def alike(self, path: str, blob: str, among: Sequence[str]) -> str:
        """Return the first of `among` that `blob` is but for what git converts, else `blob`."""
        if not blob or blob in among:
            return blob
        return next((one for one in among if self._forms.same(path, blob, one)), blob)

    def is_brought(self, path: str, theirs: str) -> bool:
        """Tell whether an operation in progress brings *theirs* in.

        A pick brings only what its commit changed: after a skip, the next commit still holds the
        blob. Undoing one brings what its parent had. ``rebase --quit`` leaves REBASE_HEAD behind.
        """
        if any(self.holds(head, path, theirs) for head in self._here.merging()):
            return True
        rebasing = underway.is_rebasing(self._here)
        picks = ["CHERRY_PICK_HEAD", "REBASE_HEAD"] if rebasing else ["CHERRY_PICK_HEAD"]
        for pick in filter(self.has, picks):
            before = [self.holds(one, path, theirs) for one in self._parents_of(pick)]
            if self.holds(pick, path, theirs) and not (before and all(before)):
                return True
        if not self.has("REVERT_HEAD") or self.holds("REVERT_HEAD", path, theirs):
            return False
        return any(self.holds(one, path, theirs) for one in self._parents_of("REVERT_HEAD"))

    def stashes(self) -> list[str]:
        """Return the stash entries, newest first."""
        if self._stash is None:
            walk = ("rev-list", "--walk-reflogs", "--ignore-missing", "refs/stash")
            self._stash = self._ask(*walk).text.split()
        return self._stash

    def holds(self, rev: str, path: str, blob: str) -> bool:
        """Tell whether commit `rev` holds `blob`: at the path, or anywhere after a rename."""
        if self._at(rev, path) == blob:
            return True
        if rev not in self._trees:
            ask = ("ls-tree", "-r", "-z", "--full-tree", rev)
            self._trees[rev] = git.tell(*ask, cwd=self._here.cwd, env=self._environ).out
        return f" {blob}\t".encode() in self._trees[rev]

    def _at(self, rev: str, path: str) -> str:
        """Return the object at a path of `rev`, empty when there is none."""
        if rev not in self._held:
            names = b"".join(os.fsencode(f"{rev}:{one}\0") for one in self._paths)
            ask = ("cat-file", "--batch-check=%(objectname)", "-z")
            done = git.tell(*ask, cwd=self._here.cwd, env=self._environ, stdin=names)
            self._held[rev] = _answered(self._paths, done.out)
        return self._held[rev].get(path, "")

    def _parents_of(self, commit: str) -> list[str]:
        if commit not in self._parents:
            ask = ("rev-parse", f"{commit}^@")
            found = git.look(*ask, cwd=self._here.cwd, env=self._environ)
            self._parents[commit] = found.text.split()
        return self._parents[commit]

    def _listed(self, option: str, environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return {path: {stage: blob}} from ``ls-files``."""
        found: dict[str, dict[str, str]] = {}
        for at in range(0, len(self._paths), _AT_ONCE):
            specs = [f":(top,literal){path}" for path in self._paths[at : at + _AT_ONCE]]
            ask = ("ls-files", "-z", "--full-name", option, "--", *specs)
            found |= _by_path(git.tell(*ask, cwd=self._here.cwd, env=environ).fields)
        return found

    def _ask(self, *args: str) -> git.Output:
        return git.ask(*args, cwd=self._here.cwd, env=self._environ)


def _by_path(fields: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return {path: {stage: blob}} of entries ``MODE BLOB STAGE<tab>PATH``."""
    found: dict[str, dict[str, str]] = {}
    for field in fields:
        facts, _, path = field.partition("\t")
        _, blob, stage = facts.split(" ")
        found.setdefault(path, {})[stage] = blob
    return found


def _answered(paths: Sequence[str], out: bytes) -> dict[str, str]:
    """Pair `paths` with the answers of ``cat-file``: an id, or the question and ``missing``.

    A question holds a path, and that may hold newlines, so answers are not lines.
    """
    found = {}
    for path in paths:
        ending = os.fsencode(f":{path} missing\n")
        line, _, rest = out.partition(b"\n")
        if line and b":" not in line:
            found[path], out = line.decode(), rest
        else:
            out = out.partition(ending)[2]
    return found
