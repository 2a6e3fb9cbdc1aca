"""Where we are: the private and common git dirs, the top level, and the sibling worktrees.

A worktree is known by its private git dir, never by a path string: ``/tmp`` and its real path are
one place. Git answers from the cwd with its local variables scrubbed, because inside
``git rebase --exec 'cd ../b && …'`` the exported GIT_DIR still names worktree a.
"""

from __future__ import annotations

import os

from coord.base import peerfile
from coord.base.errors import Environment, Refused
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Worktree(NamedTuple):
    """One worktree, or a bare repository.

    Attributes:
        git_dir: private git dir, absolute and real.
        common_dir: common git dir, absolute and real.
        top: top level of the worktree, None in a bare repository or inside a git dir.
    """

    git_dir: str
    common_dir: str
    top: str | None

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree rather than the main one."""
        return self.git_dir != self.common_dir

    @property
    def cwd(self) -> str:
        """A folder from which git finds this worktree."""
        return self.top or self.git_dir

    @property
    def named(self) -> dict[str, str]:
        """What git needs in its environment to find it from :attr:`cwd`.

        With ``safe.bareRepository=explicit``, the default of git 3.0, it finds a git dir only where
        that is named. How we came to this one was judged when it was discovered.
        """
        return {} if self.top else {"GIT_DIR": self.git_dir}

    @property
    def env(self) -> dict[str, str]:
        """The environment of a child of ours that is to find it from :attr:`cwd`."""
        return git.elsewhere() | self.named

    @property
    def installed(self) -> bool:
        """Whether ``coord-install`` has run here."""
        return os.path.exists(os.path.join(self.common_dir, "hooks", "coord", "launch"))

    @property
    def in_use(self) -> bool:
        """Whether anything of ours is here that signs of life are for: an install, or a board."""
        return self.installed or self.has_board

    @property
    def has_board(self) -> bool:
        """Whether anybody has ever been put on a board here."""
        return os.path.isdir(os.path.join(self.common_dir, "coord", "board"))

    def private(self, name: str) -> str:
        """Return the path of `name` in the private git dir."""
        return os.path.join(self.git_dir, name)

    def merging(self) -> list[str]:
        """Return the commits that a merge in progress brings in."""
        try:
            return peerfile.read(self.private("MERGE_HEAD")).decode("ascii", "replace").split()
        except FileNotFoundError:
            return []

    def has(self, name: str) -> bool:
        """Tell whether the private git dir has a file or folder `name`, or git such a head.

        A reftable repository keeps CHERRY_PICK_HEAD and its like, but MERGE_HEAD, among its refs.
        """
        if os.path.exists(self.private(name)):
            return True
        if not name.endswith("_HEAD") or not os.path.isdir(f"{self.common_dir}/reftable"):
            return False
        env = git.elsewhere() | {"GIT_DIR": self.git_dir}
        return git.look("rev-parse", "--verify", "--quiet", name, cwd=self.cwd, env=env).code == 0


class Sibling(NamedTuple):
    """One entry of ``git worktree list``.

    Attributes:
        path: the folder git records.
        git_dir: its private git dir, or the common dir for the main worktree.
        branch: short branch name, None when detached.
        bare: the main entry of a bare repository.
        prunable: the folder is gone.
        head: the commit, zeros for a branch that has none; empty for a bare one.
    """

    path: str
    git_dir: str
    branch: str | None
    bare: bool
    prunable: bool
    head: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is one of the worktrees of "more than one worktree" (docs/design.md)."""
        return not self.bare and not self.prunable


def discover(cwd: str, environ: Mapping[str, str] = os.environ) -> Worktree:
    """Return the worktree `cwd` is in; where cwd is in none, the one GIT_DIR names.

    Raises:
        Environment: not a repository, or git will not read it (its own words are shown).
    """
    done = git.ask(*_QUESTION, cwd=cwd, env=git.elsewhere(environ))
    found = _answered(done)
    if not found and environ.get("GIT_DIR"):
        done = git.ask(*_QUESTION, cwd=cwd, env=git.here(environ))
    if not _answered(done):
        raise _no_repository(cwd, os.fsdecode(done.err))
    git_dir, common_dir, *top = _lines(done, cwd)
    return Worktree(
        os.path.realpath(git_dir),
        os.path.realpath(common_dir),
        # A top that GIT_DIR alone makes one is no folder from which git finds this one.
        top[0] if found and done.code == 0 and top else None,
    )


def of_files(cwd: str) -> Worktree | None:
    """Return the worktree `cwd` is in, found in files as git finds it; None outside of all.

    For who must not pay for a git child (each command does), or can ask none (a file that git reads
    as config is damaged). Its top is not looked up.
    """
    folder, above = cwd, os.path.dirname(cwd)
    while (git_dir := _git_dir(folder)) is None:
        if above == folder:
            return None
        folder, above = above, os.path.dirname(above)
    link = _line(os.path.join(git_dir, "commondir"))
    common_dir = os.path.normpath(os.path.join(git_dir, link)) if link else git_dir
    return Worktree(git_dir, common_dir, None)


def _git_dir(folder: str) -> str | None:
    """Return the git dir that a folder has, or is."""
    named = os.path.join(folder, ".git")
    link = _line(named).removeprefix("gitdir: ")
    for path in (os.path.normpath(os.path.join(folder, link)) if link else named, folder):
        if os.path.lexists(os.path.join(path, "HEAD")):
            return path
    return None


def _line(path: str) -> str:
    """Return the first line of a file, empty where there is none; git too follows a link there."""
    try:
        return os.fsdecode(peerfile.head(os.path.realpath(path))).partition("\n")[0]
    except OSError:
        return ""


# --show-toplevel comes last: in a bare repository git dies there, after the first two answers.
_QUESTION = (
    "rev-parse",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
)


def _answered(done: git.Output) -> bool:
    return done.out.count(b"\n") >= 2  # noqa: PLR2004  # both git dirs came


def _lines(done: git.Output, cwd: str) -> list[str]:
    """Return the answers, one a line; a folder with a newline in its name is asked for alone."""
    lines = os.fsdecode(done.out).removesuffix("\n").split("\n")
    if len(lines) == 2 + (done.code == 0):
        return lines
    alone = [git.ask(*_QUESTION[:2], part, cwd=cwd) for part in _QUESTION[2:]]
    return [answer.text for answer in alone if answer.code == 0]


def _no_repository(cwd: str, stderr: str) -> Environment:
    words = " ".join(stderr.removeprefix("fatal: ").split())
    # Git prints the command that trusts a repository of another owner, after a tab.
    trust = next((line.strip() for line in stderr.split("\n") if line.startswith("\tgit ")), None)
    absent = "not a git repository" in words
    bare = of_files(cwd) if "safe.bareRepository" in words else None
    if bare:  # git will be told by each command which one it is
        trust = f"export GIT_DIR={quote(bare.git_dir)}"
    return Environment(
        "not-a-repository" if absent else "repository-unreadable",
        "no git repository can be read here",
        where=cwd,
        why=f"git said: {words}" if words else "git gave no answer",
        run=trust or _led_back(cwd) or f"git -C {quote(cwd)} status",
    )


def _led_back(cwd: str) -> str:
    """Return the command against a ``core.worktree`` that leads to no folder; "" if none does.

    git then works nowhere in the repository, not even to unset it, and says not where it is set.
    """
    place = of_files(os.path.realpath(cwd))
    if place is None:
        return ""
    for name in ("config", "config.worktree"):
        file = os.path.join(place.common_dir, name)
        found = git.ask("config", "--file", file, "--get", "core.worktree", cwd=os.sep)
        if found.code == 0 and not os.path.isdir(os.path.join(place.common_dir, found.text)):
            return f"git -C / config --file {quote(file)} --unset-all core.worktree"
    return ""


def leaked(here: Worktree, cwd: str, environ: Mapping[str, str]) -> str | None:
    """Return the git dir that GIT_DIR names, when it is another one than this worktree's."""
    named = environ.get("GIT_DIR")
    other = os.path.realpath(os.path.join(cwd, named)) if named else here.git_dir
    return None if other == here.git_dir else other


def require_own(here: Worktree, cwd: str, verb: str, environ: Mapping[str, str]) -> None:
    """Refuse a verb that would act for another worktree than the one it is called in.

    Raises:
        Refused: GIT_DIR names another private git dir than the one `cwd` is in; or this worktree
            is a copy, which has the private git dir of the original.
    """
    _refuse_leaked(here, cwd, verb, environ)
    original = copied_from(here)
    if original is not None:
        raise Refused(
            "worktree-copied",
            f"{verb} would act for the worktree that this one was copied from",
            where=f"{here.top} is a copy of {original}",
            why="both have one private git dir, and with it one pin, index and HEAD: what is owned "
            "there is the original's",
            run=own_worktree(here, original),
        )


def own_worktree(here: Worktree, original: str) -> str:
    """Return the command that leads out of a copied worktree into one of its own.

    Where all of the repository was copied, its record of this worktree came along, and the two are
    linked. ``git worktree repair`` would lead the original's worktrees into the copy.
    """
    top = here.top or ""
    if record := _came_along(here, original):
        link = os.path.join(top, ".git")
        leads = f"printf 'gitdir: %s\\n' {quote(record)} >{quote(link)}"
        return f"{leads} && printf '%s\\n' {quote(link)} >{quote(f'{record}/gitdir')}"
    own = quote(f"{top}-own")
    return f"test -d {own} || git -C {quote(original)} worktree add --detach {own}; cd {own}"


def _came_along(here: Worktree, original: str) -> str:
    """Return the private git dir that lies to a copied worktree as the original's to that one.

    Empty where there is none that was copied, and so names either.
    """
    top = here.top or ""
    record = os.path.normpath(os.path.join(top, os.path.relpath(here.git_dir, original)))
    named = _line(os.path.join(record, "gitdir"))
    mine = {os.path.join(folder, ".git") for folder in (original, top)}
    return record if record != here.git_dir and named in mine else ""


def copied_from(here: Worktree) -> str | None:
    """Return the worktree that a linked one was copied from (``cp -a``); None of an original.

    Git writes the one place of a worktree into its private git dir. A moved one is no copy: nothing
    is at the old place; nor one whose place is not to be seen from here, as in a container.
    """
    if not here.linked or here.top is None:
        return None
    named = _line(here.private("gitdir"))
    there, mine = os.path.join(here.git_dir, named), os.path.join(here.top, ".git")
    if not (named and os.path.isfile(there) and os.path.isfile(mine)):
        return None
    if os.path.samefile(there, mine):
        return None
    folder = os.path.dirname(there)
    points = os.path.join(folder, _line(there).removeprefix("gitdir: "))
    return folder if os.path.realpath(points) == here.git_dir else None


def is_copy(cwd: str, place: Worktree) -> bool:
    """Tell whether `place`, which :func:`of_files` has found from `cwd`, is a copied worktree."""
    if not place.linked:
        return False
    top = cwd
    while not os.path.lexists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return False
        top = os.path.dirname(top)
    return copied_from(place._replace(top=top)) is not None


def _refuse_leaked(here: Worktree, cwd: str, verb: str, environ: Mapping[str, str]) -> None:
    other = leaked(here, cwd, environ)
    if other is None:
        return
    raise Refused(
        "identity-conflict",
        f"{verb} would act on one of two repositories",
        where=f"{here.git_dir} and {other}",
        why="the current folder is in the first, but GIT_DIR in the environment names the second",
        run=f"unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; git coord {verb}",
    )


def siblings(here: Worktree) -> list[Sibling]:
    """Return every worktree of the repository, the main one first.

    A copied repository lists its original's too, which are none of its own. Asked of the common git
    dir: from a linked worktree git reads that one's ``config.worktree``,
    and takes a repository that is bare by its own for one with files.
    """
    listing = _listed(here)
    known = _by_path(here.common_dir)
    entries = [entry for entry in os.fsdecode(listing).split("\0\0") if entry]
    found = [
        _sibling(entry.split("\0"), here.common_dir if number == 0 else None, known)
        for number, entry in enumerate(entries)
    ]
    found = [*found[:1], *(one for one in found[1:] if not _is_anothers(one, here.common_dir))]
    if here.linked or here.top is None:
        return found
    return [found[0]._replace(path=here.top), *found[1:]]  # git takes the folder above for it


def owner(git_dir: str, common_dir: str) -> str | None:
    """Return another repository whose worktree a private git dir of ours names; None of our own.

    That worktree and the other's private git dir name each other: ours was copied with the rest.
    """
    named = _line(os.path.join(git_dir, "gitdir"))
    link = os.path.join(git_dir, named)
    said = _line(link).partition("gitdir: ")[2] if named else ""
    there = os.path.normpath(os.path.join(os.path.dirname(link), said))
    if not said or there == os.path.normpath(git_dir):
        return None
    other = os.path.realpath(there)
    back = os.path.join(other, _line(os.path.join(other, "gitdir")))
    if other.startswith(os.path.realpath(common_dir) + os.sep) or not os.path.isfile(back):
        return None
    if not os.path.samefile(back, link):
        return None
    return os.path.realpath(os.path.join(other, _line(os.path.join(other, "commondir")) or "."))


def _is_anothers(sibling: Sibling, common_dir: str) -> bool:
    if not sibling.git_dir:
        return False
    try:  # asked of each worktree, and nearly always answered by its first line
        link = peerfile.head(os.path.join(sibling.path, ".git"))
    except OSError:
        return False
    if link == os.fsencode(f"gitdir: {sibling.git_dir}\n"):
        return False
    return owner(sibling.git_dir, common_dir) is not None


def _listed(here: Worktree) -> bytes:
    env = {**git.elsewhere(), "GIT_DIR": here.common_dir}
    try:
        return git.tell("worktree", "list", "--porcelain", "-z", cwd=here.cwd, env=env).out
    except git.GitError as error:
        run = _led_back(here.cwd)
        if not run:
            raise
        what = "git cannot list the worktrees"
        rule = "repository-unreadable"
        raise Environment(rule, what, where=here.cwd, why=error.why, run=run) from error


def count(here: Worktree) -> int:
    """Return how many worktrees could hold a worker: neither bare nor prunable.

    Without linked worktrees there is nothing to ask git about.
    """
    if not os.path.isdir(os.path.join(here.common_dir, "worktrees")):
        return 1
    return sum(sibling.counts for sibling in siblings(here))


def _sibling(lines: list[str], main: str | None, known: dict[str, str]) -> Sibling:
    facts = dict(line.partition(" ")[::2] for line in lines if line)
    path = facts["worktree"]
    return Sibling(
        path=path,
        git_dir=main or known.get(os.path.realpath(path), ""),
        branch=facts.get("branch", "").removeprefix("refs/heads/") or None,
        bare="bare" in facts,
        prunable="prunable" in facts,
        head=facts.get("HEAD", ""),
    )


def _by_path(common_dir: str) -> dict[str, str]:
    """Map each linked worktree's real path to its private git dir, from git's back links."""
    from coord.base import sharing  # noqa: PLC0415  # no hook lists worktrees

    found: dict[str, str] = {}
    for git_dir in sharing.private_dirs(common_dir):
        try:
            link = os.fsdecode(peerfile.read(os.path.join(git_dir, "gitdir"))).rstrip("\n")
        except OSError:
            continue
        found[os.path.realpath(os.path.dirname(os.path.join(git_dir, link)))] = git_dir
    return found
