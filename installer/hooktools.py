"""Other tools that manage hooks: which one a repository uses, and how ours are called by hand."""

from __future__ import annotations

import os

from coord.base import command
from coord.installer import disk
from coord.installer.hookfile import EVENTS

FILES = {
    "pre-commit": (".pre-commit-config.yaml", ".pre-commit-config.yml"),
    "lefthook": tuple(
        f"{dot}lefthook.{suffix}" for dot in ("", ".") for suffix in ("yml", "yaml", "toml", "json")
    ),
    "husky": (".husky",),
}
_ABOUT = {
    "pre-commit": "pre-commit or prek is used here: its hooks and ours both run, whichever was "
    "installed last; its `install --overwrite` deletes ours, @INSTALL@ brings them back",
    "lefthook": "lefthook is used here: whenever lefthook.yml has changed it puts our hooks aside "
    "as NAME.old without running them, until @INSTALL@ makes both run again; for good, run "
    "`@INSTALL@ --no-hooks` and add the lines it prints to lefthook.yml",
    "git-lfs": "git-lfs is used here: its `install` refuses beside our hooks and with --force "
    "writes over them; @INSTALL@ after it makes both run",
    "husky": "husky is used here: it sets core.hooksPath to a folder it generates; once it has, "
    "`@INSTALL@ --no-hooks` prints the lines for .husky/EVENT",
}


_HOOK = '"$(git rev-parse --git-common-dir)/hooks/coord'
_LEFTHOOK = "# Our hooks are in hooks/coord of the git dir. Add this to lefthook.yml:\n" + "".join(
    f"{event}:\n  commands:\n    git-coord:\n"
    f'      run: \'hook={_HOOK}/{event}"; [ ! -x "$hook" ] || "$hook" {{0}}\'\n'
    + ("      use_stdin: true\n" if event == "pre-push" else "")
    for event in EVENTS
)


def notes(top: str | None) -> list[str]:
    """Return what is to be said about the hook tools that the worktree at `top` uses."""
    if top is None:
        return []
    return [_ABOUT[tool].replace("@INSTALL@", command.install()) for tool in _used(top)]


def returned(hook: bytes) -> str:
    """Return what is to be said when an uninstall gives its name back to a kept `hook`, if any."""
    if b"git lfs" not in hook:
        return ""
    return (
        "the hooks of git-lfs are back; it could not find them below ours: if it was uninstalled "
        "meanwhile, `git lfs uninstall` takes them out now"
    )


def _used(top: str) -> list[str]:
    found = [
        tool
        for tool, names in FILES.items()
        if any(os.path.lexists(os.path.join(top, name)) for name in names)
    ]
    large = b"filter=lfs" in (disk.read(os.path.join(top, ".gitattributes")) or b"")
    return [*found, *(["git-lfs"] if large else [])]


def snippet(top: str | None) -> str:
    """Return the lines by which somebody's own hooks call ours, in the worktree at `top`."""
    return _LEFTHOOK if top is not None and "lefthook" in _used(top) else _own()


def _own() -> str:
    """Return the lines for hooks in sh; pre-push has one stdin for both: it is fed again."""
    return f"""\
# Our hooks are in hooks/coord of the git dir. Put these lines first into your own hooks for
# {" ".join(EVENTS)}:
hook=$(git rev-parse --git-common-dir)/hooks/coord/${{0##*/}}
[ ! -x "$hook" ] || "$hook" "$@" || exit
# and into pre-push, where both need its stdin, these instead:
hook=$(git rev-parse --git-common-dir)/hooks/coord/${{0##*/}} refs=$(cat)
[ ! -x "$hook" ] || printf '%s\\n' "$refs" | "$hook" "$@" || exit
exec <<END
$refs
END
"""
