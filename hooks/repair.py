"""The one command that gives wrong outgoing commits their author, wherever they are pushed from.

``reauthor`` moves branches. A tag is made again on the new commits, which are told by their way
from a branch that moves too: history keeps its shape. Off every branch a tag gets one for that
while.
"""

from __future__ import annotations

from coord.base.names import quote
from coord.identity import outgoing
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.hooks.updates import Update
    from coord.identity.outgoing import Wrong

LISTED = 10  # how many ids a message and its command name
_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_MESSAGE = "%(contents:subject)%0a%0a%(contents:body)"  # of an annotated tag, without a signature


def command(
    cwd: str, pushed: list[Update], listing: bytes, found: list[Wrong], remote: str
) -> tuple[str, list[str]]:
    """Return the command that repairs exactly the wrong commits, and the tags it makes again.

    Args:
        cwd: the top of the worktree.
        pushed: the refs of the push.
        listing: the outgoing commits.
        found: those that are wrong.
        remote: where they are published when the command is pasted; empty where the push ends.
    """
    branches, others = _carriers(pushed, listing, found)
    tags = _tags(cwd, pushed, listing, found)
    repair = _Repair(cwd, [update.local for update in branches])
    for update in others:
        if not update.local.startswith(_TAGS):
            repair.expression(update)
    for update, commit in tags:
        repair.tag(update, commit)
    touched = [*branches, *others, *(tag for tag, _ in tags if tag not in others)]
    words = f"git coord reauthor {_commits(touched, found)}{repair.options()}"
    if remote:
        words += _published(remote, touched)
    run = " && ".join([*repair.before, words, *repair.after])
    return run, [update.local.removeprefix(_TAGS) for update, _ in tags]


def remote(cwd: str, argv: Sequence[str]) -> str:
    """Return the remote that a push goes to, empty for a URL of none or of several.

    From 2.56 a push to a URL updates the tracking refs of the one remote that pushes there too.

    Args:
        cwd: the top of the worktree.
        argv: the hook's: the remote's name, or its URL when it was named so, and the URL.
    """
    if argv[0] != argv[-1]:
        return argv[0]
    lines = git.ask("remote", "--verbose", cwd=cwd, env=git.here()).text.split("\n")
    sent = (line.removesuffix(" (push)") for line in lines if line.endswith(" (push)"))
    names = {name for name, _, url in (line.partition("\t") for line in sent) if url == argv[-1]}
    return names.pop() if len(names) == 1 else ""


class _Repair:
    """What is to be rewritten, and what goes before and after it."""

    def __init__(self, cwd: str, branches: list[str]) -> None:
        self._cwd = cwd
        self._names = branches
        self._current = self._ask("symbolic-ref", "--quiet", "HEAD") or "HEAD"
        self.before: list[str] = []
        self.after: list[str] = []

    def expression(self, update: Update) -> None:
        """Rewrite the current branch for what was typed (``HEAD~2``, an id), or go there."""
        if not self._names and not self._has("HEAD", update.tip):
            self.before.append(f"git switch --quiet --detach {quote(update.local)}")
            self._current = "HEAD"
        elif self._names and not self._has("HEAD", update.tip):
            return
        self._rewrite(self._current)

    def tag(self, update: Update, commit: str) -> None:
        """Rewrite a branch that holds `commit`, and make the tag again where it will be then."""
        name = update.local.removeprefix(_TAGS)
        place = next(filter(None, (self._way(ref, commit) for ref in self._homes())), "")
        if not place:
            if self._current == "HEAD" and self._has("HEAD", commit):
                self._rewrite("HEAD")  # the work goes on there
            copy = f"reauthored-tag/{name}"
            self.before.append(f"git branch -q -f {quote(copy)} {commit}")
            self._rewrite(_HEADS + copy)
            place = _HEADS + copy
        self._rewrite(place.partition("~")[0].partition("^")[0])
        self.after.append(_made_again(name, place, annotated=update.tip != commit))
        if place.startswith(f"{_HEADS}reauthored-tag/"):
            self.after.append(f"git branch -q -D {quote(place.removeprefix(_HEADS))}")

    def options(self) -> str:
        """Return the options that name what is to be rewritten, none for what is checked out."""
        names = self._names or [self._current]
        if names == [self._current]:
            return ""
        return "".join(f" --branch {quote(name.removeprefix(_HEADS))}" for name in names)

    def _homes(self) -> list[str]:
        return [ref for ref in (*self._names, self._current) if ref.startswith(_HEADS)]

    def _rewrite(self, ref: str) -> None:
        if ref not in self._names:
            self._names.insert(0 if ref == self._current else len(self._names), ref)

    def _way(self, ref: str, commit: str) -> str:
        """Return `commit` as ``refs/heads/NAME~3^2``; empty where the branch does not hold it."""
        if not self._has(ref, commit):
            return ""
        found = self._ask("name-rev", "--name-only", "--no-undefined", f"--refs={ref}", commit)
        start = min((found.index(char) for char in "~^" if char in found), default=len(found))
        return ref + found[start:] if found else ""

    def _has(self, ref: str, commit: str) -> bool:
        test = ("merge-base", "--is-ancestor", commit, ref)
        return git.ask(*test, cwd=self._cwd, env=git.here()).code == 0

    def _ask(self, *args: str) -> str:
        done = git.ask(*args, cwd=self._cwd, env=git.here())
        return done.text if done.code == 0 else ""


def _made_again(name: str, place: str, *, annotated: bool) -> str:
    """Return the command that makes a tag again; an annotated one keeps its message."""
    how = "git tag -f"
    if annotated:
        ref = quote(_TAGS + name)
        how += f" --cleanup=whitespace -m \"$(git for-each-ref --format='{_MESSAGE}' {ref})\""
    return f"{how} {quote(name)} {quote(place)}"


def _carriers(
    pushed: list[Update], listing: bytes, found: list[Wrong]
) -> tuple[list[Update], list[Update]]:
    """Return the pushed branches that hold wrong commits, and what else may hold the rest."""
    if len(pushed) == 1:
        is_branch = pushed[0].local.startswith(_HEADS)
        return (pushed, []) if is_branch else ([], pushed)
    commits = outgoing.commits(listing)
    left = {item.commit.id for item in found}
    wanted = frozenset(left)
    branches = []
    for update in pushed:
        held = outgoing.reachable(commits, [update.tip]) & wanted
        if held and update.local.startswith(_HEADS):
            branches.append(update)
            left -= held
    others = [update for update in pushed if not update.local.startswith(_HEADS)]
    return branches, others if left else []


def _tags(
    cwd: str, pushed: list[Update], listing: bytes, found: list[Wrong]
) -> list[tuple[Update, str]]:
    """Return the pushed tags that hold wrong commits, each with the commit it stands for."""
    tags = [update for update in pushed if update.local.startswith(_TAGS)]
    if not tags:
        return []
    asked = "".join(f"{update.tip}^{{commit}}\n" for update in tags).encode()
    batch = ("cat-file", "--batch-check=%(objectname)")
    ids = git.ask(*batch, cwd=cwd, env=git.here(), stdin=asked).text.split("\n")
    commits = outgoing.commits(listing)
    wrong = {item.commit.id for item in found}
    return [
        (update, commit)
        for update, commit in zip(tags, ids, strict=False)
        if outgoing.reachable(commits, [commit]) & wrong
    ]


def _published(remote: str, pushed: list[Update]) -> str:
    names = [update.remote.removeprefix(_HEADS) for update in pushed]
    return "".join(
        f" --pushed {quote(f'{remote}/{name}')}" for name in names if not name.startswith("refs/")
    )


def _commits(pushed: Sequence[Update], found: list[Wrong]) -> str:
    """Return the ids, or past the tenth the words that select the same commits."""
    if len(found) <= LISTED:
        return " ".join(item.commit.id for item in found)
    known = sorted({update.old for update in pushed if update.old.strip("0")})
    return " ".join(["--outgoing", *(f"^{commit}" for commit in known)])
