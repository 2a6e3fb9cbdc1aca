"""What every command does first: a sign of life, and the news of claims lost or won.

Felt at each prompt, so it asks no git child and, where there is nothing to tell, reads a handful
of small files (0.5 ms). It never fails a command.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.base.names import shown
from coord.board import beats, keys, process
from coord.cli import show
from coord.repo import worktree

if TYPE_CHECKING:
    from coord.board.notices import Notice
    from coord.board.store import Store

_LOST = "{scope} is no longer yours: {by} took it over at {at}"
_WITHDRAWN = "{by} offered you {scope} at {at}, but that offer stands no longer"
_HEADLINES = {
    "yours": "{scope} is yours now, generation {generation}; {by} left it to you",
    "adopted": "{scope}, which you held for {by}'s branch, is {by}'s own now",
    "offered": "{by} offers you {scope}, see git coord inbox; it carries no authority",
    "accepted": "{scope}, which you offered, is {by}'s now, generation {generation}",
    "landed": "{scope} is no longer yours: its branch has landed, and {by} settled the claim",
    "passed-over": "your place in the line for {scope} was passed over: your process had ended",
}


def beat(asked: str | None) -> None:
    """Renew the presence of whoever acts here, and tell the news; `asked` is ``--as``."""
    try:
        git_dir = private_dir(os.getcwd())
        if git_dir is None:
            return
        place = worktree.Worktree(git_dir, _common_dir(git_dir), None)
        if not place.in_use:
            return  # nobody is there to see it, and a clone is left as it was
        instance = beats.acting(git_dir, asked or os.environ.get("COORD_ACTOR"))
        worker = process.worker(process.ancestors())
        beats.beat(git_dir, instance, None if worker is None else process.recorded(worker))
        board = os.path.join(place.common_dir, "coord", "board")
        if instance is not None and _has_news(board, instance):
            from coord.board.directory import Directory  # noqa: PLC0415  # only with news

            tell(Directory(board), instance)
    except (OSError, UnicodeDecodeError, CoordError):
        return


def tell(store: Store, instance: str) -> None:
    """Print to stderr what `instance` has not been told yet."""
    from coord.board import notices  # noqa: PLC0415  # only with news

    for notice in notices.unread(store, instance):
        show.note(_headline(store, notice))
        for line in notice.reason.split("\n") if notice.reason else ():
            show.quoted(line)
        for line in notice.shipped.split("\n") if notice.shipped else ():
            show.quoted(f"shipped {line}")
        notices.told(store, notice)


def private_dir(folder: str) -> str | None:
    """Return the private git dir of the worktree `folder` is in, found as git finds it."""
    while True:
        found = os.path.join(folder, ".git")
        if os.path.isdir(found):
            return found
        if os.path.isfile(found):
            with open(found, encoding="utf-8", errors="surrogateescape") as file:
                link = file.readline().rstrip("\n").removeprefix("gitdir: ")
            return os.path.normpath(os.path.join(folder, link))
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _common_dir(git_dir: str) -> str:
    try:
        with open(
            os.path.join(git_dir, "commondir"), encoding="utf-8", errors="surrogateescape"
        ) as file:
            return os.path.normpath(os.path.join(git_dir, file.readline().rstrip("\n")))
    except FileNotFoundError:
        return git_dir


def _has_news(board: str, instance: str) -> bool:
    try:
        return bool(os.listdir(os.path.join(board, keys.notices(instance))))
    except FileNotFoundError:
        return False


def _headline(store: Store, notice: Notice) -> str:
    said = _HEADLINES.get(notice.kind, _LOST)
    if notice.kind == "offered" and not _stands(store, notice):
        said = _WITHDRAWN
    from coord.board import scopes  # noqa: PLC0415  # only with news

    scope, by = scopes.shown(notice.scope), shown(notice.by)
    return said.format(scope=scope, by=by, at=notice.at, generation=notice.generation)


def _stands(store: Store, notice: Notice) -> bool:
    from coord.board import claims, handover  # noqa: PLC0415  # only with an offer to tell of

    return handover.standing(claims.state(store, notice.scope), notice.event) is not None
