"""Give this worktree's own unpublished commits the identity it is pinned to.

Only signatures change: every tree stays, so there are no conflicts, and neither index nor working
tree is touched. Branches move, and their old tips are kept, in one transaction that asks for the
old values; a kill at any moment leaves all or nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile
from coord.base.errors import Refused
from coord.guard import refusal
from coord.identity import outgoing, pin, unlogged
from coord.reauthor import followers, idle, objects, request, rewrite, signing
from coord.reauthor.rewrite import Change
from coord.repo import git, reflog, worktree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.identity.outgoing import Commit, Who
    from coord.reauthor.request import Request, Tip
    from coord.repo.reflog import Log
    from coord.repo.worktree import Worktree

BACKUP = "refs/coord-backup"


@dataclass(frozen=True)
class Plan:
    """A rewriting, all questions answered.

    Attributes:
        who: name and e-mail to sign with.
        tips: the refs that may move.
        changes: the commits to mend, and which signature of each.
        chain: ids of all commits to rebuild, parents first.
        roots: those that descend from no other.
        missed: commits in `chain` that are wrong as well, but were not named.
        fetched: of the remote-tracking branches that were named, those that hold one of `chain`.
    """

    who: Who
    tips: tuple[Tip, ...]
    changes: Mapping[str, Change]
    chain: tuple[str, ...]
    roots: tuple[str, ...]
    missed: tuple[str, ...]
    fetched: tuple[str, ...] = ()


class Move(NamedTuple):
    """A ref that was moved, and the ref that keeps where it stood."""

    ref: str
    old: str
    new: str
    backup: str


@dataclass(frozen=True)
class Done:
    """A rewriting carried out.

    Attributes:
        new: the new id of each rebuilt commit.
        subjects: the first line of each rebuilt commit's message.
        moves: the refs that moved.
        unsigned: rebuilt commits that lost a signature, or should have got one.
        left: refs that still hold old commits.
        notes: git's words where it could not copy the notes of rebuilt commits.
    """

    new: Mapping[str, str]
    subjects: Mapping[str, str]
    moves: tuple[Move, ...]
    unsigned: tuple[str, ...]
    left: tuple[str, ...]
    notes: str = ""


def plan(here: Worktree, who: Who, asked: Request) -> Plan:
    """Return what `asked` comes to, signed as `who` (name, e-mail).

    Raises:
        Refused: a commit is published, not on the branch, or a peer's; or something is half done.
        Usage: a revision or branch that does not exist.
        reflog.Doubt: git could not list the commits.
    """
    idle.require(here, "reauthor")
    env = {**git.elsewhere(), "GIT_NO_REPLACE_OBJECTS": "1"}  # history as it is stored
    tips = request.tips(here, asked)
    options = ("--topo-order", "--reverse", *request.exclusions(here, asked))
    tip_ids = [tip.commit for tip in tips]
    chain = outgoing.commits(outgoing.unpublished(here.cwd, tip_ids, (), env, options))
    known = {commit.id: commit for commit in chain}
    named = request.named(here, asked, tips, known)
    log = _log(here, env)
    unlogged.assume(log, _dirs(here), here.cwd, env, chain)
    recent = outgoing.since_pin(_dirs(here), outgoing.wrong(chain, log, who))
    blamed = list(outgoing.owned(here.cwd, recent, log, env))
    asked_for = [known[commit] for commit in named]
    changes = _owned(here, _changes(here, asked_for, log, who), log, env)
    _require_not_made_elsewhere(here, [one for one in asked_for if one.id in changes], log, env)
    if asked.outgoing:
        spared = request.spared(here, asked, env, options)
        wanted = [item for item in blamed if item.commit.id not in spared]
        changes |= {item.commit.id: Change(item.author, item.committer) for item in wanted}
    order = tuple(rewrite.affected(chain, changes))
    missed = {item.commit.id for item in blamed}.intersection(order).difference(changes)
    inside = set(order)
    roots = [commit for commit in order if inside.isdisjoint(known[commit].parents)]
    fetched = request.fetched(here, asked, roots)
    return Plan(who, tips, changes, order, tuple(roots), tuple(sorted(missed)), fetched)


def carry_out(here: Worktree, plan: Plan) -> Done:
    """Rebuild the commits of `plan` and move its refs in one transaction.

    Raises:
        Refused: a ref has moved since the plan was made.
        OSError: the git dir cannot be written.
    """
    store = objects.commits(here)
    old = store.read(plan.chain)
    signs, unsigned = signing.is_wanted(here), list[str]()
    new: dict[str, str] = {}
    for commit in plan.chain:
        change = plan.changes.get(commit, Change())
        raw = rewrite.rewritten(old[commit], new, plan.who, change)
        made = signing.signed(here, raw, plan.who) if signs else ""
        new[commit] = made or store.write(raw)
        if not made and (rewrite.is_signed(old[commit]) or (commit in plan.changes and signs)):
            unsigned.append(commit)
    _remember(here, [f"{new[commit]} {commit}\n" for commit in plan.missed])
    moves = _moves(plan, new, time.time())
    _move(here, moves, len(plan.changes))
    refusal.follow(here.git_dir, new)
    return Done(
        new=new,
        subjects={commit: rewrite.subject(raw) for commit, raw in old.items()},
        moves=moves,
        unsigned=tuple(unsigned),
        left=_left(here, plan, moves),
        notes=followers.follow(here, new),
    )


def _dirs(here: Worktree) -> tuple[str, str]:
    return here.git_dir, here.common_dir


def _log(here: Worktree, env: Mapping[str, str]) -> Log:
    """Return the worktree's reflog; an empty one where it keeps none."""
    try:
        return reflog.read(*_dirs(here), here.cwd, env)
    except reflog.Doubt:
        return reflog.Log()


def _changes(here: Worktree, named: Sequence[Commit], log: Log, who: Who) -> dict[str, Change]:
    """Return which signatures of the named commits are off; those in order are left out.

    Raises:
        Refused: one was signed by the worker of another worktree, and not made here.
    """
    expected = outgoing.cleaned(who)
    pins = pin.live_pins(here.common_dir)
    peers = {(peer.name, peer.email): peer.actor for at, peer in pins if at != here.git_dir}
    changes = {}
    for commit in named:
        how = log.made(commit.id)
        mine = how is not None and how.who == commit.committer
        off = outgoing.cleaned(commit.committer) != expected
        if off and not mine and commit.committer in peers:
            raise _foreign(commit, peers[commit.committer])
        chosen = how.author if how is not None and mine else None
        if chosen is None:  # no telling: one with two identities is taken for a pick
            chosen = commit.author == commit.committer
        change = Change(chosen and outgoing.cleaned(commit.author) != expected, off)
        if any(change):
            changes[commit.id] = change
    return changes


def _require_not_made_elsewhere(
    here: Worktree, commits: Sequence[Commit], log: Log, env: Mapping[str, str]
) -> None:
    """Leave to another worktree what its reflog made, pinned or not: a person's in the main one.

    Raises:
        Refused: one was made there, and not here.
    """
    unknown = [commit for commit in commits if log.made(commit.id) is None]
    for other in worktree.siblings(here) if unknown else ():
        if not other.git_dir or other.git_dir == here.git_dir:
            continue
        try:
            theirs = reflog.read(other.git_dir, here.common_dir, here.cwd, env)
        except reflog.Doubt:
            continue
        for commit in unknown:
            made = theirs.made(commit.id)
            if made is not None and made.who == commit.committer:
                raise _foreign(commit, commit.committer[0], f"it was made in {other.path}")


def _owned(
    here: Worktree, changes: dict[str, Change], log: Log, env: Mapping[str, str]
) -> dict[str, Change]:
    """Return the changes, less the authors that came from a commit that was not made here."""
    borrowed = outgoing.borrowed(
        here.cwd, [one for one in changes if changes[one].author], log, env
    )
    kept = {
        commit: change._replace(author=change.author and commit not in borrowed)
        for commit, change in changes.items()
    }
    return {commit: change for commit, change in kept.items() if any(change)}


def _foreign(
    commit: Commit, actor: str, why: str = "its committer works in another worktree"
) -> Refused:
    return Refused(
        "not-made-here",
        f"that commit is {actor}'s",
        where=commit.id,
        why=f"{why}, and this one's reflog did not make it",
        run=f"git log -1 --format=fuller {commit.id}",
    )


def _remember(here: Worktree, lines: Sequence[str]) -> None:
    """Note the new ids of wrong commits that were not named, for the push guard to find them."""
    if lines:
        peerfile.append(here.private(reflog.REBUILT), "".join(lines).encode("ascii"))


def _moves(plan: Plan, new: Mapping[str, str], now: float) -> tuple[Move, ...]:
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1e6):06d}Z"
    return tuple(
        Move(tip.ref, tip.commit, new[tip.commit], f"{BACKUP}/{tip.name}/{stamp}")
        for tip in plan.tips
        if tip.commit in new
    )


def _move(here: Worktree, moves: Sequence[Move], count: int) -> None:
    """Move all refs, or none, and keep where they stood.

    Killed between two of its renames, git itself leaves some moved; the next run moves the others
    to the same commits, because nothing but the signatures differs.
    """
    lines = [f"create {move.backup}\0{move.old}\0" for move in moves]
    lines += [f"update {move.ref}\0{move.new}\0{move.old}\0" for move in moves]
    try:
        git.tell(
            "update-ref", "--stdin", "-z", "-m", f"reauthor: {count} mended",
            cwd=here.cwd, stdin="".join(lines).encode("utf-8", "surrogateescape"),
        )  # fmt: skip
    except git.GitError as error:
        raise Refused(
            "branch-moved",
            "the branch did not move",
            where=", ".join(move.ref for move in moves),
            why=error.why,
            run="git log --oneline --decorate -20",
        ) from error


def _left(here: Worktree, plan: Plan, moves: Sequence[Move]) -> tuple[str, ...]:
    """Return the branches and tags that still hold commits of which there are new ones now."""
    held = [f"--contains={commit}" for commit in plan.roots]
    form = "--format=%(refname)"
    done = git.tell("for-each-ref", form, *held, "refs/heads", "refs/tags", cwd=here.cwd)
    moved = {move.ref for move in moves}
    return tuple(ref for ref in done.text.split("\n") if ref and ref not in moved)
