"""Putting back what logs and write-once files lost: one commit on top, nothing rewritten.

History that others have cannot be unmade, so its losses are repaired beside it: a log gets its
records again, joined as its driver would, and loses conflict markers that were committed into it; a
write-once file gets the bytes it was written with.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import quote
from coord.check import commands
from coord.check.once import TAKEN
from coord.drivers import join, markers
from coord.drivers.records import count, render, split
from coord.guard.refusal import path_word
from coord.history.commits import RESOLVED
from coord.history.problem import printed
from coord.repo import git, heads, underway, worktree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.check.losses import Losses
    from coord.check.subject import Subject
    from coord.check.suspects import Fault
    from coord.history.problem import Problem
    from coord.repo.worktree import Worktree

SUBJECT = "Put back what guarded files lost"


class Mended(NamedTuple):
    """A path, the bytes it gets (None: it goes), and the commits that it is mended after.

    `lost`: whether it had lost anything; otherwise it held conflict markers.
    """

    path: bytes
    text: bytes | None
    commits: tuple[str, ...]
    lost: bool = True


def plan(subject: Subject, losses: Losses) -> list[Mended]:
    """Return what to write over the end of the range, by path."""
    by_path: dict[bytes, list[Fault]] = {}
    tip = subject.asked.tips[-1]
    for fault, problem in losses.standing():
        # Two claims are for their owners to tell apart; another tip is another branch's.
        if problem.rule != TAKEN and subject.history.tips[fault.commit.id] == tip:
            by_path.setdefault(fault.path, []).append(fault)
    found = []
    for path, faults in sorted(by_path.items()):
        text = mended(subject, losses, faults)
        if text is None:
            continue
        ids = tuple(dict.fromkeys(fault.commit.id for fault in reversed(faults)))
        lost = any(fault.step is None or not fault.step.is_growth for fault in faults)
        found.append(Mended(path, text, ids, lost))
        found += _copies(subject, faults, ids)
    return found


def mended(subject: Subject, losses: Losses, faults: Sequence[Fault]) -> bytes | None:
    """Return the mended bytes, given the faults of one path, the newest first.

    None where no join says what they are: the file was moved, or a person has to tell.
    """
    if any(fault.step is not None and fault.renamed is not None for fault in faults):
        return None
    if not losses.documents.has(faults[0]):
        return _text(subject, losses, faults)
    text = subject.blobs.read(subject.history.at_tip(faults[0].commit.id, faults[0].path))
    try:
        for fault in faults:
            text = losses.documents.mended(fault, text)
    except join.Refused:
        return None
    return text


def told_apart(subject: Subject, losses: Losses) -> Iterator[Problem]:
    """Yield what stands in a range; of what no rule can mend, the command is to accept it."""
    standing = list(losses.standing())
    by_path: dict[bytes, list[Fault]] = {}
    for fault, problem in standing:
        if problem.rule != TAKEN:
            by_path.setdefault(fault.path, []).append(fault)
    left = {path for path, faults in by_path.items() if not _can_mend(subject, losses, faults)}
    for fault, problem in standing:
        if fault.path in left and not subject.asked.uncommitted:
            run = commands.accept(fault.commit.id, fault.path)
            text = f"{problem.message}; put right by hand what is wrong, then"
            yield replace(problem, message=text, run=run)
        else:
            yield problem


def _can_mend(subject: Subject, losses: Losses, faults: Sequence[Fault]) -> bool:
    """Tell whether :func:`mended` knows them: lines that did not move it always does."""
    if losses.documents.has(faults[0]) or any(fault.renamed is not None for fault in faults):
        return mended(subject, losses, faults) is not None
    return True


def _text(subject: Subject, losses: Losses, faults: Iterable[Fault]) -> bytes:
    """Return the mended bytes, given the faults of one path, the newest first."""
    text = b""
    for number, fault in enumerate(faults):
        old = subject.blobs.read(fault.change.old)
        start = losses.start_of(fault.path)
        if number == 0:
            text = subject.blobs.read(subject.history.at_tip(fault.commit.id, fault.path))
            text = text if fault.step is None else markers.settled(text, start)
        if fault.step is None:
            text = old
        elif not fault.step.is_growth:
            text = _grown(text, markers.settled(old, start), fault, start)
    return text


def _grown(now: bytes, old: bytes, fault: Fault, start: bytes | None) -> bytes:
    """Return a log with the records of an older version again, where they stood.

    What both versions have is their base: it tells which way the log grows.
    """
    if fault.step is not None and fault.step.moved is not None:
        return join.both(b"", old, now, start)
    spare, both = count(split(old, start).keys), []
    for key in split(now, start).keys:
        if spare.get(key, 0):
            spare[key] -= 1
            both.append(key)
    gaps = dict.fromkeys(both, 1) if start is not None else {}
    try:
        return join.merge(render(both, gaps, b"\n"), now, old, start) if now else old
    except join.Refused:
        return join.both(b"", now, old, start)


def _copies(subject: Subject, faults: Iterable[Fault], ids: tuple[str, ...]) -> list[Mended]:
    """Return the new names of renamed files, which would be a second claim."""
    renamed = {
        fault.renamed: fault.change.old
        for fault in faults
        if fault.renamed and fault.step is None  # write-once
    }
    return [
        Mended(path, None, ids) for path, blob in renamed.items() if subject.tree.get(path) == blob
    ]


def require_ready(here: Worktree, subject: Subject, wanted: Sequence[Mended]) -> None:
    """Insist that a commit on top of HEAD would hold the mended files and nothing else.

    Raises:
        Refused: the range ends elsewhere, something is staged, or a file has uncommitted changes.
    """
    tip = subject.asked.tips[-1]
    if here.top is None or git.ask("rev-parse", "HEAD", cwd=here.cwd).text != tip:
        raise _not_ready(
            "the range does not end at HEAD",
            here.cwd,
            "what is put back is committed on top of what was judged",
            f"{_to(here, tip)} && {commands.mend(subject.asked)}",
        )
    if underway.is_busy(here):
        raise _not_ready(
            "a merge, rebase, pick or revert is in progress",
            here.top,
            "the commit would conclude it; finish it, or give it up, first",
            "git status",
        )
    staged = _staged(here.top)
    if staged and not staged.items() <= {(each.path, _blob(here, each)) for each in wanted}:
        raise _not_ready(
            "something is staged", here.top, "it would go into the same commit", "git stash push"
        )
    paths = [f":(top,literal){os.fsdecode(each.path)}" for each in wanted]
    changed = [
        line
        for line in git.tell(
            "status", "--porcelain", "-z", "--no-renames", "--", *paths, cwd=here.top
        ).fields
        if os.fsencode(line[3:]) not in staged or not _is_left(here.top, line)
    ]
    if changed:
        raise _not_ready(
            "a file to be put back has uncommitted changes",
            changed[0][3:],
            "they would be lost",
            "git stash push --include-untracked",
        )


def _staged(top: str) -> dict[bytes, str]:
    """Return the blob of each path that is staged; a mend that was killed has staged its own."""
    words = ("diff", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
    fields = git.tell(*words, cwd=top).fields
    pairs = zip(fields[::2], fields[1::2], strict=True)
    return {os.fsencode(path): facts.split()[3] for facts, path in pairs}


def _is_left(top: str, line: str) -> bool:
    """Tell whether a staged file in git's status is as staged, or as HEAD has it."""
    path = f":(top,literal){line[3:]}"
    return line[1] == " " or git.ask("diff", "--quiet", "HEAD", "--", path, cwd=top).code == 0


def _to(here: Worktree, tip: str) -> str:
    """Return the command that goes to where `tip` is checked out, or can be."""
    for other in worktree.siblings(here):
        if other.counts and git.ask("rev-parse", "HEAD", cwd=other.path).text == tip:
            return f"cd {quote(other.path)}"
    form = ("for-each-ref", "--format=%(refname)", "--points-at", tip, heads.HEADS)
    branches = [ref.removeprefix(heads.HEADS) for ref in git.ask(*form, cwd=here.cwd).text.split()]
    for branch in branches:
        if not branch.startswith("-"):  # to `switch` a name is a branch's before it is a tag's
            return f"git switch -q {quote(branch)}"
    return f"git switch -q --detach {tip}"


def _not_ready(what: str, where: str, why: str, run: str) -> Refused:
    return Refused("not-ready", what, where=where, why=why, run=run)


def commit(here: Worktree, wanted: Sequence[Mended]) -> str:
    """Write, stage and commit what was planned; return the commit.

    git writes the files, so that no committed symlink leads out of the tree. Its hooks are not
    asked: a write-once file that comes back is a change to them too.

    Raises:
        GitError: git could not.
    """
    entries = b"".join(_entry(here, each) for each in wanted)
    git.tell("update-index", "-z", "--index-info", cwd=here.cwd, stdin=entries)
    kept = b"".join(each.path + b"\0" for each in wanted if each.text is not None)
    git.tell("checkout-index", "-f", "-z", "--stdin", cwd=here.cwd, stdin=kept)
    for each in wanted:
        if each.text is None:
            os.unlink(os.path.join(os.fsencode(here.cwd), each.path))
    trailers = "\n".join(f"{RESOLVED}: {_trailer(each)}" for each in wanted)
    git.tell("commit", "-q", "-m", SUBJECT, "-m", trailers, cwd=here.cwd)
    return git.tell("rev-parse", "HEAD", cwd=here.cwd).text


def _entry(here: Worktree, each: Mended) -> bytes:
    """Return the line of ``update-index --index-info`` for one file."""
    if each.text is None:
        return b"0 %s\t%s\0" % (b"0" * len(each.commits[0]), each.path)
    listed = git.tell(
        "ls-files", "--stage", "-z", "--", f":(top,literal){os.fsdecode(each.path)}", cwd=here.cwd
    )
    mode = listed.out[:6] or b"100644"
    return b"%s %s\t%s\0" % (mode, _blob(here, each).encode(), each.path)


def _blob(here: Worktree, each: Mended) -> str:
    """Return the blob of a mended file, written; of one that goes, none of any file."""
    if each.text is None:
        return ""
    return git.tell("hash-object", "-w", "--stdin", cwd=here.cwd, stdin=each.text).text


def _trailer(each: Mended) -> str:
    short = " ".join(commit[:12] for commit in each.commits)
    done = "put back after" if each.lost else "without the conflict markers of"
    return f"{path_word(os.fsdecode(each.path))} {done} {short}"


def told(each: Mended) -> str:
    """Return what is said of one mended file."""
    if not each.lost:
        return f"took the conflict markers out of {printed(each.path)}"
    return f"{'put back' if each.text is not None else 'removed the copy'} {printed(each.path)}"
