"""The remote of a clone that is named in place of a URL: ``git+NAME``."""

from __future__ import annotations

import os

from coord.remote import address
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coord.remote.address import Address


def resolved(text: str, cwd: str) -> str:
    """Return a text with the push URL of the remote that it names in its place; any other as it is.

    As git pushes there: ``pushurl`` and ``url.….pushInsteadOf`` count.

    Raises:
        ValueError: a clone has no remote of that name.
    """
    name = address.name(text)
    if not name:
        return text
    done = git.ask("remote", "get-url", "--push", "--", name, cwd=cwd)
    if done.code or not done.text:
        raise ValueError("it is no URL, and this clone has no remote of that name")
    return f"{address.SCHEME}{done.text}"


def led(where: Address, cwd: str) -> Address | None:
    """Return the repository that git comes to by the URL of one (``url.….insteadOf``).

    None where it comes to none: to a folder of this machine it is led by its path alone, and by
    that to no other place.
    """
    found = git.ask("ls-remote", "--get-url", "--", where.url, cwd=cwd)
    try:
        there = address.parsed(f"{address.SCHEME}{found.text or where.url}")
    except ValueError:
        return None
    return there if there.is_local == where.is_local else None


def naming(where: Address, cwd: str) -> str:
    """Return the first remote of a clone that pushes to a repository; empty if none does.

    By whatever protocol, and as whoever.
    """
    for name in git.ask("remote", cwd=cwd).text.split("\n"):
        urls = git.ask("remote", "get-url", "--push", "--all", "--", name, cwd=cwd).text
        if any(_is_at(where, url) for url in urls.split("\n") if url):
            return name
    return ""


def _is_at(where: Address, url: str) -> bool:
    try:
        return _place(address.parsed(f"{address.SCHEME}{url}")) == _place(where)
    except ValueError:
        return False


def _place(where: Address) -> tuple[str, str]:
    path = os.path.realpath(where.path) if where.is_local else where.path
    return where.host.lower(), path.strip("/").removesuffix(".git")
