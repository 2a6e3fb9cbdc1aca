"""Which paths are guarded, how, and by which declaration.

"set" is not "guarded": a later line may give the path another driver (``*.json merge=npm``), so
what counts is the *effective* ``merge`` attribute that git itself reports.
"""

from __future__ import annotations

import os

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.repo.worktree import Worktree
    from coord.settings.config import Config, Derived, Log

KINDS = ("changelog", "derived", "log", "once")
#: Kinds of which both sides can stand: their driver joins what the others refuse.
JOINED = frozenset({"changelog", "log"})
#: What the block begins and ends with that ``coord-install`` keeps in ``info/attributes``.
BEGIN, END = b"# git-coord begin", b"# git-coord end"


def attribute(kind: str) -> str:
    """Return the macro attribute, and driver name, of a kind."""
    return f"coord-{kind}"


def kinds(here: Worktree, paths: Iterable[str]) -> dict[str, str]:
    """Return the kind of each guarded path among `paths` (relative to the top level)."""
    wanted = {attribute(kind): kind for kind in KINDS}
    found: dict[str, str] = {}
    for path, _, driver in attributes(here, ("merge",), paths):
        if driver in wanted:
            found[path] = wanted[driver]
    return found


def attributes(
    here: Worktree, names: Sequence[str], paths: Iterable[str], *options: str
) -> list[tuple[str, str, str]]:
    """Return (path, attribute, value) triples as ``git check-attr`` sees them."""
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    if not stdin:
        return []
    asked, env = (*options, "check-attr", "-z", "--stdin", *names), git.elsewhere()
    if not here.top:  # in a git dir with files beside it, as in pre-receive, git wants to be there
        asked, env = ("-c", "core.bare=true", *asked), {**env, "GIT_DIR": here.git_dir}
    done = git.tell(*asked, cwd=here.cwd, env=env, stdin=stdin)
    fields = [os.fsdecode(part) for part in done.out.split(b"\0")[:-1]]
    return list(zip(fields[::3], fields[1::3], fields[2::3], strict=True))


def derived_rules(here: Worktree, config: Config, paths: Sequence[str]) -> dict[str, Derived]:
    """Return the producer declared for each of `paths` that has one; the last match wins."""
    found = matched(here, [rule.pattern for rule in config.derived], paths)
    return {path: config.derived[number] for path, number in found.items()}


def log_rules(here: Worktree, config: Config, paths: Sequence[str]) -> dict[str, Log]:
    """Return what declares the records of each log or changelog of `paths`; the last match wins."""
    found = matched(here, [rule.pattern for rule in config.log], paths)
    return {path: config.log[number] for path, number in found.items()}


def matched(here: Worktree, patterns: Sequence[str], paths: Sequence[str]) -> dict[str, int]:
    """Return path → number of the last of `patterns` that matches it, by git's own matcher.

    A scratch attributes file gives each pattern its number under a name nobody else uses.
    """
    if not patterns or not paths:
        return {}
    import tempfile  # noqa: PLC0415  # 10 ms that only a declared rule costs

    with tempfile.NamedTemporaryFile(
        "w", suffix=".gitattributes", errors="surrogateescape"
    ) as file:
        for number, pattern in enumerate(patterns):
            file.write(f"{quoted_pattern(pattern)} coord-rule={number}\n")
        file.flush()
        found = attributes(here, ("coord-rule",), paths, "-c", f"core.attributesFile={file.name}")
    return {path: int(number) for path, _, number in found if number.isdigit()}


def exact_pattern(path: str) -> str:
    """Return the pattern that matches the name `path`, whatever characters it has."""
    return "".join("\\" + char if char in "\\*?[" else char for char in path)


def quoted_pattern(pattern: str) -> str:
    """Return `pattern` as it stands in an attributes file: C-quoted where it must be."""
    special = pattern.startswith(("#", "[attr]", "!")) or not pattern.isprintable()
    if pattern and not special and not any(char in pattern for char in ' "'):
        return pattern
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'
