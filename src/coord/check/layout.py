"""A scratch repository in which git judges paths of any commit by that commit's declarations.

Git reads attributes from a checked-out tree only (``--attr-source`` came with 2.41), and it matches
pathspecs only against what an index holds. So the ``.gitattributes`` files of a commit are laid out
in a scratch folder, and the paths in question in a scratch index; the matching stays git's own.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Self

from coord.guard.guarded import KINDS, attribute
from coord.history.door import WHOLE
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NAME = b".gitattributes"
_EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # the scratch repository is SHA-1


class Scratch:
    """A scratch repository; a context manager that removes it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="coord-check-")
        self._git_dir = os.path.join(self._folder.name, "git")
        self._layouts = 0
        git.tell(
            "init", "-q", "--bare", "--template=", "--object-format=sha1", self._git_dir,
            cwd=self._folder.name,
        )  # fmt: skip
        os.mkdir(os.path.join(self._git_dir, "info"))
        with open(os.path.join(self._git_dir, "info", "attributes"), "w") as file:
            file.writelines(f"[attr]{attribute(kind)} merge={attribute(kind)}\n" for kind in KINDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def layout(self, files: Mapping[bytes, bytes]) -> str:
        """Lay `files` out in a folder of their own and return it."""
        self._layouts += 1
        top = os.path.join(self._folder.name, str(self._layouts))
        os.mkdir(top)
        for path, text in files.items():
            full = os.path.join(os.fsencode(top), path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(text)
        return top

    def declared(self, layout: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the kind of each of `paths` that the files of a layout guard, nothing else asked.

        The macros select the drivers, as in a clone with the toolkit, so that of two the later
        wins. A path whose driver another line takes away is declared all the same.
        """
        env = {**self._env(layout), "GIT_ATTR_NOSYSTEM": "1"}
        names = ("merge", *map(attribute, KINDS))
        options = ("-c", "core.attributesFile=/dev/null")
        return _kinds(check_attr(layout, env, names, paths, *options))

    def effective(
        self, layout: str, git_dir: str, paths: Iterable[bytes]
    ) -> list[tuple[bytes, bytes, bytes]]:
        """Return (path, ``merge`` or a macro, value): a layout's files with a clone's own on top.

        Those are its ``info/attributes``, its user's and the system's.
        """
        env = {**self._env(layout), "GIT_DIR": git_dir}
        return check_attr(layout, env, ("merge", *map(attribute, KINDS)), paths)

    def matching(self, paths: Iterable[bytes], pathspecs: Sequence[str]) -> set[bytes]:
        """Return those of `paths` that `pathspecs` name."""
        top = self.layout({})
        found: set[bytes] = set()
        for number, layer in enumerate(_layers(paths)):
            env = {**self._env(top), "GIT_INDEX_FILE": os.path.join(top, str(number))}
            entries = b"".join(b"100644 %s\t%s\0" % (_EMPTY.encode(), path) for path in layer)
            git.tell("update-index", "-z", "--index-info", cwd=top, env=env, stdin=entries)
            listed = git.tell("ls-files", "-z", "--", *pathspecs, cwd=top, env=env)
            found.update(listed.out.split(b"\0")[:-1])
        return found

    def _env(self, top: str) -> dict[str, str]:
        # No index: git would take from it the attributes files that the layout does not have.
        index = os.path.join(self._folder.name, "none")
        return {
            **git.elsewhere(),
            **WHOLE,
            "GIT_DIR": self._git_dir, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": index,
        }  # fmt: skip


def check_attr(
    cwd: str, env: Mapping[str, str], names: Sequence[str], paths: Iterable[bytes], *options: str
) -> list[tuple[bytes, bytes, bytes]]:
    """Return (path, attribute, value) triples as ``git check-attr`` sees them."""
    stdin = b"".join(path + b"\0" for path in paths)
    if not stdin:
        return []
    done = git.tell(*options, "check-attr", "-z", "--stdin", *names, cwd=cwd, env=env, stdin=stdin)
    fields = done.out.split(b"\0")[:-1]
    return list(zip(fields[::3], fields[1::3], fields[2::3], strict=True))


def _kinds(triples: Iterable[tuple[bytes, bytes, bytes]]) -> dict[bytes, str]:
    wanted = {attribute(kind).encode(): kind for kind in KINDS}
    chosen: dict[bytes, str] = {}
    declared: dict[bytes, str] = {}
    for path, name, value in triples:
        if name == b"merge" and value in wanted:
            chosen[path] = wanted[value]
        elif name in wanted and value == b"set":
            declared.setdefault(path, wanted[name])
    return {**declared, **{path: kind for path, kind in chosen.items() if path in declared}}


def _layers(paths: Iterable[bytes]) -> list[set[bytes]]:
    """Share `paths` out so that none is a folder of another: an index cannot hold both."""
    layers: list[set[bytes]] = []
    for path in sorted(paths):
        for layer in layers:
            if not any(parent in layer for parent in _parents(path)):
                layer.add(path)
                break
        else:
            layers.append({path})
    return layers


def _parents(path: bytes) -> Iterable[bytes]:
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        yield path
