"""Where declared path globs of several claims meet, by git's own pathspec meaning.

Git matches the globs against one scratch index, which names every file of the branches concerned
and every literal path that was declared, whether it exists yet or not. What cannot be seen so, two
globs into a folder that is still empty, is told by their literal beginnings.
"""

from __future__ import annotations

import itertools
import os
import posixpath
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Usage
from coord.guard import guarded
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.events import Place as Claim
    from coord.repo.worktree import Worktree

_GLOB = frozenset("*?[")
_SHORT = {"/": "top", "!": "exclude", "^": "exclude"}


class Declared(NamedTuple):
    """One claim that declares paths.

    Attributes:
        scope: canonical scope.
        claim: its place in the scope's line.
    """

    scope: str
    claim: Claim


class Meeting(NamedTuple):
    """Two claims that declare the same paths.

    Attributes:
        first: one claim.
        second: the other.
        files: the paths that both mean, existing or named by one of them.
        globs: pairs of globs that begin alike, where nothing is tracked yet.
    """

    first: Declared
    second: Declared
    files: tuple[str, ...]
    globs: tuple[tuple[str, str], ...]


def meetings(
    here: Worktree, ones: Sequence[Declared], among: Declared | None = None
) -> list[Meeting]:
    """Return where claims of distinct workers on distinct branches meet; logs are joined anyway.

    Args:
        here: the worktree git is asked in.
        ones: the claims.
        among: return only meetings with what its worker has claimed for its branch.
    """
    pairs = [
        (one, other)
        for one, other in itertools.combinations(ones, 2)
        if _are_apart(one.claim, other.claim)
        and (among is None or _owner(among) in {_owner(one), _owner(other)})
    ]
    if not pairs:
        return []
    involved = [one for one in ones if any(one in pair for pair in pairs)]
    tracked = _tracked(here, involved)
    fold = str.casefold if folds(here) else str
    matched = _matched(here, involved, tracked, fold)
    begun = {fold(path) for path in tracked}

    def may_meet(mine: str, theirs: str) -> bool:
        return _begin_alike(mine, theirs, fold, begun)

    met = [_meeting(*pair, matched, may_meet) for pair in pairs if matched.keys() >= set(pair)]
    kinds = guarded.kinds(here, {path for meeting in met for path in meeting.files})
    logs = {path for path, kind in kinds.items() if kind in guarded.JOINED}
    found = (one._replace(files=tuple(p for p in one.files if p not in logs)) for one in met)
    return [meeting for meeting in found if meeting.files or meeting.globs]


def rooted(here: Worktree, cwd: str, specs: Iterable[str]) -> tuple[str, ...]:
    """Return pathspecs typed in the folder `cwd` as they are said at the top level.

    Raises:
        Usage: git does not take one.
    """
    prefix = git.ask("rev-parse", "--show-prefix", cwd=cwd).text
    found = tuple(_under(prefix, spec) for spec in specs)
    for spec in found:
        done = git.ask("ls-files", "-z", "--", spec, cwd=here.cwd)
        if done.code:
            words = " ".join(os.fsdecode(done.err).removeprefix("fatal: ").split())
            raise Usage(
                "usage",
                "not a pathspec of git's",
                where=spec,
                why=f"git said: {words}",
                run="git help glossary",
            )
    return found


def folds(here: Worktree) -> bool:
    """Tell whether git holds the file system for one that folds case."""
    asked = git.ask("config", "--type=bool", "--get", "core.ignorecase", cwd=here.cwd)
    return asked.text == "true"


def literal(spec: str) -> str:
    """Return the part of a pathspec before its first glob character, without its magic."""
    magic, path = split(spec)
    if "literal" in magic:
        return path
    return path[: next((at for at, char in enumerate(path) if char in _GLOB), len(path))]


def split(spec: str) -> tuple[set[str], str]:
    """Return the magic words of a pathspec and the path behind them, as gitglossary has it."""
    if spec.startswith(":("):
        words, _, path = spec[2:].partition(")")
        return {word.partition(":")[0] for word in words.split(",")}, path
    magic = set()
    if spec.startswith(":"):
        spec = spec[1:]
        while spec[:1] in _SHORT:
            magic.add(_SHORT[spec[0]])
            spec = spec[1:]
        spec = spec.removeprefix(":")
    return magic, spec


def _under(prefix: str, spec: str) -> str:
    magic, path = split(spec)
    if not prefix or "top" in magic:
        return spec
    whole = posixpath.normpath(prefix + path) + ("/" if path.endswith("/") else "")
    if not magic:
        return whole
    if spec.startswith(":("):
        return f"{spec[: spec.index(')') + 1]}{whole}"
    return f":(exclude){whole}"


def _owner(one: Declared) -> tuple[str | None, str | None]:
    return one.claim.instance, one.claim.branch


def _are_apart(one: Claim, other: Claim) -> bool:
    return one.instance != other.instance and one.branch != other.branch


def _tracked(here: Worktree, ones: Sequence[Declared]) -> set[str]:
    """Return what is tracked here, and on the branches of the claims."""
    found = set(git.ask("ls-files", "-z", "--full-name", cwd=here.cwd).fields)
    for branch in {one.claim.branch for one in ones if one.claim.branch}:
        tree = f"refs/heads/{branch}"
        found |= set(git.ask("ls-tree", "-r", "-z", "--name-only", tree, cwd=here.cwd).fields)
    return found


def _matched(
    here: Worktree, ones: Sequence[Declared], tracked: set[str], fold: Callable[[str], str]
) -> dict[Declared, set[str]]:
    """Return, claim by claim, which paths its globs mean; without those that git takes for ill."""
    literals = {path for one in ones for spec in one.claim.paths if (path := _to_come(spec))}
    named = {fold(path): path for path in (*sorted(literals), *tracked)}
    with tempfile.TemporaryDirectory() as folder:
        env = {**git.elsewhere(), "GIT_INDEX_FILE": os.path.join(folder, "index")}
        empty = git.tell("hash-object", "-t", "blob", "--stdin", cwd=here.cwd, stdin=b"").text
        paths = sorted(_without_folders(set(named.values())))
        feed = os.fsencode("".join(f"100644 {empty} 0\t{path}\0" for path in paths))
        git.tell("update-index", "-z", "--index-info", cwd=here.cwd, env=env, stdin=feed)
        case = ["--icase-pathspecs"] if fold is str.casefold else []
        ask = (*case, "ls-files", "-z", "--")
        done = {one: git.ask(*ask, *one.claim.paths, cwd=here.cwd, env=env) for one in ones}
    return {one: set(found.fields) for one, found in done.items() if found.code == 0}


def _to_come(spec: str) -> str:
    """Return the file that a pathspec without globs names; "" for others, or for no path."""
    magic, path = split(spec)
    parts = path.split("/")
    if magic - {"top", "literal", "icase", "glob"} or {"", ".", ".."} & set(parts):
        return ""
    if any(part.lower() == ".git" for part in parts):
        return ""
    return path if literal(spec) == path else ""


def _without_folders(paths: set[str]) -> set[str]:
    """Drop what is a folder of another path: an index holds no file and folder of one name."""
    folders = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return paths - folders


def _meeting(
    one: Declared,
    other: Declared,
    matched: dict[Declared, set[str]],
    may_meet: Callable[[str, str], bool],
) -> Meeting:
    pairs = itertools.product(one.claim.paths, other.claim.paths)
    globs = tuple(pair for pair in pairs if may_meet(*pair))
    return Meeting(one, other, tuple(sorted(matched[one] & matched[other])), globs)


def _begin_alike(mine: str, theirs: str, fold: Callable[[str], str], tracked: set[str]) -> bool:
    """Tell whether two globs may mean one file that does not exist yet.

    Where files are tracked below the deeper beginning, or it is one file's name, git has told.
    """
    if "exclude" in split(mine)[0] | split(theirs)[0]:
        return False
    upper, deeper = sorted((mine, theirs), key=lambda spec: len(literal(spec)))
    start, above = fold(literal(deeper)), fold(literal(upper))
    if _to_come(deeper) or not start or any(path.startswith(start) for path in tracked):
        return False
    return start.startswith(f"{above}/" if _to_come(upper) else above)
