"""What ``reauthor`` was asked for: branches and commits, named or outgoing, resolved or refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused, Usage
from coord.base.names import quote
from coord.identity import outgoing
from coord.repo import git, heads, worktree

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from coord.repo.worktree import Worktree

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


@dataclass(frozen=True)
class Request:
    """A call of ``reauthor``.

    Attributes:
        commits: revisions to mend; with `outgoing` also ``^REV``: what it reaches is left out.
        outgoing: mend every outgoing commit that the push guard would name.
        branches: branches to rewrite, empty for the current one.
        pushed: remote-tracking branches that may lose the commits (they are pushed again).
    """

    commits: tuple[str, ...] = ()
    outgoing: bool = False
    branches: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()

    def words(self, without: Container[str] = ()) -> str:
        """Return the command line of this request, without some of its commits."""
        words = ["git coord reauthor", *(["--outgoing"] if self.outgoing else [])]
        words += [quote(commit) for commit in self.commits if commit not in without]
        words += [f"--branch {quote(branch)}" for branch in self.branches]
        words += [f"--pushed {quote(ref)}" for ref in self.pushed]
        return " ".join(words)


class Tip(NamedTuple):
    """A ref to move: its full name, or HEAD when detached, and where it stands."""

    ref: str
    commit: str

    @property
    def name(self) -> str:
        """The branch's short name, or HEAD."""
        return self.ref.removeprefix(_HEADS)


def tips(here: Worktree, request: Request) -> tuple[Tip, ...]:
    """Return the refs to rewrite.

    Raises:
        Usage: a branch that does not exist or has no commit.
        Refused: a branch that a peer has checked out.
    """
    found = tuple(_tip(here, name) for name in request.branches or ("HEAD",))
    for other in worktree.siblings(here) if request.branches else ():
        for tip in found:
            if other.branch == tip.name and other.git_dir != here.git_dir and other.counts:
                raise _in_use(request, tip.name, other.path)
    return found


def _tip(here: Worktree, name: str) -> Tip:
    ref = name if name.startswith(_HEADS) else _HEADS + name
    if name == "HEAD":
        ref = git.ask("symbolic-ref", "--quiet", "HEAD", cwd=here.cwd).text or "HEAD"
    done = git.ask("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", cwd=here.cwd)
    if done.code:
        raise unknown(name, "there is no such branch, or it has no commit yet")
    return Tip(ref, done.text)


def _in_use(request: Request, branch: str, path: str) -> Refused:
    copy = f"{branch.lstrip('-')}-reauthored"
    ref = heads.HEADS + branch
    word = heads.spelled(path, ref).get(ref, ref)
    again = Request(request.commits, request.outgoing, (copy,), request.pushed)
    return Refused(
        "branch-in-use",
        f"{branch} is checked out in another worktree",
        where=path,
        why="it would move under the feet of whoever works there; a copy of it can be mended",
        run=f"git branch {quote(copy)} {quote(word)} && {again.words()}",
    )


def named(
    here: Worktree, request: Request, refs: Sequence[Tip], known: Container[str]
) -> list[str]:
    """Return the ids of the commits that were named.

    Args:
        here: the worktree.
        request: the call.
        refs: the refs to rewrite.
        known: ids of the unpublished commits that these reach.

    Raises:
        Usage: a revision that is no single commit.
        Refused: a commit that is published, or on none of the branches.
    """
    words = [word for word in request.commits if not word.startswith("^")]
    ids = dict(zip(words, resolved(here, words), strict=True))
    closed = {word: commit for word, commit in ids.items() if commit not in known}
    if closed:
        raise _closed(here, request, refs, closed)
    return list(ids.values())


def resolved(here: Worktree, words: Sequence[str]) -> list[str]:
    """Return the commit id of each revision, in one call of git.

    Raises:
        Usage: a revision that is no single commit.
    """
    for word in words:
        if ".." in word or not word or "\n" in word:
            raise unknown(word, "name single commits: a range may hold somebody else's")
    if not words:
        return []
    stdin = "".join(f"{word}^{{commit}}\n" for word in words).encode("utf-8", "surrogateescape")
    batch = ("cat-file", "--batch-check=%(objectname)")
    ids = git.tell(*batch, cwd=here.cwd, stdin=stdin).text.split("\n")
    for word, found in zip(words, ids, strict=True):
        if " " in found:  # "WORD missing", "WORD ambiguous"
            raise unknown(word, f"git calls it {found.rpartition(' ')[2]}")
    return ids


def spared(
    here: Worktree, request: Request, env: Mapping[str, str], options: Sequence[str]
) -> set[str]:
    """Return the ids that the ``^REV`` of an ``--outgoing`` leave out."""
    hidden = [word[1:] for word in request.commits if word.startswith("^")]
    if not hidden:
        return set()
    listing = outgoing.unpublished(here.cwd, hidden, (), env, options)
    return {commit.id for commit in outgoing.commits(listing)}


def unknown(word: str, why: str) -> Usage:
    """Return the error for a word that names no commit or branch."""
    return Usage(
        "commit-unknown",
        "nothing here that reauthor could rewrite",
        where=word or "(empty)",
        why=why,
        run="git log --oneline --decorate -20",
    )


def _closed(
    here: Worktree, request: Request, refs: Sequence[Tip], closed: Mapping[str, str]
) -> Refused:
    """Return the refusal for commits that are not open to change."""
    word, commit = next(iter(closed.items()))
    remotes, shared = _remotes_with(here, commit)
    if not remotes:
        return _elsewhere(here, request, refs, word)
    others = [given for given in request.commits if given not in closed]
    run = f"git branch --remotes --contains {commit}"
    if any(not other.startswith("^") for other in others):
        run = request.words(without=closed)
    elif len(remotes) == 1 and not shared and _is_counterpart(remotes[0], refs):
        again = Request(request.commits, request.outgoing, request.branches, (remotes[0],))
        run = again.words()
    return Refused(
        "published",
        "published commits stay as they are",
        where=", ".join(closed),
        why=f"{' and '.join(remotes[:3])} has them: whoever fetched that would be left "
        "with another history",
        run=run,
    )


def _elsewhere(here: Worktree, request: Request, refs: Sequence[Tip], word: str) -> Refused:
    commit = resolved(here, [word])[0]
    holders = git.tell(
        "for-each-ref", "--format=%(refname)", "--contains", commit, _HEADS, cwd=here.cwd
    ).text.split()
    run = f"git branch rescued-{commit[:12]} {commit}"
    if holders:
        branch = holders[0].removeprefix(_HEADS)
        run = Request(request.commits, request.outgoing, (branch,), request.pushed).words()
    return Refused(
        "not-on-branch",
        f"that commit is not part of {' or '.join(tip.name for tip in refs)}",
        where=word,
        why="reauthor rewrites the current branch, or the one that --branch names",
        run=run,
    )


def _remotes_with(here: Worktree, commit: str) -> tuple[list[str], bool]:
    """Return the remote-tracking branches that contain a commit, and whether a default does."""
    lines = _remote_refs(here, "--contains", commit)
    return [ref for ref, target in lines if not target], any(target for _, target in lines)


def _remote_refs(here: Worktree, *options: str) -> list[tuple[str, str]]:
    """Return (branch, target of a symbolic one) of the remote-tracking branches."""
    form = "--format=%(refname)%00%(symref)"
    lines = git.tell("for-each-ref", form, *options, _REMOTES, cwd=here.cwd).text.split("\n")
    pairs = [line.split("\0") for line in lines if line]
    return [(ref.removeprefix(_REMOTES), target.removeprefix(_REMOTES)) for ref, target in pairs]


def exclusions(here: Worktree, request: Request) -> list[str]:
    """Return the options of rev-list that take back what `request` says was pushed."""
    if not request.pushed:
        return []
    aliases = [ref for ref, target in _remote_refs(here) if target in request.pushed]
    return [f"--exclude={ref}" for ref in (*request.pushed, *aliases)]


def fetched(here: Worktree, request: Request, roots: Sequence[str]) -> tuple[str, ...]:
    """Return those of the branches in `request.pushed` that hold one of `roots`.

    Before 2.56 git does not note what was pushed to a URL, though it is a remote's.
    """
    if not request.pushed or not roots:
        return ()
    lines = _remote_refs(here, *(f"--contains={commit}" for commit in roots))
    return tuple(ref for ref, _ in lines if ref in request.pushed)


def _is_counterpart(remote: str, refs: Sequence[Tip]) -> bool:
    """Tell whether a remote-tracking branch is one that only the branch itself is pushed to."""
    return any(remote.partition("/")[2] == tip.name for tip in refs)
