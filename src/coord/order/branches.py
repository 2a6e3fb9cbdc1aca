"""What git knows of many branches at once: their tips, which landed, and what each has changed.

A handful of git children, however many branches there are: one lists the refs, one the commits that
are not in the target yet. A tip that is not among those has landed; where the walk back from a tip
leaves them is its merge base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git, reflog, tracking
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from coord.repo.worktree import Worktree

_HEADS = "refs/heads/"


class Onto(NamedTuple):
    """What branches land on.

    Attributes:
        name: as a person names it.
        ref: full name of the ref, empty when it is none.
        commit: its commit, None while there is no commit at all.
    """

    name: str
    ref: str
    commit: str | None

    def is_copy(self, branch: str) -> bool:
        """Tell whether `branch` is the target itself, or the local branch of a remote one."""
        if self.ref.startswith("refs/remotes/"):
            return self.ref.split("/", 3)[3:] == [branch]
        return self.ref == _HEADS + branch


class Ref(NamedTuple):
    """A branch: its name as git spells it, its commit, and the remote that it is of, if any."""

    name: str
    commit: str
    remote: str = ""

    @property
    def typed(self) -> str:
        """What names it in this clone."""
        return f"{self.remote}/{self.name}" if self.remote else self.name


def target(here: Worktree, asked: str | None) -> Onto | None:
    """Return what `asked` names (default: HEAD), None when it names no commit.

    An unborn HEAD is a target on which nothing has landed yet.
    """
    word = "HEAD" if asked is None else asked
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
    commit = git.ask(*query, cwd=here.cwd).text
    if asked is None:
        ref = git.ask("symbolic-ref", "--quiet", "HEAD", cwd=here.cwd).text
    else:
        full = ("rev-parse", "--symbolic-full-name", "--end-of-options", asked)
        said = git.ask(*full, cwd=here.cwd).text.rpartition("\n")[2]
        ref = said if said.startswith("refs/") else ""  # git 2.39 echoes --end-of-options
    if not commit and not (asked is None and ref):
        return None
    name = ref.removeprefix(_HEADS) if asked is None else asked
    return Onto(name or commit[:12], ref, commit or None)


def branches(here: Worktree) -> dict[str, Ref]:
    """Return every local branch by its name in NFC."""
    listing = git.tell("for-each-ref", "--format=%(objectname) %(refname)", _HEADS, cwd=here.cwd)
    pairs = (line.split(" ", 1) for line in listing.text.split("\n") if line)
    refs = (Ref(full.removeprefix(_HEADS), commit) for commit, full in pairs)
    return {normal(ref.name): ref for ref in refs}


def afar(
    here: Worktree, wanted: Mapping[str, str | None], local: Mapping[str, Ref]
) -> dict[str, Ref]:
    """Return the branches of other clones by their name in NFC, as they were last fetched.

    A branch of this clone is none of them, whatever its name, unless it is what was finished.

    Args:
        here: where git is asked.
        wanted: {name: the commit that the branch was finished at, None while at work}.
        local: the branches of this clone.
    """
    found: dict[str, list[Ref]] = {}
    for one in tracking.tracked(here.cwd):
        found.setdefault(normal(one.name), []).append(Ref(one.name, one.commit, one.remote))
    there = existing(here, {tip for tip in wanted.values() if tip is not None})
    chosen = {}
    for name, tip in wanted.items():
        refs = found.get(name, [])
        at_tip = [
            one for one in (*refs, *([local[name]] if name in local else [])) if one.commit == tip
        ]
        if at_tip or (refs and (tip is None or tip in there)):
            chosen[name] = (at_tip or refs)[0]
    return chosen


def existing(here: Worktree, commits: Collection[str]) -> set[str]:
    """Return those of `commits` that are still there: a deleted branch's may be collected."""
    if not commits:
        return set()
    stdin = "".join(f"{commit}^{{commit}}\n" for commit in commits).encode()
    found = git.tell("cat-file", "--batch-check=%(objectname)", cwd=here.cwd, stdin=stdin).text
    return set(found.split("\n")) & set(commits)


def having(here: Worktree, onto: Onto, commit: str) -> list[str]:
    """Return the local branches that have a commit, `onto` aside."""
    asked = ("for-each-ref", f"--contains={commit}", "--format=%(refname)", _HEADS)
    names = (full.removeprefix(_HEADS) for full in git.ask(*asked, cwd=here.cwd).text.split("\n"))
    return [name for name in names if name and not onto.is_copy(name)]


def unmerged(here: Worktree, onto: str, tips: Iterable[str]) -> dict[str, list[str]]:
    """Return {commit: parents} of what the tips have and `onto` has not, parents first."""
    stdin = "".join(f"{tip}\n" for tip in dict.fromkeys(tips)) + f"^{onto}\n"
    walk = ("rev-list", "--parents", "--topo-order", "--reverse", "--stdin")
    listing = git.tell(*walk, cwd=here.cwd, stdin=stdin.encode()).text
    lines = (line.split(" ") for line in listing.split("\n") if line)
    return {commit: parents for commit, *parents in lines}


def bases(here: Worktree, commits: Mapping[str, list[str]], tips: Iterable[str]) -> dict[str, str]:
    """Return the merge base of each tip among `commits`, as :func:`unmerged` returned them.

    A tip that shares no history with the target has none.
    """
    met: dict[str, tuple[str, ...]] = {}
    for commit, parents in commits.items():
        found = [met[parent] if parent in commits else (parent,) for parent in parents]
        met[commit] = (
            found[0] if len(found) == 1 else tuple({one for some in found for one in some})
        )
    ends = {tip: met[tip] for tip in tips if met.get(tip)}
    several = {one for some in ends.values() if len(some) > 1 for one in some}
    rank = _newest_first(here, several)
    last = len(rank)
    return {tip: min(some, key=lambda one: rank.get(one, last)) for tip, some in ends.items()}


def _newest_first(here: Worktree, commits: Collection[str]) -> dict[str, int]:
    """Number commits so that none comes after one of its ancestors.

    Asked only where branches have merged the target, or each other: then the first of several
    commits in which a branch meets the target is a merge base.
    """
    if not commits:
        return {}
    common = git.ask("merge-base", "--octopus", *commits, cwd=here.cwd).text
    stdin = "".join(f"{one}\n" for one in (*commits, *([f"^{common}"] if common else [])))
    walk = ("rev-list", "--topo-order", "--stdin")
    listing = git.tell(*walk, cwd=here.cwd, stdin=stdin.encode()).text
    return {commit: number for number, commit in enumerate(listing.split("\n"))}


def changed(here: Worktree, pairs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return {path: mode and blob in the tip} of what differs between each tip and its base."""
    found: dict[str, dict[str, str]] = {tip: {} for tip in pairs}
    stdin = "".join(f"{tip} {base}\n" for tip, base in pairs.items() if tip != base).encode()
    if not stdin:
        return found
    diff = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    fields = iter(git.tell(*diff, cwd=here.cwd, stdin=stdin).fields)
    tip = ""
    for field in fields:
        if field.startswith(":"):  # OLD-MODE MODE OLD-BLOB BLOB STATUS
            _, mode, _, blob, status = field.split(" ")
            found[tip][next(fields)] = "" if status == "D" else f"{mode} {blob}"
        else:
            tip = field
    return found


def contents(here: Worktree, commit: str) -> dict[str, str]:
    """Return {path: mode and blob} of all that is in `commit`."""
    listing = git.tell("ls-tree", "-r", "-z", "--full-tree", commit, cwd=here.cwd)
    found = {}
    for field in listing.fields:  # MODE TYPE BLOB<tab>PATH
        facts, _, path = field.partition("\t")
        mode, _, blob = facts.split(" ")
        found[path] = f"{mode} {blob}"
    return found


def is_own(here: Worktree, ref: Ref) -> bool:
    """Tell whether a branch's commit was made on that branch, by its reflog.

    A branch that was just created, or moved along with the target, has nothing of its own to land.
    """
    made = reflog.Log(reflog.of_ref(here, _HEADS + ref.name)).made(ref.commit)
    return made is not None and made.author is not None


def entered(here: Worktree, onto: Onto, commit: str) -> int | None:
    """Return when the target got a commit, in seconds by its reflog; None where it does not say."""
    walk = ("rev-list", "--ancestry-path", f"^{commit}", onto.ref)
    holds = {commit, *git.ask(*walk, cwd=here.cwd).text.split("\n")}
    for line in reflog.of_ref(here, onto.ref).decode("utf-8", "replace").split("\n"):
        facts = line.partition("\t")[0].split(" ")  # OLD NEW name <email> SECONDS ZONE
        if len(facts) > 3 and facts[1] in holds and facts[-2].isdecimal():  # noqa: PLR2004
            return int(facts[-2])
    return None


def was_reset(here: Worktree, ref: Ref) -> bool:
    """Tell whether a branch was last moved away from its commits, not on with them."""
    log = reflog.of_ref(here, _HEADS + ref.name)
    newest = log.rstrip(b"\n").rpartition(b"\n")[2].partition(b"\t")[2]
    return newest.startswith((b"reset:", b"branch:"))
