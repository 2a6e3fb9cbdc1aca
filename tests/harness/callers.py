"""Who calls a merge driver: one history, and each operation of git that merges its two sides.

Three kinds of files stand there in five shapes. All but the plain ones were committed on the
base and on side before the attribute by which main has git convert them, and `merge.renormalize`
is set: a driver is then given bytes that no commit holds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from harness.hooked import add_hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.repo import Repo

PATTERNS = "*.lock coord-derived\n*.log coord-log\n*.once coord-once\n"
SHAPES = ("plain", "ends", "ident", "filter", "encoding")
#: Kind → its text in the base, on main (ours) and on side (theirs): none can be joined.
KINDS = {
    "lock": ("0\n", "1\n", "2\n"),
    "log": ("a\nb\n", "a\nb\nm\n", "A\nb\ns\n"),
    "once": ("actor: o\n", "actor: m\n", "actor: s\n"),
}
#: Each kind and each shape once; COORD_CALLERS=each takes each kind in each shape (.ci/full).
FILES: tuple[str, ...] = ("encoding.lock", "ident.lock", "filter.log", "plain.log", "ends.once")
if os.environ.get("COORD_CALLERS") == "each":
    FILES = tuple(f"{shape}.{kind}" for kind in KINDS for shape in SHAPES)
_STAMPED = [f"2024-01-0{day}T00:00:00Z a record\n" for day in (1, 2, 3)]
#: The same of logs alone that can be joined; their join is `JOINED`.
_GROWN = {"log": (_STAMPED[0], _STAMPED[0] + _STAMPED[2], _STAMPED[0] + _STAMPED[1])}
JOINED = "".join(_STAMPED)
_ATTRIBUTES = (
    "ends.* text\nident.* ident\nfilter.* filter=bare\nencoding.* working-tree-encoding=UTF-16\n"
)
_UTF16 = "| iconv -f UTF-8 -t UTF-16 "
_FILTER = (("clean", "sed 's/ #.*//'"), ("smudge", "cat"))


class Caller(NamedTuple):
    """One operation.

    Attributes:
        run: shell line by which it meets all files; main is checked out before.
        finish: shell line that goes on once they are staged; empty: nothing is open then.
        folder: where the files of ours are.
    """

    run: str
    finish: str = ""
    folder: str = ""

    @property
    def merges(self) -> bool:
        """Whether a commit with both sides as its parents comes of it."""
        return self.finish == _COMMIT and "-n" not in self.run and "--squash" not in self.run


_COMMIT = "git commit -q --no-edit"
_CROSSED = "git commit-tree -m crossed"
_SIDE = "git switch -q side"
_EDITED = "git switch -q --detach base && git checkout -q side -- ."
CALLERS = {
    "merge": Caller("git merge side", _COMMIT),
    "merge, its files merged anew": Caller(
        "git merge -q side; rm .git/coord-refused/*; git checkout -q -m -- '*.l*' '*.once'", _COMMIT
    ),
    "merge, resolved before": Caller(
        "git config rerere.enabled true; git merge -q side; for f in *.log; do echo x >$f; done; "
        "git rerere; git reset -q --hard; rm .git/coord-refused/*; git merge side",
        _COMMIT,
    ),
    "merge, criss-cross": Caller(
        f"b=$({_CROSSED} -p side -p main side^{{tree}}) && "
        f"git reset -q --hard $({_CROSSED} -p main -p side main^{{tree}}) && git merge $b",
        _COMMIT,
    ),
    "merge -s subtree": Caller("git switch -q super && git merge -s subtree lib", _COMMIT, "lib/"),
    "merge -s resolve": Caller("git merge -s resolve side", _COMMIT),
    "merge -s octopus": Caller("git merge third side", _COMMIT),
    "merge --squash": Caller("git merge --squash side", _COMMIT),
    "cherry-pick": Caller("git cherry-pick side", "git cherry-pick --continue"),
    "cherry-pick, of several": Caller("git cherry-pick side more", "git cherry-pick --continue"),
    "cherry-pick -n": Caller("git cherry-pick -n side", _COMMIT),
    "revert": Caller(
        "git switch -q undoing && git revert --no-edit undone", "git revert --continue"
    ),
    "rebase": Caller(f"{_SIDE} && git rebase main", "git rebase --continue"),
    "rebase --apply": Caller(f"{_SIDE} && git rebase --apply main", "git rebase --continue"),
    "am -3": Caller(
        "git format-patch -q -1 --stdout side >../mail && git am -3 --keep-cr <../mail",
        "git am --continue",
    ),
    "apply -3": Caller(
        "git diff --binary base side >../patch && git update-index -q --refresh; "
        "git apply -3 ../patch"
    ),
    "stash pop": Caller(f"{_EDITED} && git stash push -q && git switch -q main && git stash pop"),
    "checkout -m": Caller(f"{_EDITED} && git reset -q && rm in/side && git checkout -m main"),
}


def prepare(repo: Repo) -> None:
    """Make the history, with hooks and drivers in place and no commit judged by them."""
    add_hooks(repo, PATTERNS)
    repo.git("config", "merge.renormalize", "true")
    for key, command in _FILTER:
        repo.git("config", f"filter.bare.{key}", command)
    bare = repo.with_env(
        GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.hooksPath", GIT_CONFIG_VALUE_0="/dev/null"
    )
    bare.commit("declared", {".coord.toml": _toml(""), "in/a": "base\n"})
    bare.git("branch", "undoing")
    _put(bare, "base", 0, {})
    bare.git("tag", "base")
    bare.git("switch", "-q", "-c", "side")
    _put(bare, "side", 2, {"in/side": "side\n"})
    bare.git("switch", "-q", "-c", "more")
    bare.commit("more", {"more": "more\n"})
    bare.git("switch", "-q", "-c", "third", "base")
    bare.commit("third", {"third": "third\n"})
    bare.git("switch", "-q", "main")
    _put(bare, "main", 1, {".gitattributes": _ATTRIBUTES, "in/main": "main\n"})
    _undoing(bare)
    _super(bare)
    _joinable(bare)
    bare.git("switch", "-q", "main")


def _undoing(repo: Repo) -> None:
    """Let a branch have the files of side, then those of the base, then those of main."""
    repo.git("switch", "-q", "undoing")
    _put(repo, "as side", 2, {"in/side": "side\n"})
    repo.git("rm", "-q", "in/side")
    _put(repo, "as the base", 0, {})
    repo.git("tag", "undone")
    _put(repo, "as main", 1, {".gitattributes": _ATTRIBUTES, "in/main": "main\n"})


def _super(repo: Repo) -> None:
    """Let a branch hold the files below a folder, and another the library that they come from."""
    repo.git("switch", "-q", "--orphan", "lib")
    _put(repo, "the base of lib", 0, {"in/a": "base\n"})
    repo.git("switch", "-q", "--orphan", "super")
    repo.commit("declared below", {".coord.toml": _toml("lib/"), "README": "super\n"})
    join = ("-s", "ours", "--no-commit", "--allow-unrelated-histories")
    repo.git("merge", "-q", *join, "lib")
    repo.git("read-tree", "--prefix=lib/", "lib")
    repo.git("commit", "-q", "-m", "add lib")
    repo.git("checkout", "-q", "lib")
    _put(repo, "lib", 2, {"in/side": "side\n"})
    repo.git("switch", "-q", "super")
    repo.git("reset", "-q", "--hard")
    _put(repo, "super", 1, {".gitattributes": _ATTRIBUTES, "lib/in/main": "main\n"}, "lib/")


def _joinable(repo: Repo) -> None:
    """Let two branches append to logs that they share."""
    repo.git("switch", "-q", "--orphan", "early")
    _put(repo, "base of early and late", 0, {}, kinds=_GROWN)
    repo.git("branch", "late")
    _put(repo, "early", 2, {}, kinds=_GROWN)
    repo.git("switch", "-q", "late")
    _put(repo, "late", 1, {".gitattributes": _ATTRIBUTES}, kinds=_GROWN)


def _put(
    repo: Repo,
    message: str,
    version: int,
    beside: Mapping[str, str],
    folder: str = "",
    *,
    kinds: Mapping[str, tuple[str, str, str]] = KINDS,
) -> None:
    """Commit all files in the version of the base, of main or of side, unseen by any filter."""
    form: Callable[[str, str], bytes] = _converted if version == 1 else _unconverted
    files = [name for name in FILES if name.rpartition(".")[2] in kinds]
    names = {name: repo.path.parent / f"blob-{name}" for name in files}
    for name, file in names.items():
        shape, kind = name.split(".")
        # No two shapes of one kind are one blob, once converted, but where they are joined.
        first = f"{shape}\n" if kinds is KINDS else ""
        file.write_bytes(form(shape, first + kinds[kind][version]))
    blobs = repo.git("hash-object", "-w", "--no-filters", *map(str, names.values())).split()
    lines = zip(blobs, names, strict=True)
    listed = "".join(f"100644 {blob}\t{folder}{name}\n" for blob, name in lines)
    repo.git("update-index", "--add", "--index-info", stdin=listed)
    for name, text in beside.items():
        repo.write(name, text)
        repo.git("add", "--", name)
    repo.git("commit", "-q", "-m", message)
    repo.git("reset", "-q", "--hard")


def _unconverted(shape: str, text: str) -> bytes:
    """Return a text as it was committed before its attribute was there."""
    if shape == "ends":
        text = text.replace("\n", "\r\n")
    if shape == "ident":
        text += "$Id: 0123 $\n"
    if shape == "filter":
        text = text.replace("\n", " #local\n")
    return text.encode("utf-16" if shape == "encoding" else "utf-8")


def _converted(shape: str, text: str) -> bytes:
    """Return what git makes of that text."""
    return f"{text}$Id$\n".encode() if shape == "ident" else text.encode()


def _toml(folder: str) -> str:
    """Return the declarations of the derived files below a folder."""
    return "".join(
        f'[derived."{folder}{shape}.lock"]\n'
        f'regenerate = "cat {folder}in/* {_UTF16 if shape == "encoding" else ""}'
        f'>{folder}{shape}.lock"\ninputs = ["{folder}in/*"]\n'
        for shape in SHAPES
    )
