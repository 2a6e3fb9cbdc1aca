"""``hooks/coord/config``: drivers, alias and how authors follow pins, as git config text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import gitconfig
from coord.base.errors import Environment
from coord.drivers.registered import DRIVERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.identity.pin import Authorship


def text(alias: str, rule: Authorship) -> bytes:
    """Return the whole file.

    Raises:
        Environment: the author's name or e-mail may not enter git config.
    """
    try:
        blocks = [*_drivers(), gitconfig.block("alias", None, [("coord", alias)]), _identity(rule)]
    except gitconfig.Unwritable as error:
        raise Environment(
            "author-invalid",
            "the author's name or e-mail holds a control character",
            where=".coord.toml [identity], or user.name and user.email",
            why="written into git config, it could become a command",
            run="git config --show-origin --get-regexp '^user\\.'",
        ) from error
    return "".join(blocks).encode("utf-8", "surrogateescape")


def _drivers() -> Iterator[str]:
    """Yield each ``[merge …]`` section, `driver` first: a section without it is fatal to git."""
    for name, driver in DRIVERS.items():
        pairs = [("driver", driver.command)]
        pairs += [("recursive", driver.recursive)] if driver.recursive else []
        yield gitconfig.block("merge", name, [*pairs, ("name", driver.about)])


def _identity(rule: Authorship) -> str:
    """Return what ``coord.identity.pin`` reads back: no hook trusts a checkout for it."""
    pairs = [("author", "keep" if rule.keep else "actor"), ("name", rule.name)]
    pairs += [("email", rule.email)]
    pairs += [("signingKey", rule.key)] if rule.key else []
    return gitconfig.block("coord", None, pairs)
