"""Other tools that manage hooks: which one a repository uses, and how ours are called by hand."""

from __future__ import annotations

import os

from coord.installer.hookfile import EVENTS

_FILES = {
    "pre-commit": (".pre-commit-config.yaml", ".pre-commit-config.yml"),
    "lefthook": tuple(
        f"{dot}lefthook.{suffix}" for dot in ("", ".") for suffix in ("yml", "yaml", "toml", "json")
    ),
    "husky": (".husky",),
}
_ABOUT = {
    "pre-commit": "pre-commit is used here: its hooks and ours both run, whichever was installed "
    "last; `pre-commit install --overwrite` deletes ours, coord-install brings them back",
    "lefthook": "lefthook is used here: its `install` puts our hooks aside as NAME.old without "
    "running them; coord-install after it makes both run",
    "husky": "husky is used here: it sets core.hooksPath to a folder it generates; once it has, "
    "`coord-install --no-hooks` prints the lines for .husky/EVENT",
}


def notes(top: str | None) -> list[str]:
    """Return what is to be said about the hook tools that the worktree at `top` uses."""
    if top is None:
        return []
    return [
        _ABOUT[tool]
        for tool, names in _FILES.items()
        if any(os.path.lexists(os.path.join(top, name)) for name in names)
    ]


def snippet() -> str:
    """Return the lines by which somebody's own hooks call ours.

    pre-push has one stdin for both: it is read once and fed again.
    """
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
