"""The driver lines: what git's config holds for each kind of guarded file, and what they source.

git runs a line as ``/bin/sh -c LINE`` once a path, in the top level of the worktree (bare: in the
git dir). It finds the common git dir with builtins, because one ``$(git rev-parse)`` costs a merge
of many files a third more, and because no path of the repository may be written down: it moves.
"""

from __future__ import annotations

from typing import NamedTuple

# A linked worktree or submodule has a gitfile for .git; a linked worktree's git dir has commondir.
_FIND = """\
coord_dir=${GIT_DIR:-.git}; \
if [ -f "$coord_dir" ]; then \
IFS= read -r coord_dir <"$coord_dir"; coord_dir=${coord_dir#gitdir: }; fi; \
coord_common=$coord_dir; \
if [ -f "$coord_dir/commondir" ]; then \
IFS= read -r coord_common <"$coord_dir/commondir"; \
case $coord_common in /*) ;; *) coord_common=$coord_dir/$coord_common ;; esac; fi; \
coord_home=$coord_common/hooks/coord; \
if [ ! -r "$coord_home/@KIND@" ]; then \
coord_dir=$(git rev-parse --git-dir); \
coord_home=$(git rev-parse --git-common-dir)/hooks/coord; fi; """

# dash hands no arguments to a sourced file, hence `set`. git quotes %P, %X and %Y itself: quoting
# them again splits a name with a blank. Before git 2.44 %X and %Y arrive as these two characters.
_CALL = """\
set -- %O %A %B %L %P %X %Y; \
if [ -f "$coord_home/@KIND@" ] && [ -r "$coord_home/@KIND@" ] && \
[ -r "$coord_home/refuse" ] && [ -r "$coord_home/@NEXT@" ]; then . "$coord_home/@KIND@"; fi; """

# Only reached when a file is gone, for it ends in `exit`. The commit gate finds a record that does
# not say what was refused: a `git commit -a` would swallow it. Where core.sharedRepository is set,
# git's own folders have the bit for the group. `%%` is git's `%`. The last command
# of the launcher's repair installs again.
_GONE = """\
coord_note=$coord_dir/coord-refused/$$; \
if [ "$4" = 7 ] && [ -z "$COORD_PREVIEW" ] && \
[ -e "${GIT_INDEX_FILE:-$coord_dir/index}.lock" ]; then \
mkdir -p "$coord_dir/coord-refused" && [ ! -e "$coord_note" ] && [ ! -L "$coord_note" ] && \
true >"$coord_note" && [ -g "$coord_dir" ] && \
chmod ug+rwX "$coord_dir/coord-refused" "$coord_note"; fi 2>/dev/null; \
[ ! -f "$coord_home/launch" ] || [ ! -r "$coord_home/launch" ] || . "$coord_home/launch"; \
coord_again=${coord_repair##* && }; \
printf '%%s\\n' \
'coord: driver-missing: hooks/coord/@KIND@ is gone from the git dir: a @KIND@ file in conflict' \
'  why: without it git-coord cannot judge this merge; the other side is kept in the index' \
"  run: ${coord_again:-coord-install}" >&2; exit 1"""


_JOINED = ("changelog", "log")  # whose scripts source `join`


class Driver(NamedTuple):
    """One ``[merge "…"]`` section. Write `command` first: a section without it is fatal to git."""

    command: str
    recursive: str | None
    about: str


def command(kind: str) -> str:
    """Return the driver line of `kind`, one line of POSIX sh, unquoted."""
    beside = "join" if kind in _JOINED else "refuse"
    return (_FIND + _CALL + _GONE).replace("@KIND@", kind).replace("@NEXT@", beside)


#: ``[merge "NAME"]`` → its section. A refusing driver needs ``recursive = binary``: without it a
#: refusal inside a criss-cross leaves one side as the virtual base and git takes the other one
#: silently. Those that join do so with virtual bases as well.
DRIVERS = {
    "coord-changelog": Driver(
        command("changelog"), None, "changelogs: join the sections of both sides"
    ),
    "coord-derived": Driver(
        command("derived"), "binary", "derived files: refuse, name the command"
    ),
    "coord-log": Driver(command("log"), None, "append-only logs: join the records of both sides"),
    "coord-once": Driver(command("once"), "binary", "write-once files: refuse, name the claimants"),
}

#: Files of ``drivers/sh`` that belong in ``<common git dir>/hooks/coord/``. Two are shared: `join`
#: by the kinds that Python joins, `refuse` by all.
SCRIPTS = (*(name.removeprefix("coord-") for name in DRIVERS), "join", "refuse")
