"""Blobs compared as git would normalise them: line ends, ``ident``, filters and encodings aside.

With ``merge.renormalize`` (or ``-X renormalize``) git hands a driver both sides as its attributes
would have them now: bytes that no commit and no stage of the index holds. And what a user checks
out and adds again is staged so, without any renormalisation.
"""

from __future__ import annotations

import os

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The attributes by which git converts content, gitattributes(5): those of line ends, and others.
_ENDS = ("text", "crlf", "eol")
_OTHERS = ("ident", "filter", "working-tree-encoding")
_SHA1 = 40  # hex digits
_NONE = frozenset({"unspecified", "unset"})


class Forms:
    """The normal forms of blobs; git is asked only for paths that it converts at all."""

    def __init__(self, cwd: str, environ: Mapping[str, str], paths: Sequence[str]) -> None:
        self._cwd = cwd
        self._environ = environ
        self._paths = paths
        self._asked: dict[str, set[str]] | None = None
        self._forms: dict[tuple[str, str], str] = {}

    def converts(self, path: str) -> bool:
        """Tell whether git may convert the content of a path between index and working tree."""
        if self._asked is None:
            by_config = self._git("config", "core.autocrlf").text.lower()
            everywhere = set() if by_config in {"", "false", "no", "off"} else {"text"}
            self._asked = {path: everywhere | names for path, names in self._attributes().items()}
        return bool(self._asked.get(path))

    def same(self, path: str, one: str, other: str) -> bool:
        """Tell whether two blobs of a path are the same but for what git converts."""
        if one == other or not one or not other or not self.converts(path):
            return one == other
        return self._form(path, one) == self._form(path, other)

    def text(self, path: str, name: str) -> bytes:
        """Return an object as git would make it of that path, but with its own line ends.

        Where a filter fails, as it is; nothing where there is no such object.
        """
        made = self._added_again(path, name, "-w") if self._converts_more(path) else ""
        return self._git("cat-file", "blob", made or name).out

    def _converts_more(self, path: str) -> bool:
        """Tell whether git converts more of a path than its line ends."""
        return self.converts(path) and not (self._asked or {})[path].isdisjoint(_OTHERS)

    def _attributes(self) -> dict[str, set[str]]:
        """Return the converting attributes that each path has."""
        named = b"".join(os.fsencode(path) + b"\0" for path in self._paths)
        listing = self._git("check-attr", "-z", "--stdin", *_ENDS, *_OTHERS, stdin=named).fields
        found: dict[str, set[str]] = {path: set() for path in self._paths}
        for path, name, state in zip(listing[::3], listing[1::3], listing[2::3], strict=True):
            if state not in _NONE:
                found[path].add(name)
        return found

    def _form(self, path: str, blob: str) -> str:
        """Return the blob that git would make of `blob`, written to `path` and added again.

        One that the repository lacks was normalised by git, for its driver. Where a filter fails,
        or a blob is none, it is its own form.
        """
        key = path, blob
        if key not in self._forms:
            more = self._converts_more(path)
            made = self._added_again(path, blob) if more else self._with_line_feeds(blob)
            self._forms[key] = made or blob
        return self._forms[key]

    def _with_line_feeds(self, blob: str) -> str:
        """Return the id of a blob with its line ends normalised, in one child."""
        import hashlib  # noqa: PLC0415  # 3 ms, where a refusal meets converted line ends

        read = self._git("cat-file", "blob", blob)
        if read.code:
            return ""
        content = read.out.replace(b"\r\n", b"\n")
        made = hashlib.sha1 if len(blob) == _SHA1 else hashlib.sha256
        return made(b"blob %d\0" % len(content) + content).hexdigest()

    def _added_again(self, path: str, blob: str, *options: str) -> str:
        written = self._git("cat-file", "--filters", f"--path={path}", blob)
        if written.code:
            return ""
        words = ("hash-object", *options, "--stdin", f"--path={path}")
        added = self._git(*words, stdin=written.out)
        return added.text if added.code == 0 else ""

    def _git(self, *args: str, stdin: bytes | None = None) -> git.Output:
        return git.ask(*args, cwd=self._cwd, env=self._environ, stdin=stdin)
