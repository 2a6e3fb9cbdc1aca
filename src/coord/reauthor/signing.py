"""Commits signed as git itself would have: with ``commit.gpgSign``, by whoever now commits them.

git makes the signature, whatever the format and the key. ``commit-tree`` cannot write every commit
(an unknown header, a message without its last newline): where it made another one than was wanted,
the signature covers other bytes, and the commit stays without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.reauthor import rewrite
from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


def is_wanted(here: Worktree) -> bool:
    """Tell whether git signs the commits of this worktree."""
    asked = ("config", "--type=bool", "--get", "commit.gpgSign")
    return git.ask(*asked, cwd=here.cwd).text == "true"


def signed(here: Worktree, raw: bytes, who: tuple[str, str]) -> str:
    """Store `raw` signed and return its id, empty where it is another's, or git could not."""
    header, _, message = raw.partition(b"\n\n")
    lines = [line.partition(b" ")[::2] for line in header.split(b"\n")]
    fields = dict(lines)
    codec = rewrite.encoding(header)
    if not fields.get(b"committer", b"").startswith(rewrite.signature(who, codec) + b" "):
        return ""
    people = {
        f"GIT_{role.upper()}_{part}": text
        for role in ("author", "committer")
        for part, text in _person(fields.get(role.encode(), b""))
    }
    parents = [f"-p{value.decode()}" for key, value in lines if key == b"parent"]
    options = ("-c", f"i18n.commitEncoding={codec}", "commit-tree", "-S", *parents)
    tree = fields[b"tree"].decode()
    env = {**git.elsewhere(), **people}
    done = git.ask(*options, "-F", "-", tree, cwd=here.cwd, env=env, stdin=message)
    return done.text if done.code == 0 and _is_of(here, done.text, raw) else ""


def _person(line: bytes) -> list[tuple[str, str]]:
    """Return the parts of ``NAME <EMAIL> SECONDS ZONE`` as git takes them from its environment."""
    who, _, date = line.rpartition(b"> ")
    name, _, email = who.partition(b" <")
    texts = (name, email, b"@" + date)
    parts = zip(("NAME", "EMAIL", "DATE"), texts, strict=True)
    return [(part, text.decode("utf-8", "surrogateescape")) for part, text in parts]


def _is_of(here: Worktree, commit: str, raw: bytes) -> bool:
    """Tell whether a signed commit is `raw` but for its signature."""
    made = git.tell("cat-file", "commit", commit, cwd=here.cwd).out
    return rewrite.is_signed(made) and rewrite.unsigned(made) == raw
