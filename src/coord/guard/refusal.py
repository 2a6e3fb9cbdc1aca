"""Pending refusals of the merge drivers, and when one still binds (docs/design.md).

No hook runs on an abort or a reset, so a record may outlive its merge: "the staged blob is still
one of the two" blocked innocent commits in 12 of 12 aborts. Whether a record is *live* is a pure
function of :class:`~coord.guard.evidence.Facts`; tests/hooks/test_liveness.py is its table.
"""

from __future__ import annotations

import os

from coord.base import peerfile, publish, sharing
from coord.base.cquote import c_quoted, c_unquoted
from coord.base.errors import Environment, Refused
from coord.base.frozen import NamedTuple
from coord.base.names import operand, quote
from coord.guard.evidence import Facts, Recorded, conflicts, gather
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.repo.worktree import Worktree

FOLDER = "coord-refused"
_MARK = "coord-refused 1"
_LONGEST = 4096  # of a path: no system opens a longer one
_WAYS_OUT = {
    "derived": "git coord regenerate {}",
    "log": "git coord resolve {} --take both "
    "--reason 'HEAD as it stands, and what the other side added'",
    "once": "git coord id renumber {}",
}
_BY_HAND = "git coord resolve {} --take worktree --reason 'joined by hand'"
ABSENT = "absent"  # instead of a blob, where a path is settled by not being there


class Record(NamedTuple):
    """One refused path.

    Attributes:
        file: the record's own path.
        kind: one of ``guarded.KINDS``; empty when the record is torn.
        path: the refused path, relative to the top level.
        head: HEAD when the driver ran, ``unborn`` before the first commit.
        ours: blob of side A, the one left in the worktree.
        theirs: blob of side B.
        resolved: blob that ``regenerate`` or ``resolve`` staged (`ABSENT`: they removed the file),
            empty while pending.
        reason: why, as given with the resolution.
        begun: what is settling the file; when that was killed, half of it is there, or none.
        take: ``worktree`` for a file that only a person can join, such as a log of two headers.
    """

    file: str
    kind: str
    path: str
    head: str
    ours: str
    theirs: str
    resolved: str = ""
    reason: str = ""
    begun: str = ""
    take: str = ""

    @property
    def readable(self) -> bool:
        """Whether the record is whole; a torn one may guard anything."""
        return bool(self.kind and self.path and self.head and self.ours and self.theirs)

    def text(self) -> str:
        """Return the record in the format that drivers write in sh."""
        extra = f"resolved {self.resolved}\nreason {self.reason}\n" if self.resolved else ""
        extra += f"begun {self.begun}\n" if self.begun else ""
        extra += f"take {self.take}\n" if self.take else ""
        return (
            f"{_MARK}\nkind {self.kind}\nhead {self.head}\nours {self.ours}\n"
            f"theirs {self.theirs}\n{extra}path {c_quoted(self.path)}\n"
        )


def is_pending(record: Record, facts: Facts) -> bool:
    """Tell whether what the driver refused is still what this worktree is doing.

    An unmerged path is. Once staged, as long as HEAD is where the driver found it:

    * a merge, pick, rebase or revert brings *theirs* in (MERGE_HEAD and its like), or
    * git's resolve-undo list names both blobs, and SQUASH_MSG, MERGE_MSG or an ``am`` waits for its
      commit (``merge --squash``, ``cherry-pick -n``), or *theirs* is staged out of the stash.

    The undo list survives ``add -A``; abort, skip, switch and ``reset --hard`` drop it. A plain
    ``reset`` and ``--quit`` keep it, but remove the files. ``stash pop`` with ours staged is free:
    the stash still has theirs. But ``commit -a``, which stages it unseen, finds the path unmerged.
    """
    if not record.readable:
        return facts.busy
    if record.ours == record.theirs:  # no merge: `resolve` noted an edit of history
        return False
    if facts.unmerged:
        return True
    if facts.head != record.head:
        return False
    undone = facts.undone == (record.ours, record.theirs)
    return facts.brought or (undone and (facts.unfinished or facts.stashed))


def is_live(record: Record, facts: Facts) -> bool:
    """Tell whether `record` still counts: pending, or an edit of history noted for this commit.

    A settled refusal ends with its operation: after an abort its trailer would be a lie.
    """
    noted = record.readable and record.ours == record.theirs
    return is_pending(record, facts) or (noted and facts.head == record.head)


def blocks(record: Record, facts: Facts) -> bool:
    """Tell whether a commit of what is staged now would swallow the refusal."""
    if not is_pending(record, facts):
        return False
    if not record.readable or record.begun:
        return True
    return facts.staged in {record.ours, record.theirs} and facts.staged != record.resolved


def is_settled(record: Record, facts: Facts) -> bool:
    """Tell whether what is staged now is what the user settled the refusal with."""
    return record.resolved == (facts.staged or ABSENT) and is_live(record, facts)


def way_out(record: Record) -> str:
    """Return the command that settles `record`, pasteable at the top level."""
    if not record.readable:
        is_folder = os.path.isdir(record.file) and not os.path.islink(record.file)
        return f"rm {'-r ' if is_folder else ''}-- {quote(record.file)}"
    if record.take == "worktree":
        return _BY_HAND.format(operand(record.path))
    return command(record.kind, record.path)


def by_hand(path: str) -> str:
    """Return the command that settles a file of which a person has to make one text."""
    return f"${{EDITOR:-vi}} {operand(path)} && {_BY_HAND.format(operand(path))}"


def command(kind: str, path: str) -> str:
    """Return the command that settles a refused file of a kind, pasteable at the top level."""
    return _WAYS_OUT.get(kind, _BY_HAND).format(operand(path))


def trailer(record: Record) -> str:
    """Return the trailer that a commit bears for a record: ``Coord-Resolved: PATH REASON``."""
    return f"Coord-Resolved: {path_word(record.path)} {record.reason}"


def path_word(path: str) -> str:
    """Return a path as that trailer has it: quoted where it has a blank, to be one string."""
    word = c_quoted(path)
    return f'"{word}"' if " " in word and not word.startswith('"') else word


def parse(file: str, text: str) -> Record:
    """Return the record in `text`; fields it lacks are empty (see :attr:`Record.readable`)."""
    fields = dict(line.partition(" ")[::2] for line in text.split("\n")[1:])
    whole = text.startswith(_MARK + "\n") and text.endswith("\n")
    path = _path(fields.get("path", ""))
    return Record(
        file=file,
        kind=fields.get("kind", "") if whole else "",
        path=path,
        head=fields.get("head", ""),
        ours=fields.get("ours", ""),
        theirs=fields.get("theirs", ""),
        resolved=fields.get("resolved", ""),
        reason=fields.get("reason", ""),
        begun=fields.get("begun", ""),
        take=fields.get("take", ""),
    )


def _path(word: str) -> str:
    """Return a record's path; empty where git could have no such path: it may guard anything."""
    try:
        path = c_unquoted(word)
    except ValueError:
        return ""
    parts = path.split("/")
    odd = "\0" in path or not {"", ".", ".."}.isdisjoint(parts) or len(path) > _LONGEST
    return "" if odd else path


def read_all(git_dir: str) -> list[Record]:
    """Return every record of a worktree, oldest first; one that cannot be read is torn.

    So is what stands in place of the folder itself.

    Raises:
        Environment: another user's permissions hide what was refused.
    """
    folder = os.path.join(git_dir, FOLDER)
    try:
        names = sorted(os.listdir(folder), key=lambda name: (len(name), name))
    except FileNotFoundError:
        return [parse(folder, "")] if os.path.islink(folder) else []
    except PermissionError as error:
        raise _closed(folder, str(error.strerror)) from error
    except OSError:
        return [parse(folder, "")]
    if not os.access(folder, os.X_OK):
        raise _closed(folder, "it may not be entered")
    records = []
    for name in filter(str.isdigit, names):  # anything else is a write that was cut off
        file = os.path.join(folder, name)
        try:
            text = peerfile.read(file).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            continue  # settled meanwhile
        except PermissionError as error:
            raise _closed(file, str(error.strerror)) from error
        except OSError:
            text = ""
        records.append(parse(file, text))
    return records


def _closed(path: str, why: str) -> Environment:
    return Environment(
        "not-permitted",
        "what was refused may not be read",
        where=path,
        why=sharing.closed(path) or why,
        run="git coord doctor",
    )


def judged(here: Worktree, environ: Mapping[str, str]) -> list[tuple[Record, Facts]]:
    """Return every record of a worktree with what git says of it now, oldest first.

    Sides are ids that git holds, whatever bytes the driver was given. Where no driver left a record
    of a conflict, or it is torn, what the index remembers stands for it.
    """
    found = read_all(here.git_dir)
    over = _over(here, found)
    records = _with_conflicts(here, environ, [one for one in found if one not in over])
    refused = [Recorded(one.path, one.ours, one.theirs, one.resolved) for one in records]
    return [
        (record._replace(ours=facts.sides[0], theirs=facts.sides[1]), facts)
        for record, facts in zip(records, gather(here, refused, environ), strict=True)
    ]


def _over(here: Worktree, records: Sequence[Record]) -> list[Record]:
    """Return the records of operations that have ended, whatever goes on now.

    A torn one does not tell of which it was. An abort and a reset write into HEAD's reflog; within
    a rebase each of its commits does.
    """
    torn = [one for one in records if not one.readable and os.path.isfile(one.file)]
    if torn and os.path.isdir(here.private("rebase-merge")):
        torn = []
    return _of_earlier_tries(records) + [one for one in torn if not _may_go_on(here, one)]


def _of_earlier_tries(records: Sequence[Record]) -> list[Record]:
    """Return the records of merges that were reset and made again: they settle the next no more.

    A torn one may guard a path of its own.
    """
    newest: dict[tuple[str, str, bool], Record] = {}
    earlier = []
    for record in sorted(filter(lambda one: one.readable, records), key=_written):
        tried = record.path, record.head, record.ours == record.theirs
        earlier += [newest[tried]] if tried in newest else []
        newest[tried] = record
    return earlier


def _written(record: Record) -> int:
    try:
        return os.stat(record.file).st_mtime_ns
    except OSError:  # settled meanwhile
        return 0


def _with_conflicts(
    here: Worktree, environ: Mapping[str, str], records: list[Record]
) -> list[Record]:
    """Return records with those of all conflicts that the index remembers and none tells of.

    Such a one goes by the file of a torn record, or by the name that a new one would have.
    """
    remembered = conflicts(here, environ)
    if not remembered:
        return records
    head = git.ask("rev-parse", "--verify", "-q", "HEAD", cwd=here.cwd, env=environ).text
    known = {record.path for record in records if record.head == (head or "unborn")}
    files = [record.file for record in records if not record.readable]
    number = max([os.getpid(), *(int(os.path.basename(record.file)) for record in records)])
    found = {}
    for conflict in remembered:
        if conflict.path not in known:
            number += 1
            file = files.pop(0) if files else os.path.join(here.git_dir, FOLDER, str(number))
            sides = (conflict.ours, conflict.theirs)
            found[file] = Record(file, conflict.kind, conflict.path, head, *sides)
    return [record for record in records if record.file not in found] + list(found.values())


def live(here: Worktree, environ: Mapping[str, str]) -> list[tuple[Record, Facts]]:
    """Return the live records with their facts, and delete the stale ones.

    Inside a rebase they stay to its end: a commit that was dropped is told by its record.

    Args:
        here: the worktree.
        environ: environment of git's children (``git.here()`` inside a hook: its index counts).
    """
    return sifted(here, environ)[0]


def sifted(
    here: Worktree, environ: Mapping[str, str]
) -> tuple[list[tuple[Record, Facts]], list[tuple[Record, Facts]]]:
    """Return what :func:`live` does, and the records of an operation that was cut off."""
    found: list[tuple[Record, Facts]] = []
    cut: list[tuple[Record, Facts]] = []
    for record in _over(here, read_all(here.git_dir)):
        forget(record)
    for record, facts in judged(here, environ):
        if is_live(record, facts):
            found.append((record, facts))
        elif is_cut_off(here, record, facts):
            cut.append((record, facts))
        elif not os.path.isdir(here.private("rebase-merge")):
            forget(record)
    return found, cut


def is_cut_off(here: Worktree, record: Record, facts: Facts) -> bool:
    """Tell whether git ended after the driver, but before it noted what it was doing.

    Killed then (``git merge x 2>&1 | head -3``), it leaves merged files without MERGE_HEAD. An
    abort or a reset writes into HEAD's reflog, so the record is older than that.
    """
    noted = facts.busy or facts.unmerged or facts.unfinished or facts.undone is not None
    if noted or not record.readable or facts.head != record.head or record.ours == record.theirs:
        return False
    return _may_go_on(here, record, unknown=False)


def _may_go_on(here: Worktree, record: Record, *, unknown: bool = True) -> bool:
    """Tell whether what `record` is of has not ended yet; `unknown` where no reflog tells."""
    try:
        return _is_newer(here, os.stat(record.file).st_mtime_ns)
    except OSError:
        return unknown


def _is_newer(here: Worktree, written: int) -> bool:
    """Tell whether something was `written`, in nanoseconds, after HEAD's reflog was.

    A reftable tells seconds; within one of them what an abort takes away does.
    """
    if not os.path.exists(here.private("reftable")):
        return written > os.stat(here.private("logs/HEAD")).st_mtime_ns
    from coord.repo import git  # noqa: PLC0415  # only for a record that nothing explains

    asked = ("log", "--walk-reflogs", "-1", "--date=unix", "--format=%gd", "HEAD")
    last = git.ask(*asked, cwd=here.cwd).text.removeprefix("HEAD@{").removesuffix("}")
    if not last.isdigit() or written // 10**9 != int(last):
        return last.isdigit() and written // 10**9 > int(last)
    return git.ask("rev-parse", "-q", "--verify", "AUTO_MERGE", cwd=here.cwd).code == 0


def cut_off(record: Record) -> tuple[str, str]:
    """Return why the operation of a record did not come to its end, and what to run."""
    why = (
        f"git ended after it was refused {record.path}, but before it noted what it was merging: "
        "a commit of what is there has one parent; the command puts it aside, then merge again"
    )
    return why, "git stash push --include-untracked && git reset -q"


def require_whole(cut: Sequence[tuple[Record, Facts]]) -> None:
    """Refuse to settle anything while an operation that was cut off has left its files behind.

    Raises:
        Refused: naming one of the records in `cut`.
    """
    for record, _ in cut:
        why, run = cut_off(record)
        what = "a merge was cut off"
        raise Refused("operation-cut-off", what, where=record.path, why=why, run=run)


def forget(record: Record) -> None:
    """Delete a record; where it may not be deleted it stays, as stale as before."""
    try:
        os.unlink(record.file)
    except OSError:
        pass


def add(git_dir: str, record: Record) -> None:
    """Write a record that no driver left, under a number of its own."""
    folder = os.path.join(git_dir, FOLDER)
    share = sharing.of_private(git_dir)
    sharing.folders(folder, share)
    number = os.getpid()  # as the drivers do
    data = record.text().encode(errors="surrogateescape")
    while not publish.create(os.path.join(folder, str(number)), data, share=share):
        number += 1


def begin(record: Record, what: str) -> None:
    """Note that the file is being settled: until it is, nothing of it may be committed."""
    _rewrite(record._replace(begun=" ".join(what.split())))


def give_up(record: Record) -> None:
    """Take :func:`begin` back: the file is as it was."""
    _rewrite(record)


def resolve(record: Record, blob: str, reason: str) -> Record:
    """Rewrite `record` as resolved by `blob`, in one step, and return it."""
    return _rewrite(record._replace(resolved=blob, reason=" ".join(reason.split()), begun=""))


def _rewrite(record: Record) -> Record:
    folder = os.path.dirname(record.file)
    share = sharing.of_private(os.path.dirname(folder))
    sharing.folders(folder, share)
    publish.replace(record.file, record.text().encode(errors="surrogateescape"), share=share)
    return record


def follow(git_dir: str, moved: Mapping[str, str]) -> None:
    """Let records keep up with a HEAD that was rewritten without a change of its tree."""
    for record in read_all(git_dir):
        if record.head in moved:
            _rewrite(record._replace(head=moved[record.head]))
