"""A board that ``.coord.toml`` suggests: shown with whose it is, before it acts.

What is committed may come from anybody who can push, so it sends no board anywhere by itself. Only
servers can be suggested, and git remotes by https and ssh: a path would have a repository's own
hooks run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import shown as escaped
from coord.repo import git
from coord.settings import config
from coord.settings.config import DIRECTORY, FILE
from coord.stores import engine, suggestion
from coord.work import where

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree
    from coord.settings.config import Config
    from coord.work.call import Call


def shown(call: Call) -> str:
    """Return the URL that is suggested, after showing it with its host and whose commit says so.

    Raises:
        Refused: none is, or what is suggested names no board elsewhere, or may hold a secret.
    """
    here = where.located(call)
    url = config.load(here.top).store
    if url == DIRECTORY:
        raise _refused("no server is suggested for the board", FILE, "it has no [board] store")
    try:
        hosts = engine.suggestible(url)
    except ValueError as error:
        raise _refused(
            "what is suggested for the board is none", suggestion.short(url), str(error)
        ) from error
    call.note(f"{FILE} suggests {url}, on {hosts}")
    call.note(f"so says {_commit(here, url)}")
    return url


def tell(call: Call, here: Worktree, declared: Config) -> None:
    """Say that a board is suggested which this clone has not accepted."""
    text = suggestion.pending(here.common_dir, declared.store)
    if text:
        call.note(text)


def _commit(here: Worktree, url: str) -> str:
    """Return which commit has brought a suggestion, and whose it is."""
    there = git.ask("grep", "--quiet", "--fixed-strings", "-e", url, "HEAD", "--", f":(top){FILE}",
                    cwd=here.cwd)  # fmt: skip
    if there.code:
        return "no commit yet: it stands in the working tree alone"
    asked = ("log", "-1", "--format=%h of %an <%ae>, %cs: %s", f"-S{url}", "--", f":(top){FILE}")
    return escaped(git.ask(*asked, cwd=here.cwd).text) or "a commit that is not here"


def _refused(what: str, place: str, why: str) -> Refused:
    return Refused("no-suggestion", what, where=place, why=why, run="git coord store use -h")
